import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, takeLock } from '../../lake/process-lock.ts'

const MARK = 'service.pid'
const PUBLISHERS = 'publishers.url'
const API = 'api.url'

/**
 * Claims a data folder for this process and returns the release: two services on one folder would share Redis and port. Throws if
 * a running process has it. The claim of a dead process is taken over.
 */
export function claimFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const taken = takeLock(join(folder, MARK))
  if (typeof taken !== 'string') {
    // Addresses of an earlier run.
    for (const name of [PUBLISHERS, API]) rmSync(join(folder, name), { force: true })
    return taken
  }
  const [pid] = taken.split('-')
  throw new Error(`a service is running on ${folder} already (process ${pid}): stop it, or choose another --data folder`)
}

/** Records the address of the publishers' stand-in, for commands on the same data folder. */
export function notePublishers(folder: string, url: string): void {
  writeFileSync(join(folder, PUBLISHERS), url)
}

/**
 * Returns the address of the stand-in that serves a data folder; null without one, or if the service uses the real publishers.
 */
export function publishersOf(folder: string): string | null {
  return notedOn(folder, PUBLISHERS)
}

/** Records the address of the API, for commands on the same data folder. */
export function noteApi(folder: string, url: string): void {
  writeFileSync(join(folder, API), url)
}

/** Returns the address of the API that serves a data folder; null if none runs. */
export function apiOf(folder: string): string | null {
  return notedOn(folder, API)
}

function notedOn(folder: string, name: string): string | null {
  const mark = textOf(join(folder, MARK))
  return mark !== null && isRunning(mark) ? textOf(join(folder, name)) : null
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
