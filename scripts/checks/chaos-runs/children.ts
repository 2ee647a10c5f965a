import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { atExit } from '../run.ts'
import type { Case, Verdict } from './oracle.ts'
import type { WorkerOrder, WorkerReport } from './order.ts'

const HALT_WITHIN_MS = 60_000

/** A process that runs an order. */
export interface Process<T> {
  readonly pid: number
  /** Settles when it ends: with its exit code, or null if a signal ended it. */
  readonly ended: Promise<number | null>
  /** Its messages so far, in order. */
  readonly reported: readonly T[]
  /** Settles when `isMet` is true for its messages; throws if the process ends before or it takes more than a minute. */
  until(what: string, isMet: (messages: readonly T[]) => boolean): Promise<void>
  /** Starts the work of a process that waits. */
  go(): void
  signal(name: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()
atExit(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a script of this folder with an order; collects the messages of its channel, and each line of its output as text. */
export function startProcess<T>(script: string, order: unknown): Process<T | string> {
  const child = fork(new URL(script, import.meta.url).pathname, [JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '8', NODE_NO_WARNINGS: '1' },
  })
  running.add(child)
  const messages: (T | string)[] = []
  let over = false
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      over = true
      running.delete(child)
      resolve(code)
    })
  })
  child.on('message', (message) => messages.push(message as T))
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => messages.push(line))
  return {
    pid: child.pid as number,
    ended,
    reported: messages,
    async until(what, isMet) {
      const end = performance.now() + HALT_WITHIN_MS
      while (!isMet(messages)) {
        if (over) throw new Error(`${script} ended before ${what}: ${JSON.stringify(messages.at(-1) ?? null)}`)
        if (performance.now() > end) throw new Error(`${script}: not within ${HALT_WITHIN_MS} ms: ${what}`)
        await sleep(5)
      }
    },
    go: () => void child.send('go'),
    signal: (name) => void child.kill(name),
  }
}

/** A worker with its order; see worker.ts. */
export type ChaosWorker = Process<WorkerReport | string>

/** Starts a worker. It reports `open` once everything is open, and `halted at <step>` before it stops. */
export function startWorker(order: WorkerOrder): ChaosWorker {
  return startProcess<WorkerReport>('worker.ts', order)
}

/** Runs a worker to its end and returns its failures; throws if its exit code is not 0. */
export async function runWorker(order: WorkerOrder): Promise<string[]> {
  const worker = startWorker(order)
  const code = await worker.ended
  if (code !== 0) throw new Error(`a worker ended with ${code ?? 'a signal'}`)
  return worker.reported.flatMap((message) => (typeof message === 'string' ? [] : message.failures))
}

/** Runs the oracle on a store, in a process that knows nothing of the store's history. */
export async function judgeApart(given: Case): Promise<Verdict> {
  const judge = startProcess<Verdict>('judge.ts', given)
  const code = await judge.ended
  const verdict = judge.reported.find((message) => typeof message !== 'string')
  if (code !== 0 || !verdict) throw new Error(`the oracle ended with ${code ?? 'a signal'}`)
  return verdict
}
