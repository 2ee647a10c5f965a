import type { Redis } from 'ioredis'
import { type ChangesPage, readChanges } from './changes.ts'
import { openRedis } from './connect.ts'
import { type Answers, wantDocuments } from './demand.ts'
import { type FeedState, feedStatesOf } from './freshness.ts'
import { LIVE_KEYS, partField } from './keys.ts'
import { partOf, readPart } from './parts.ts'
import { decodeSnapshot } from './snapshot.ts'
import type { LivePart, LiveRow } from './types.ts'
import { readWorkers, type SeenWorkers } from './workers.ts'

/** The current state of a dataset, all feeds' parts together. Never changed once made. */
export interface LiveSnapshot {
  readonly dataset: string
  /** Grows with every publication; also the cursor of the change log that goes with this state. */
  readonly version: number
  /** Publication time of the newest part and of the oldest one, ms since the epoch. */
  readonly updated_at: number
  readonly oldest_data_time: number
  readonly parts: readonly LivePart[]
  /** Every row; where two parts have the same key, that of the newer publication. */
  readonly rows: readonly LiveRow[]
  readonly byKey: ReadonlyMap<string, LiveRow>
}

/** Live state as this process sees it. */
export interface LiveReader {
  /** Settles once what Redis held at the start is here; waits while Redis is away. */
  readonly ready: Promise<void>
  /** True once Redis has said what it holds: what it had not then was never published, or was lost. */
  readonly hasRead: boolean
  /** False while Redis does not answer; what was read before is then still served. */
  readonly connected: boolean
  /** The newest state known of a dataset; null where none was ever published. */
  get(dataset: string): LiveSnapshot | null
  /** One row by entity key; null where there is none. */
  row(dataset: string, key: string): LiveRow | null
  /** What is known of each feed's fetches, by feed id. */
  feedStates(): ReadonlyMap<string, FeedState>
  /** The workers as they last announced themselves; null if none ever did. */
  workers(): SeenWorkers | null
  /** Changes of a dataset after a cursor, see `readChanges`. Throws while Redis is away. */
  changes(dataset: string, page: { readonly after: string | null; readonly limit: number }): Promise<ChangesPage>
  /** Asks for documents of a feed that fetches on demand, see `wantDocuments`. Throws while Redis is away. */
  want(feed: string, of: { readonly keys: readonly string[]; readonly now: number }): Promise<Answers>
  /** Calls back with each new state of a dataset; returns what ends it. */
  onChange(dataset: string, tell: (snapshot: LiveSnapshot) => void): () => void
  close(): Promise<void>
}

/** Where live state is and how it is watched. */
export interface LiveOptions {
  readonly redisUrl: string
  /** Time between two looks at the versions, in ms, by which a lost message is made good. */
  readonly poll_ms?: number
  /** Told of what went wrong while reading, once per kind until it changes. */
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
  /** Newest version that Redis spoke of. */
  wanted: number
}

const COMMAND_TIMEOUT_MS = 4000

/**
 * Opens live state for reading: every dataset's snapshot is decoded once per version and kept in this process. New versions are told by
 * message and found by polling. While Redis is away, or emptied and not yet filled again, the last good state stays.
 */
export function openLive({ redisUrl, poll_ms = 2000, onError }: LiveOptions): LiveReader {
  const datasets = new Map<string, Watched>()
  const watchers = new Map<string, Set<(snapshot: LiveSnapshot) => void>>()
  const opened = Promise.withResolvers<void>()
  let feeds: ReadonlyMap<string, FeedState> = new Map()
  let workers: SeenWorkers | null = null
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
  const messages = openRedis(redisUrl)

  const install = (dataset: string, watched: Watched, version: number): void => {
    const snapshot = combine(dataset, [...watched.parts.values()], version)
    watched.snapshot = snapshot
    for (const tell of watchers.get(dataset) ?? []) tell(snapshot)
  }

  // One load of a dataset at a time; versions that come meanwhile are loaded next.
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
    const seen = await readWorkers(redis)
    connected = true
    workers = seen ?? workers
    // An emptied Redis says nothing of what was: what is known of a feed stays until it is told anew, or that it was taken out.
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
        // No reply from an open connection: the peer may be gone without a word.
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
  messages.on('message', (_channel: string, message: string) => {
    const [dataset = '', version] = message.split(' ')
    load(dataset, Number(version)).catch(failed)
  })
  messages.subscribe(LIVE_KEYS.channel).catch(failed)

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
    want: (feed, of) => wantDocuments(redis, feed, of),
    changes: (dataset, page) => readChanges(redis, dataset, page),
    onChange: (dataset, tell) => {
      const told = watchers.get(dataset) ?? new Set()
      watchers.set(dataset, told.add(tell))
      return () => void told.delete(tell)
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      opened.resolve()
      redis.disconnect()
      messages.disconnect()
      await polling
      await Promise.allSettled([...datasets.values()].map(({ loading }) => loading))
    },
  }
}

/**
 * Brings the parts of a dataset up to date: whether one is new or taken out, and whether they are now what Redis has. One that Redis lacks
 * since it was emptied stays as it was.
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

/** The state that parts make together; its version is at least that which Redis spoke of before they were read. */
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

/** Rows of several parts, later parts over earlier ones. */
function merge(parts: readonly DecodedPart[]): { rows: readonly LiveRow[]; byKey: ReadonlyMap<string, LiveRow> } {
  const byKey = new Map<string, LiveRow>()
  for (const part of parts) for (const [key, row] of part.byKey) byKey.set(key, row)
  return { rows: [...byKey.values()], byKey }
}
