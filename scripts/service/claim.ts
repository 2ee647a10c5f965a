import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning, takeMark } from '../../lake/process-mark.ts'

const MARK = 'service.pid'
const PUBLISHERS = 'publishers.url'
const API = 'api.url'

/**
 * Takes a data folder for this process and gives what lets it go again: two services on one folder would share Redis and port. Throws
 * where a running process has it; the mark of one that died is taken over.
 */
export function claimFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const taken = takeMark(join(folder, MARK))
  if (typeof taken !== 'string') {
    // Where things were in an earlier run.
    for (const name of [PUBLISHERS, API]) rmSync(join(folder, name), { force: true })
    return taken
  }
  const [pid] = taken.split('-')
  throw new Error(`a service is running on ${folder} already (process ${pid}): stop it, or choose another --data folder`)
}

/** Tells the commands that work beside the service of a data folder where its publishers' stand-in is. */
export function notePublishers(folder: string, url: string): void {
  writeFileSync(join(folder, PUBLISHERS), url)
}

/** Where the publishers' stand-in of the service is that runs on a data folder; null where none runs, or where it asks the real ones. */
export function publishersOf(folder: string): string | null {
  return notedOn(folder, PUBLISHERS)
}

/** Tells the commands that work beside the service of a data folder where its API is. */
export function noteApi(folder: string, url: string): void {
  writeFileSync(join(folder, API), url)
}

/** Where the API of the service is that runs on a data folder; null where none runs. */
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
