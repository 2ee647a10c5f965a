import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A process of the service. */
export interface Child {
  readonly name: string
  readonly pid: number
  /** Settles when the process ends, with its exit code (null: by a signal). */
  readonly ended: Promise<number | null>
  /** True once it was killed because its heartbeat was missing. */
  readonly isHung: boolean
  /** Asks it to end, and kills it after `timeout_ms`. */
  stop(timeout_ms?: number): Promise<void>
}

/** The message that a process sends as long as its event loop runs. */
export const HEARTBEAT = 'alive'
const HEARTBEAT_MS = 5000

/** How a process is started. */
export interface ChildOptions {
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  /** Flags of Node itself. */
  readonly flags?: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onLine: (line: string) => void
  /** How long its heartbeat may be missing once it is ready while it uses no processor, ms; then it is killed. */
  readonly hung_ms?: number
  /** The same while it uses the processor: it may be busy, or the machine is. By default only `hung_ms` counts. */
  readonly busy_ms?: number
  /** Gets the process as soon as it runs, so that the caller can stop it at any time. */
  readonly onSpawn: (child: Child) => void
}

/** Starts a Node process and waits until it sends `{ready: …}` over its channel; returns both. Throws if it ends first. */
export async function startChild<T>(options: ChildOptions): Promise<{ child: Child; ready: T }> {
  const { name, script, args = [], flags = [], env, hung_ms, busy_ms = Number.POSITIVE_INFINITY, onLine, onSpawn } = options
  // A separate process group: Ctrl-C in the terminal reaches only the supervisor, which stops the others in order.
  const child = spawn(process.execPath, [...flags, script, ...args], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  })
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', onLine)
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  let isHung = false
  const known: Child = {
    name,
    pid: child.pid as number,
    ended,
    get isHung() {
      return isHung
    },
    stop: (timeout_ms = 20_000) => stop(child, ended, timeout_ms),
  }
  onSpawn(known)
  const ready = await new Promise<T>((resolve, reject) => {
    child.on('message', (message) => {
      if (message !== null && typeof message === 'object' && 'ready' in message) resolve(message.ready as T)
    })
    child.once('error', reject)
    void ended.then((code) => reject(new Error(`${name} ended with ${code ?? 'a signal'} before it was ready`)))
  })
  if (hung_ms !== undefined)
    watchHeartbeat(child, { hung_ms, busy_ms }, () => {
      isHung = true
      child.kill('SIGKILL')
    })
  return { child: known, ready }
}

/** A heartbeat is due in each of so many parts of the time: a machine that slept misses one of them, not all. */
const LOOKS = 4

/** Calls back when a process that has sent a heartbeat stops sending them. */
function watchHeartbeat(
  child: ChildProcess,
  { hung_ms, busy_ms }: { readonly hung_ms: number; readonly busy_ms: number },
  onHung: () => void,
): void {
  let missed: { idle: number; busy: number } | null = null
  let used = 0
  child.on('message', (message) => {
    if (message === HEARTBEAT) missed = { idle: 0, busy: 0 }
  })
  const timer = setInterval(() => {
    if (missed === null) return
    const before = used
    used = processorTime(child.pid as number)
    if (used > before) missed.busy++
    else missed.idle++
    if (missed.idle > LOOKS || (missed.idle + missed.busy - 1) * (hung_ms / LOOKS) > busy_ms) onHung()
  }, hung_ms / LOOKS)
  child.once('exit', () => clearInterval(timer))
}

/** Returns the processor time that a process has used, in ticks; 0 where it cannot be read. See proc(5), `stat`. */
function processorTime(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0
  }
}

async function stop(child: ChildProcess, ended: Promise<unknown>, timeout_ms: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), timeout_ms)
  await ended
  clearTimeout(force)
}

/** Reports to the supervisor that this process is ready. */
export function reportReady(facts: Readonly<Record<string, unknown>>): void {
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

/** Set for a process that only loads its code, see `compile.ts`. */
export const COMPILE_ONLY = 'COMPILE_ONLY'

/** Sends heartbeats, and ends this process on request or when its supervisor is gone. */
export function endWithSupervisor(): void {
  if (process.env[COMPILE_ONLY]) process.exit()
  if (process.send) setInterval(() => process.connected && process.send?.(HEARTBEAT), HEARTBEAT_MS).unref()
  for (const ending of ENDINGS) process.on(ending, stopOnce)
}

/** Sets what is closed before this process ends. */
export function onStop(closing: () => Promise<void>): void {
  close = closing
}
