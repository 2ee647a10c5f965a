import { SETTINGS } from './config.ts'
import { TableRefused } from './iceberg/errors.ts'
import { currentSnapshot, type TableMetadata } from './iceberg/metadata.ts'
import { refusalOf } from './iceberg/refusal.ts'
import { tableKey } from './iceberg/schema.ts'
import { type AnnouncedVersions, openTable, stateAt, type Table, type TableState } from './iceberg/table.ts'
import { type RowOptions, rowsOf, scannedColumns } from './query/answers.ts'
import { type CacheOptions, type FileCache, openFileCache } from './query/cache.ts'
import { type Engine, type Limits, openEngine, type QueryReport } from './query/engine.ts'
import { isRepeatable, QueryError } from './query/errors.ts'
import type { HttpfsAccess } from './query/httpfs.ts'
import { type FilesInUse, SessionRelations } from './query/relations.ts'
import { scan } from './query/scan.ts'
import type { Session } from './query/session.ts'
import { type Sql, sql } from './query/sql.ts'
import type { Columns } from './schema/columns.ts'
import type { AnyRow, Dataset } from './schema/dataset.ts'
import { tableColumns } from './schema/physical.ts'
import type { ObjectStore } from './store/store.ts'

/** Options of a lake; sizes in bytes. */
export interface LakeOptions {
  readonly store: ObjectStore
  /** Folder for scratch files. */
  readonly spool: string
  readonly memory: number
  readonly spill: number
  readonly threads: number
  /** Queries that run at once, and how many may wait. */
  readonly slots: number
  readonly queue?: number
  /** True in a process that also replies from memory: see `EngineOptions`. */
  readonly standBack?: boolean
  /** False in a process that reads most files once: see `EngineOptions`. */
  readonly cacheFiles?: boolean
  /** Cache for whole files of an S3 lake, used if httpfs is not available. */
  readonly cache?: CacheOptions
  readonly httpfs?: HttpfsAccess | null
  /** Called after each query ends or is rejected. */
  readonly onQuery?: (result: QueryReport) => void
  readonly clock?: () => number
  /** Announcements of new table versions; without them, every load checks the store. */
  readonly versions?: AnnouncedVersions
}

/** The state of a dataset's table at one snapshot. */
export interface LakeSnapshot {
  readonly version: number
  /** Null for a table without data. */
  readonly snapshotId: bigint | null
  /** When the snapshot was made, ms since the epoch; for a table without data, when its metadata was. */
  readonly updated_at: number
  /** Newest data time that has landed, in ms, by feed. */
  readonly covered_until: Readonly<Record<string, number>>
  readonly properties: Readonly<Record<string, string>>
  readonly state: TableState
}

/**
 * The snapshots that datasets are pinned to (from `Lake.snapshot`), by dataset id: queries with the same pins read the same data.
 */
export type SnapshotPins = ReadonlyMap<string, TableState | null>

/** The state that queries of one answer read, and the time that they have together. */
export interface QueryLimits {
  readonly pins: SnapshotPins
  readonly timeout_ms: number
  /** See `Limits.since`. */
  readonly since: number
}

/** How a query runs. */
export interface QueryOptions extends Limits, RowOptions {
  /** Column declarations of the result by name, if they differ from the dataset's: how JSON, geometries and points are read. */
  readonly columns?: Columns
  readonly pins?: SnapshotPins
}

/** The tables of a store, and DuckDB over them. */
export interface Lake {
  readonly store: ObjectStore
  readonly engine: Engine
  /** The table of a dataset. Always the same object, so that its cached reads are shared. */
  table(dataset: Dataset): Table
  /** The newest snapshot, or the one with an id; null if the table does not exist yet. Throws `no-snapshot` for an expired id. */
  snapshot(dataset: Dataset, at?: bigint): Promise<LakeSnapshot | null>
  /** The rows of a query. A dataset whose table does not exist yet has no rows. */
  query(query: Sql, options?: QueryOptions): Promise<AnyRow[]>
  /**
   * The rows of a query in batches as they are produced. The slot stays taken until the last batch, or until the caller stops.
   */
  stream(query: Sql, options?: QueryOptions): AsyncGenerator<AnyRow[]>
  /** A person's SELECT over datasets by their ids, in the sandbox, as `stream`. For scripts only, never for text from callers. */
  text(text: string, options: QueryOptions & { readonly datasets: readonly Dataset[] }): AsyncGenerator<AnyRow[]>
  /** Runs work in its own session: staging rows, writing Parquet, several statements over one state. */
  use<T>(options: Limits & { readonly pins?: SnapshotPins }, work: (session: Session) => Promise<T>): Promise<T>
  /** True if a query of this process is reading the object; expiry must not delete it. */
  inUse(key: string): boolean
  close(): Promise<void>
}

/** Opens the lake of a store. Tables are read on first use. */
export async function openLake(options: LakeOptions): Promise<Lake> {
  const { store, queue = SETTINGS.queryQueue.fallback } = options
  const isRemote = store.url.startsWith('s3://')
  const folders = [isRemote ? `${store.url}/lake` : store.location('lake')]
  if (isRemote && options.cache) folders.push(options.cache.folder)
  const engine = await openEngine({ ...options, queue, folders, httpfs: isRemote ? (options.httpfs ?? null) : null })
  try {
    const cache = isRemote && !engine.rangeReads ? await remoteCache(options) : null
    return new OpenLake({ options, engine, cache })
  } catch (error) {
    await engine.close()
    throw error
  }
}

async function remoteCache({ store, cache }: LakeOptions): Promise<FileCache> {
  if (!cache) throw new Error(`the lake at ${store.url} needs httpfs or a cache folder`)
  return openFileCache({ store, ...cache })
}

class OpenLake implements Lake {
  readonly store: ObjectStore
  readonly engine: Engine
  readonly #clock: () => number
  readonly #versions: AnnouncedVersions | undefined
  readonly #cache: FileCache | null
  readonly #tables = new Map<string, Table>()
  readonly #inUse: FilesInUse = new Map()

  constructor(parts: { options: LakeOptions; engine: Engine; cache: FileCache | null }) {
    this.store = parts.options.store
    this.engine = parts.engine
    this.#clock = parts.options.clock ?? Date.now
    this.#versions = parts.options.versions
    this.#cache = parts.cache
  }

  table(dataset: Dataset): Table {
    const known =
      this.#tables.get(dataset.id) ?? openTable({ store: this.store, key: tableKey(dataset), clock: this.#clock, versions: this.#versions })
    this.#tables.set(dataset.id, known)
    return known
  }

  async snapshot(dataset: Dataset, at?: bigint): Promise<LakeSnapshot | null> {
    const state = await this.#pinned(dataset, at)
    if (!state) return null
    const { snapshot, snapshotId, version, properties, metadata } = state
    return {
      version,
      snapshotId,
      updated_at: snapshot?.['timestamp-ms'] ?? metadata['last-updated-ms'],
      covered_until: coveredUntil(snapshotId === currentId(metadata) ? properties : (snapshot?.summary ?? {})),
      properties,
      state,
    }
  }

  async query(query: Sql, options: QueryOptions = {}): Promise<AnyRow[]> {
    try {
      return await this.#all(query, options)
    } catch (error) {
      if (!isRepeatable(error)) throw error
      return await this.#all(query, options)
    }
  }

  async #all(query: Sql, options: QueryOptions): Promise<AnyRow[]> {
    const rows: AnyRow[] = []
    for await (const batch of this.#batches(query, options)) for (const row of batch) rows.push(row)
    return rows
  }

  async *stream(query: Sql, options: QueryOptions = {}): AsyncGenerator<AnyRow[]> {
    let hasBegun = false
    try {
      for await (const batch of this.#batches(query, options)) {
        hasBegun = true
        yield batch
      }
    } catch (error) {
      // Rows that were passed on cannot be taken back.
      if (hasBegun || !isRepeatable(error)) throw error
      yield* this.#batches(query, options)
    }
  }

  async *#batches(query: Sql, options: QueryOptions): AsyncGenerator<AnyRow[]> {
    const columns = options.columns ?? scannedColumns(query)
    const lease = await this.engine.lease(options, this.#relations(options.pins))
    try {
      yield* rowsOf(await lease.session.select(query), columns, options)
    } finally {
      await lease.end()
    }
  }

  async *text(text: string, options: QueryOptions & { readonly datasets: readonly Dataset[] }): AsyncGenerator<AnyRow[]> {
    const lease = await this.engine.lease(options, this.#relations(options.pins))
    try {
      const { session } = lease
      // DuckDB's own list of table names misses tables inside a join with USING.
      const named = new Set([...session.tableNames(text), ...(text.match(/\w+/g) ?? [])])
      const columns: Record<string, Columns[string]> = {}
      for (const dataset of options.datasets) {
        if (!named.has(dataset.id)) continue
        await session.view(dataset, sql`SELECT * FROM ${scan(dataset)}`)
        Object.assign(columns, tableColumns(dataset))
      }
      yield* rowsOf(await session.selectText(text), columns, options)
    } finally {
      await lease.end()
    }
  }

  use<T>(options: Limits & { readonly pins?: SnapshotPins }, work: (session: Session) => Promise<T>): Promise<T> {
    return this.engine.use(options, this.#relations(options.pins), work)
  }

  inUse(key: string): boolean {
    return this.#inUse.has(key)
  }

  async close(): Promise<void> {
    await this.engine.close()
    await this.#cache?.close()
  }

  #relations(pins: SnapshotPins | undefined): SessionRelations {
    return new SessionRelations({
      store: this.store,
      cache: this.#cache,
      inUse: this.#inUse,
      pin: async (dataset) => (pins?.has(dataset.id) ? (pins.get(dataset.id) ?? null) : this.#pinned(dataset)),
    })
  }

  async #pinned(dataset: Dataset, at?: bigint): Promise<TableState | null> {
    const state = await this.table(dataset).load()
    const reason = state && (await refusalOf(state, dataset))
    if (reason !== null) throw new TableRefused(dataset.id, reason)
    if (!state || at === undefined) return state
    if (!state.metadata.snapshots.some((snapshot) => BigInt(snapshot['snapshot-id']) === at))
      throw new QueryError('no-snapshot', `${dataset.id} has no snapshot ${at}; it may have expired`)
    return stateAt(state, at)
  }
}

const COVERED = 'landed-until.'

function currentId(metadata: TableMetadata): bigint | null {
  const snapshot = currentSnapshot(metadata)
  return snapshot && BigInt(snapshot['snapshot-id'])
}

/** Landed times by feed, from a table's properties or the summary of an older snapshot. */
function coveredUntil(stated: Readonly<Record<string, string>>): Record<string, number> {
  const covered: Record<string, number> = {}
  for (const [name, value] of Object.entries(stated)) if (name.startsWith(COVERED)) covered[name.slice(COVERED.length)] = Date.parse(value)
  return covered
}
