import { instantOf } from '../../../lake/schema/time.ts'
import { numberIn, wholeNumber } from '../../formats/numbers.ts'
import { FormatError } from '../define.ts'

/** A train of the map as parsed: members of any type. */
export type MapTrain = Readonly<Record<string, unknown>>

const LOCAL = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)$/
const HOUR = 3_600_000

/** A text or number as text; null if missing or empty. Throws `FormatError` for another type. */
export function textOf(train: MapTrain, name: string): string | null {
  const value = train[name] ?? null
  if (value !== null && typeof value !== 'string' && typeof value !== 'number') throw new FormatError(`${name} is no text`)
  return value === null ? null : String(value).trim() || null
}

/** A position from latitude and longitude, NaN if unreadable; null if either is missing. */
export function positionOf(train: MapTrain): { readonly lat: number; readonly lon: number } | null {
  const [lat, lon] = [train['latitud'] ?? null, train['longitud'] ?? null]
  return lat === null || lon === null ? null : { lat: numberIn(lat) ?? Number.NaN, lon: numberIn(lon) ?? Number.NaN }
}

/** A delay in minutes, as text, in seconds; null if it is none (third parties have seen `no`). */
export function delayOf(train: MapTrain, name: string): number | null {
  const text = textOf(train, name)
  const minutes = text === null ? null : wholeNumber(text)
  return minutes === null || Number.isNaN(minutes) ? null : minutes * 60
}

/** True or false; null for any other value. */
export function flagOf(train: MapTrain, name: string): boolean | null {
  const value = train[name]
  return typeof value === 'boolean' ? value : null
}

/**
 * The instant (ms) of local time with or without seconds; null if missing. `near` is the publication time: expected times may
 * be an hour after it, which decides the repeated hour of October.
 */
export function localInstant(text: string | null, near: number): number | null {
  const [, date, time] = LOCAL.exec(text ?? '') ?? []
  if (date === undefined || time === undefined) return null
  const instant = instantOf(date, time, { near: near + HOUR })
  return Number.isNaN(instant) ? null : instant
}

/**
 * The map's publication time (ms), from local time; in the repeated hour the fetch time decides. Throws `FormatError` for any
 * other text.
 */
export function mapTime(text: unknown, near: number): number {
  const [, date, time] = (typeof text === 'string' ? LOCAL.exec(text) : null) ?? []
  const instant = date === undefined || time === undefined ? Number.NaN : instantOf(date, time, { near })
  if (Number.isNaN(instant)) throw new FormatError(`fechaActualizacion is ${JSON.stringify(text)}, expected YYYY-MM-DDTHH:MM:SS`)
  return instant
}
