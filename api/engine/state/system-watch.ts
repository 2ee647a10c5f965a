import type { Lake } from '../../../lake/open.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { poll } from '../../kernel/http/poll.ts'
import type { SearchViews } from '../../kernel/reads/search-view.ts'
import { type SeenQuality, seeQuality } from './seen-quality.ts'
import { type SeenTables, seeTables } from './seen-tables.ts'

/** A value that is polled, so that no request has to wait for it. */
interface Watch<T> {
  /** Returns the value of the last poll; the first caller waits for a poll. */
  value(): Promise<T>
  /** Calls back when it has changed. Returns the function that ends it. */
  onChange(notify: () => void): () => void
  close(): void
}

/**
 * Polls a value every `poll_ms` from its first use. `look` gets its previous result, null the first time, and returns the same
 * object if nothing has changed.
 */
function watch<T>(options: {
  readonly look: (before: T | null) => Promise<T>
  readonly poll_ms: number
  /** Gets the error of a failed poll; the known value stays. */
  readonly onError: (error: Error) => void
}): Watch<T> {
  const { look, poll_ms, onError } = options
  const watchers = new Set<() => void>()
  let known: T | null = null
  let first: Promise<void> | null = null
  let end: (() => void) | null = null
  let isClosed = false

  const see = async (): Promise<void> => {
    const found = await look(known)
    if (found === known) return
    known = found
    for (const notify of watchers) notify()
  }
  const begin = async (): Promise<void> => {
    try {
      await see()
    } catch (error) {
      // The next caller polls again.
      first = null
      throw error
    }
    if (!isClosed) end = poll(see, { every_ms: poll_ms, onError })
  }
  return {
    async value() {
      first ??= begin()
      await first
      return known as T
    },
    onChange(notify) {
      watchers.add(notify)
      return () => void watchers.delete(notify)
    },
    close() {
      isClosed = true
      end?.()
    },
  }
}

/** The sources of answers about the service itself, besides its state. They are polled from their first use. */
export interface SystemWatch {
  readonly tables: Watch<SeenTables>
  readonly quality: Watch<SeenQuality>
  readonly search: Watch<SearchViews>
  close(): void
}

/** Makes the watches of datasets' tables and of quality statistics. */
export function watchSystem(options: {
  readonly lake: Lake
  readonly datasets: readonly Dataset[]
  /** Makes the views of the search index from the last ones. */
  readonly search: { look(before: SearchViews | null): Promise<SearchViews> }
  readonly poll_ms: number
  /** Time between two checks of the search index's data, in ms. */
  readonly searchPoll_ms: number
  readonly onError: (error: Error) => void
}): SystemWatch {
  const { lake, datasets, search, searchPoll_ms } = options
  const watches = {
    tables: watch({ ...options, look: (before: SeenTables | null) => seeTables(lake, datasets, before) }),
    quality: watch({ ...options, look: (before: SeenQuality | null) => seeQuality(lake.store, before) }),
    search: watch({ ...options, poll_ms: searchPoll_ms, look: (before: SearchViews | null) => search.look(before) }),
  }
  return {
    ...watches,
    close: () => {
      for (const one of Object.values(watches)) one.close()
    },
  }
}
