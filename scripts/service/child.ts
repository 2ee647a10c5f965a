import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A process of the service. */
export interface Child {
  readonly name: string
  readonly pid: number
  /** Settles when the process ends, with its exit code (null: by a signal). */
  readonly ended: Promise<number | null>
  /** Asks it to end; by force where it takes longer than `patience_ms`. */
  stop(patience_ms?: number): Promise<void>
}

/** What a process is started with. */
export interface ChildOptions {
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  /** Flags of Node itself. */
  readonly flags?: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onLine: (line: string) => void
  /** Told of the process as soon as it runs, so that whoever stops everything can stop it too. */
  readonly onSpawn: (child: Child) => void
}

/** Starts a Node process that tells `{ready: …}` over its channel once it is up; returns it with what it told. Throws where it ends first. */
export async function startChild<T>(options: ChildOptions): Promise<{ child: Child; ready: T }> {
  const { name, script, args = [], flags = [], env, onLine, onSpawn } = options
  // A process group of its own: Ctrl-C in the terminal reaches only the supervisor, which stops the others in order.
  const child = spawn(process.execPath, [...flags, script, ...args], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', onLine)
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const known: Child = { name, pid: child.pid as number, ended, stop: (patience_ms = 20_000) => stop(child, ended, patience_ms) }
  onSpawn(known)
  const ready = await new Promise<T>((resolve, reject) => {
    child.on('message', (message) => {
      if (message !== null && typeof message === 'object' && 'ready' in message) resolve(message.ready as T)
    })
    child.once('error', reject)
    void ended.then((code) => reject(new Error(`${name} ended with ${code ?? 'a signal'} before it was ready`)))
  })
  return { child: known, ready }
}

async function stop(child: ChildProcess, ended: Promise<unknown>, patience_ms: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), patience_ms)
  await ended
  clearTimeout(force)
}

/** Tells the supervisor that this process is up. */
export function tellReady(facts: Readonly<Record<string, unknown>>): void {
  process.send?.({ ready: facts })
}

const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect'] as const
let close: () => Promise<void> = async () => undefined
let stopping = false

function stopOnce(): void {
  if (stopping) return
  stopping = true
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
}

/** Lets this process end when it is asked to, or when its supervisor is gone, from its first moment on. */
export function endWithSupervisor(): void {
  for (const ending of ENDINGS) process.on(ending, stopOnce)
}

/** Sets what is to be closed before this process ends. */
export function onStop(closing: () => Promise<void>): void {
  close = closing
}
