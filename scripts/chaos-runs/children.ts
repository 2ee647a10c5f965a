import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { atExit } from './at-exit.ts'
import type { Case, Verdict } from './oracle.ts'
import type { WorkerOrder, WorkerTold } from './order.ts'

const HALT_WITHIN_MS = 60_000

/** A process that was given an order. */
export interface Process<T> {
  readonly pid: number
  /** Settles when it ends: its exit code, null where a signal ended it. */
  readonly ended: Promise<number | null>
  /** What it told so far, in order. */
  readonly told: readonly T[]
  /** Settles when it has told something that holds; throws where it ends before or takes more than a minute. */
  until(what: string, holds: (told: readonly T[]) => boolean): Promise<void>
  /** Lets one that waits begin. */
  go(): void
  signal(name: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()
atExit(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a script of this folder with an order; what it sends over its channel is kept, and so is each line it writes, as text. */
export function startProcess<T>(script: string, order: unknown): Process<T | string> {
  const child = fork(new URL(script, import.meta.url).pathname, [JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '8', NODE_NO_WARNINGS: '1' },
  })
  running.add(child)
  const told: (T | string)[] = []
  let over = false
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      over = true
      running.delete(child)
      resolve(code)
    })
  })
  child.on('message', (message) => told.push(message as T))
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => told.push(line))
  return {
    pid: child.pid as number,
    ended,
    told,
    async until(what, holds) {
      const end = performance.now() + HALT_WITHIN_MS
      while (!holds(told)) {
        if (over) throw new Error(`${script} ended before ${what}: ${JSON.stringify(told.at(-1) ?? null)}`)
        if (performance.now() > end) throw new Error(`${script}: not within ${HALT_WITHIN_MS} ms: ${what}`)
        await sleep(5)
      }
    },
    go: () => void child.send('go'),
    signal: (name) => void child.kill(name),
  }
}

/** A worker under its order; see worker.ts. */
export type ChaosWorker = Process<WorkerTold | string>

/** Starts a worker. It tells `open` once all is open, and `halted at <step>` before it stands still. */
export function startWorker(order: WorkerOrder): ChaosWorker {
  return startProcess<WorkerTold>('worker.ts', order)
}

/** Runs a worker to its end and gives what failed in it; throws where it does not end well. */
export async function runWorker(order: WorkerOrder): Promise<string[]> {
  const worker = startWorker(order)
  const code = await worker.ended
  if (code !== 0) throw new Error(`a worker ended with ${code ?? 'a signal'}`)
  return worker.told.flatMap((told) => (typeof told === 'string' ? [] : told.failures))
}

/** Has the oracle judge a store, in a process that has seen nothing of what happened to it. */
export async function judgeApart(given: Case): Promise<Verdict> {
  const judge = startProcess<Verdict>('judge.ts', given)
  const code = await judge.ended
  const verdict = judge.told.find((told) => typeof told !== 'string')
  if (code !== 0 || !verdict) throw new Error(`the oracle ended with ${code ?? 'a signal'}`)
  return verdict
}
