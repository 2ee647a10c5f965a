import type { DayRange } from '../../../jobs/feeds/define.ts'
import type { PipelineStep } from '../../../jobs/ingest/context.ts'

/** The order of a process that backfills, as JSON in its first argument. */
export interface BackfillOrder {
  /** The archive that it fills, one of `BACKFILLED`. */
  readonly archive: Backfilled
  readonly folder: string
  readonly redisUrl: string
  readonly publishers: string
  /** The boundary between steps at which it kills itself, and at which visit of it (1 is the first); null if it is not killed. */
  readonly halt: { readonly at: PipelineStep; readonly nth: number } | null
}

/** The result that it reports at its end. */
export interface BackfillReport {
  readonly asked: number
  readonly gaps: readonly string[]
  readonly failures: readonly string[]
}

/** An archive to fill, and its days. */
export interface Backfilled {
  readonly feed: string
  readonly range: DayRange
  readonly jobs: number
}

/**
 * The archives to fill, in turn by round: a year of counts, of which the stand-in lacks one month, and months of readings whose
 * rows the engine creates, including the month of the clock change.
 */
export const BACKFILLED: readonly Backfilled[] = [
  { feed: 'madrid_counts', range: { from: '2025-01-01', to: '2025-12-31' }, jobs: 2 },
  { feed: 'madrid_history', range: { from: '2025-09-01', to: '2025-11-30' }, jobs: 2 },
]
