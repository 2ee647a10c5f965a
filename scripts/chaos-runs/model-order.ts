import type { PipelineStep } from '../../jobs/ingest/context.ts'

/** The boundaries that a model comes to: those of the tables that it fills, and those of its files, where a version is kept and a turn of its log added. */
export const MODEL_STEPS = [
  'version-kept',
  'logged',
  'parquet-written',
  'manifests-written',
  'metadata-written',
  'hint-written',
] as const satisfies readonly (PipelineStep | 'version-kept' | 'logged')[]
export type ModelStep = (typeof MODEL_STEPS)[number]

/** The clock of all that a model says, so that two runs say the same: in the year after its newest accidents. */
export const MODEL_NOW = Date.parse('2025-02-01T00:00:00Z')

/** What a process that runs a model is told, as JSON in its first argument. */
export interface ModelOrder {
  readonly folder: string
  readonly redisUrl: string
  /** The commit that its versions name: asked once for all runs, for somebody may commit to the checkout between two of them. */
  readonly commit: string | null
  /** The boundary at which it kills itself, and the how-many-th time that it comes there; null where it is left alone. */
  readonly halt: { readonly at: ModelStep; readonly nth: number } | null
}

/** What it tells when it comes to its end: the parts that it made. */
export interface ModelTold {
  readonly made: readonly string[]
}
