import pLimit from 'p-limit'
import type { Json } from '../../lake/schema/columns.ts'
import type { ObjectStore } from '../../lake/store/store.ts'

/** Storage of model versions and their logs. */
export interface ModelFiles {
  readonly store: ObjectStore
  readonly now: () => number
  /** Git commit of the fitting code; null if unknown. */
  readonly commit: string | null
}

/** Result of a fit: it is served, it was worse than the served version, or it failed. */
export type FitState = 'PROMOTED' | 'REFUSED' | 'FAILED'

/** An entry of a model's log: one for each fitted version and each failed fit. */
export interface LogEntry {
  readonly model: string
  /** Null if the fit failed. */
  readonly model_version: string | null
  readonly state: FitState
  readonly reason: string
  /** Days of the training data, both inclusive, YYYY-MM-DD; null if the fit failed. */
  readonly data_from: string | null
  readonly data_to: string | null
  readonly revision: number
  readonly commit: string | null
  /** Mean over all series of the error as a share of the baseline's, in the last scored window; null if the fit failed. */
  readonly error_to_baseline: number | null
  readonly logged_at: string
}

/** A stored version: its log entry, and everything needed to forecast with it. */
export interface StoredVersion<F> {
  readonly model: string
  readonly model_version: string
  readonly commit: string | null
  readonly fit: F
}

/** Log entries read at once. */
const REQUESTS = 16

const logKey = (model: string, number: number): string => `models/${model}/log/${String(number).padStart(6, '0')}.json`
const versionKey = (model: string, version: string): string => `models/${model}/versions/${version}.json`

/** A model's log, oldest entry first. */
export async function readLog({ store }: ModelFiles, model: string): Promise<LogEntry[]> {
  const keys: string[] = []
  for await (const { key } of store.list(`models/${model}/log/`)) keys.push(key)
  // One entry per night is hundreds a year.
  const limit = pLimit(REQUESTS)
  const read = await Promise.all(keys.map((key) => limit(() => store.get(key))))
  return read.flatMap((bytes) => (bytes ? [JSON.parse(bytes.toString()) as LogEntry] : []))
}

/** Adds an entry at the next free number, which only one process can take. */
export async function addToLog({ store }: ModelFiles, entry: LogEntry, after: number): Promise<void> {
  let number = after + 1
  while (!(await store.putIfAbsent(logKey(entry.model, number), Buffer.from(JSON.stringify(entry))))) number += 1
}

/** Stores a version; the same one replaces itself. */
export async function keepVersion<F extends Json>({ store }: ModelFiles, kept: StoredVersion<F>): Promise<void> {
  await store.put(versionKey(kept.model, kept.model_version), Buffer.from(JSON.stringify(kept)))
}

/** A stored version. Throws if it is missing. */
export async function readVersion<F>({ store }: ModelFiles, model: string, version: string): Promise<StoredVersion<F>> {
  const bytes = await store.get(versionKey(model, version))
  if (!bytes) throw new Error(`${model}: version ${version} is in the log, but not in the store`)
  return JSON.parse(bytes.toString()) as StoredVersion<F>
}
