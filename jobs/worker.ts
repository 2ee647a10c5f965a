import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { claimRedis, type Listening, listen, openRedis } from '../lake/live/connect.ts'
import { DEMAND_CHANNEL } from '../lake/live/demand.ts'
import { type DeclaredPart, forgetUndeclared } from '../lake/live/forget.ts'
import { readFeedStates } from '../lake/live/freshness.ts'
import { LockLost } from '../lake/live/lock.ts'
import { announceWorker, livingWorkers, OWNER_AWAY_MS, WORKER_BEAT_MS, type WorkerEntry } from '../lake/live/workers.ts'
import { WaitedTooLong } from '../lake/query/work-kind.ts'
import { openRepeats, outageOf } from '../lake/repeats.ts'
import type { Feed } from './feeds/define.ts'
import { ownedBy } from './owners.ts'
import { dropFeedQueue } from './queues.ts'
import { dueRetry } from './schedule.ts'
import { type Job, type JobCounts, openTicker } from './ticker.ts'
import { within } from './within.ts'

/** The job handlers. Each must stop soon after its signal fires; a failure is logged and does not change the schedule. */
export interface FeedRunner {
  fetch(feed: Feed, signal: AbortSignal): Promise<void>
  land(feed: Feed, signal: AbortSignal): Promise<void>
  upkeep(task: string, signal: AbortSignal): Promise<void>
}

/** A task of upkeep and its cadence. */
export interface UpkeepTask {
  readonly task: string
  readonly every_s: number
}

/** Times of the machinery, ms. */
export interface WorkerTimes {
  /** How long a job's lock outlives a worker that stopped. */
  readonly lock: number
  /** How long to wait before a job whose lock another process has is tried again. */
  readonly retry: number
  /** How often a worker announces itself; how long one without an announcement still owns feeds; how often owners are found. */
  readonly beat: number
  readonly away: number
  readonly owners: number
  /** How often failed fetches that are due are looked for, and whether Redis still belongs to this lake. */
  readonly retries: number
  /** When a stream first lands after its fetch began, which does not end: soon after its first file. */
  readonly streamLanding: number
  /** How long running jobs may continue when the worker is closed, and how long they may take to stop after that. */
  readonly grace: number
  readonly abort: number
}

const TIMES: WorkerTimes = {
  lock: 20_000,
  retry: 2000,
  beat: WORKER_BEAT_MS,
  away: OWNER_AWAY_MS,
  owners: 1000,
  retries: 15_000,
  streamLanding: 30_000,
  grace: 1_500,
  abort: 700,
}
/** Requests for a feed's documents that come within this time become one fetch, ms. */
const WISHES_MS = 500
/** The start of the newest worker, ms since the epoch, in Redis. */
const NEWEST = 'jobs:newest'

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
  /** Names of what else it can own, which has no ticks: derivations. */
  readonly owns?: readonly string[]
  readonly landEvery_s: number
  /** How much of its data has arrived, and whether the store is full; all and no by default. */
  readonly condition?: () => Required<Pick<WorkerEntry, 'phase' | 'store_full'>>
  readonly runner: FeedRunner
  /** Called with the names that the worker owns, when they change. */
  readonly onOwned?: (names: ReadonlySet<string>) => void
  readonly log: Logger
  readonly times?: Partial<WorkerTimes>
}

/** A worker at work. */
export interface RunningWorker {
  /** False while Redis does not answer. */
  readonly connected: boolean
  /** Names of the feeds, tasks and derivations that it owns. */
  readonly owned: ReadonlySet<string>
  /** Its jobs by state. */
  readonly jobs: JobCounts
  /** Starts no more jobs, lets running ones finish within the grace period, then stops them for their next owners. */
  close(): Promise<void>
}

/** The jobs of a catalogue: each feed is fetched at its cadence and landed at the common one; each task has its own. */
function jobsOf({ feeds, upkeep, landEvery_s, runner }: Pick<WorkerOptions, 'feeds' | 'upkeep' | 'landEvery_s' | 'runner'>): Job[] {
  const ms = (every_s: number): number => Math.round(every_s * 1000)
  return [
    ...feeds.flatMap((feed): Job[] => [
      {
        ...{ kind: 'fetch', name: feed.id, every_ms: ms(feed.every_s), isEndless: feed.stream !== undefined },
        run: (signal) => runner.fetch(feed, signal),
      },
      { kind: 'land', name: feed.id, every_ms: ms(landEvery_s), run: (signal) => runner.land(feed, signal) },
    ]),
    ...upkeep.map(
      ({ task, every_s }): Job => ({
        ...{ kind: 'upkeep', name: task, every_ms: ms(every_s) },
        run: (signal) => runner.upkeep(task, signal),
      }),
    ),
  ]
}

/**
 * Starts a worker: it runs the due jobs of the feeds and tasks that it owns among the living workers, many at once. Each tick
 * runs once across all workers, also while owners change. Throws if Redis has another lake's state.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { redisUrl, lake, feeds, log, onOwned = () => undefined } = options
  const times = { ...TIMES, ...options.times }
  const jobs = jobsOf(options)
  const started_at = Date.now()
  const stop = new AbortController()
  const firstLanding = new Set<string>()
  let owned: ReadonlySet<string> = new Set()
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

  /** History starts with the first data, not with the first due landing. */
  const landFirst = (name: string): void => {
    if (closing || firstLanding.has(name)) return
    firstLanding.add(name)
    ticker.wake('land', name)
  }
  const ticker = openTicker({
    ...{ redis, jobs, lock_ms: times.lock, retry_ms: times.retry, signal: stop.signal },
    onBegin: ({ name, isEndless = false }) => {
      if (isEndless) setTimeout(() => landFirst(name), times.streamLanding).unref()
    },
    onDone: ({ kind, name }) => {
      if (kind === 'fetch') landFirst(name)
    },
    onError: ({ kind, name }, error) => {
      // It waited longer than its feed's cadence: its next tick is due.
      if (error instanceof WaitedTooLong) log.info({ job: kind, name, reason: error.message }, 'job gave way')
      else report(error instanceof LockLost ? 'warn' : 'error', { job: kind, name }, error, 'job failed')
    },
  })

  const own: WorkerEntry = {
    ...{ id: randomUUID(), started_at, schedules: [], declared: options.declared ?? null },
    runs: [...new Set([...jobs.map(({ name }) => name), ...(options.owns ?? [])])],
  }
  const announce = (how?: { readonly isStopping: boolean }): Promise<void> =>
    announceWorker(redis, { ...own, ...(options.condition?.() ?? { phase: 'STEADY', store_full: false }) }, how)
  const claim = async (): Promise<void> => (lake === undefined ? undefined : claimRedis(redis, lake))
  const findOwned = async (): Promise<void> => {
    const living = await livingWorkers(redis, times.away)
    if (closing) return
    // Redis was emptied: the others announce themselves, too, before anything moves.
    if (!living.some(({ id }) => id === own.id)) return announce()
    const now = ownedBy(own.id, living)
    if (now.size === owned.size && [...now].every((name) => owned.has(name))) return
    log.info({ owned: now.size, of: own.runs?.length, workers: living.length }, 'owned feeds, tasks and derivations')
    owned = now
    onOwned(owned)
    ticker.own(owned)
  }
  /** Removes live state that no living worker declares; an older version must not undo what a newer one shows. */
  const forget = async (): Promise<void> => {
    const newest = Number(await redis.get(NEWEST))
    if (newest > started_at) return
    if (newest < started_at) await redis.set(NEWEST, started_at)
    const others = await livingWorkers(redis)
    if (others.every(({ runs }) => runs)) await dropFeedQueue(redis)
    // A worker that does not declare its parts may publish any.
    if (!options.declared || others.some(({ declared }) => declared === null)) return
    const gone = await forgetUndeclared(redis, [...options.declared, ...others.flatMap(({ declared }) => declared ?? [])])
    if (gone.length > 0) log.warn({ gone }, 'removed live state of an undeclared feed')
  }
  try {
    await claim()
    await announce()
    await forget()
    await findOwned()
  } catch (error) {
    redis.disconnect()
    throw error
  }

  const retried = new Map<string, string>()
  /** Fetches failed feeds again that are due. */
  const retry = async (): Promise<void> => {
    const [states, now] = [await readFeedStates(redis), Date.now()]
    for (const feed of feeds) {
      const due = dueRetry(feed, { state: states.get(feed.id) ?? null, since: started_at, now })
      if (due === null || retried.get(feed.id) === due || !owned.has(feed.id)) continue
      retried.set(feed.id, due)
      ticker.wake('fetch', feed.id)
    }
  }
  const every = (ms: number, what: string, work: () => Promise<void>): NodeJS.Timeout => {
    let isBusy = false
    return setInterval(() => {
      if (away || closing || isBusy) return
      isBusy = true
      work()
        .catch((error: Error) => !closing && report('warn', {}, error, what))
        .finally(() => {
          isBusy = false
        })
    }, ms)
  }
  const timers = [
    every(times.beat, 'worker not announced', announce),
    every(times.owners, 'owners not found', findOwned),
    // Another lake's feeds are not ours to fetch again.
    every(times.retries, 'failed fetches not repeated', () => claim().then(forget).then(retry)),
  ]
  const wishes = hearWishes({
    ...{ redisUrl, feeds, fetch: (feed) => ticker.wake('fetch', feed) },
    failed: (error) => report('warn', {}, error, 'documents on demand'),
  })

  const close = async (): Promise<void> => {
    for (const timer of timers) clearInterval(timer)
    if (!away) await within(announce({ isStopping: true }), times.abort)
    const ended = ticker.close()
    await within(ended, times.grace)
    stop.abort(new Error('the worker is closing'))
    await within(ended, times.abort)
    wishes?.close()
    redis.disconnect()
  }
  return {
    get connected() {
      return !away && redis.status === 'ready'
    },
    get owned() {
      return owned
    },
    get jobs() {
      return ticker.counts
    },
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Listens for requested documents and has them fetched soon; the feeds' own schedule fetches missed ones. */
function hearWishes(of: {
  readonly redisUrl: string
  readonly feeds: readonly Feed[]
  readonly fetch: (feed: string) => void
  readonly failed: (error: unknown) => void
}): Listening | null {
  const { redisUrl, feeds, fetch, failed } = of
  const ids = new Set(feeds.filter(({ onDemand }) => onDemand).map(({ id }) => id))
  const heard = new Set<string>()
  const onMessage = (feed: string): void => {
    if (!ids.has(feed) || heard.has(feed)) return
    heard.add(feed)
    setTimeout(() => {
      heard.delete(feed)
      fetch(feed)
    }, WISHES_MS).unref()
  }
  return ids.size > 0 ? listen(redisUrl, DEMAND_CHANNEL, { onMessage, onError: failed }) : null
}
