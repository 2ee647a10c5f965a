import type { Decimals } from '../schema/precision.ts'
import type { ObjectStore } from '../store/store.ts'
import { versioned } from '../store/versioned.ts'

/** Formats of the files of an export job. */
export const EXPORT_FORMATS = ['parquet', 'csv.gz', 'ndjson.gz', 'geoparquet'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
/** How an export job's rows are split into files: one file, or by month or day (UTC) of the dataset's time column. */
export const EXPORT_SPLITS = ['none', 'month', 'day'] as const
export type ExportSplit = (typeof EXPORT_SPLITS)[number]
/** States of an export job. */
export const EXPORT_STATES = ['QUEUED', 'RUNNING', 'READY', 'FAILED', 'EXPIRED', 'CANCELLED'] as const
export type ExportState = (typeof EXPORT_STATES)[number]

/** Retention of a job's files, in ms, and of its record after its end. */
export const KEEP_FILES_MS = 7 * 86_400_000
const KEEP_RECORD_MS = 30 * 86_400_000

/** What an export job writes. Times are ms since the epoch. */
export interface ExportRequest {
  readonly id: string
  /** The key's quota slot: one job per slot runs at a time. */
  readonly slot: string
  readonly created_at: number
  readonly dataset: string
  /** Rows of a period of the dataset's time column, half-open. */
  readonly from: number | null
  readonly to: number | null
  /** INE codes of provinces, separated by commas. */
  readonly province: string | null
  /** Column names of the dataset; null for all. */
  readonly columns: readonly string[] | null
  readonly format: ExportFormat
  readonly split: ExportSplit
  /** Unset in requests of earlier versions: `exact`. */
  readonly decimals?: Decimals
}

/** The account of a slot. */
export function accountOfSlot(slot: string): string {
  return slot.slice(0, slot.lastIndexOf('.'))
}

/** A file written by a job. */
export interface ExportedFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** Null for files without rows, such as the licences. */
  readonly rows: number | null
}

/** Progress of a job. */
export interface ExportProgress {
  readonly at: number
  readonly started_at: number
  /** 0 to 1. */
  readonly share: number
  /** Starts of the job, but for those that a closing worker ended. Unset in records of earlier versions. */
  readonly starts?: number
}

/** Result of a job: files, or the reason why there are none. */
export interface ExportOutcome {
  readonly ended_at: number
  /** The attempt that wrote the files. Unset in outcomes of earlier versions, whose files are in no folder of an attempt. */
  readonly attempt?: string
  readonly snapshot: string | null
  readonly rows: number
  readonly files: readonly ExportedFile[]
  readonly reason: string | null
}

/** An export job with its progress and result. */
export interface ExportJob {
  readonly request: ExportRequest
  readonly state: ExportState
  readonly progress: ExportProgress | null
  readonly outcome: ExportOutcome | null
  /** When its files are deleted; null without files. */
  readonly expires_at: number | null
}

/**
 * Records of export jobs: `exports/jobs/<slot>/<id>/{request,progress,outcome,cancelled,announced}.json`. Each object has one
 * writer, so no lock is needed: the API writes request and cancellation, the worker the rest.
 */
const JOBS = 'exports/jobs/'
const FILES = 'exports/files/'
/** Versions of the list of a slot's unfinished jobs: it keeps the most under parallel requests. */
const ADMITTED = 'exports/admitted/'
// In the order of their deletion.
const PARTS = ['request', 'progress', 'outcome', 'cancelled', 'announced'] as const
type Part = (typeof PARTS)[number]
const KEY = /^exports\/jobs\/([^/]+)\/([^/]+)\/(request|progress|outcome|cancelled|announced)\.json$/

/** The objects of a job, without their content. */
export interface ListedJob {
  readonly slot: string
  readonly id: string
  readonly parts: ReadonlySet<Part>
}

/** The files of one attempt at a job: each attempt has its own folder, so that a late one changes no file of another. */
export interface ExportAttempt {
  readonly id: string
  /** Null for files of earlier versions, which have no such folder. */
  readonly attempt: string | null
}

/** The key of a file of a job. */
export function exportedFileKey({ id, attempt }: ExportAttempt, name: string): string {
  return attempt === null ? `${FILES}${id}/${name}` : `${FILES}${id}/${attempt}/${name}`
}

function partKey({ slot, id }: Pick<ListedJob, 'slot' | 'id'>, part: Part): string {
  return `${JOBS}${slot}/${id}/${part}.json`
}

/** The jobs of a slot that were admitted and may be unfinished. */
interface Admitted {
  readonly jobs: readonly { readonly id: string; readonly at: number }[]
}

/** After this time in ms, an admitted job without a request counts no more: its process ended in between. */
const ADMISSION_MS = 60_000

/**
 * Stores a new job, once for its id. Returns the number of unfinished jobs of its slot, without storing it, if they are `most`;
 * else null. Jobs that are stored at the same time count.
 */
export async function createJob(store: ObjectStore, request: ExportRequest, most = Number.POSITIVE_INFINITY): Promise<number | null> {
  const { slot, id, created_at } = request
  let full: number | null = null
  await versioned<Admitted>(store, `${ADMITTED}${slot}/`).update(async (newest) => {
    const listed = new Map((await listJobs(store, slot)).map((job) => [job.id, job]))
    const former = (newest?.jobs ?? []).filter((one) => !listed.has(one.id) && created_at - one.at < ADMISSION_MS)
    const unfinished = [...listed.values()].filter(isUnfinished).map((job) => ({ id: job.id, at: created_at }))
    const others = [...unfinished, ...former].filter((one) => one.id !== id)
    full = others.length >= most && !listed.has(id) ? others.length : null
    return full === null ? { jobs: [...others, { id, at: created_at }] } : (newest ?? { jobs: others })
  })
  if (full === null) await store.putIfAbsent(partKey(request, 'request'), encode(request))
  return full
}

/** Marks a job as cancelled. The worker stops it soon after. */
export async function cancelJob(store: ObjectStore, job: Pick<ListedJob, 'slot' | 'id'>, now: number): Promise<void> {
  await store.putIfAbsent(partKey(job, 'cancelled'), encode({ at: now }))
}

/** True if the caller has cancelled a job. */
export async function isCancelled(store: ObjectStore, job: Pick<ListedJob, 'slot' | 'id'>): Promise<boolean> {
  return (await store.head(partKey(job, 'cancelled'))) !== null
}

/** Stores the progress of a job. */
export async function putProgress(store: ObjectStore, job: Pick<ListedJob, 'slot' | 'id'>, progress: ExportProgress): Promise<void> {
  await store.put(partKey(job, 'progress'), encode(progress))
}

/** Stores the result of a job; the first one counts. Returns false if there was one. */
export async function putOutcome(store: ObjectStore, job: Pick<ListedJob, 'slot' | 'id'>, outcome: ExportOutcome): Promise<boolean> {
  return store.putIfAbsent(partKey(job, 'outcome'), encode(outcome))
}

/** Notes that the event of a ready job is recorded. */
export async function putAnnounced(store: ObjectStore, job: Pick<ListedJob, 'slot' | 'id'>, now: number): Promise<void> {
  await store.put(partKey(job, 'announced'), encode({ at: now }))
}

/** The job with an id in a slot at an instant (ms); null if there is none. */
export async function readJob(store: ObjectStore, of: Pick<ListedJob, 'slot' | 'id'>, now: number): Promise<ExportJob | null> {
  const read = async <T>(part: Part): Promise<T | null> => {
    const bytes = await store.get(partKey(of, part))
    return bytes ? (JSON.parse(bytes.toString()) as T) : null
  }
  const [request, progress, outcome, cancelled] = await Promise.all([
    read<ExportRequest>('request'),
    read<ExportProgress>('progress'),
    read<ExportOutcome>('outcome'),
    read<object>('cancelled'),
  ])
  if (!request) return null
  const expires_at = outcome && outcome.files.length > 0 ? outcome.ended_at + KEEP_FILES_MS : null
  const isExpired = expires_at !== null && now >= expires_at
  const ended: ExportState = outcome?.reason !== null ? 'FAILED' : isExpired ? 'EXPIRED' : 'READY'
  const state = cancelled ? 'CANCELLED' : outcome ? ended : progress ? 'RUNNING' : 'QUEUED'
  return { request, state, progress, outcome, expires_at: state === 'READY' ? expires_at : null }
}

/** The jobs of a slot, or all jobs, ordered by slot and id. */
export async function listJobs(store: ObjectStore, slot?: string): Promise<ListedJob[]> {
  return (await listRecords(store, slot)).filter(({ parts }) => parts.has('request'))
}

/** Like `listJobs`, with jobs whose deletion was interrupted: they have no request any more. */
async function listRecords(store: ObjectStore, slot?: string): Promise<ListedJob[]> {
  const found = new Map<string, { slot: string; id: string; parts: Set<Part> }>()
  for await (const { key } of store.list(slot === undefined ? JOBS : `${JOBS}${slot}/`)) {
    const [, of, id, part] = KEY.exec(key) ?? []
    if (of === undefined || id === undefined) continue
    const job = found.get(`${of}/${id}`) ?? { slot: of, id, parts: new Set<Part>() }
    job.parts.add(part as Part)
    found.set(`${of}/${id}`, job)
  }
  return [...found.values()]
}

/** The jobs of some slots at an instant (ms), newest first. */
export async function readJobs(store: ObjectStore, slots: readonly string[], now: number): Promise<ExportJob[]> {
  const listed = (await Promise.all(slots.map((slot) => listJobs(store, slot)))).flat()
  const jobs = (await Promise.all(listed.map((job) => readJob(store, job, now)))).filter((job) => job !== null)
  return jobs.toSorted((one, other) => other.request.created_at - one.request.created_at)
}

/** True for a job that has neither ended nor been cancelled. */
export function isUnfinished({ parts }: ListedJob): boolean {
  return !parts.has('outcome') && !parts.has('cancelled')
}

/** The time of creation (ms) of a listed job; null if its record has been deleted. */
export async function readCreated(store: ObjectStore, job: Pick<ListedJob, 'slot' | 'id'>): Promise<number | null> {
  const bytes = await store.get(partKey(job, 'request'))
  return bytes ? (JSON.parse(bytes.toString()) as ExportRequest).created_at : null
}

/** True for a job that has ended without a note that its event is recorded. Failed jobs have no event. */
export function isUnannounced({ parts }: ListedJob): boolean {
  return parts.has('outcome') && !parts.has('announced') && !parts.has('cancelled')
}

/** Deletes the files of a job, or those of one attempt. */
export async function deleteFiles(store: ObjectStore, { id, attempt }: { readonly id: string; readonly attempt?: string }): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.list(attempt === undefined ? `${FILES}${id}/` : `${FILES}${id}/${attempt}/`)) keys.push(key)
  for (const key of keys) await store.delete(key)
}

/**
 * Deletes files of expired or cancelled jobs and of attempts that did not finish a job, and records older than 30 days. Returns
 * the number of jobs for each.
 */
export async function expireJobs(store: ObjectStore, now: number, signal: AbortSignal): Promise<{ files: number; records: number }> {
  // Before the jobs are listed: the files of a job that began since then are not in this list.
  const filesById = await listFiles(store)
  const done = { files: 0, records: 0 }
  for (const listed of await listRecords(store)) {
    signal.throwIfAborted()
    if (!listed.parts.has('request')) {
      await deleteRecord(store, listed)
      continue
    }
    if (isUnfinished(listed)) continue
    const job = await readJob(store, listed, now)
    if (!job) continue
    const kept = job.state === 'READY' ? (job.outcome?.attempt ?? null) : undefined
    const unused = (filesById.get(listed.id) ?? []).filter(({ attempt }) => attempt !== kept)
    for (const { key } of unused) await store.delete(key)
    if (unused.length > 0) done.files++
    if (now < (job.outcome?.ended_at ?? job.request.created_at) + KEEP_RECORD_MS) continue
    await deleteRecord(store, listed)
    done.records++
  }
  const slots = new Set((await listJobs(store)).map(({ slot }) => slot))
  for await (const { key } of store.list(ADMITTED))
    if (!slots.has(key.slice(ADMITTED.length).split('/')[0] as string)) await store.delete(key)
  return done
}

interface ListedFile {
  readonly key: string
  readonly attempt: string | null
}

/** The files of all jobs, by job. */
async function listFiles(store: ObjectStore): Promise<Map<string, ListedFile[]>> {
  const found = new Map<string, ListedFile[]>()
  for await (const { key } of store.list(FILES)) {
    const [id = '', ...path] = key.slice(FILES.length).split('/')
    const files = found.get(id) ?? []
    files.push({ key, attempt: path.length > 1 ? (path[0] as string) : null })
    found.set(id, files)
  }
  return found
}

/** Deletes the objects of a job. The request is first: a job with a request and no outcome would run again. */
async function deleteRecord(store: ObjectStore, job: Pick<ListedJob, 'slot' | 'id'>): Promise<void> {
  for (const part of PARTS) await store.delete(partKey(job, part))
}

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
