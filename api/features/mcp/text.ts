import { zoneOfAirport } from '../../../lake/places/airports.ts'
import { CANARIES, zoneOf } from '../../../lake/places/clocks.ts'
import { provinceByName } from '../../../lake/places/provinces.ts'
import { MADRID, offsetAt } from '../../../lake/schema/time.ts'
import type { ReplyRecord } from './tool.ts'

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
/** A meridian between the Canaries and the mainland, degrees. */
const WEST_OF_MAINLAND = -12

/** An instant (ms) by a local clock: YYYY-MM-DD HH:MM. */
export function localTime(at: number, zone: string = MADRID): string {
  return new Date(at + offsetAt(at, zone)).toISOString().slice(0, 16).replace('T', ' ')
}

/** Writes the local time after each instant of a text, and the local date if it is not that in UTC; nothing without a zone. */
export function withLocalTimes(text: string, zone: string | null = MADRID): string {
  if (zone === null) return text
  return text.replaceAll(INSTANT, (instant) => {
    const local = localTime(Date.parse(instant), zone)
    return `${instant} (${instant.startsWith(local.slice(0, 10)) ? local.slice(11) : local} local)`
  })
}

/**
 * The time zone of the place of a record: its own (`origin_timezone`, null if unknown), or that of its airport, province,
 * provinces or position; Madrid's without one.
 */
export function zoneOfRecord({ origin_timezone, airport, province, provinces, lon }: ReplyRecord): string | null {
  if (origin_timezone !== undefined) return origin_timezone as string | null
  if (typeof airport === 'string') return zoneOfAirport(airport)
  const names = [province, ...(Array.isArray(provinces) ? provinces : [])].filter((one) => typeof one === 'string')
  const zones = new Set(names.map((name) => zoneOf(provinceByName(name)?.code ?? '')))
  if (zones.size > 0) return zones.size === 1 ? ([...zones][0] as string) : MADRID
  return zoneOf(typeof lon === 'number' && lon < WEST_OF_MAINLAND ? (CANARIES[0] as string) : '')
}

const UNITS = [
  [86_400, 'days'],
  [3600, 'h'],
  [60, 'min'],
] as const

/** A duration in its largest unit of which there are at least two: `90 s`, `2 min`, `3 days`. */
export function duration(seconds: number): string {
  const [length, unit] = UNITS.find(([one]) => seconds >= 2 * one) ?? [1, 's']
  return `${Math.floor(seconds / length)} ${unit}`
}
