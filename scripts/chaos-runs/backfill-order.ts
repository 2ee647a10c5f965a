import type { PipelineStep } from '../../jobs/ingest/context.ts'

/** What a process that backfills is told, as JSON in its first argument. */
export interface BackfillOrder {
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

/** The archive that is filled, and the days of it: a year, one month of which the stand-in never published. */
export const BACKFILLED = { feed: 'madrid_counts', range: { from: '2025-01-01', to: '2025-12-31' }, jobs: 2 } as const
