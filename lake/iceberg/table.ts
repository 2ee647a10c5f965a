import { LRUCache } from 'lru-cache'
import type { ObjectStore } from '../store/store.ts'
import { decoded, TableRefused } from './errors.ts'
import { decodeManifest, type ManifestEntry, type Paths } from './manifest.ts'
import { decodeManifestList, type ManifestFile } from './manifest-list.ts'
import { partsOf } from './manifest-schema.ts'
import { currentSnapshot, parseMetadata, type Snapshot, schemaOf, specOf, type TableMetadata } from './metadata.ts'
import type { TableField } from './types.ts'

/** A table's state at one version of its metadata. */
export interface TableState {
  readonly table: Table
  readonly version: number
  readonly metadata: TableMetadata
  readonly properties: Readonly<Record<string, string>>
  /** The fields of the current schema. */
  readonly fields: readonly TableField[]
  /** The current snapshot, null in a table without data. */
  readonly snapshot: Snapshot | null
  readonly snapshotId: bigint | null
}

/** A table in a store. Reads are lazy and cached. */
export interface Table {
  readonly store: ObjectStore
  /** Key of its folder: `lake/<domain>/<dataset>`. */
  readonly key: string
  readonly clock: () => number
  /**
   * The newest version, null if the table does not exist. Callers share one probe; with announced versions and no announcement
   * there is none. `isFresh` always probes, as writers need. Throws `TableRefused` for a version that cannot be read.
   */
  load(options?: { readonly isFresh?: boolean }): Promise<TableState | null>
  /** The manifests of a snapshot; the current one by default. Throws `TableRefused` if they are missing or damaged. */
  manifests(state: TableState, snapshot?: Snapshot | null): Promise<readonly ManifestFile[]>
  /** The entries of a manifest. Throws `TableRefused` if it is missing or damaged. */
  entries(state: TableState, manifest: ManifestFile): Promise<readonly ManifestEntry[]>
  /** Caches immutable objects just written, by key: the manifests of a list, the entries of a manifest. */
  remember(written: {
    readonly lists?: ReadonlyMap<string, readonly ManifestFile[]>
    readonly entries?: ReadonlyMap<string, readonly ManifestEntry[]>
  }): void
  /** Announces a version just committed to other processes. */
  announce(version: number): void
  /** Records a version just committed as the newest known, and announces it. */
  adopt(version: number, metadata: TableMetadata): TableState
  /** Runs writers of this process one after another. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

/** How long a known newest version may serve as a base without listing the store again. */
export const BASE_MAX_AGE_MS = 1_800_000

/** Keys of a table's metadata versions. */
export const VERSION = /\/v([1-9]\d*)\.metadata\.json$/
const MAX_CACHED_ENTRIES = 20_000
const MAX_CACHED_MANIFESTS = 20_000

/** Announced table versions; see `lake/live/table-versions.ts`. */
export interface AnnouncedVersions {
  readonly epoch: number | null
  newest(key: string): number
  announce(key: string, version: number): void
}

/** How long a table without announcements is not probed; writers without Redis announce nothing. */
const ANNOUNCED_MS = 600_000

/** Makes a cache of lists with at most so many items in all. A list that is longer is kept alone. */
function cacheOf<T>(maxSize: number): LRUCache<string, readonly T[]> {
  return new LRUCache({ maxSize, sizeCalculation: (items) => Math.min(items.length + 1, maxSize) })
}

/** Opens a table without reading anything. `clock` returns ms since the epoch. */
export function openTable(options: {
  store: ObjectStore
  key: string
  clock?: () => number
  versions?: AnnouncedVersions | undefined
}): Table {
  const { store, key, clock = Date.now, versions } = options
  const entriesByKey = cacheOf<ManifestEntry>(MAX_CACHED_ENTRIES)
  const manifestsByList = cacheOf<ManifestFile>(MAX_CACHED_MANIFESTS)
  let newest: TableState | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  let checkedIn: number | null = null
  let loading: Promise<TableState | null> | null = null
  let writers: Promise<unknown> = Promise.resolve()

  const table: Table = {
    store,
    key,
    clock,

    async load({ isFresh = false } = {}) {
      if (isFresh) return probe({ isFresh })
      if (newest && isAnnounced(newest)) return newest
      loading ??= probe().finally(() => {
        loading = null
      })
      return loading
    },

    async manifests(state, snapshot = state.snapshot) {
      if (!snapshot) return []
      const list = pathsOf(state).toKey(snapshot['manifest-list'])
      const known = manifestsByList.get(list)
      if (known) return known
      const bytes = await mustGet(list)
      const manifests = decoded(key, list, () => decodeManifestList(bytes, pathsOf(state)))
      manifestsByList.set(list, manifests)
      return manifests
    },

    async entries(state, manifest) {
      const known = entriesByKey.get(manifest.key)
      if (known) return known
      const bytes = await mustGet(manifest.key)
      if (bytes.length !== manifest.bytes)
        throw new TableRefused(key, `${manifest.key} has ${bytes.length} bytes, ${manifest.bytes} expected`)
      const parts = partsOf(state.metadata, specOf(state.metadata, manifest.specId))
      const entries = decoded(key, manifest.key, () => decodeManifest({ bytes, parts, inherited: manifest, paths: pathsOf(state) }))
      entriesByKey.set(manifest.key, entries)
      return entries
    },

    remember({ lists, entries }) {
      for (const [object, manifests] of lists ?? []) manifestsByList.set(object, manifests)
      for (const [object, held] of entries ?? []) entriesByKey.set(object, held)
    },

    adopt(version, metadata) {
      const state = stateOf(table, version, metadata)
      keep(state)
      checkedAt = clock()
      table.announce(version)
      return state
    },

    announce: (version) => versions?.announce(key, version),

    exclusively(work) {
      const turn = writers.then(work)
      writers = turn.catch(() => {})
      return turn
    },
  }

  const probe = async ({ isFresh = false } = {}): Promise<TableState | null> => {
    const asked = clock()
    const epoch = versions?.epoch ?? null
    const base = newest && asked - checkedAt <= BASE_MAX_AGE_MS ? newest : await discover()
    if (!base) return null
    const announced = !isFresh && epoch !== null && checkedIn === epoch ? (versions?.newest(key) ?? 0) : 0
    const found = announced > base.version ? await read(announced).catch(asRefused) : null
    keep(found && !(found instanceof TableRefused) ? found : await advance(base))
    checkedAt = Math.max(checkedAt, asked)
    checkedIn = epoch
    return newest
  }

  /** True if every version since the last probe would have been announced, and none was. */
  const isAnnounced = ({ version }: TableState): boolean =>
    checkedIn !== null && versions?.epoch === checkedIn && versions.newest(key) <= version && clock() - checkedAt < ANNOUNCED_MS

  const keep = (state: TableState): void => {
    if (newest && newest.metadata['table-uuid'] !== state.metadata['table-uuid'])
      throw new TableRefused(key, `another table took its place (${state.metadata['table-uuid']} for ${newest.metadata['table-uuid']})`)
    if (!newest || state.version > newest.version) newest = state
  }

  const mustGet = async (object: string): Promise<Buffer> => {
    const bytes = await store.get(object)
    if (!bytes) throw new TableRefused(key, `${object} is missing`)
    return bytes
  }

  const read = (version: number): Promise<TableState | null> => readVersion(table, version)

  const exists = async (version: number): Promise<boolean> => (await store.head(versionKey(key, version))) !== null

  /** An existing version from which all newer ones follow without a gap. */
  const discover = async (): Promise<TableState | null> => {
    const hint = Number((await store.get(hintKey(key)))?.toString('latin1').trim())
    const hinted = Number.isSafeInteger(hint) && hint > 0 ? await read(hint).catch(asRefused) : null
    // Versions are removed oldest first and at twice this age, so none can be missing after a young one.
    const isYoung = hinted && !(hinted instanceof TableRefused) && clock() - hinted.metadata['last-updated-ms'] <= BASE_MAX_AGE_MS
    if (isYoung) return hinted
    const versions = await listVersions(table)
    const last = versions.at(-1)
    if (last !== undefined) return read(last)
    if (hinted instanceof TableRefused) throw hinted
    return hinted
  }

  /** The newest version after an existing one: doubles the step ahead, then bisects. */
  const advance = async (base: TableState): Promise<TableState> => {
    const next = base.version + 1
    // A version that cannot be used may have been replaced by one that can.
    const found = await read(next).catch(asRefused)
    if (!found) return base
    const following = found instanceof TableRefused ? null : found
    let [at, step] = [next, 1]
    while (await exists(at + step)) {
      at += step
      step *= 2
    }
    for (step /= 2; step >= 1; step /= 2) if (await exists(at + step)) at += step
    const newest = at === next ? following : ((await read(at)) ?? following)
    if (newest) return newest
    throw found
  }

  return Object.freeze(table)
}

/** The state at an older snapshot, with the current schema. Throws for a snapshot that is gone. */
export function stateAt(state: TableState, snapshotId: bigint): TableState {
  const snapshot = state.metadata.snapshots.find((one) => BigInt(one['snapshot-id']) === snapshotId)
  if (!snapshot) throw new Error(`table ${state.table.key} has no snapshot ${snapshotId}: it never existed or has expired`)
  return Object.freeze({ ...state, snapshot, snapshotId })
}

/** Key of a version's metadata. */
export function versionKey(key: string, version: number): string {
  return `${key}/metadata/v${version}.metadata.json`
}

/** Key of the hint for readers that search for the newest version. */
export function hintKey(key: string): string {
  return `${key}/metadata/version-hint.text`
}

/** The existing versions of a table, ascending. */
export async function listVersions(table: Table): Promise<number[]> {
  const versions: number[] = []
  for await (const object of table.store.list(`${table.key}/metadata/v`)) {
    const match = VERSION.exec(object.key)
    if (match) versions.push(Number(match[1]))
  }
  return versions.sort((a, b) => a - b)
}

/**
 * Maps metadata locations to keys, and back, relative to the location in the metadata. A table whose folder was moved thus stays
 * readable; new files use the old location until it is relocated.
 */
export function pathsOf(state: { readonly table: Table; readonly metadata: TableMetadata }): Paths {
  const { key } = state.table
  const { location } = state.metadata
  return {
    toLocation(object) {
      if (!object.startsWith(`${key}/`)) throw new Error(`table ${key}: ${object} is outside it`)
      return location + object.slice(key.length)
    },
    toKey(path) {
      const [root, named] = [localPath(location), localPath(path)]
      if (!named.startsWith(`${root}/`)) throw new TableRefused(key, `${path} is outside its location ${location}`)
      return key + named.slice(root.length)
    },
  }
}

/** The location that a table gets: a full URI, as some engines read no plain path of a local lake. */
export function tableUri({ store, key }: Pick<Table, 'store' | 'key'>): string {
  const location = store.location(key)
  return location.startsWith('/') ? `file://${location}` : location
}

/** A location of a local lake as a path: engines write `file:/`, `file:///` or none. Other URIs as they are. */
function localPath(location: string): string {
  return location.replace(/^file:(?:\/\/)?(?=\/)/, '')
}

/** A version of a table, null if it is not kept. Throws `TableRefused` if it is damaged or of another format. */
export async function readVersion(table: Table, version: number): Promise<TableState | null> {
  const object = versionKey(table.key, version)
  const bytes = await table.store.get(object)
  return bytes && decoded(table.key, object, () => stateOf(table, version, parseMetadata(bytes, object)))
}

/** The error of a table that cannot be used; throws any other. */
export function asRefused(error: unknown): TableRefused {
  if (error instanceof TableRefused) return error
  throw error
}

/** The state of a table at a version with this metadata. */
export function stateOf(table: Table, version: number, metadata: TableMetadata): TableState {
  const snapshot = currentSnapshot(metadata)
  return Object.freeze({
    table,
    version,
    metadata,
    properties: metadata.properties,
    fields: schemaOf(metadata).fields,
    snapshot,
    snapshotId: snapshot && BigInt(snapshot['snapshot-id']),
  })
}
