import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DelayedError, type Job, Worker } from 'bullmq'
import type { Logger } from 'pino'
import type { EventLog } from '../../lake/events/log.ts'
import { recordEvent } from '../../lake/events/record.ts'
import {
  accountOfSlot,
  deleteFiles,
  type ExportRequest,
  isCancelled,
  isUnannounced,
  isUnfinished,
  type ListedJob,
  listJobs,
  putAnnounced,
  putOutcome,
  putProgress,
  readCreated,
  readJob,
} from '../../lake/exports/jobs.ts'
import { TableRefused } from '../../lake/iceberg/errors.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { LockLost, withLock } from '../../lake/live/lock.ts'
import type { Lake } from '../../lake/open.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { EXPORT_QUEUE, type ExportData, handBack, openExportQueue } from '../queues.ts'
import { within } from '../within.ts'
import { ExportRejected, type WrittenExport, writeExport } from './write.ts'

/** Times of the machinery, ms. */
interface ExportTimes {
  /** How often the store is checked for new jobs. */
  readonly poll: number
  /** How often progress is stored, and cancellation checked. */
  readonly progress: number
  /** How long a stopped worker's locks last, and how often its jobs are searched for. */
  readonly lock: number
  readonly stalled: number
  /** Pause before retrying a job whose key has another one running, and before the second attempt of a failed job. */
  readonly busy: number
  readonly retry: number
}

const TIMES: ExportTimes = { poll: 5000, progress: 2000, lock: 30_000, stalled: 10_000, busy: 2000, retry: 10_000 }
/** Limits of the DuckDB that an export opens: memory in bytes, and one query at a time. */
export const EXPORT_ENGINE = Object.freeze({ memory: 512e6, slots: 1 })
/** Most starts of a job. Those that killed their worker count, so that a job cannot stop the worker for ever. */
const ATTEMPTS = 3
// Above `ATTEMPTS`: BullMQ fails a job without a call, and it would then be added again.
const STALLS = 5
/** Priorities of BullMQ, 1 the highest. */
const PRIORITIES = 2 ** 21 - 1
const MINUTE_MS = 60_000
/** How long the end of a running job is waited for when the worker is closed, and that while Redis is away, ms. */
const [CLOSING_MS, AWAY_MS] = [20_000, 500]
/** Set in Redis while the store need not be checked for new jobs. */
const LISTED = 'jobs:exports-listed'
const FAILED = 'The files could not be written. Ask for fewer rows, or try again later.'

/** Options of the export worker. */
export interface ExportWorkerOptions {
  readonly redisUrl: string
  readonly store: ObjectStore
  /** Opens a separate lake for one job, with the memory limit of an export. */
  readonly openLake: () => Promise<Lake>
  /** The datasets that can be exported. */
  readonly datasets: readonly Dataset[]
  readonly log: Logger
  /** Where it is recorded that a job is ready; nowhere by default. */
  readonly events?: EventLog
  readonly now?: () => number
  readonly times?: Partial<ExportTimes>
}

/** A worker of export jobs. */
export interface RunningExports {
  /** Accepts no more jobs and returns the running one to the queue, where it starts again. */
  close(): Promise<void>
}

/**
 * Starts the export worker: one job at a time in this process, and one per API key everywhere, in the order of creation. The
 * records in the store are the list of jobs; the queue distributes them and is refilled from the records if Redis is emptied.
 */
export async function startExportWorker(options: ExportWorkerOptions): Promise<RunningExports> {
  const { redisUrl, store, log, now = Date.now } = options
  const times = { ...TIMES, ...options.times }
  const stop = new AbortController()
  const redis = openRedis(redisUrl, { onError: () => undefined })
  const queue = openExportQueue(redis)
  const ordered = jobsInOrder(store)
  const announcing = options.events ? announcer({ store, events: options.events, now }) : null
  const note = (err: Error): void => {
    if (!stop.signal.aborted) log.warn({ err }, 'exports')
  }
  queue.on('error', note)

  /** Puts a job back: another one of the same key is running or before it, or was until its worker died. */
  const wait = async (job: Job<ExportData>, token: string | undefined): Promise<never> => {
    await job.moveToDelayed(Date.now() + times.busy, token)
    throw new DelayedError()
  }
  const perform = async (job: Job<ExportData>, token: string | undefined): Promise<void> => {
    const { slot, id } = job.data
    const name = `export:${slot}`
    let isLater = false
    const locked = await withLock({ redis, name, ttl_ms: times.lock, wait_ms: 0, signal: stop.signal }, async (signal) => {
      const [first, ...others] = await ordered(await listJobs(store, slot))
      isLater = first !== undefined && first.id !== id && others.some((one) => one.id === id)
      if (!isLater) await runJob({ ...options, now, times, announcing }, { slot, id, signal })
    }).catch((error: unknown) => {
      if (stop.signal.aborted) return null
      throw error
    })
    if (stop.signal.aborted) return handBack(job, token)
    if (isLater || (locked && !locked.ran)) return wait(job, token)
  }
  const worker = new Worker<ExportData>(EXPORT_QUEUE.name, perform, {
    connection: redis,
    prefix: EXPORT_QUEUE.prefix,
    lockDuration: times.lock,
    stalledInterval: times.stalled,
    maxStalledCount: STALLS,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  })
  worker.on('error', note)

  const enqueue = async (): Promise<void> => {
    // One of the workers looks for all.
    if ((await redis.set(LISTED, '1', 'PX', times.poll, 'NX')) !== 'OK') return
    const listed = await listJobs(store)
    for (const { slot, id, created_at } of await ordered(listed)) {
      // A job that had to wait comes back before those of later minutes. The numbers begin again after four years.
      const priority = 1 + (Math.floor(created_at / MINUTE_MS) % PRIORITIES)
      const backoff = { type: 'fixed', delay: times.retry }
      await queue.add('export', { slot, id }, { jobId: id, priority, attempts: ATTEMPTS, backoff })
    }
    await announcing?.announceMissed(listed)
  }
  const polling = (async () => {
    while (!stop.signal.aborted) {
      await enqueue().catch(note)
      await delay(times.poll, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  })()

  return {
    close: async () => {
      // BullMQ waits for a Redis that is away.
      const most_ms = redis.status === 'ready' ? CLOSING_MS : AWAY_MS
      const paused = worker.pause(true)
      stop.abort(new Error('the worker is closing'))
      await within(Promise.all([paused, polling]), most_ms)
      await within(worker.close(), most_ms)
      await within(queue.close(), most_ms)
      redis.disconnect()
    },
  }
}

/** Makes what returns the unfinished jobs of a list, the earliest first. It reads the request of each of them once. */
function jobsInOrder(store: ObjectStore): (listed: readonly ListedJob[]) => Promise<(ExportData & { readonly created_at: number })[]> {
  const known = new Map<string, number>()
  return async (listed) => {
    for (const job of listed) if (!isUnfinished(job)) known.delete(job.id)
    const jobs = listed.filter(isUnfinished).map(async ({ slot, id }) => {
      const created_at = known.get(id) ?? (await readCreated(store, { slot, id }))
      if (created_at === null) return []
      known.set(id, created_at)
      return [{ slot, id, created_at }]
    })
    return (await Promise.all(jobs)).flat().toSorted((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1))
  }
}

interface Run {
  readonly slot: string
  readonly id: string
  readonly signal: AbortSignal
}

/** Runs a job to its outcome. Throws if it failed and should be retried, or if the signal fired. */
async function runJob(
  options: ExportWorkerOptions & { readonly now: () => number; readonly times: ExportTimes; readonly announcing: Announcer | null },
  { slot, id, signal }: Run,
): Promise<void> {
  const { store, log, now, times, announcing } = options
  const job = await readJob(store, { slot, id }, now())
  if (!job || job.outcome || job.state === 'CANCELLED') return
  const { request } = job
  const starts = (job.progress?.starts ?? 0) + 1
  if (starts > ATTEMPTS) {
    log.error({ id, dataset: request.dataset, starts }, 'export failed')
    return fail(store, request, { reason: FAILED, now: now() })
  }
  const attempt = randomBytes(8).toString('hex')
  const cancel = new AbortController()
  const either = AbortSignal.any([signal, cancel.signal])
  const started_at = now()
  let share = (): number => 0
  const checkCancelled = async (): Promise<void> => {
    if (await isCancelled(store, request)) cancel.abort(new Error('the job was cancelled'))
  }
  const follow = async (): Promise<void> => {
    while (!signal.aborted && !cancel.signal.aborted) {
      try {
        await checkCancelled()
        await putProgress(store, request, { at: now(), started_at, share: share(), starts })
      } catch (err) {
        log.warn({ err, id }, 'progress of an export is not stored')
      }
      await delay(times.progress, undefined, { signal: either }).catch(() => undefined)
    }
  }
  // Before any work: if this process dies, the start is counted.
  await putProgress(store, request, { at: started_at, started_at, share: 0, starts })
  const following = follow()
  const write = async (): Promise<WrittenExport> => {
    const dataset = options.datasets.find((one) => one.id === request.dataset)
    if (!dataset) throw new ExportRejected(`there is no dataset ${request.dataset} any more`)
    const lake = await options.openLake()
    try {
      return await writeExport(lake, request, {
        dataset,
        attempt,
        signal: either,
        onFile: (one) => {
          share = one
        },
      })
    } finally {
      await lake.close()
    }
  }
  let isOutcomeSent = false
  try {
    const written = await write()
    await checkCancelled()
    either.throwIfAborted()
    isOutcomeSent = true
    if (!(await putOutcome(store, request, { ended_at: now(), attempt, ...written, reason: null }))) {
      log.warn({ id, dataset: request.dataset }, 'another attempt ended the export first')
      await deleteFiles(store, { id, attempt })
      return
    }
    const { rows, files } = written
    log.info({ id, dataset: request.dataset, format: request.format, rows, files: files.length, ms: now() - started_at }, 'exported')
    await announcing?.announce(request).catch((err: Error) => log.warn({ err, id }, 'a ready export is not announced yet'))
  } catch (error) {
    if (signal.aborted) {
      await following
      if (!(signal.reason instanceof LockLost)) await putProgress(store, request, { at: now(), started_at, share: 0, starts: starts - 1 })
      throw error
    }
    if (cancel.signal.aborted) {
      await deleteFiles(store, { id })
      log.info({ id, dataset: request.dataset }, 'export cancelled')
      return
    }
    const isRefused = error instanceof ExportRejected || error instanceof TableRefused
    log.error({ id, dataset: request.dataset, err: error }, 'export failed')
    if (!isRefused && starts < ATTEMPTS) {
      // An outcome that was sent may be stored in spite of the error, and then names these files.
      if (!isOutcomeSent) await deleteFiles(store, { id, attempt })
      throw error
    }
    await fail(store, request, { reason: isRefused ? error.message : FAILED, now: now() })
  } finally {
    cancel.abort()
    await following
  }
}

/** Ends a job without success and deletes its files, unless another attempt has ended it. */
async function fail(
  store: ObjectStore,
  request: ExportRequest,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<void> {
  const isOurs = await putOutcome(store, request, { ended_at: now, snapshot: null, rows: 0, files: [], reason })
  if (isOurs) await deleteFiles(store, { id: request.id })
}

/** Most jobs of one call of `announceMissed`, so that a long list does not delay new jobs. */
const AT_ONCE = 20

/** Records the events that notify owners of jobs that their files are ready. */
interface Announcer {
  /** Announces a job if it is ready. */
  announce(job: Pick<ListedJob, 'slot' | 'id'>): Promise<void>
  /** Announces the ready jobs among the listed ones whose event is missing: their worker ended before it recorded the event. */
  announceMissed(listed: readonly ListedJob[]): Promise<void>
}

/** Makes an announcer. A job is announced once, by however many processes, and only after its outcome is stored. */
function announcer(options: { readonly store: ObjectStore; readonly events: EventLog; readonly now: () => number }): Announcer {
  const { store, events, now } = options
  // Failed jobs, and those of earlier versions, so that they are read once.
  const neverAnnounced = new Set<string>()
  const announce = async (of: Pick<ListedJob, 'slot' | 'id'>): Promise<void> => {
    const job = await readJob(store, of, now())
    // Earlier versions, whose outcomes name no attempt, announced a job before they stored its outcome.
    if (!job?.outcome?.attempt || job.state !== 'READY') {
      neverAnnounced.add(of.id)
      return
    }
    const { id, slot, dataset, format, created_at } = job.request
    const { rows, files, ended_at } = job.outcome
    await recordEvent(events, {
      ...{ type: 'export.ready', about: id, at: ended_at, occurrence: created_at },
      account: accountOfSlot(slot),
      data: { id, dataset, format, rows, files: files.length, url: `/api/export-jobs/${id}` },
    })
    await putAnnounced(store, of, now())
  }
  return {
    announce,
    async announceMissed(listed) {
      const missed = listed.filter((one) => isUnannounced(one) && !neverAnnounced.has(one.id))
      for (const one of missed.slice(0, AT_ONCE)) await announce(one)
    },
  }
}
