import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import type { Feed } from '../../jobs/feeds/define.ts'
import { type FeedRunner, type RunningWorker, startWorker, type WorkerOptions, type WorkerTimes } from '../../jobs/worker.ts'

/** Short times, so that a test sees in seconds an effect that takes a minute otherwise. */
export const QUICK: WorkerTimes = {
  ...{ lock: 1200, retry: 100, beat: 250, away: 1200, owners: 50, retries: 400, streamLanding: 300, grace: 1000, abort: 500 },
}

/** The worker's view of a feed: id and cadence. */
export function feed(id: string, every_s: number): Feed {
  return { id, every_s } as Feed
}

/** One run of a job, as a test's runner saw it. */
export interface Run {
  readonly worker: string
  readonly job: string
  readonly began: number
  ended: number | null
}

/** Records the runs, and the most runs of each job at any one time. */
export class Witness {
  readonly runs: Run[] = []
  readonly most = new Map<string, number>()
  readonly #running = new Map<string, number>()

  /** A runner that records each run and leaves the work to `work`. */
  runner(worker: string, work: (job: string, signal: AbortSignal) => Promise<void>): FeedRunner {
    const run = async (job: string, signal: AbortSignal): Promise<void> => {
      const noted: Run = { worker, job, began: performance.now(), ended: null }
      this.runs.push(noted)
      const now = (this.#running.get(job) ?? 0) + 1
      this.#running.set(job, now)
      this.most.set(job, Math.max(now, this.most.get(job) ?? 0))
      try {
        await work(job, signal)
      } finally {
        this.#running.set(job, (this.#running.get(job) as number) - 1)
        noted.ended = performance.now()
      }
    }
    return {
      fetch: ({ id }, signal) => run(`fetch ${id}`, signal),
      land: ({ id }, signal) => run(`land ${id}`, signal),
      upkeep: (task, signal) => run(`upkeep ${task}`, signal),
    }
  }

  /** Runs of a job so far. */
  count(job: string): number {
    return this.runs.filter((run) => run.job === job).length
  }
}

/** Starts a worker with short times; by default feeds land every hour and no upkeep runs. */
export function quickWorker(
  options: Pick<WorkerOptions, 'redisUrl' | 'feeds' | 'runner'> & Partial<WorkerOptions>,
): Promise<RunningWorker> {
  return startWorker({ lake: 'test', upkeep: [], landEvery_s: 3600, log: pino({ level: 'silent' }), times: QUICK, ...options })
}

/** A worker process and the lines it wrote. */
export interface WorkerProcess {
  readonly lines: string[]
  readonly child: ChildProcess
}

/** Starts a worker in its own process, see worker-process.ts. */
export function workerProcess(redisUrl: string, feeds: readonly Feed[], work_ms: number): WorkerProcess {
  const options = { redisUrl, lake: 'test', feeds, upkeep: [], landEvery_s: 3600, times: QUICK, work_ms }
  const child = spawn(process.execPath, [new URL('worker-process.ts', import.meta.url).pathname, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line))
  return { lines, child }
}

/** A pause. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
