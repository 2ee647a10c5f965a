import type { Redis } from 'ioredis'
import { type ChangesPage, readChanges } from './changes.ts'
import { listen, openRedis } from './connect.ts'
import { type Answers, wantDocuments } from './demand.ts'
import { type FeedState, feedStatesOf } from './freshness.ts'
import { LIVE_KEYS, partField } from './keys.ts'
import { partOf, readPart } from './parts.ts'
import { decodeSnapshot } from './snapshot.ts'
import { readTableNotices, type TableNotice } from './table-notices.ts'
import type { LivePart, LiveRow } from './types.ts'
import { readWorkers, type SeenWorkers } from './workers.ts'

/** The current state of a dataset over all feeds' parts. Immutable. */
export interface LiveSnapshot {
  readonly dataset: string
  /** Grows with every publication; also the change log cursor for this state. */
  readonly version: number
  /** Publication time of the newest part and of the oldest one, ms since the epoch. */
  readonly updated_at: number
  readonly oldest_data_time: number
  readonly parts: readonly LivePart[]
  /** Every row; if two parts have the same key, the newer publication's row. */
  readonly rows: readonly LiveRow[]
  readonly byKey: ReadonlyMap<string, LiveRow>
}

/** Live state as read by this process. */
export interface LiveReader {
  /** Resolves once the initial state of Redis is loaded; waits while Redis is away. */
  readonly ready: Promise<void>
  /** True once Redis was read: anything missing then was never published, or was lost. */
  readonly hasRead: boolean
  /** False while Redis does not reply; the last state is still served. */
  readonly connected: boolean
  /** The newest known state of a dataset; null if none was ever published. */
  get(dataset: string): LiveSnapshot | null
  /** One row by entity key; null if there is none. */
  row(dataset: string, key: string): LiveRow | null
  /** The state of each feed, by feed id. */
  feedStates(): ReadonlyMap<string, FeedState>
  /** The workers by their last announcements; null if there were none. */
  workers(): SeenWorkers | null
  /** What workers found about tables, by dataset id. */
  tableNotices(): ReadonlyMap<string, TableNotice>
  /** Changes of a dataset after a cursor, see `readChanges`. Throws while Redis is away. */
  changes(dataset: string, page: { readonly after: string | null; readonly limit: number }): Promise<ChangesPage>
  /** Requests documents of an on-demand feed, see `wantDocuments`. Throws while Redis is away. */
  want(feed: string, of: { readonly keys: readonly string[]; readonly now: number }): Promise<Answers>
  /** Calls back with each new state of a dataset; returns a function that ends it. */
  onChange(dataset: string, listener: (snapshot: LiveSnapshot) => void): () => void
  close(): Promise<void>
}

/** Connection to live state, and how it is watched. */
export interface LiveOptions {
  readonly redisUrl: string
  /** Poll interval for versions, in ms; it compensates for lost messages. */
  readonly poll_ms?: number
  /** Called with read errors, once per kind until it changes. */
  readonly onError?: (error: Error) => void
}

interface DecodedPart {
  readonly part: LivePart
  readonly rows: readonly LiveRow[]
  readonly byKey: ReadonlyMap<string, LiveRow>
}

interface Watched {
  readonly parts: Map<string, DecodedPart>
  snapshot: LiveSnapshot | null
  loading: Promise<void> | null
  /** Newest version reported by Redis. */
  wanted: number
}

const COMMAND_TIMEOUT_MS = 4000

/**
 * Opens live state for reading: each dataset's snapshot is decoded once per version and cached in this process. New versions
 * arrive by message and by polling. While Redis is away, or emptied and not yet refilled, the last good state stays.
 */
export function openLive({ redisUrl, poll_ms = 2000, onError }: LiveOptions): LiveReader {
  const datasets = new Map<string, Watched>()
  const watchers = new Map<string, Set<(snapshot: LiveSnapshot) => void>>()
  const opened = Promise.withResolvers<void>()
  let feeds: ReadonlyMap<string, FeedState> = new Map()
  let workers: SeenWorkers | null = null
  let notices: ReadonlyMap<string, TableNotice> = new Map()
  let connected = false
  let hasRead = false
  let closed = false
  let lastError = ''
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | null = null

  const failed = (error: Error): void => {
    if (!closed && error.message !== lastError) onError?.(error)
    lastError = error.message
  }
  const redis = openRedis(redisUrl, { queueWhileAway: false, commandTimeout_ms: COMMAND_TIMEOUT_MS, onError: failed })

  const install = (dataset: string, watched: Watched, version: number): void => {
    const snapshot = combine(dataset, [...watched.parts.values()], version)
    watched.snapshot = snapshot
    for (const listener of watchers.get(dataset) ?? []) listener(snapshot)
  }

  // One load of a dataset at a time; versions that arrive meanwhile are loaded next.
  const load = (dataset: string, version: number): Promise<void> => {
    const watched = datasets.get(dataset) ?? { parts: new Map(), snapshot: null, loading: null, wanted: 0 }
    datasets.set(dataset, watched)
    watched.wanted = version
    watched.loading ??= (async () => {
      try {
        for (let seen = -1; seen !== watched.wanted && watched.snapshot?.version !== watched.wanted && !closed; ) {
          seen = watched.wanted
          const { changed, whole } = await readParts(redis, dataset, watched.parts)
          if (watched.parts.size === 0) watched.snapshot = null
          else if (changed || whole) install(dataset, watched, whole ? seen : 0)
        }
      } finally {
        watched.loading = null
      }
    })()
    return watched.loading
  }

  const look = async (): Promise<void> => {
    const keys = [LIVE_KEYS.versions, LIVE_KEYS.feeds, LIVE_KEYS.gone] as const
    const [versions = {}, states = {}, gone = {}] = await Promise.all(keys.map((key) => redis.hgetall(key)))
    const [seen, found] = await Promise.all([readWorkers(redis), readTableNotices(redis)])
    connected = true
    workers = seen ?? workers
    notices = found
    // An emptied Redis has lost the past: a feed's state stays until it is replaced or marked as removed.
    feeds = new Map([...[...feeds].filter(([feed]) => gone[feed] === undefined), ...feedStatesOf(states)])
    const changed = Object.entries(versions).filter(([dataset, version]) => datasets.get(dataset)?.snapshot?.version !== Number(version))
    const loads = await Promise.allSettled(changed.map(([dataset, version]) => load(dataset, Number(version))))
    const broken = loads.find((result) => result.status === 'rejected')
    if (broken) failed(broken.reason as Error)
    if (redis.status === 'ready') {
      hasRead = true
      opened.resolve()
    }
    if (broken) throw broken.reason as Error
    lastError = ''
  }

  const poll = (): Promise<void> => {
    polling ??= look()
      .catch((error: Error) => {
        if (redis.status !== 'ready') connected = false
        else failed(error)
        // No reply from an open connection: the peer may have gone silently.
        if (error.message === 'Command timed out' && !closed) redis.disconnect(true)
      })
      .finally(() => {
        polling = null
        clearTimeout(timer)
        if (!closed) timer = setTimeout(() => void poll(), poll_ms)
      })
    return polling
  }

  redis.on('ready', () => void poll())
  redis.on('close', () => {
    connected = false
  })
  const messages = listen(redisUrl, LIVE_KEYS.channel, {
    onMessage: (message) => {
      const [dataset = '', version] = message.split(' ')
      load(dataset, Number(version)).catch(failed)
    },
    onError: failed,
  })

  return {
    ready: opened.promise,
    get hasRead() {
      return hasRead
    },
    get connected() {
      return connected
    },
    get: (dataset) => datasets.get(dataset)?.snapshot ?? null,
    row: (dataset, key) => datasets.get(dataset)?.snapshot?.byKey.get(key) ?? null,
    feedStates: () => feeds,
    workers: () => workers,
    tableNotices: () => notices,
    want: (feed, of) => wantDocuments(redis, feed, of),
    changes: (dataset, page) => readChanges(redis, dataset, page),
    onChange: (dataset, listener) => {
      const listeners = watchers.get(dataset) ?? new Set()
      watchers.set(dataset, listeners.add(listener))
      return () => void listeners.delete(listener)
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      opened.resolve()
      redis.disconnect()
      messages.close()
      await polling
      await Promise.allSettled([...datasets.values()].map(({ loading }) => loading))
    },
  }
}

/**
 * Updates the parts of a dataset. Returns whether one changed or was removed, and whether they now equal those in Redis. A part
 * missing from Redis since it was emptied stays.
 */
async function readParts(
  redis: Redis,
  dataset: string,
  parts: Map<string, DecodedPart>,
): Promise<{ readonly changed: boolean; readonly whole: boolean }> {
  let changed = false
  const [held, gone] = await Promise.all([redis.hgetall(LIVE_KEYS.parts), redis.hgetall(LIVE_KEYS.gone)])
  const lacking = [...parts.keys()].filter((feed) => held[partField(dataset, feed)] === undefined)
  const forgotten = lacking.filter((feed) => gone[partField(dataset, feed)] !== undefined)
  for (const feed of forgotten) changed = parts.delete(feed) || changed
  let whole = lacking.length === forgotten.length
  for (const [field, value] of Object.entries(held)) {
    if (!field.startsWith(`${dataset}/`)) continue
    const feed = field.slice(dataset.length + 1)
    if (parts.get(feed)?.part.version === partOf(feed, value).version) continue
    const { part, bytes } = await readPart(redis, dataset, feed)
    if (!part || !bytes) {
      whole = false
      continue
    }
    parts.set(feed, { part, ...(await decodeSnapshot(bytes)) })
    changed = true
  }
  return { changed, whole }
}

/** The combined state of the parts; its version is at least the one that Redis reported before they were read. */
function combine(dataset: string, decoded: DecodedPart[], version: number): LiveSnapshot {
  const parts = decoded.toSorted((one, other) => one.part.data_time - other.part.data_time)
  const { rows, byKey } = parts.length === 1 ? (parts[0] as DecodedPart) : merge(parts)
  return {
    dataset,
    version: Math.max(version, ...parts.map(({ part }) => part.version)),
    updated_at: Math.max(...parts.map(({ part }) => part.data_time)),
    oldest_data_time: Math.min(...parts.map(({ part }) => part.data_time)),
    parts: parts.map(({ part }) => part),
    rows,
    byKey,
  }
}

/** Rows of several parts; later parts win. */
function merge(parts: readonly DecodedPart[]): { rows: readonly LiveRow[]; byKey: ReadonlyMap<string, LiveRow> } {
  const byKey = new Map<string, LiveRow>()
  for (const part of parts) for (const [key, row] of part.byKey) byKey.set(key, row)
  return { rows: [...byKey.values()], byKey }
}
