import { liveFiles } from '../iceberg/files.ts'
import type { TableState } from '../iceberg/table.ts'
import type { Filter, LiveFile } from '../iceberg/types.ts'
import type { Dataset } from '../schema/dataset.ts'
import type { ObjectStore } from '../store/store.ts'
import type { CachedObject, FileCache, Held } from './cache.ts'
import { FileScan, readFiles, type Scan, type ScannedFile } from './scan.ts'
import type { Relations } from './session.ts'
import { fieldOf, type Relation, type Sql } from './sql.ts'

/** The files that queries of this process are reading, by key, with the number of queries. */
export type FilesInUse = Map<string, number>

/** The parts of a lake needed for resolving relations. */
export interface RelationParts {
  readonly store: ObjectStore
  /** Null if files are read in place: a folder, or an S3 lake in ranges. */
  readonly cache: FileCache | null
  readonly inUse: FilesInUse
  /** The table's state at the snapshot to read; null if the table does not exist yet. */
  readonly pin: (dataset: Dataset) => Promise<TableState | null>
}

/**
 * Relations of one session: each dataset is pinned to one snapshot when first read, and every listed file stays claimed (and on
 * disk, if cached) until the session ends.
 */
export class SessionRelations implements Relations {
  readonly #parts: RelationParts
  readonly #pins = new Map<string, Promise<TableState | null>>()
  readonly #claimed: string[] = []
  readonly #held: Held[] = []

  constructor(parts: RelationParts) {
    this.#parts = parts
  }

  async resolve(relations: readonly Relation[], signal: AbortSignal): Promise<(relation: Relation) => Sql> {
    const listed = new Map<Relation, readonly ScannedFile[]>()
    for (const relation of relations) {
      const files = await this.#filesOf(relation)
      this.#claim([...files, ...deletesOf(files)])
      listed.set(relation, files)
    }
    const all = [...listed.values()].flat()
    const path = await this.#paths([...all, ...deletesOf(all)], signal)
    return (relation) => {
      const files = listed.get(relation) as readonly ScannedFile[]
      const paths = files.map(({ key }) => path(key))
      const { filter, fields } = relation as Partial<Scan & FileScan>
      const gone = deletesOf(files).map(({ key }) => path(key))
      const data = files.flatMap(({ key, deletes }) => (deletes ? [{ location: deletes.location, path: path(key) }] : []))
      const deletes = gone.length > 0 ? { paths: gone, data } : null
      return readFiles(relation.dataset, paths, { ...(filter && { filter }), ...(fields && { fields }), deletes })
    }
  }

  release(): void {
    for (const held of this.#held.splice(0)) held.release()
    const { inUse } = this.#parts
    for (const key of this.#claimed.splice(0)) {
      const readers = (inUse.get(key) ?? 1) - 1
      if (readers === 0) inUse.delete(key)
      else inUse.set(key, readers)
    }
  }

  async #filesOf(relation: Relation): Promise<readonly ScannedFile[]> {
    if (relation instanceof FileScan) return relation.files
    const { dataset, filter } = relation as Scan
    const pinned = await this.#pin(dataset)
    return pinned ? prunedFiles(pinned, dataset, filter) : []
  }

  #pin(dataset: Dataset): Promise<TableState | null> {
    const known = this.#pins.get(dataset.id) ?? this.#parts.pin(dataset)
    this.#pins.set(dataset.id, known)
    return known
  }

  #claim(files: readonly CachedObject[]): void {
    const { inUse } = this.#parts
    for (const { key } of files) {
      inUse.set(key, (inUse.get(key) ?? 0) + 1)
      this.#claimed.push(key)
    }
  }

  async #paths(files: readonly CachedObject[], signal: AbortSignal): Promise<(key: string) => string> {
    const { cache, store } = this.#parts
    if (!cache || files.length === 0) return (key) => store.location(key)
    const held = await cache.hold(files, signal)
    this.#held.push(held)
    return held.path
  }
}

/** The files of position deletes of some data files, each once. */
function deletesOf(files: readonly ScannedFile[]): CachedObject[] {
  return [...new Map(files.flatMap(({ deletes }) => deletes?.files ?? []).map((one) => [one.key, one])).values()]
}

/**
 * The files of a state that may have matching rows; conditions are mapped by field id, as the table may have an older column
 * name.
 */
export function prunedFiles(state: TableState, dataset: Dataset, filter: Filter): Promise<LiveFile[]> {
  const known = Object.entries(filter).flatMap(([name, condition]) => {
    const { id } = fieldOf(dataset, name)
    const field = state.fields.find((one) => one.id === id)
    return field ? [[field.name, condition] as const] : []
  })
  return liveFiles(state, Object.fromEntries(known))
}
