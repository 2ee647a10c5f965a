import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DelayedError, type Job, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { claimRedis } from '../lake/live/claim.ts'
import { openRedis } from '../lake/live/connect.ts'
import { DEMAND_CHANNEL } from '../lake/live/demand.ts'
import { type DeclaredPart, forgetUndeclared } from '../lake/live/forget.ts'
import { LockLost, withLock } from '../lake/live/lock.ts'
import { announceWorker, livingWorkers, WORKER_BEAT_MS, type WorkerEntry } from '../lake/live/workers.ts'
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

/** What jobs do. Each must stop soon after its signal fires; a failure is logged and does not touch the schedule. */
export interface FeedRunner {
  fetch(feed: Feed, signal: AbortSignal): Promise<void>
  land(feed: Feed, signal: AbortSignal): Promise<void>
  upkeep(task: string, signal: AbortSignal): Promise<void>
}

/** Times of the machinery, ms. */
export interface WorkerTimes {
  /** How long a feed's lock outlives a worker that stopped. */
  readonly lock: number
  /** How long a job outlives it; longer than the lock, so that who takes the job over finds the lock free. */
  readonly job: number
  /** How often jobs of stopped workers are looked for. */
  readonly stalled: number
  /** How often the schedulers are compared with the catalogue: they come back within this time after Redis was emptied. */
  readonly reconcile: number
  /** How long running jobs may go on when the worker is closed, and how long they may take to stop after that. */
  readonly grace: number
  readonly abort: number
}

const TIMES: WorkerTimes = { lock: 20_000, job: 30_000, stalled: 10_000, reconcile: 15_000, grace: 1_500, abort: 700 }
const STALLS = 5
const KEPT_JOBS = { count: 200 }
const RETRY_MS = 2000
/** How long a job of a feed that only another worker knows is put back for, ms. */
const PUT_BACK_MS = 500
/** Longest wait for the depth of the queue, ms. */
const DEPTH_MS = 1000

/** What a worker runs. */
export interface WorkerOptions {
  readonly redisUrl: string
  /** Identity of the lake: a Redis that holds the state of another one is refused, see `claimRedis`. Not asked after unless told. */
  readonly lake?: string
  readonly feeds: readonly Feed[]
  /** What the whole catalogue gives live state, feeds that are turned off included: other parts are taken out. All stay unless told. */
  readonly declared?: readonly DeclaredPart[]
  readonly upkeep: readonly UpkeepTask[]
  readonly landEvery_s: number
  readonly runner: FeedRunner
  readonly log: Logger
  readonly times?: Partial<WorkerTimes>
}

/** A worker at work. */
export interface RunningWorker {
  /** False while Redis does not answer. */
  readonly connected: boolean
  /** What the queue holds; null where Redis does not answer soon. Never rejects. */
  queueDepth(): Promise<QueueDepth | null>
  /** Takes no more jobs, lets running ones finish within the grace, then stops them and hands them back. */
  close(): Promise<void>
}

/**
 * Starts a worker: reconciles the schedulers with the catalogue and runs jobs as they come up, any number of feeds at once but each never
 * twice, in this or any other process. A tick that comes while its feed still runs is skipped. More workers share the work. Throws where
 * Redis holds the state of another lake.
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
  /** Logs an error; while a store or Redis refuses, which fails everything, one line a minute. */
  const report = (level: 'warn' | 'error', fields: object, err: unknown, text: string): void => {
    const outage = outageOf(err)
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
      log.warn({ job: kind, name }, 'job of no known feed or task')
      return 'unknown'
    }
    // A job that was begun before was taken over from a stopped worker, whose lock may have a moment left.
    const wait_ms = job.attemptsStarted > 1 || job.data.waits ? times.lock : 0
    try {
      const locked = await withLock({ redis, name: jobLock(kind, name), ttl_ms: times.lock, wait_ms, signal: stop.signal }, known)
      if (!locked.ran && !stop.signal.aborted) return 'skipped'
    } catch (error) {
      if (!stop.signal.aborted) {
        const level = error instanceof LockLost ? 'warn' : 'error'
        report(level, { job: kind, name }, error, 'job failed')
        throw error
      }
    }
    if (stop.signal.aborted) return handBack(job, token)
    // History begins with the first data, not with the first landing that is due.
    if (kind === 'fetch' && !firstLanding.has(name)) {
      firstLanding.add(name)
      await queue.add('land', { kind: 'land', name })
    }
    return 'done'
  }

  const entry: WorkerEntry<Schedule> = { id: randomUUID(), started_at, schedules, declared: options.declared ?? null }
  try {
    if (lake !== undefined) await claimRedis(redis, lake)
    await announceWorker(redis, entry)
  } catch (error) {
    redis.disconnect()
    throw error
  }
  const whenNewest = async (): Promise<void> => {
    const others = await livingWorkers(redis)
    // A worker that does not say what it publishes may publish anything.
    if (others.some((worker) => worker.declared === null)) return
    const gone = options.declared
      ? await forgetUndeclared(redis, [...options.declared, ...others.flatMap(({ declared }) => declared ?? [])])
      : []
    if (gone.length > 0) log.warn({ gone }, 'live state of no declared feed taken out')
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
      // A tick that finds its feed at work needs a place too, if only to be skipped.
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
    if (!away && !closing) announceWorker(redis, entry).catch((error: Error) => report('warn', {}, error, 'worker not announced'))
  }, WORKER_BEAT_MS)

  const reconcile = async (): Promise<void> => {
    if (lake !== undefined) await claimRedis(redis, lake)
    const done = await reconcileSchedules({ queue, redis, schedules, started_at, whenNewest })
    if (done && done.added.length + done.changed.length + done.removed.length > 0) log.warn({ ...done }, 'schedules restored')
  }
  const timer = setInterval(() => {
    if (!away && !closing) reconcile().catch((error: Error) => report('warn', {}, error, 'schedules not reconciled'))
  }, times.reconcile)

  const close = async (): Promise<void> => {
    clearInterval(timer)
    clearInterval(announcer)
    if (!away) await within(announceWorker(redis, entry, { isStopping: true }), times.abort)
    await within(worker.pause(true), times.abort)
    await within(Promise.all(active), times.grace)
    stop.abort(new Error('the worker is closing'))
    await within(Promise.all(active), times.abort)
    await within(worker.close(active.size > 0), times.abort)
    await within(queue.close(), times.abort)
    wishes.disconnect()
    redis.disconnect()
  }
  // One question at a time: while Redis is away each would wait for it.
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

/** Listens for documents that are wanted and has them fetched at once; the feeds' own schedule fetches what nobody heard of. */
function hearWishes(of: {
  readonly redisUrl: string
  readonly queue: FeedQueue
  readonly feeds: readonly Feed[]
  readonly failed: (error: unknown) => void
}): Redis {
  const { redisUrl, queue, feeds, failed } = of
  const ids = new Set(feeds.filter(({ onDemand }) => onDemand).map(({ id }) => id))
  const messages = openRedis(redisUrl)
  messages.on('message', (_channel, feed) => {
    if (ids.has(feed)) fetchWanted(queue, feed).catch(failed)
  })
  if (ids.size > 0) messages.subscribe(DEMAND_CHANNEL).catch(failed)
  return messages
}

/** What work gives; undefined where it fails or takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const over = new AbortController()
  const done = await Promise.race([work.catch(() => undefined), delay(ms, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
  return done
}
