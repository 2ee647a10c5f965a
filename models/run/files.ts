import { createLimit } from '../../lake/limit.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { ObjectStore } from '../../lake/store/store.ts'

/** Where the versions of models are kept, and what is said of them there. */
export interface ModelFiles {
  readonly store: ObjectStore
  readonly now: () => number
  /** Commit of git of the code that fits; null where it is not known. */
  readonly commit: string | null
}

/** What became of a fit: it is served, it was worse than what is served, or it came to nothing. */
export type FitState = 'PROMOTED' | 'REFUSED' | 'FAILED'

/** A turn of a model's log: one for each version that was fitted, and for each fit that failed. */
export interface LogEntry {
  readonly model: string
  /** Null where the fit failed. */
  readonly model_version: string | null
  readonly state: FitState
  readonly reason: string
  /** Days of the data that it was fitted to, both inclusive, YYYY-MM-DD; null where the fit failed. */
  readonly data_from: string | null
  readonly data_to: string | null
  readonly revision: number
  readonly commit: string | null
  /** Mean over what it forecasts of its error as a share of the plain baseline's, in the last scored window; null where the fit failed. */
  readonly error_to_baseline: number | null
  readonly logged_at: string
}

/** A version as it is kept: what its log entry says, and all that is needed to forecast with it. */
export interface KeptVersion<F> {
  readonly model: string
  readonly model_version: string
  readonly commit: string | null
  readonly fit: F
}

/** Entries of a log that are read at once. */
const REQUESTS = 16

const logKey = (model: string, number: number): string => `models/${model}/log/${String(number).padStart(6, '0')}.json`
const versionKey = (model: string, version: string): string => `models/${model}/versions/${version}.json`

/** A model's log, the oldest entry first. */
export async function readLog({ store }: ModelFiles, model: string): Promise<LogEntry[]> {
  const keys: string[] = []
  for await (const { key } of store.list(`models/${model}/log/`)) keys.push(key)
  // An entry a night is hundreds a year.
  const limit = createLimit(REQUESTS)
  const read = await Promise.all(keys.map((key) => limit(() => store.get(key))))
  return read.flatMap((bytes) => (bytes ? [JSON.parse(bytes.toString()) as LogEntry] : []))
}

/** Adds an entry at the next free number, which only one process can take. */
export async function addToLog({ store }: ModelFiles, entry: LogEntry, after: number): Promise<void> {
  let number = after + 1
  while (!(await store.putIfAbsent(logKey(entry.model, number), Buffer.from(JSON.stringify(entry))))) number += 1
}

/** Keeps a version; the same one again takes its own place. */
export async function keepVersion<F extends Json>({ store }: ModelFiles, kept: KeptVersion<F>): Promise<void> {
  await store.put(versionKey(kept.model, kept.model_version), Buffer.from(JSON.stringify(kept)))
}

/** A version that was kept. Throws where it is not there any more. */
export async function readVersion<F>({ store }: ModelFiles, model: string, version: string): Promise<KeptVersion<F>> {
  const bytes = await store.get(versionKey(model, version))
  if (!bytes) throw new Error(`${model}: version ${version} is in the log, and not in the store`)
  return JSON.parse(bytes.toString()) as KeptVersion<F>
}
