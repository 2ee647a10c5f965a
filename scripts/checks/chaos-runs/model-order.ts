import type { PipelineStep } from '../../../jobs/ingest/context.ts'

/**
 * The boundaries that a model reaches: those of its tables, and those of its files, at which a version is stored or an entry is
 * added to its log.
 */
export const MODEL_STEPS = [
  'version-kept',
  'logged',
  'parquet-written',
  'manifests-written',
  'metadata-written',
  'hint-written',
] as const satisfies readonly (PipelineStep | 'version-kept' | 'logged')[]
export type ModelStep = (typeof MODEL_STEPS)[number]

/** The clock of all model outputs, so that two runs have the same result: in the year after its newest accidents. */
export const MODEL_NOW = Date.parse('2025-02-01T00:00:00Z')

/** The order of a process that runs a model, as JSON in its first argument. */
export interface ModelOrder {
  readonly folder: string
  readonly redisUrl: string
  /** The commit that its versions name: read once for all runs, because the checkout may change between two runs. */
  readonly commit: string | null
  /** The boundary at which it kills itself, and at which visit of it (1 is the first); null if it is not killed. */
  readonly halt: { readonly at: ModelStep; readonly nth: number } | null
}

/** The result that it reports at its end: the partitions that it built. */
export interface ModelReport {
  readonly made: readonly string[]
}
