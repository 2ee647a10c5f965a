/**
 * Redis keys of live state. `versions` and `parts` are small hashes that readers poll; a part is one feed's rows of one dataset.
 * A dataset's version grows with every publication and is a time in ms, so that it also grows after Redis was emptied.
 */
export const LIVE_KEYS = {
  /** Identity of the lake that live state was derived from. */
  lake: 'live:lake',
  /** Hash of dataset → version. */
  versions: 'live:versions',
  /** Hash of dataset/feed → `<version> <seq> <header as JSON>`. */
  parts: 'live:parts',
  /**
   * Hash of dataset/feed → version, and of feed → 0: removed parts and feeds. Parts that are only missing may return, after
   * Redis was emptied.
   */
  gone: 'live:gone',
  /**
   * Hash of dataset → `<id> <data time, ms>`: the change log is complete after that id, and for publications from that time on.
   */
  logStart: 'live:log-start',
  /** Hash of feed → its state as JSON, see freshness.ts. */
  feeds: 'live:feeds',
  /**
   * Hash of worker id → `<last announcement, ms> <entry as JSON>`, see workers.ts; the entry is empty after a worker has
   * stopped.
   */
  workers: 'live:workers',
  /** Hash of dataset → what is wrong with its table, as JSON; see table-notices.ts. */
  notices: 'live:table-notices',
  /** Channel for `<key of a table> <version>` after every commit. */
  tables: 'live:tables-changed',
  /** Channel for `<dataset> <version>` after every publication. */
  channel: 'live:changed',
} as const

/** Field of a part in `live:parts`. */
export function partField(dataset: string, feed: string): string {
  return `${dataset}/${feed}`
}

/** Key of a part's snapshot, see snapshot.ts. */
export function snapshotKey(dataset: string, feed: string): string {
  return `live:snapshot:${dataset}/${feed}`
}

/** Key of a part's hash of entity key → row as JSON. */
export function rowsKey(dataset: string, feed: string): string {
  return `live:rows:${dataset}/${feed}`
}

/** Key of a dataset's change log, a stream whose ids are `<version>-<n>`. */
export function logKey(dataset: string): string {
  return `live:log:${dataset}`
}

/** Keys for one publication's snapshot and rows before they become the part's own. */
export function stagingKeys(dataset: string, feed: string, token: string): { readonly snapshot: string; readonly rows: string } {
  return { snapshot: `${snapshotKey(dataset, feed)}:staged:${token}`, rows: `${rowsKey(dataset, feed)}:staged:${token}` }
}
