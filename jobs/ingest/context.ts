import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { EventLog } from '../../lake/events/log.ts'
import type { Lake } from '../../lake/open.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { SourceMode } from '../../lake/system.ts'

/** What the pipeline works with; made once by the worker and passed on. */
export interface IngestContext {
  readonly store: ObjectStore
  readonly lake: Lake
  readonly redis: Redis
  readonly log: Logger
  readonly mode: SourceMode
  /** Key that public ids are hashed with. */
  readonly idKey: Buffer
  /** Where an address of a feed is really asked. */
  readonly origin: (url: string) => string
  /** What the configuration holds for the secret of a variable, null for nothing; not there where a stand-in is asked. */
  readonly secret?: (env: string) => string | null
  /** The operator's list of what is withheld, by the variable of its setting. */
  readonly listed?: (env: string) => ReadonlySet<string>
  /** What the configuration has for a text setting, by its variable; nothing where this is not set. */
  readonly setting?: (env: string) => string | null
  readonly now: () => number
  /** The store's clock, which ours is compared with where a fetch has no other time; where `now` is no real clock there is none. */
  readonly storeNow?: () => Promise<number>
  /** Where events are recorded; not there where nobody follows them. */
  readonly events?: EventLog
  /** Called at each boundary between pipeline steps; fault tests stop the process there. */
  readonly onStep?: (step: PipelineStep) => void | Promise<void>
  /** Commit of git that what is made here names, null for none; that of this process's code unless told. */
  readonly commit?: string | null
  /** Factor of waits between attempts, 1 unless told. */
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
