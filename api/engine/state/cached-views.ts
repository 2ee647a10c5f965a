import { coverageOf, feedsIn, holdSame } from '../../../lake/landed.ts'
import type { FeedListing } from '../../../lake/live/freshness.ts'
import type { Lake, LakeSnapshot, SnapshotPins } from '../../../lake/open.ts'
import { isQueryError } from '../../../lake/query/errors.ts'
import { rowSpanOf } from '../../../lake/query/row-span.ts'
import { type Version, versionsIn } from '../../../lake/query/versions.ts'
import type { Columns } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type InLease, isConcurrency } from '../../auth/limits/in-lease.ts'
import { poll } from '../../kernel/http/poll.ts'
import { type CachedQuery, queryReader } from '../../kernel/reads/cached-query.ts'
import { WaitingLine } from './read-queue.ts'

/** An unused query is refreshed for this many changes of its tables, and dropped at the next one. */
const UNUSED_REFRESHES = 2
/** Timeout of a query, including the wait for a slot. */
const READ_TIMEOUT_MS = 60_000
/** Queue for queries of past data: maximum length, maximum wait (ms), and the Retry-After of a rejected query (s). */
const WAITING = { most: 24, longest_ms: 10_000, retry_s: 5 } as const

/** The tables that are read; see `MemoryRead`. */
interface ReadTables {
  readonly lake: readonly Dataset[]
  readonly needs?: readonly Dataset[]
}

/** The versions of some datasets' tables at the last poll. */
export interface TablesState {
  /** Text that changes with the tables. */
  readonly version: string
  /** Time up to which the first dataset has the publications of all its feeds, in ms; null before the first. */
  readonly covered_until: number | null
  /** Latest time of the first dataset's rows, in ms; null without rows. */
  readonly latest_row_at: number | null
  /** When one of the tables last changed, ms since the epoch; null if none exists. */
  readonly changed_at: number | null
  /** Enabled feeds that have not yet landed in each needed table that they fill. */
  readonly awaited: readonly string[]
}

/** Cached queries of the lake, in memory. */
export interface CachedViews {
  /** Reads that wait for earlier ones. */
  readonly waiting: number
  /** Returns the versions of the tables. They are polled every few seconds, so that no request has to. */
  state(read: ReadTables, feeds: readonly FeedListing[]): Promise<TablesState>
  /**
   * Returns the cached result of a query for a key, or runs the query. If callers choose the key, running it needs a `lease`.
   */
  get<T>(query: CachedQuery<T>, key: string, lease?: InLease): Promise<T>
  /** The same for optional parts: null if it cannot be read now. `onError` gets the error unless the queue is full. */
  optional<T>(query: CachedQuery<T>, key: string, lease?: InLease): Promise<T | null>
  /** Calls back when a table of the datasets has changed. Returns the function that ends it. */
  onChange(datasets: readonly Dataset[], notify: () => void): () => void
  close(): void
}

interface Entry {
  readonly query: CachedQuery<unknown>
  readonly key: string
  readonly content: Promise<unknown>
  /** Times that it was read again since its last use. */
  unused: number
  /** False while it is being read. */
  isRead: boolean
}

type Tables = ReadonlyMap<string, LakeSnapshot | null>

/** Opens the cached queries of a lake. `poll_ms` is the time between two polls of its tables; `clock` (ms) is the present. */
export function openCachedViews(options: {
  readonly lake: Lake
  readonly poll_ms: number
  readonly clock: () => number
  readonly onError: (error: Error) => void
}): CachedViews {
  return new LakeViews(options)
}

class LakeViews implements CachedViews {
  readonly #lake: Lake
  readonly #clock: () => number
  readonly #onError: (error: Error) => void
  /** Ends the polls. */
  readonly close: () => void
  readonly #datasets = new Map<string, Dataset>()
  readonly #watchers = new Set<{ readonly of: ReadonlySet<string>; readonly notify: () => void }>()
  readonly #entries = new Map<string, Entry>()
  readonly #states = new WeakMap<
    ReadTables,
    { readonly tables: Tables; readonly feeds: readonly FeedListing[]; readonly state: TablesState }
  >()
  #tables: Tables = new Map()
  readonly #line = new WaitingLine(WAITING)

  constructor(options: Parameters<typeof openCachedViews>[0]) {
    this.#lake = options.lake
    this.#clock = options.clock
    this.#onError = options.onError
    this.close = poll(() => this.#poll(), { every_ms: options.poll_ms, onError: options.onError })
  }

  get waiting(): number {
    return this.#line.length
  }

  async state(read: ReadTables, feeds: readonly FeedListing[]): Promise<TablesState> {
    await this.#follow(read.lake)
    const known = this.#states.get(read)
    if (known?.tables === this.#tables && known.feeds === feeds) return known.state
    const tables = this.#tables
    const [first] = read.lake
    const snapshot = first ? tables.get(first.id) : null
    const span = first && snapshot ? await rowSpanOf(snapshot.state, first) : null
    const state = { ...stateOf(read, tables, feeds), latest_row_at: span && Math.floor(span.last) }
    this.#states.set(read, { tables, feeds, state })
    return state
  }

  async get<T>(query: CachedQuery<T>, key: string, lease?: InLease): Promise<T> {
    await this.#follow(query.from)
    const isCallers = query.maxEntries > 1 && !query.present?.(this.#clock()).includes(key)
    // Before the entry exists: nobody else is refused because this caller has no lease.
    if (lease && isCallers && !this.#entries.has(nameOf(query, key))) return lease(() => this.#get(query, key))
    return this.#get(query, key)
  }

  async #get<T>(query: CachedQuery<T>, key: string): Promise<T> {
    const name = nameOf(query, key)
    const known = this.#entries.get(name)
    const entry = known ?? { query, key, content: this.#begin(query, key), unused: 0, isRead: false }
    entry.unused = 0
    // The last in the map is the most recently used.
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    if (!known) this.#evictAfter(name, entry)
    return (await entry.content) as T
  }

  async optional<T>(query: CachedQuery<T>, key: string, lease?: InLease): Promise<T | null> {
    try {
      return await this.get(query, key, lease)
    } catch (error) {
      if (!isQueryError(error, 'busy') && !isConcurrency(error)) this.#onError(error as Error)
      return null
    }
  }

  onChange(datasets: readonly Dataset[], notify: () => void): () => void {
    const watcher = { of: new Set(datasets.map(({ id }) => id)), notify }
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Loads the versions of tables on first use. */
  async #follow(datasets: readonly Dataset[]): Promise<void> {
    const unknown = datasets.filter(({ id }) => !this.#tables.has(id))
    if (unknown.length === 0) return
    const found = await this.#snapshots(unknown)
    for (const dataset of unknown) this.#datasets.set(dataset.id, dataset)
    this.#tables = new Map([...found, ...this.#tables])
  }

  async #snapshots(datasets: readonly Dataset[]): Promise<Map<string, LakeSnapshot | null>> {
    return new Map(await Promise.all(datasets.map(async (dataset) => [dataset.id, await this.#lake.snapshot(dataset)] as const)))
  }

  /**
   * Refreshes the cached queries of changed tables, then runs the callbacks. Until then replies use the old state, so no request
   * waits for a refresh.
   */
  async #poll(): Promise<void> {
    const found = this.#settled(await this.#snapshots([...this.#datasets.values()]))
    const changed = new Set([...found].filter(([id, snapshot]) => snapshot?.version !== this.#tables.get(id)?.version).map(([id]) => id))
    if (changed.size > 0) await this.#refresh(new Map([...this.#tables, ...found]), changed)
  }

  /** Returns the found tables, but the old state of those that a publication has only partly reached. */
  #settled(found: Tables): Tables {
    const tables = [...found]
    const feeds = new Set(tables.flatMap(([, table]) => feedsIn(table?.properties ?? {})))
    const waiting = new Set<string>()
    for (const feed of feeds) {
      const filled = tables.filter(([, table]) => table && feedsIn(table.properties).includes(feed))
      const same = holdSame(
        feed,
        filled.map(([, table]) => table?.properties ?? {}),
      )
      if (!same) for (const [id] of filled) waiting.add(id)
    }
    return new Map(tables.map(([id, table]) => [id, waiting.has(id) ? (this.#tables.get(id) ?? null) : table]))
  }

  async #refresh(tables: Tables, changed: ReadonlySet<string>): Promise<void> {
    const isTouched = ({ query }: Entry): boolean => query.from.some(({ id }) => changed.has(id))
    const renewed = new Map<string, Entry>()
    // One after the other: other callers then share the engine with at most one of them.
    for (const [name, entry] of [...this.#entries].filter(([, one]) => isTouched(one) && one.isRead && one.unused < UNUSED_REFRESHES)) {
      const content = this.#read(entry.query, entry.key, tables)
      await content.then(
        () => renewed.set(name, { ...entry, content, isRead: true, unused: entry.unused + 1 }),
        (error: Error) => this.#onError(error),
      )
    }
    this.#tables = new Map([...this.#tables, ...tables])
    for (const [name, entry] of this.#entries) {
      if (!isTouched(entry)) continue
      const next = renewed.get(name)
      // Requested during the read: it is in use.
      if (next) this.#entries.set(name, { ...next, unused: Math.min(next.unused, entry.unused + 1) })
      else this.#entries.delete(name)
    }
    for (const { of, notify } of this.#watchers) if ([...changed].some((id) => of.has(id))) notify()
  }

  #read<T>(query: CachedQuery<T>, key: string, tables: Tables): Promise<T> {
    const pins: SnapshotPins = new Map(query.from.map(({ id }) => [id, tables.get(id)?.state ?? null]))
    const reader = queryReader({
      rows: (sql, columns?: Columns) => this.#lake.stream(sql, { pins, timeout_ms: READ_TIMEOUT_MS, ...(columns ? { columns } : {}) }),
      versions: async (...datasets) => {
        const held = await Promise.all(datasets.map((dataset) => versionsIn(pins.get(dataset.id) ?? null, dataset)))
        const [first = [], ...others] = held
        return first.filter(({ name }) => others.every((versions) => versions.some((version: Version) => version.name === name)))
      },
    })
    return query.read(reader, key)
  }

  /** Runs a query for a key: at once for present data, in the queue for past data. */
  #begin<T>(query: CachedQuery<T>, key: string): Promise<T> {
    const tables = this.#tables
    if (!query.present || query.present(this.#clock()).includes(key)) return this.#read(query, key, tables)
    return this.#line.run(() => this.#read(query, key, tables))
  }

  /** Evicts entries beyond the maximum, and removes an entry whose query failed. */
  #evictAfter(name: string, entry: Entry): void {
    entry.content.then(
      () => {
        entry.isRead = true
        this.#dropOldest(entry.query)
      },
      () => this.#forget(name, entry),
    )
  }

  /** Evicts the least recently used results. Pending ones are not counted and stay, as callers wait for them. */
  #dropOldest(query: CachedQuery<unknown>): void {
    const present = query.present?.(this.#clock()) ?? []
    const read = [...this.#entries].filter(([, entry]) => entry.query === query && entry.isRead)
    const others = read.filter(([, { key }]) => !present.includes(key))
    for (const [name] of others.slice(0, Math.max(0, read.length - query.maxEntries))) this.#entries.delete(name)
  }

  #forget(name: string, entry: Entry): void {
    if (this.#entries.get(name) === entry) this.#entries.delete(name)
  }
}

function nameOf(query: CachedQuery<unknown>, key: string): string {
  return `${query.name} ${key}`
}

/** Returns the state of the tables of a read, without the contents of their files. */
function stateOf({ lake, needs = lake }: ReadTables, tables: Tables, feeds: readonly FeedListing[]): Omit<TablesState, 'latest_row_at'> {
  const snapshots = lake.map(({ id }) => tables.get(id) ?? null)
  const [first] = lake
  const covered = first && snapshots[0] ? coverageOf(first.id, snapshots[0].covered_until, feeds).until : null
  const awaited = feeds.filter(({ id, enabled, datasets }) => {
    const filled = enabled ? needs.filter((dataset) => datasets.includes(dataset.id)) : []
    return filled.some((dataset) => tables.get(dataset.id)?.covered_until[id] === undefined)
  })
  const changes = snapshots.flatMap((snapshot) => (snapshot ? [snapshot.state.metadata['last-updated-ms']] : []))
  return {
    version: snapshots.map((snapshot) => `${snapshot?.snapshotId ?? ''}.${snapshot?.version ?? ''}`).join(' '),
    covered_until: covered === null ? null : Math.floor(covered),
    changed_at: changes.length === 0 ? null : Math.max(...changes),
    awaited: awaited.map(({ id }) => id),
  }
}
