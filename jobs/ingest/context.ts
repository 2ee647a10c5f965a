import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { EventLog } from '../../lake/events/log.ts'
import type { Lake } from '../../lake/open.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { SourceMode } from '../../lake/system.ts'

/** The resources of the pipeline; made once by the worker. */
export interface IngestContext {
  readonly store: ObjectStore
  readonly lake: Lake
  readonly redis: Redis
  readonly log: Logger
  readonly mode: SourceMode
  /** Key that public ids are hashed with. */
  readonly idKey: Buffer
  /** Maps an address of a feed to the address to fetch. */
  readonly origin: (url: string) => string
  /** The configured secret of a variable, null if unset; undefined against a stand-in. */
  readonly secret?: (env: string) => string | null
  /** The operator's list of withheld records, by the name of its setting. */
  readonly listed?: (env: string) => ReadonlySet<string>
  /** The configured value of a text setting, by its name; null if unset. */
  readonly setting?: (env: string) => string | null
  readonly now: () => number
  /** The store's clock, to check ours if a fetch has no other time; undefined if `now` is not a real clock. */
  readonly storeNow?: () => Promise<number>
  /** The event log; undefined if nobody follows events. */
  readonly events?: EventLog
  /** Called at each boundary between pipeline steps; fault tests stop the process there. */
  readonly onStep?: (step: PipelineStep) => void | Promise<void>
  /** Git commit recorded in what this process writes, null for none; by default that of the running code. */
  readonly commit?: string | null
  /** Digest of the code that parses and folds; by default that of the running code. */
  readonly release?: string
  /** Rows of a table that wait in memory for a landing; 500,000 by default. */
  readonly maxWaitingRows?: number
  /** Factor of waits between attempts, 1 by default. */
  readonly patience?: number
}

/** The boundaries between pipeline steps, in order. */
export const PIPELINE_STEPS = [
  'raw-kept',
  'accepted',
  'live-written',
  'parquet-written',
  'manifests-written',
  'metadata-written',
  'hint-written',
] as const
export type PipelineStep = (typeof PIPELINE_STEPS)[number]
