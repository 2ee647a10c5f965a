import type { AnyRow } from '../../lake/schema/dataset.ts'

/** What a process of the scenario `writers` is told. */
export interface AppendOrder {
  readonly folder: string
  readonly redisUrl: string
  readonly role: 'append' | 'upkeep'
  /** The feed that a writer appends as, and the one whose rows the upkeep replaces. */
  readonly feed: string
  readonly appends: number
}

/** What such a process tells: how often it did what, what it had to begin again, and what it replaced. */
export interface AppendTold {
  readonly done: Readonly<Record<string, number>>
  readonly again: Readonly<Record<string, number>>
  /** Speed that the rows of a fetch were corrected to, by sequence. */
  readonly corrected: Readonly<Record<string, number>>
}

/** Sensors of each append. */
export const SENSORS = 4
const START = Date.parse('2026-01-31T06:00:00Z')

/** Instant of an append: 250 of them reach into the next day and month. */
export function instantOf(seq: number): number {
  return START + seq * 300_000
}

/** Id of the fetch that an append stands for. */
export function fetchOf(feed: string, seq: number): string {
  return `${feed}.${new Date(instantOf(seq)).toISOString().replace(/[-:.]/g, '')}`
}

/** The rows of an append. */
export function rowsOf(feed: string, seq: number, speed_kmh: number | null): AnyRow[] {
  return Array.from({ length: SENSORS }, (_, sensor) => ({
    source: feed,
    sensor_id: `${feed}-${sensor}`,
    period_s: 300,
    observed_at: instantOf(seq),
    sensor_type: 'URBAN',
    intensity_veh_h: seq,
    occupancy_pct: null,
    load_pct: null,
    level_of_service: null,
    speed_kmh,
    quality: 'OK',
    fetch_id: fetchOf(feed, seq),
  }))
}
