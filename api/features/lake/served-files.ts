import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { decoded, TableRefused } from '../../../lake/iceberg/errors.ts'
import { liveCount } from '../../../lake/iceberg/manifest-list.ts'
import { metadataBytes, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { isStatedAt, listedManifests, movedAvro, movedMetadata } from '../../../lake/iceberg/moved.ts'
import { pathsOf, readVersion, type Table, type TableState, VERSION } from '../../../lake/iceberg/table.ts'

/** A bucket's name is the first part of the path of its files, so that the API's own address is the S3 endpoint. */
const BUCKET = 'lake'
/** Where the API serves the files of tables: at this path, `<namespace>/<table>/…`. */
export const FILES_PATH = `/${BUCKET}/files`
const FOLDER = 'lake'

/** Memory for rewritten manifests and lists, in bytes. */
const CACHE_BYTES = 64 * 1024 ** 2
const REQUESTS = 16
/** Bytes of a data file that are read at once. */
const PIECE = 4 * 1024 ** 2

/** A file of a table as clients get it. */
interface ServedFile {
  readonly bytes: number
  /** ms since the epoch. */
  readonly modified_at: number
  /** Returns its bytes from `start` to `end`, inclusive. */
  read(start: number, end: number): Promise<Readable>
}

/** The files of a store's tables under the API's address: metadata, manifest lists and manifests name the places there. */
export interface ServedFiles {
  /** Returns the location that clients get of a key `lake/…`: `s3://lake/files/…`. */
  location(key: string): string
  /** Returns a table's metadata with the locations that clients get. Throws `TableRefused` for a table that cannot be served. */
  metadata(state: TableState): Promise<TableMetadata>
  /** Returns a file of a table; null if there is none. Throws `TableRefused` if it is damaged. */
  find(table: Table, key: string): Promise<ServedFile | null>
}

/** Opens the files. Rewritten ones have the same bytes at each request, as long as the table's location stays. */
export function openServedFiles(): ServedFiles {
  const location = (key: string): string => `s3:/${FILES_PATH}${key.slice(FOLDER.length)}`
  const limit = pLimit(REQUESTS)
  const cache = new LRUCache<string, Buffer, TableState>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length + 1,
    // A list is made while its manifests fill the cache, which may be larger: it is given all the same.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { context }) => {
      const bytes = await rewritten(key, context)
      return bytes && withOwnMemory(bytes)
    },
  })
  const moveOf = (state: TableState) => {
    const { toKey } = pathsOf(state)
    return (path: string): string => location(toKey(path))
  }
  const moved = (state: TableState): TableMetadata => movedMetadata(state.metadata, location(state.table.key), moveOf(state))
  const rewritten = async (key: string, state: TableState): Promise<Buffer | undefined> => {
    const { table } = state
    const bytes = await limit(() => table.store.get(key))
    if (!bytes) return undefined
    if (decoded(table.key, key, () => isStatedAt(bytes, location(table.key)))) return bytes
    const sizes = new Map<string, number>()
    const manifests = decoded(table.key, key, () => listedManifests(bytes))
    if (manifests.some(({ deletes }) => deletes)) throw undeletable(table)
    await Promise.all(
      manifests.map(async ({ path }) => {
        const manifest = await cache.fetch(pathsOf(state).toKey(path), { context: state })
        if (!manifest) throw new TableRefused(table.key, `${path} is missing`)
        sizes.set(path, manifest.length)
      }),
    )
    return decoded(table.key, key, () => movedAvro(bytes, moveOf(state), (path) => sizes.get(path) as number))
  }
  /** The bytes of a file whose content names paths; null for any other. */
  const withPaths = async (table: Table, key: string): Promise<Buffer | null> => {
    const [, version] = VERSION.exec(key) ?? []
    const state = version === undefined ? await table.load() : await readVersion(table, Number(version))
    if (!state) return null
    return version === undefined ? ((await cache.fetch(key, { context: state })) ?? null) : metadataBytes(moved(state))
  }
  return {
    location,
    async metadata(state) {
      const { table } = state
      if ((await table.manifests(state)).some((one) => one.content === 'deletes' && liveCount(one) > 0)) throw undeletable(table)
      return moved(state)
    },
    async find(table, key) {
      const found = await table.store.head(key)
      if (!found) return null
      const { modified_at } = found
      const own = VERSION.test(key) || key.endsWith('.avro') ? await withPaths(table, key) : null
      if (own) return { bytes: own.length, modified_at, read: async (start, end) => Readable.from([own.subarray(start, end + 1)]) }
      return { bytes: found.bytes, modified_at, read: async (start, end) => Readable.from(pieces(table, key, { start, end: end + 1 })) }
    },
  }
}

/** A copy that keeps no more memory than it needs: small buffers are slices of a pool of 64 kB, which they would keep. */
function withOwnMemory(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/** The error of a table with files of position deletes: these name data files by their places in the store. */
function undeletable({ key }: Table): TableRefused {
  return new TableRefused(key, 'another engine deleted rows by position; it can be served once compaction has applied that')
}

/** The bytes of an object from `start` up to `end`, piece by piece. */
async function* pieces(
  table: Table,
  key: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += PIECE) {
    const piece = await table.store.get(key, { start: at, end: Math.min(at + PIECE, end) })
    if (!piece) throw new TableRefused(table.key, `${key} was deleted meanwhile`)
    yield piece
  }
}
