import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DelayedError, type Job, Worker } from 'bullmq'
import type { Logger } from 'pino'
import { claimRedis, type Listening, listen, openRedis } from '../lake/live/connect.ts'
import { DEMAND_CHANNEL } from '../lake/live/demand.ts'
import { type DeclaredPart, forgetUndeclared } from '../lake/live/forget.ts'
import { readFeedStates } from '../lake/live/freshness.ts'
import { LockLost, withLock } from '../lake/live/lock.ts'
import { announceWorker, livingWorkers, WORKER_BEAT_MS, type WorkerEntry } from '../lake/live/workers.ts'
import { WaitedTooLong } from '../lake/query/work-kind.ts'
import { openRepeats, outageOf } from '../lake/repeats.ts'
import type { Feed } from './feeds/define.ts'
import {
  type FeedQueue,
  fetchWanted,
  handBack,
  type JobData,
  type JobKind,
  type JobResult,
  jobLock,
  openQueue,
  QUEUE,
  type QueueDepth,
  queueDepth,
  reconcileSchedules,
  type Schedule,
  schedulesOf,
  type UpkeepTask,
} from './queues.ts'
import { dueRetry } from './schedule.ts'

/** The job handlers. Each must stop soon after its signal fires; a failure is logged and does not change the schedule. */
export interface FeedRunner {
  fetch(feed: Feed, signal: AbortSignal): Promise<void>
  land(feed: Feed, signal: AbortSignal): Promise<void>
  upkeep(task: string, signal: AbortSignal): Promise<void>
}

/** Times of the machinery, ms. */
export interface WorkerTimes {
  /** How long a feed's lock outlives a worker that stopped. */
  readonly lock: number
  /** How long a stopped worker's job is reserved; longer than the lock, so the next worker finds the lock free. */
  readonly job: number
  /** How often jobs of stopped workers are searched for. */
  readonly stalled: number
  /** How often the schedulers are compared with the catalogue: after Redis was emptied they return within this time. */
  readonly reconcile: number
  /** When a stream first lands after its fetch began, which does not end: soon after its first file. */
  readonly streamLanding: number
  /** How long running jobs may continue when the worker is closed, and how long they may take to stop after that. */
  readonly grace: number
  readonly abort: number
}

const TIMES: WorkerTimes = {
  lock: 20_000,
  job: 30_000,
  stalled: 10_000,
  reconcile: 15_000,
  streamLanding: 30_000,
  grace: 1_500,
  abort: 700,
}
const STALLS = 5
const KEPT_JOBS = { count: 200 }
const RETRY_MS = 2000
/** How long a job of a feed that only another worker knows is postponed, ms. */
const PUT_BACK_MS = 500
/** Longest wait for the depth of the queue, ms. */
const DEPTH_MS = 1000

/** Options of a worker. */
export interface WorkerOptions {
  readonly redisUrl: string
  /** Identity of the lake: a Redis with another lake's state is rejected, see `claimRedis`. Not checked by default. */
  readonly lake?: string
  readonly feeds: readonly Feed[]
  /**
   * All parts with live state in the whole catalogue, including feeds that are turned off: other parts are removed. None are
   * removed by default.
   */
  readonly declared?: readonly DeclaredPart[]
  readonly upkeep: readonly UpkeepTask[]
  readonly landEvery_s: number
  /** How much of its data has arrived, and whether the store is full; all and no by default. */
  readonly condition?: () => Required<Pick<WorkerEntry, 'phase' | 'store_full'>>
  readonly runner: FeedRunner
  readonly log: Logger
  readonly times?: Partial<WorkerTimes>
}

/** A worker at work. */
export interface RunningWorker {
  /** False while Redis does not answer. */
  readonly connected: boolean
  /** The queue's depth; null if Redis does not answer soon. Never rejects. */
  queueDepth(): Promise<QueueDepth | null>
  /** Accepts no more jobs, lets running ones finish within the grace period, then stops them and returns them to the queue. */
  close(): Promise<void>
}

/**
 * Starts a worker: reconciles the schedulers, then runs due jobs, many feeds at once, but each feed once across all processes.
 * A tick is skipped while its feed still runs. More workers share the work. Throws if Redis has another lake's state.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { redisUrl, lake, feeds, upkeep, landEvery_s, runner, log } = options
  const times = { ...TIMES, ...options.times }
  const schedules = schedulesOf({ feeds, upkeep, landEvery_s })
  const started_at = Date.now()
  const stop = new AbortController()
  const active = new Set<Promise<unknown>>()
  const firstLanding = new Set<string>()
  let closing: Promise<void> | null = null
  let away = false

  const repeats = openRepeats()
  /** Logs an error; at most one line a minute while the store or Redis is down, which fails everything. */
  const report = (level: 'warn' | 'error', fields: object, err: unknown, text: string): void => {
    // An emptied Redis takes all locks at once.
    const outage = err instanceof LockLost ? 'locks lost' : outageOf(err)
    const first = (): void => log[level]({ ...fields, err }, text)
    if (outage === null) return first()
    repeats(outage, { first, more: (times) => log[level]({ outage, times }, 'failed again') })
  }
  const lost = (error: Error): void => {
    if (!away && !closing) log.warn({ err: error }, 'redis does not answer')
    away = true
  }
  const redis = openRedis(redisUrl, { onError: lost })
  redis.on('ready', () => {
    if (away) log.info('redis answers again')
    away = false
  })
  const troubled = (error: Error): void => {
    if (redis.status !== 'ready') lost(error)
    else if (!closing) report('warn', {}, error, 'queue')
  }
  const queue = openQueue(redis)
  queue.on('error', troubled)

  const work: Readonly<Record<JobKind, (name: string) => ((signal: AbortSignal) => Promise<void>) | null>> = {
    fetch: (name) => withFeed(name, (feed, signal) => runner.fetch(feed, signal)),
    land: (name) => withFeed(name, (feed, signal) => runner.land(feed, signal)),
    upkeep: (name) => (upkeep.some(({ task }) => task === name) ? (signal) => runner.upkeep(name, signal) : null),
  }
  const withFeed = (id: string, run: (feed: Feed, signal: AbortSignal) => Promise<void>) => {
    const feed = feeds.find((one) => one.id === id)
    return feed ? (signal: AbortSignal) => run(feed, signal) : null
  }

  /** History starts with the first data, not with the first due landing. */
  const landFirst = async (name: string, delay: number): Promise<void> => {
    if (firstLanding.has(name)) return
    firstLanding.add(name)
    await queue.add('land', { kind: 'land', name }, { delay })
  }

  const run = async (job: Job<JobData, JobResult>, token: string | undefined): Promise<JobResult> => {
    const { kind, name } = job.data
    if (closing) return handBack(job, token)
    const known = work[kind]?.(name)
    if (!known) {
      const others = await livingWorkers<Schedule>(redis)
      if (others.some((worker) => worker.schedules.some((one) => one.data.kind === kind && one.data.name === name))) {
        await job.moveToDelayed(Date.now() + PUT_BACK_MS, token)
        throw new DelayedError()
      }
      log.warn({ job: kind, name }, 'job of an unknown feed or task')
      return 'unknown'
    }
    if (kind === 'fetch' && feeds.some(({ id, stream }) => id === name && stream)) await landFirst(name, times.streamLanding)
    // A job that had been started was taken over from a stopped worker, whose lock may last a moment longer.
    const wait_ms = job.attemptsStarted > 1 || job.data.waits ? times.lock : 0
    try {
      const locked = await withLock({ redis, name: jobLock(kind, name), ttl_ms: times.lock, wait_ms, signal: stop.signal }, known)
      if (!locked.ran && !stop.signal.aborted) return 'skipped'
    } catch (error) {
      // It waited longer than its feed's cadence: its next tick is due, for any worker.
      if (error instanceof WaitedTooLong) {
        log.info({ job: kind, name, reason: error.message }, 'job gave way')
        return 'skipped'
      }
      if (!stop.signal.aborted) {
        const level = error instanceof LockLost ? 'warn' : 'error'
        report(level, { job: kind, name }, error, 'job failed')
        throw error
      }
    }
    if (stop.signal.aborted) return handBack(job, token)
    if (kind === 'fetch') await landFirst(name, 0)
    return 'done'
  }

  const own = { id: randomUUID(), started_at, schedules, declared: options.declared ?? null }
  const entry = (): WorkerEntry<Schedule> => ({ ...own, ...(options.condition?.() ?? { phase: 'STEADY', store_full: false }) })
  const claim = async (): Promise<void> => (lake === undefined ? undefined : claimRedis(redis, lake))
  try {
    await claim()
    await announceWorker(redis, entry())
  } catch (error) {
    redis.disconnect()
    throw error
  }
  const whenNewest = async (): Promise<void> => {
    const others = await livingWorkers(redis)
    // A worker that does not declare its parts may publish any.
    if (others.some((worker) => worker.declared === null)) return
    const gone = options.declared
      ? await forgetUndeclared(redis, [...options.declared, ...others.flatMap(({ declared }) => declared ?? [])])
      : []
    if (gone.length > 0) log.warn({ gone }, 'removed live state of an undeclared feed')
  }
  await reconcileSchedules({ queue, redis, schedules, started_at, wait_ms: 2 * times.lock, whenNewest }).then((done) =>
    log.info({ ...done }, 'schedules'),
  )
  const worker = new Worker<JobData, JobResult>(
    QUEUE.name,
    (job, token) => {
      const running = run(job, token)
      const settled = running.catch(() => undefined).finally(() => active.delete(settled))
      active.add(settled)
      return running
    },
    {
      connection: redis,
      prefix: QUEUE.prefix,
      // A tick whose feed is running also needs a slot, if only to be skipped.
      concurrency: 2 * schedules.length + 8,
      lockDuration: times.job,
      stalledInterval: times.stalled,
      maxStalledCount: STALLS,
      removeOnComplete: KEPT_JOBS,
      removeOnFail: KEPT_JOBS,
      runRetryDelay: RETRY_MS,
    },
  )
  worker.on('error', troubled)

  const wishes = hearWishes({ redisUrl, queue, feeds, failed: (error) => report('warn', {}, error, 'documents on demand') })

  const announcer = setInterval(() => {
    if (!away && !closing) announceWorker(redis, entry()).catch((error: Error) => report('warn', {}, error, 'worker not announced'))
  }, WORKER_BEAT_MS)

  const reconcile = async (): Promise<void> => {
    const done = await reconcileSchedules({ queue, redis, schedules, started_at, whenNewest })
    if (done && done.added.length + done.changed.length + done.removed.length > 0) log.warn({ ...done }, 'schedules restored')
  }
  /** Queues the retries of failed fetches that are due. */
  const retry = async (): Promise<void> => {
    const [states, now] = [await readFeedStates(redis), Date.now()]
    for (const feed of feeds) {
      const jobId = dueRetry(feed, { state: states.get(feed.id) ?? null, since: started_at, now })
      if (jobId !== null) await queue.add('fetch', { kind: 'fetch', name: feed.id }, { jobId })
    }
  }
  const timer = setInterval(() => {
    if (away || closing) return
    // Another lake's feeds are not ours to schedule or to fetch again.
    claim()
      .then(() =>
        Promise.all([
          reconcile().catch((error: Error) => report('warn', {}, error, 'schedules not reconciled')),
          retry().catch((error: Error) => report('warn', {}, error, 'failed fetches not repeated')),
        ]),
      )
      .catch((error: Error) => report('warn', {}, error, 'Redis not claimed'))
  }, times.reconcile)

  const close = async (): Promise<void> => {
    clearInterval(timer)
    clearInterval(announcer)
    if (!away) await within(announceWorker(redis, entry(), { isStopping: true }), times.abort)
    await within(worker.pause(true), times.abort)
    await within(Promise.all(active), times.grace)
    stop.abort(new Error('the worker is closing'))
    await within(Promise.all(active), times.abort)
    await within(worker.close(active.size > 0), times.abort)
    await within(queue.close(), times.abort)
    wishes?.close()
    redis.disconnect()
  }
  // One query at a time: while Redis is down each would wait for it.
  let counting: Promise<QueueDepth | null> | null = null
  const countJobs = (): Promise<QueueDepth | null> => {
    counting ??= queueDepth(queue)
      .catch(() => null)
      .finally(() => {
        counting = null
      })
    return counting
  }
  return {
    get connected() {
      return !away && redis.status === 'ready'
    },
    queueDepth: async () => (closing ? null : ((await within(countJobs(), DEPTH_MS)) ?? null)),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Listens for requested documents and has them fetched at once; the feeds' own schedule fetches missed ones. */
function hearWishes(of: {
  readonly redisUrl: string
  readonly queue: FeedQueue
  readonly feeds: readonly Feed[]
  readonly failed: (error: unknown) => void
}): Listening | null {
  const { redisUrl, queue, feeds, failed } = of
  const ids = new Set(feeds.filter(({ onDemand }) => onDemand).map(({ id }) => id))
  const onMessage = (feed: string): void => {
    if (ids.has(feed)) fetchWanted(queue, feed).catch(failed)
  }
  return ids.size > 0 ? listen(redisUrl, DEMAND_CHANNEL, { onMessage, onError: failed }) : null
}

/** The result of some work; undefined if it fails or takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController()
  const done = await Promise.race([work.catch(() => undefined), delay(ms, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
  return done
}
