import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'

/** The order of a process of the scenario `writers`. */
export interface AppendOrder {
  readonly folder: string
  readonly redisUrl: string
  readonly role: 'append' | 'upkeep'
  /** The feed that a writer appends as, and the feed whose rows the upkeep replaces. */
  readonly feed: string
  readonly appends: number
}

/** The result of such a process: counts by kind of work, what it had to repeat, and what it replaced. */
export interface AppendReport {
  readonly done: Readonly<Record<string, number>>
  readonly again: Readonly<Record<string, number>>
  /** The corrected speed of a fetch's rows, by sequence. */
  readonly corrected: Readonly<Record<string, number>>
}

/** A row without values. */
const NOTHING: AnyRow = Object.fromEntries(Object.keys(trafficReadings.columns).map((name) => [name, null]))
/** Sensors of each append. */
export const SENSORS = 4
const START = Date.parse('2026-01-31T06:00:00Z')

/** Instant of an append: 250 of them extend into the next day and month. */
export function instantOf(seq: number): number {
  return START + seq * 300_000
}

/** Id of the fetch that an append represents. */
export function fetchOf(feed: string, seq: number): string {
  return `${feed}.${new Date(instantOf(seq)).toISOString().replace(/[-:.]/g, '')}`
}

/** The rows of an append. */
export function rowsOf(feed: string, seq: number, speed_kmh: number | null): AnyRow[] {
  return Array.from({ length: SENSORS }, (_, sensor) => ({
    ...NOTHING,
    source: feed,
    sensor_id: `${feed}-${sensor}`,
    period_s: 300,
    observed_at: instantOf(seq),
    sensor_type: 'URBAN',
    intensity_veh_h: seq,
    speed_kmh,
    quality: 'OK',
    fetch_id: fetchOf(feed, seq),
  }))
}
