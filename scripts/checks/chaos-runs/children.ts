import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { atExit } from '../run.ts'
import type { Case, Verdict } from './oracle.ts'
import type { WorkerOrder, WorkerReport } from './order.ts'
import type { Findings } from './scenario.ts'

const HALT_WITHIN_MS = 60_000

/** A process that runs an order. */
export interface Process<T> {
  readonly pid: number
  /** Settles when it ends: with its exit code, or null if a signal ended it. */
  readonly ended: Promise<number | null>
  /** Its messages so far, in order. */
  readonly reported: readonly T[]
  /** Settles once it has written a line; throws if the process ends before or it takes more than a minute. */
  untilLine(line: string): Promise<void>
  /** The same for a condition. */
  until(what: string, isMet: () => boolean): Promise<void>
  /** Starts the work of a process that waits. */
  go(): void
  signal(name: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()
atExit(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a script of this folder with an order; collects the messages of its channel and the lines of its output. */
export function startProcess<T>(script: string, order: unknown): Process<T> {
  const child = fork(new URL(script, import.meta.url).pathname, [JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '8', NODE_NO_WARNINGS: '1' },
  })
  running.add(child)
  const reported: T[] = []
  const lines: string[] = []
  let over = false
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      over = true
      running.delete(child)
      resolve(code)
    })
  })
  child.on('message', (message) => reported.push(message as T))
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line))
  const until: Process<T>['until'] = async (what, isMet) => {
    const end = performance.now() + HALT_WITHIN_MS
    while (!isMet()) {
      if (over) throw new Error(`${script} ended before ${what}: ${JSON.stringify(reported.at(-1) ?? null)}`)
      if (performance.now() > end) throw new Error(`${script}: not within ${HALT_WITHIN_MS} ms: ${what}`)
      await sleep(5)
    }
  }
  return {
    pid: child.pid as number,
    ended,
    reported,
    until,
    untilLine: (line) => until(`it wrote "${line}"`, () => lines.includes(line)),
    go: () => void child.send('go'),
    signal: (name) => void child.kill(name),
  }
}

/** A worker with its order; see worker.ts. */
export type ChaosWorker = Process<WorkerReport>

/** Starts a worker. It reports `open` once everything is open, and `halted at <step>` before it stops. */
export function startWorker(order: WorkerOrder): ChaosWorker {
  return startProcess<WorkerReport>('worker.ts', order)
}

/** Runs a worker to its end and returns its failures; throws if its exit code is not 0. */
export async function runWorker(order: WorkerOrder): Promise<string[]> {
  const worker = startWorker(order)
  const code = await worker.ended
  if (code !== 0) throw new Error(`a worker ended with ${code ?? 'a signal'}`)
  return worker.reported.flatMap(({ failures }) => failures)
}

/** Adds to findings those of the oracle on a store, in a process that knows nothing of the store's history. */
export async function judgeApart(given: Case, found: Findings): Promise<Findings> {
  const judge = startProcess<Verdict>('judge.ts', given)
  const code = await judge.ended
  const [verdict] = judge.reported
  if (code !== 0 || !verdict) throw new Error(`the oracle ended with ${code ?? 'a signal'}`)
  const { problems, ...detail } = verdict
  return { problems: [...found.problems, ...problems], detail: { ...found.detail, ...detail } }
}
