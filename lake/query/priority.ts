import { readdir, readFile } from 'node:fs/promises'
import { constants, getPriority, setPriority } from 'node:os'

/** How far the threads that work for queries stand back, and as far as there is, in what `nice` counts. */
const STAND_BACK = 10
const FARTHEST = constants.priority.PRIORITY_LOW

/** What libuv calls the threads of its pool; threads that one of them starts, as DuckDB's are, inherit the name. */
const POOL_THREAD = 'libuv-worker'

/**
 * Lets the pool threads of this process, and those of DuckDB, stand back behind the thread that answers requests: queries that take every
 * core else make each live reply wait for its turn. Linux only, where a priority is one thread's (setpriority(2), "C library/kernel
 * differences"); elsewhere nothing happens. To be called when DuckDB is open.
 */
export async function standBack(): Promise<void> {
  if (process.platform !== 'linux') return
  const priority = Math.min(FARTHEST, getPriority() + STAND_BACK)
  for (const thread of await poolThreads()) {
    try {
      if (getPriority(thread) < priority) setPriority(thread, priority)
    } catch {
      // A sandbox that forbids it loses this and nothing else.
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
