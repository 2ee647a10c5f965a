import type { Redis } from 'ioredis'
import { withLock } from '../lake/live/lock.ts'
import { offsetOf, tickAfter } from './schedule.ts'

/** The kinds of jobs: fetch a feed, land accepted fetches, or an upkeep task. */
export type JobKind = 'fetch' | 'land' | 'upkeep'

/** A job that a worker runs at its ticks: every `every_ms`, `offset_ms` after the even multiples. */
export interface Job {
  readonly kind: JobKind
  /** Id of the feed, or name of the task: who owns it runs all its jobs. */
  readonly name: string
  readonly every_ms: number
  /** True for a job that runs until it is stopped, as a stream's fetch does: it stops when another worker owns it. */
  readonly isEndless?: boolean
  run(signal: AbortSignal): Promise<void>
}

/** The owned jobs of a worker by state: running, waiting for a lock, and scheduled for later. */
export type JobCounts = Readonly<Record<'running' | 'waiting' | 'scheduled', number>>

/** Runs the jobs that its worker owns. */
export interface Ticker {
  /** Sets the names whose jobs it runs from now on. Jobs that run go on, but for endless ones. */
  own(names: ReadonlySet<string>): void
  /** Runs an owned job now, and once more if it runs already: that run may have started too early. */
  wake(kind: JobKind, name: string): void
  readonly counts: JobCounts
  /** Starts no more jobs. Resolves once all have ended. */
  close(): Promise<void>
}

/** When jobs last ended, by id (ms since the epoch): each tick runs once, whichever workers own the job meanwhile. */
const ENDED = 'jobs:ended'
/** Longest timer, ms: Node's own limit is 24 days. */
const MAX_TIMER_MS = 3_600_000

/** Name of the lock under which a job runs; manual work on a feed takes it too. */
export function jobLock(kind: JobKind, name: string): string {
  return `job:${kind}:${name}`
}

interface Owned {
  readonly job: Job
  readonly id: string
  /** When it last ended, as far as this worker knows; null until it has read the record. */
  ended_at: number | null
  isOwned: boolean
  /** True if it has to run whether or not a tick is due. */
  isWoken: boolean
  state: 'running' | 'waiting' | 'scheduled'
  timer: NodeJS.Timeout | undefined
  turn: Promise<void> | null
  stop: AbortController
}

/**
 * Opens the ticker of a worker; it owns nothing at first. A tick is due once the record in Redis is older, so that none is lost
 * with a worker: a job that was stopped is due at once. Each run takes the job's lock, which fences workers that disagree.
 */
export function openTicker(options: {
  readonly redis: Redis
  readonly jobs: readonly Job[]
  readonly lock_ms: number
  /** How long to wait before a lock of another process is tried again. */
  readonly retry_ms: number
  readonly signal: AbortSignal
  /** Called with the error of a run; it counts as ended, unless the run was stopped. */
  readonly onError: (job: Job, error: unknown) => void
  /** Called when a job begins, and when it has run to its end without an error. */
  readonly onBegin: (job: Job) => void
  readonly onDone: (job: Job) => void
}): Ticker {
  const { redis, lock_ms, retry_ms, signal, onBegin, onDone, onError } = options
  const all = options.jobs.map((job): Owned => {
    const id = `${job.kind}:${job.name}`
    const stopped = { isOwned: false, isWoken: false, timer: undefined, turn: null, stop: new AbortController() }
    return { job, id, ended_at: null, state: 'scheduled', ...stopped }
  })
  let isClosed = false

  /** Reads when a job last ended. A job without a record waits for its next tick, but for a fetch, which is due at once. */
  const readEnded = async ({ job, id, ended_at }: Owned): Promise<number> => {
    if (job.kind !== 'fetch' && ended_at === null) await redis.hsetnx(ENDED, id, Date.now())
    return Math.max(ended_at ?? 0, Number(await redis.hget(ENDED, id)))
  }

  /** When a job is due; at once if its record was not read yet, is missing, or was written by a clock far ahead of ours. */
  const dueAt = ({ job: { every_ms }, id, ended_at, isWoken }: Owned): number =>
    isWoken || !ended_at || ended_at > Date.now() + every_ms ? 0 : tickAfter(ended_at, { every_ms, offset_ms: offsetOf(id, every_ms) })

  const arm = (one: Owned, least_ms = 0): void => {
    clearTimeout(one.timer)
    if (isClosed || !one.isOwned || one.turn) return
    const wait_ms = Math.min(Math.max(dueAt(one) - Date.now(), least_ms), MAX_TIMER_MS)
    one.timer = setTimeout(() => begin(one), wait_ms)
  }

  const begin = (one: Owned): void => {
    if (dueAt(one) > Date.now()) return arm(one)
    let isHeld = false
    one.turn = perform(one)
      .then((ran) => {
        isHeld = !ran
      })
      .catch((error: unknown) => {
        isHeld = true
        if (!signal.aborted) onError(one.job, error)
      })
      .finally(() => {
        one.turn = null
        one.state = isHeld ? 'waiting' : 'scheduled'
        arm(one, isHeld ? retry_ms : 0)
      })
  }

  /** Runs a job under its lock if it is due; false if another process has the lock. Throws if Redis fails. */
  const perform = async (one: Owned): Promise<boolean> => {
    const { job, id } = one
    const ending = AbortSignal.any([signal, one.stop.signal])
    const locked = await withLock({ redis, name: jobLock(job.kind, job.name), ttl_ms: lock_ms, signal: ending }, async (lost) => {
      one.ended_at = await readEnded(one)
      if (dueAt(one) > Date.now()) return
      one.isWoken = false
      one.state = 'running'
      onBegin(job)
      let failure: { readonly error: unknown } | null = null
      await job.run(lost).catch((error: unknown) => {
        failure = { error }
      })
      // What was stopped is due at once, for its next owner.
      if (ending.aborted) return
      one.ended_at = Date.now()
      if (failure) onError(job, (failure as { readonly error: unknown }).error)
      else onDone(job)
      if (!lost.aborted) await redis.hset(ENDED, id, one.ended_at)
    })
    return locked.ran
  }

  return {
    own(names) {
      for (const one of all) {
        const isOwned = names.has(one.job.name)
        if (isOwned === one.isOwned) continue
        one.isOwned = isOwned
        one.isWoken = false
        if (isOwned) one.stop = new AbortController()
        else if (one.job.isEndless) one.stop.abort(new Error(`another worker owns ${one.job.name}`))
        arm(one)
      }
    },
    wake(kind, name) {
      const one = all.find(({ job }) => job.kind === kind && job.name === name)
      if (!one?.isOwned) return
      one.isWoken = true
      arm(one)
    },
    get counts() {
      const counts = { running: 0, waiting: 0, scheduled: 0 }
      for (const { isOwned, state, turn } of all) if (isOwned || turn) counts[state]++
      return counts
    },
    async close() {
      isClosed = true
      for (const { timer } of all) clearTimeout(timer)
      await Promise.all(all.map(({ turn }) => turn))
    },
  }
}
