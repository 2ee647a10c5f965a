import pLimit from 'p-limit'
import { decodeContainer } from '../avro.ts'
import { CommitConflict, decoded, TableRefused, UpdateRefused } from '../errors.ts'
import { decodeManifest, type ManifestEntry, type ManifestedFile, type Paths, STATUS } from '../manifest.ts'
import { decodeManifestList, encodeManifestList, liveCount, type ManifestFile, summarise } from '../manifest-list.ts'
import { partsOf } from '../manifest-schema.ts'
import { type Operation, type Snapshot, type SnapshotId, specOf, type TableMetadata } from '../metadata.ts'
import { movedAvro } from '../moved.ts'
import { newKey } from '../snapshot-writer.ts'
import { pathsOf, type TableState } from '../table.ts'
import type { Json } from './client-schema.ts'

/** What a snapshot of another writer changes in a table of ours: its files are those of its parent but for these. */
export interface SnapshotChange {
  readonly id: SnapshotId
  readonly parentId: SnapshotId | null
  readonly operation: Operation
  readonly added: readonly ManifestedFile[]
  readonly removed: readonly ManifestedFile[]
}

interface AdoptOptions {
  /** The state that the commit is based on, with earlier updates of the same commit. */
  readonly base: TableState
  /** Keys of objects go here before they are written. */
  readonly written: string[]
  /** The manifests adopted in the same commit, by the keys that the client gave them. */
  readonly adopted: Map<string, string>
  /** Maps a location as the client knows it to the key of the object; null for one outside the table. */
  readonly keyOf: (location: string) => string | null
  /** Takes what each snapshot changes, for a table of a dataset: its rules on rows are the caller's. Null for another table. */
  readonly changes: SnapshotChange[] | null
}

const REQUESTS = 16
const MAX_AVRO_BYTES = 64 * 1024 ** 2
const MAX_MANIFESTS = 5000
const OPERATIONS: readonly unknown[] = ['append', 'replace', 'overwrite', 'delete'] satisfies Operation[]
const MAX_SUMMARY_CHARACTERS = 8000
/** Ids below are those of our own snapshots: sequence numbers. Other writers choose random ones of 63 bits. */
const FIRST_FOREIGN_ID = 2n ** 32n
/** Age of a new data file, in ms, from which the clean-up of orphans might delete it. */
const MAX_FILE_AGE_MS = 24 * 3_600_000
/** Greatest difference between the clocks of writers that is allowed for, in ms. */
const CLOCK_MS = 600_000

const refuse = (why: string): UpdateRefused => new UpdateRefused('add-snapshot', why)

/**
 * Takes over a snapshot of another writer: its manifest list and new manifests are written again as objects of ours, which no
 * client of a dataset's table can change or delete. Throws `CommitConflict` if another commit came before it, `UpdateRefused` if
 * it breaks a rule.
 */
export async function adoptSnapshot(given: Json, options: AdoptOptions): Promise<Snapshot> {
  const { base, written, keyOf, changes } = options
  const { table, metadata } = base
  const { id, summary, schemaId } = headOf(given, metadata)
  const sequenceNumber = metadata['last-sequence-number'] + 1
  const parent = parentOf(given, metadata, changes !== null)
  const before = await table.manifests(base, parent)
  if (changes && before.some((one) => one.content === 'deletes' && liveCount(one) > 0))
    throw new TableRefused(table.key, 'another engine deleted rows by position; it can be written once compaction has applied that')
  const paths: Paths = {
    ...pathsOf(base),
    toKey(location) {
      const key = keyOf(location)
      if (key === null) throw refuse(`${location.slice(0, 300)} is outside the table`)
      return key
    },
  }
  const listKey = paths.toKey(String(given['manifest-list']))
  const list = await avroOf(base, listKey)
  const lines = taken(listKey, () => decodeManifestList(list, paths)).map((line) => ({
    ...line,
    key: options.adopted.get(line.key) ?? line.key,
  }))
  if (lines.length > MAX_MANIFESTS) throw refuse(`it has ${lines.length} manifests; at most ${MAX_MANIFESTS} are allowed`)
  const known = new Map(before.map((manifest) => [manifest.key, manifest]))
  const limit = pLimit(REQUESTS)
  const fresh = await Promise.all(
    lines
      .filter(({ key }) => !known.has(key))
      .map((line) => limit(() => adoptManifest(line, { ...options, paths, at: { snapshotId: id, sequenceNumber } }))),
  )
  const kept = lines.flatMap(({ key }) => known.get(key) ?? [])
  const inKept = new Set(kept)
  const dropped = before.filter((manifest) => !inKept.has(manifest))
  if (inKept.size < kept.length) throw refuse('it lists a manifest twice')
  const stored_at = await checkStored(
    base,
    fresh.flatMap(({ files }) => files),
    changes !== null,
  )
  const parentId = parent?.['snapshot-id'] ?? null
  if (changes) {
    const change = { ...(await changeOf(base, { fresh, kept, dropped })), id, parentId, operation: summary.operation }
    checkOperation(change)
    await checkUnused(base, change.added, stored_at)
    changes.push(change)
  }
  const key = newKey(table.key, `s${sequenceNumber}`)
  const manifests = [...fresh.map(({ manifest }) => manifest), ...kept]
  written.push(key)
  await table.store.put(key, encodeManifestList({ manifests, snapshotId: id, parentId, sequenceNumber, paths: pathsOf(base) }))
  return {
    'sequence-number': sequenceNumber,
    'snapshot-id': id,
    ...(parentId !== null && { 'parent-snapshot-id': parentId }),
    // By our clock: those of clients may be anything, and versions must not go back in time.
    'timestamp-ms': Math.max(table.clock(), metadata['last-updated-ms']),
    'manifest-list': pathsOf(base).toLocation(key),
    summary,
    'schema-id': schemaId,
  }
}

/** The checked id, summary and schema of a client's snapshot. */
function headOf(
  given: Json,
  metadata: TableMetadata,
): { readonly id: SnapshotId; readonly summary: Snapshot['summary']; readonly schemaId: number } {
  const { 'snapshot-id': id, 'sequence-number': number, summary = {}, 'schema-id': schemaId = metadata['current-schema-id'] } = given
  if ((typeof id !== 'number' && typeof id !== 'bigint') || BigInt(id) < FIRST_FOREIGN_ID)
    throw refuse(`snapshot-id must be a random number of 63 bits, not ${String(id).slice(0, 40)}`)
  if (metadata.snapshots.some((one) => String(one['snapshot-id']) === String(id)))
    throw new CommitConflict(`add-snapshot: the table has a snapshot ${id} already`)
  const next = metadata['last-sequence-number'] + 1
  // A commit to another branch does not require anything of main.
  if (number !== next) throw new CommitConflict(`add-snapshot: sequence-number is ${String(number)}, the next one is ${next}`)
  const { operation = 'overwrite' } = summary as Json
  const texts = Object.entries(summary as Json)
  if (!OPERATIONS.includes(operation) || texts.some(([, value]) => typeof value !== 'string'))
    throw refuse(`summary must have texts, and an operation of ${OPERATIONS.join(', ')}`)
  if (JSON.stringify(summary).length > MAX_SUMMARY_CHARACTERS)
    throw refuse(`summary has more than ${MAX_SUMMARY_CHARACTERS} characters, and every version repeats it`)
  // What our own snapshots say about coverage.
  const stated = Object.fromEntries(texts.filter(([name]) => !name.startsWith('landed-')))
  if (!metadata.schemas.some((one) => one['schema-id'] === schemaId)) throw refuse(`the table has no schema ${String(schemaId)}`)
  return { id, summary: { ...stated, operation } as Snapshot['summary'], schemaId: schemaId as number }
}

function parentOf(given: Json, metadata: TableMetadata, isOurs: boolean): Snapshot | null {
  const { 'parent-snapshot-id': id = null } = given
  const parent = metadata.snapshots.find((one) => String(one['snapshot-id']) === String(id)) ?? null
  if (!parent && (id !== null || (isOurs && metadata.snapshots.length > 0)))
    throw new CommitConflict(`add-snapshot: the table has no snapshot ${String(id)}, its parent`)
  return parent
}

/** The bytes of a client's manifest or manifest list. */
async function avroOf({ table }: TableState, key: string): Promise<Buffer> {
  const found = key.endsWith('.avro') ? await table.store.head(key) : null
  if (!found) throw refuse(`there is no file ${key}`)
  if (found.bytes > MAX_AVRO_BYTES) throw refuse(`${key} has ${found.bytes} bytes; at most ${MAX_AVRO_BYTES} are allowed`)
  const bytes = await table.store.get(key)
  if (!bytes) throw refuse(`there is no file ${key}`)
  return bytes
}

/** What is decoded from a client's bytes: faults in them are the client's, not the table's. */
function taken<T>(key: string, decode: () => T): T {
  try {
    return decoded(key, key, decode)
  } catch (error) {
    if (error instanceof TableRefused) throw refuse(`${key}: ${error.reason}`)
    throw error
  }
}

/** A manifest that is now an object of ours; entries for a table of ours only. */
interface Adopted {
  readonly manifest: ManifestFile
  readonly entries: readonly ManifestEntry[]
  /** The data files that it adds. */
  readonly files: readonly NewFile[]
}

interface NewFile {
  readonly key: string
  readonly bytes: number
}

/** An entry of a manifest as far as rules for all tables need it. */
interface PlainEntry {
  readonly status: number
  readonly data_file: {
    readonly content?: number
    readonly file_path: string
    readonly file_format: string
    readonly file_size_in_bytes: number
  }
}

async function adoptManifest(
  line: ManifestFile,
  {
    base,
    written,
    adopted: renamed,
    changes,
    paths,
    at,
  }: AdoptOptions & { readonly paths: Paths; readonly at: { readonly snapshotId: SnapshotId; readonly sequenceNumber: number } },
): Promise<Adopted> {
  const { table, metadata } = base
  if (line.content === 'deletes')
    throw refuse('it has delete files: delete with PyIceberg or with Spark (write.delete.mode=copy-on-write), which write files again')
  const { toLocation } = pathsOf(base)
  const given = await avroOf(base, line.key)
  const files: NewFile[] = []
  const bytes = taken(line.key, () => {
    for (const { status, data_file: file } of decodeContainer(given).records as readonly PlainEntry[]) {
      const key = paths.toKey(file.file_path)
      if ((file.content ?? 0) !== 0) throw refuse('it has files of deleted rows')
      if (file.file_format.toUpperCase() !== 'PARQUET' || !key.startsWith(`${table.key}/data/`))
        throw refuse(`${key} must be a Parquet file in data/`)
      if (status === STATUS.ADDED) files.push({ key, bytes: file.file_size_in_bytes })
    }
    return movedAvro(
      given,
      (path) => toLocation(paths.toKey(path)),
      () => 0,
    )
  })
  const key = newKey(table.key, `m${at.sequenceNumber}`)
  renamed.set(line.key, key)
  const adopted = { key, bytes: bytes.length, specId: line.specId, ...at }
  let entries: ManifestEntry[] = []
  let manifest: ManifestFile = { ...line, ...adopted }
  if (changes) {
    const parts = taken(line.key, () => partsOf(metadata, specOf(metadata, line.specId)))
    entries = taken(line.key, () => decodeManifest({ bytes, parts, inherited: at, paths: pathsOf(base) }))
    manifest = summarise({ ...adopted, parts, entries })
  }
  written.push(key)
  await table.store.put(key, bytes)
  return { manifest, entries, files }
}

/**
 * A table must never list a file that is not completely in the store, or that the clean-up of orphans may be deleting. Returns
 * when the first of them was stored, in ms.
 */
async function checkStored({ table }: TableState, files: readonly NewFile[], isOurs: boolean): Promise<number> {
  if (files.length === 0) return Number.POSITIVE_INFINITY
  const oldest = (await table.store.now()) - MAX_FILE_AGE_MS
  const limit = pLimit(REQUESTS)
  const times = await Promise.all(
    files.map(({ key, bytes }) =>
      limit(async () => {
        const stored = await table.store.head(key)
        if (stored?.bytes !== bytes)
          throw refuse(`${key}: ${stored ? `${stored.bytes} bytes` : 'nothing'} in the store, ${bytes} bytes expected`)
        if (isOurs && stored.modified_at < oldest) throw refuse(`${key} was stored more than a day ago; it must be written again`)
        return stored.modified_at
      }),
    ),
  )
  return Math.min(...times)
}

const isLive = ({ status }: ManifestEntry): boolean => status !== STATUS.DELETED

/** The files that a snapshot has besides those of its parent, and the other way round. */
async function changeOf(
  base: TableState,
  of: { readonly fresh: readonly Adopted[]; readonly kept: readonly ManifestFile[]; readonly dropped: readonly ManifestFile[] },
): Promise<Pick<SnapshotChange, 'added' | 'removed'>> {
  const liveIn = async (manifests: readonly ManifestFile[]): Promise<Map<string, ManifestedFile>> => {
    const entries = await Promise.all(manifests.map((manifest) => base.table.entries(base, manifest)))
    return new Map(entries.flat().flatMap((entry) => (isLive(entry) ? [[entry.file.key, entry.file] as const] : [])))
  }
  const [gone, kept] = await Promise.all([liveIn(of.dropped), liveIn(of.kept)])
  const added = new Map<string, ManifestedFile>()
  for (const { file, status } of of.fresh.flatMap(({ entries }) => entries.filter(isLive))) {
    if (kept.has(file.key) || added.has(file.key)) throw refuse(`${file.key} is listed twice`)
    if (status === STATUS.EXISTING && !gone.has(file.key))
      throw refuse(`${file.key} is listed as existing, and its parent does not have it`)
    if (status === STATUS.ADDED && gone.has(file.key)) throw refuse(`${file.key} is listed as added, and its parent has it`)
    added.set(file.key, file)
  }
  const removed = [...gone.values()].filter(({ key }) => !added.has(key))
  return { added: [...added.values()].filter(({ key }) => !gone.has(key)), removed }
}

function checkOperation({ operation, added, removed }: SnapshotChange): void {
  if (operation === 'append' && removed.length > 0) throw refuse('an append removes no files: the operation is overwrite or replace')
  if (operation === 'delete' && added.length > 0) throw refuse('a delete adds no files: the operation is overwrite')
}

/**
 * The changes of one commit by their last snapshots, each with those of the snapshots before it: a client may write rows again
 * by a delete and an append.
 */
export function wholeChanges(changes: readonly SnapshotChange[]): SnapshotChange[] {
  const byId = new Map(changes.map((change) => [String(change.id), change]))
  const followed = new Set(changes.map(({ parentId }) => String(parentId)))
  return changes
    .filter(({ id }) => !followed.has(String(id)))
    .map((last) => {
      let whole = last
      for (let before = byId.get(String(last.parentId)); before; before = byId.get(String(before.parentId))) whole = joined(before, whole)
      return whole
    })
}

function joined(first: SnapshotChange, next: SnapshotChange): SnapshotChange {
  const without = (files: readonly ManifestedFile[], others: readonly ManifestedFile[]): ManifestedFile[] => {
    const keys = new Set(others.map(({ key }) => key))
    return files.filter(({ key }) => !keys.has(key))
  }
  return {
    ...{ id: next.id, parentId: first.parentId },
    operation: first.operation === 'replace' && next.operation === 'replace' ? 'replace' : 'overwrite',
    added: [...without(first.added, next.removed), ...next.added],
    removed: [...first.removed, ...without(next.removed, first.added)],
  }
}

/**
 * A file that was in the table before must not return: expiry deletes what an expired snapshot was the last to list. Only
 * snapshots since it was stored can list it.
 */
async function checkUnused(base: TableState, files: readonly ManifestedFile[], stored_at: number): Promise<void> {
  if (files.length === 0) return
  const { table, metadata } = base
  const keys = new Set(files.map(({ key }) => key))
  const limit = pLimit(REQUESTS)
  const since = metadata.snapshots.filter((one) => one['timestamp-ms'] >= stored_at - CLOCK_MS)
  const lists = await Promise.all(since.map((snapshot) => limit(() => table.manifests(base, snapshot))))
  const manifests = [...new Map(lists.flat().map((manifest) => [manifest.key, manifest])).values()]
  const entries = await Promise.all(manifests.map((manifest) => limit(() => table.entries(base, manifest))))
  for (const { file } of entries.flat()) if (keys.has(file.key)) throw refuse(`${file.key} was in the table already`)
}
