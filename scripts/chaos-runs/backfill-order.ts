import type { DayRange } from '../../jobs/feeds/define.ts'
import type { PipelineStep } from '../../jobs/ingest/context.ts'

/** What a process that backfills is told, as JSON in its first argument. */
export interface BackfillOrder {
  /** The archive that it fills, one of `BACKFILLED`. */
  readonly archive: Backfilled
  readonly folder: string
  readonly redisUrl: string
  readonly publishers: string
  /** The boundary between steps at which it kills itself, and the how-many-th time that it comes there; null where it is left alone. */
  readonly halt: { readonly at: PipelineStep; readonly nth: number } | null
}

/** What it tells when it comes to its end. */
export interface BackfillTold {
  readonly asked: number
  readonly gaps: readonly string[]
  readonly failures: readonly string[]
}

/** An archive that is filled, and the days of it. */
export interface Backfilled {
  readonly feed: string
  readonly range: DayRange
  readonly jobs: number
}

/**
 * The archives that are filled, a round each in turn: a year of counts, one month of which the stand-in never published, and months of readings,
 * whose rows the engine makes, that of the clock change among them.
 */
export const BACKFILLED: readonly Backfilled[] = [
  { feed: 'madrid_counts', range: { from: '2025-01-01', to: '2025-12-31' }, jobs: 2 },
  { feed: 'madrid_history', range: { from: '2025-09-01', to: '2025-11-30' }, jobs: 2 },
]
