import { readdir, readFile } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'

/** Increase of the niceness of query threads, as far as the system allows. */
const STAND_BACK = 10
const FARTHEST = constants.priority.PRIORITY_LOW

/** Name of libuv's pool threads. Threads started by them, such as DuckDB's, inherit it. */
const POOL_THREAD = 'libuv-worker'

/**
 * Lowers the priority of this process's pool threads and DuckDB's threads below the thread that serves requests, so that queries
 * on every core do not delay live replies. Linux only, where priorities are per thread (setpriority(2), "C library/kernel
 * differences"). Call it once DuckDB is open.
 */
export async function standBack(): Promise<void> {
  if (process.platform !== 'linux') return
  const priority = Math.min(FARTHEST, getPriority() + STAND_BACK)
  for (const thread of await poolThreads()) {
    try {
      if (getPriority(thread) < priority) setPriority(thread, priority)
    } catch {
      // If a sandbox forbids it, only the priority is lost.
      return
    }
  }
}

async function poolThreads(): Promise<number[]> {
  const tasks = '/proc/self/task'
  const threads = await readdir(tasks).catch(() => [])
  const names = await Promise.all(threads.map((thread) => readFile(`${tasks}/${thread}/comm`, 'utf8').catch(() => '')))
  return threads.filter((_, at) => names[at]?.trim() === POOL_THREAD).map(Number)
}
