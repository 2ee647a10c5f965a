import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { createZstdCompress, zstdDecompress } from 'node:zlib'
import { isSameLanded, type Landed, landedOf, landedProperties } from '../../lake/landed.ts'
import { type AcceptedFetch, readAccepted } from '../../lake/raw/archive.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import type { Feed } from '../feeds/define.ts'
import { ruleOf } from './completeness-groups.ts'
import type { IngestContext } from './context.ts'
import { type DatasetState, type Entry, FOLD_VERSION } from './fold.ts'

const decompress = promisify(zstdDecompress)

const FORMAT = 'feed-state 1'
/** Entries encoded and decoded at once, with the event loop free in between. */
const ENTRIES_AT_ONCE = 1000
const HOUR_MS = 3_600_000
/** The newest ones are kept whatever their age; those of each hour for a day. */
const [KEPT, KEPT_HOURLY_MS] = [2, 24 * HOUR_MS]
const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(\d{12})-[0-9a-f]{16}-([0-9a-f]{16})\.zst$/

/** A dataset's state in a checkpoint: the fold over exactly the fetches that its table had landed. */
export interface CheckpointPart {
  /** The table's UUID. */
  readonly table: string
  readonly landed: Landed
  readonly state: DatasetState
}

/** The states of a feed's datasets, right after a landing. */
export interface Checkpoint {
  readonly parts: ReadonlyMap<string, CheckpointPart>
  /** The log's newest number, and the fetch that had it. */
  readonly seq: number
  readonly fetch_id: string
  /** Of an archive: the newest fetch of each period. */
  readonly periods: readonly AcceptedFetch[]
}

/** A stored checkpoint, as its name describes it. */
export interface StoredCheckpoint {
  readonly key: string
  /** Data time of its newest fetch, ms since the epoch. */
  readonly data_time: number
  /** The log's newest number when it was stored: every fetch that is replayed from it has a later one. */
  readonly seq: number
  /** Digest of the declarations and the fold that made it, see `foldDigest`. */
  readonly digest: string
}

/** What a checkpoint is made from: a feed's memory without pending rows. */
export interface CheckpointSource {
  readonly feed: Feed
  readonly last: AcceptedFetch | null
  readonly seq: number
  readonly periods: ReadonlyMap<string, AcceptedFetch>
  readonly parts: ReadonlyMap<string, { readonly dataset: Dataset; readonly landed: Landed; readonly state: DatasetState }>
}

const folderOf = (feed: string): string => `state/${feed}/`
const shortHash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)

/** A digest of what a feed's states depend on besides its fetches: another release must not continue them. */
export function foldDigest(feed: Feed): string {
  const datasets = feed.into.map((dataset) => {
    const { id, entity, time, writeMode, absence, absencesToEnd, currentFor_ms, heldFor_ms, life = null } = dataset
    const columns = Object.entries(dataset.columns).map(([name, { id, kind, retired = null }]) => [name, id, kind, retired])
    const { column, least, leastExpected, never } = ruleOf(feed, id) ?? {}
    return [
      id,
      columns,
      entity,
      time,
      writeMode,
      absence,
      absencesToEnd,
      currentFor_ms,
      heldFor_ms,
      life,
      column,
      least,
      leastExpected,
      never,
    ]
  })
  return shortHash([FOLD_VERSION, datasets])
}

/** Stores the states of a feed. False if a table or the log has other fetches by now: then nothing is stored. */
export async function writeCheckpoint(context: IngestContext, source: CheckpointSource): Promise<boolean> {
  const { feed, last, seq, periods } = source
  const fetch_id = (await readAccepted(context.store, feed.id, seq))?.fetch_id
  if (!last || fetch_id === undefined) return false
  const parts = new Map<string, CheckpointPart>()
  for (const [id, { dataset, landed, state }] of source.parts) {
    const table = await context.lake.table(dataset).load()
    if (!table || !isSameLanded(landedOf(table.properties, feed.id), landed)) return false
    parts.set(id, { table: table.metadata['table-uuid'], landed, state })
  }
  const landedSets = [...parts].map(([id, { table, landed }]) => [id, table, landedProperties(feed.id, landed)])
  const [time, number] = [last.data_time.replace(/[-:.]/g, ''), String(seq).padStart(12, '0')]
  const name = `${time}-${number}-${shortHash(landedSets)}-${foldDigest(feed)}.zst`
  const bytes = await encode({ parts, seq, fetch_id, periods: [...periods.values()] })
  await context.store.put(folderOf(feed.id) + name, bytes)
  return true
}

/** A feed's stored checkpoints of any release, newest first. */
export async function listCheckpoints(store: ObjectStore, feed: string): Promise<StoredCheckpoint[]> {
  const found: StoredCheckpoint[] = []
  for await (const { key } of store.list(folderOf(feed))) {
    const [, year, month, day, hour, minute, second, ms, seq, digest] = NAME.exec(key.slice(folderOf(feed).length)) ?? []
    if (digest === undefined) continue
    found.push({ key, data_time: Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`), seq: Number(seq), digest })
  }
  return found.reverse()
}

/**
 * Deletes a feed's checkpoints except the newest two and, for a day before the newest, the last of each hour and release. Returns
 * how many were deleted.
 */
export async function expireCheckpoints(store: ObjectStore, feed: string): Promise<number> {
  const stored = await listCheckpoints(store, feed)
  const since = (stored[0]?.data_time ?? 0) - KEPT_HOURLY_MS
  const hours = new Set<string>()
  const over = stored.filter(({ data_time, digest }, at) => {
    const hour = `${digest} ${Math.floor(data_time / HOUR_MS)}`
    const isKept = at < KEPT || (data_time >= since && !hours.has(hour))
    hours.add(hour)
    return !isKept
  })
  await store.deleteMany(over.map(({ key }) => key))
  return over.length
}

/** Reads a checkpoint; null if it is gone. Throws if it is damaged. */
export async function readCheckpoint(store: ObjectStore, key: string): Promise<Checkpoint | null> {
  const bytes = await store.get(key)
  return bytes && decode(await decompress(bytes))
}

/** The first frame of a checkpoint; the entries of its parts follow in order. */
interface Head extends Omit<Checkpoint, 'parts'> {
  readonly format: string
  readonly parts: readonly (Omit<CheckpointPart, 'state'> &
    Omit<DatasetState, 'entries'> & { readonly id: string; readonly count: number })[]
}

// V8's serialization and not JSON: every value comes back as it was, so that no row seems to have changed.
async function encode(checkpoint: Checkpoint): Promise<Buffer> {
  const packed = createZstdCompress()
  const [bytes] = await Promise.all([buffer(packed), pipeline(Readable.from(framesOf(checkpoint)), packed)])
  return bytes
}

async function* framesOf(checkpoint: Checkpoint): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const value of valuesOf(checkpoint)) {
    const bytes = framed(value)
    hash.update(bytes)
    yield bytes
  }
  // Node 24 unpacks a zstd frame that lacks its last bytes without an error.
  yield framed(hash.digest('hex'))
}

async function* valuesOf({ parts, ...rest }: Checkpoint): AsyncGenerator<unknown> {
  const heads = [...parts].map(([id, { table, landed, state }]) => {
    const { entries, ...facts } = state
    return { id, table, landed, ...facts, count: entries.size }
  })
  yield { format: FORMAT, ...rest, parts: heads } satisfies Head
  for (const { state } of parts.values()) {
    const entries = [...state.entries]
    for (let at = 0; at < entries.length; at += ENTRIES_AT_ONCE) {
      yield entries.slice(at, at + ENTRIES_AT_ONCE)
      await breathe()
    }
  }
}

function framed(value: unknown): Buffer {
  const bytes = serialize(value)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(bytes.length)
  return Buffer.concat([size, bytes])
}

async function decode(bytes: Buffer): Promise<Checkpoint> {
  let at = 0
  const next = (): unknown => {
    const begin = at + 4
    at = begin + bytes.readUInt32LE(at)
    return deserialize(bytes.subarray(begin, at))
  }
  const { format, parts: heads, ...rest } = next() as Head
  if (format !== FORMAT) throw new Error(`its format is ${format}, this release reads ${FORMAT}`)
  const parts = new Map<string, CheckpointPart>()
  for (const { id, table, landed, count, ...facts } of heads) {
    const entries = new Map<string, Entry>()
    while (entries.size < count) {
      for (const [key, entry] of next() as [string, Entry][]) entries.set(key, entry)
      await breathe()
    }
    parts.set(id, { table, landed, state: { entries, ...facts } })
  }
  const sha256 = createHash('sha256').update(bytes.subarray(0, at)).digest('hex')
  if (next() !== sha256 || at !== bytes.length) throw new Error('its bytes are damaged')
  return { ...rest, parts }
}
