import type { ChangesPage, LoggedChange } from '../../../lake/live/changes.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import type { ServiceState } from '../state/state.ts'

/** A change with the time of the publication that brought it, ms since the epoch. */
export type TimedChange = LoggedChange & { readonly at: number }

/** The log of a dataset's changes up to one version of its state. */
export interface ChangeLog {
  /**
   * Returns a page of the log after a cursor; from the beginning if null. `reset` is true if the log no longer reaches back to
   * the cursor.
   */
  page(
    after: string | null,
    limit: number,
  ): Promise<
    | { readonly reset: true }
    | { readonly reset: false; readonly entries: readonly TimedChange[]; readonly next: string; readonly more: boolean }
  >
  /** Applies `find` to the changes since an instant (ms) and returns its last result; null if there is none. */
  last<R>(options: { readonly since: number; readonly page: number; readonly find: (change: TimedChange) => R | null }): Promise<R | null>
}

/** Reads a dataset's log. Entries after `version` belong to the next state, so that all replies of one state agree. */
export function logOf(state: ServiceState, dataset: Dataset, version: number): ChangeLog {
  const readPage = async (after: string | null, limit: number): Promise<ChangesPage> => {
    try {
      return await state.live.changes(dataset.id, { after, limit })
    } catch (error) {
      throw logUnreadable(error)
    }
  }
  const log: ChangeLog = {
    async page(after, limit) {
      // A poller at this version has all entries, so it needs no Redis while nothing happens.
      if (after === String(version)) return { reset: false, entries: [], next: after, more: false }
      const read = await readPage(after, limit)
      if (read.reset) return read
      const entries = read.entries.filter((entry) => entry.version <= version).map((entry) => ({ ...entry, at: entry.data_time }))
      if (entries.length === read.entries.length && read.more) return { reset: false, entries, next: read.next, more: true }
      return { reset: false, entries, next: laterOf(after, String(version)), more: false }
    },
    async last({ since, page, find }) {
      let found = null
      let after: string | null = String(Math.max(0, since))
      while (after !== null) {
        const read = await log.page(after, page)
        // A log that begins later than `since` is searched from its beginning.
        const part: Awaited<ReturnType<ChangeLog['page']>> = read.reset ? await log.page(null, page) : read
        if (part.reset) return found
        for (const change of part.entries) found = find(change) ?? found
        after = part.more ? part.next : null
      }
      return found
    },
  }
  return log
}

/** Returns the problem of a log that Redis cannot deliver. */
export function logUnreadable(cause?: unknown): Problem {
  return problem('temporary-reduced-capacity', 'The log of changes cannot be read at the moment.', { retry_after_s: 5, cause })
}

/** Returns the later of a given cursor and the end of a state. */
function laterOf(after: string | null, end: string): string {
  return after !== null && Number(after.split('-')[0]) > Number(end) ? after : end
}
