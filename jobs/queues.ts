import { type Job, Queue, WaitingError } from 'bullmq'
import type { Redis } from 'ioredis'
import { withLock } from '../lake/live/lock.ts'
import { livingWorkers } from '../lake/live/workers.ts'
import { offsetOf } from './schedule.ts'

/** The kinds of jobs: fetch a feed, land accepted fetches, or an upkeep task. */
export type JobKind = 'fetch' | 'land' | 'upkeep'

/** The data of a queued job. */
export interface JobData {
  readonly kind: JobKind
  /** Id of the feed, or name of the task. */
  readonly name: string
  /** Set if a running job must not stand for this one: it may have started too early. */
  readonly waits?: true
}

/** The result of a job that did not fail: skipped if it was running elsewhere, unknown if no live worker's catalogue has it. */
export type JobResult = 'done' | 'skipped' | 'unknown'

/** When a job is due: every `every_ms`, `offset_ms` after the even multiples, so that feeds of one cadence are spread out. */
export interface Schedule {
  readonly id: string
  readonly data: JobData
  readonly every_ms: number
  readonly offset_ms: number
}

/** A task of upkeep and its cadence. */
export interface UpkeepTask {
  readonly task: string
  readonly every_s: number
}

/** The queue's name and key prefix in Redis. */
export const QUEUE = { name: 'feeds', prefix: 'jobs' } as const

/** The queue of all jobs. */
export type FeedQueue = Queue<JobData, JobResult>

const SCHEDULES = 'jobs:schedules'
const RECONCILE_LOCK = { name: 'jobs:reconcile', ttl_ms: 20_000 }
const STUCK_MS = 30_000

/** Name of the lock under which a job runs; manual work on a feed takes it too. */
export function jobLock(kind: JobKind, name: string): string {
  return `job:${kind}:${name}`
}

/** Opens the queue on a connection of the caller's, who closes both. */
export function openQueue(redis: Redis): FeedQueue {
  return new Queue(QUEUE.name, { prefix: QUEUE.prefix, connection: redis })
}

/** Time within which requests for a feed's documents become one job, ms. */
const WISHES_MS = 500

/**
 * Adds a job that fetches a feed's requested documents; requests of one moment share the job, whichever worker receives them.
 */
export async function fetchWanted(queue: FeedQueue, feed: string): Promise<void> {
  const moment = Math.floor(Date.now() / WISHES_MS) + 1
  const jobId = `wanted-${feed}-${moment}`
  await queue.add('fetch', { kind: 'fetch', name: feed, waits: true }, { jobId, delay: moment * WISHES_MS - Date.now() })
}

/** Where the queue of export jobs is in Redis. */
export const EXPORT_QUEUE = { name: 'exports', prefix: 'jobs' } as const

/** The data of an export job: where its record is. */
export interface ExportData {
  readonly slot: string
  readonly id: string
}

/** Opens the queue of export jobs on the caller's connection; the caller closes both. */
export function openExportQueue(redis: Redis): Queue<ExportData> {
  return new Queue(EXPORT_QUEUE.name, { prefix: EXPORT_QUEUE.prefix, connection: redis })
}

/** Returns a running job to the queue, for another worker or the next start. */
export async function handBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token)
  throw new WaitingError()
}

/** Jobs in the queue: waiting for a worker, running, and scheduled for later. */
export type QueueDepth = Readonly<Record<'waiting' | 'active' | 'delayed', number>>

/** Counts the jobs in the queue; waits while Redis is away. */
export async function queueDepth(queue: FeedQueue): Promise<QueueDepth> {
  const { waiting = 0, active = 0, delayed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed')
  return { waiting, active, delayed }
}

/** The schedules of a catalogue: each feed is fetched at its cadence and landed at the common one; each task has its own. */
export function schedulesOf(declared: {
  readonly feeds: readonly { readonly id: string; readonly every_s: number }[]
  readonly upkeep: readonly UpkeepTask[]
  readonly landEvery_s: number
}): Schedule[] {
  return [
    ...declared.feeds.map(({ id, every_s }) => schedule('fetch', id, every_s)),
    ...declared.feeds.map(({ id }) => schedule('land', id, declared.landEvery_s)),
    ...declared.upkeep.map(({ task, every_s }) => schedule('upkeep', task, every_s)),
  ]
}

function schedule(kind: JobKind, name: string, every_s: number): Schedule {
  const id = `${kind}:${name}`
  const every_ms = Math.round(every_s * 1000)
  return { id, data: { kind, name }, every_ms, offset_ms: offsetOf(id, every_ms) }
}

/** The result of a reconciliation, by schedule id. */
export interface Reconciled {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/**
 * Aligns the schedulers in Redis with the live workers' catalogues, under a lock: adds (first fetch at once), updates,
 * removes, and reads all back. If catalogues differ, that of the newest worker counts. Null while another process does it.
 * Throws if the result still differs.
 */
export async function reconcileSchedules({
  queue,
  redis,
  schedules,
  started_at,
  wait_ms = 0,
  whenNewest,
}: {
  readonly queue: FeedQueue
  readonly redis: Redis
  readonly schedules: readonly Schedule[]
  /** Start of this worker, ms since the epoch: an older version must not undo the schedules of a newer one. */
  readonly started_at: number
  readonly wait_ms?: number
  /** Other work of the newest catalogue, under the same lock. */
  readonly whenNewest?: () => Promise<void>
}): Promise<Reconciled | null> {
  const locked = await withLock({ redis, ...RECONCILE_LOCK, wait_ms }, async (signal) => {
    const { wanted, isNewest } = await catalogueOf(redis, { started_at, schedules })
    const found = await schedulersOf(queue)
    const done = { added: [] as string[], changed: [] as string[], removed: [] as string[] }
    for (const one of wanted) {
      signal.throwIfAborted()
      const there = found.get(one.id)
      if (there && there.text === textOf(one) && !isStuck(there.next, one.every_ms)) continue
      await queue.upsertJobScheduler(one.id, { every: one.every_ms, offset: one.offset_ms }, { name: one.data.kind, data: one.data })
      if (there) done.changed.push(one.id)
      else done.added.push(one.id)
      if (!there && one.data.kind === 'fetch') await queue.add('fetch', one.data)
    }
    const ids = new Set(wanted.map(({ id }) => id))
    for (const id of found.keys()) {
      if (ids.has(id)) continue
      await queue.removeJobScheduler(id)
      done.removed.push(id)
    }
    await readBack(queue, wanted)
    if (isNewest) await whenNewest?.()
    return done
  })
  return locked.ran ? locked.value : null
}

interface Catalogue {
  readonly started_at: number
  readonly schedules: readonly Schedule[]
}

/** The union of the newest catalogue and those of live workers: a feed may run on one machine only, or during an upgrade. */
async function catalogueOf(redis: Redis, mine: Catalogue): Promise<{ readonly wanted: readonly Schedule[]; readonly isNewest: boolean }> {
  const text = await redis.get(SCHEDULES)
  const kept = text === null ? null : (JSON.parse(text) as Catalogue)
  const isNewest = !kept || kept.started_at <= mine.started_at
  if (isNewest && kept?.started_at !== mine.started_at) await redis.set(SCHEDULES, JSON.stringify(mine))
  const living: readonly Catalogue[] = await livingWorkers<Schedule>(redis)
  const catalogues = [...living, isNewest ? mine : kept].toSorted((one, other) => one.started_at - other.started_at)
  const byId = new Map(catalogues.flatMap(({ schedules }) => schedules.map((one) => [one.id, one])))
  return { wanted: [...byId.values()], isNewest }
}

async function schedulersOf(queue: FeedQueue): Promise<Map<string, { readonly text: string; readonly next: number }>> {
  const found = await queue.getJobSchedulers(0, -1, true)
  return new Map(
    found.map(({ key, every, offset, template, next }) => [
      key,
      { text: textOf({ every_ms: Number(every), offset_ms: Number(offset), data: template?.data as JobData }), next: Number(next) },
    ]),
  )
}

const textOf = ({ every_ms, offset_ms, data }: Omit<Schedule, 'id'>): string => JSON.stringify([every_ms, offset_ms, data])

// BullMQ schedules the next job when one starts. If that failed (Redis went away in between), no job would ever come again.
const isStuck = (next: number, every_ms: number): boolean => next < Date.now() - Math.max(2 * every_ms, STUCK_MS)

async function readBack(queue: FeedQueue, wanted: readonly Schedule[]): Promise<void> {
  const found = await schedulersOf(queue)
  const wrong = wanted.filter((one) => found.get(one.id)?.text !== textOf(one)).map(({ id }) => id)
  const extra = [...found.keys()].filter((id) => !wanted.some((one) => one.id === id))
  if (wrong.length + extra.length > 0)
    throw new Error(`schedulers differ after reconciling: not as declared ${wrong.join(', ') || '-'}; left over ${extra.join(', ') || '-'}`)
}
