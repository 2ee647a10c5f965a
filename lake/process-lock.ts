import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** Identifies a process, even if its number is reused later: its id and, on Linux, its start time. */
export function processId(): string {
  return `${process.pid}-${statusOf(process.pid)?.began ?? 0}`
}

/** True if the process of a mark is still running. */
export function isRunning(mark: string): boolean {
  const [, pid, began] = /^(\d+)-(\d+)$/.exec(mark) ?? []
  if (!pid || !isAlive(Number(pid))) return false
  const status = statusOf(Number(pid))
  return status === null || (status.began === began && status.state !== 'Z')
}

/** True if any process with that number is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Attempts to take a mark while others try to, and the pause before each attempt but the first, ms. */
const ATTEMPTS = 200
const PAUSE_MS = 5

/**
 * Takes a file as this process's mark and returns its release function, or the mark of the running owner. A dead owner's mark is
 * taken over: only the owner of `<path>.next` may remove it, so that no process removes a new mark.
 */
export function takeLock(path: string): (() => void) | string {
  const mark = processId()
  const mine = `${path}.${mark}`
  writeFileSync(mine, mark)
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
      if (linked(mine, path)) return () => letGo(path, mark)
      const owner = textOf(path)
      if (owner === null) continue
      if (isRunning(owner)) return owner
      const release = takeLock(`${path}.next`)
      if (typeof release === 'string') continue
      letGo(path, owner)
      release()
    }
    throw new Error(`${path} cannot be taken: another start is at it`)
  } finally {
    rmSync(mine, { force: true })
  }
}

function letGo(path: string, mark: string): void {
  if (textOf(path) === mark) rmSync(path)
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** State and start of a process (proc(5), fields 3 and 22, in ticks since boot); null without /proc. */
function statusOf(pid: number): { readonly state: string; readonly began: string } | null {
  try {
    // The second field is the program's name in brackets, which can contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { state: fields[0] as string, began: fields[19] as string }
  } catch {
    return null
  }
}
