import pLimit from 'p-limit'
import { type ManifestEntry, type ManifestedFile, STATUS, toManifested } from './manifest.ts'
import { liveCount, type ManifestFile } from './manifest-list.ts'
import { fieldOf, type Operation, type Snapshot, specOf, type TableMetadata } from './metadata.ts'
import { rowsAtAfter } from './other-writers.ts'
import { deleteEntries, mayDelete } from './position-deletes.ts'
import { createWriter, mergeRules, type SnapshotWriter } from './snapshot-writer.ts'
import { pathsOf, type Table, type TableState } from './table.ts'
import type { DataFile, LiveFile } from './types.ts'
import { type Attempt, type CommitStep, type Updated, updateTable } from './update.ts'

/** A change of a table's files and properties, in one commit. */
export interface CommitOptions {
  readonly table: Table
  /** `append` adds; `replace` changes files, not rows; `overwrite` changes rows; `delete` removes (spec, "Snapshots"). */
  readonly operation: Operation
  /** Files that are already in the store. */
  readonly add?: readonly DataFile[]
  /** Files of the table, or their keys. The commit fails if one is no longer in it. */
  readonly remove?: readonly (Pick<LiveFile, 'key'> | string)[]
  /** Further summary fields of the snapshot. Keep them small: every snapshot stores them. */
  readonly summary?: Readonly<Record<string, string>>
  /** Table properties to set (null removes), computed from the base state. */
  readonly properties?: (current: TableState) => Readonly<Record<string, string | null>>
  /** Called on every attempt; a text aborts the commit and is the reason. */
  readonly unless?: (current: TableState) => string | null
  readonly onStep?: (step: CommitStep) => Promise<void> | void
  /** Maximum attempts when other commits win; 40 by default. */
  readonly attempts?: number
  readonly signal?: AbortSignal
}

const REQUESTS = 16

/**
 * Commits files and properties to a table atomically. Appends retry on newer states; removals only while every file is still
 * live. Without files only properties change, with no snapshot. Throws like `updateTable`, and if files do not fit the operation,
 * table or store.
 */
export async function commit(options: CommitOptions): Promise<Updated> {
  const { table, operation, add = [] } = options
  const removed = new Set((options.remove ?? []).map((file) => (typeof file === 'string' ? file : file.key)))
  checkOperation({ operation, add, removed })
  await checkStored(table, add)
  return updateTable({
    table,
    attempt: (base, written) => attemptCommit({ ...options, add, removed, base, written }),
    ...(options.onStep && { onStep: options.onStep }),
    ...(options.attempts && { attempts: options.attempts }),
    ...(options.signal && { signal: options.signal }),
  })
}

interface CommitAttempt extends CommitOptions {
  readonly add: readonly DataFile[]
  readonly removed: ReadonlySet<string>
  readonly base: TableState
  readonly written: string[]
}

async function attemptCommit(options: CommitAttempt): Promise<Attempt> {
  const { base, add, removed, written } = options
  const reason = options.unless?.(base)
  if (reason) return { kind: 'stop', reason }
  const properties = withProperties(base.properties, options.properties?.(base) ?? {})
  if (add.length === 0 && removed.size === 0)
    return properties === base.properties ? { kind: 'nothing' } : { kind: 'change', metadata: { ...base.metadata, properties } }

  const listed = await base.table.manifests(base)
  const manifests = listed.filter(({ content }) => content === 'data')
  const read = await readManifests(base, manifests)
  checkNew(read, add)
  const holders = holdersOf(read, removed)
  const found = new Set(holders.flatMap((holder) => holder.removed.map((entry) => entry.file.key)))
  const missing = [...removed].filter((key) => !found.has(key))
  if (missing.length > 0)
    return {
      kind: 'stop',
      reason: `no longer in the table: ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`,
    }
  const deletes = await deletesAfter(base, { read, removed })
  checkRows(options, holders, deletes.rows)

  const writer = createWriter({ base, written })
  const untouched = manifests.filter((manifest) => liveCount(manifest) > 0 && !holders.some((holder) => holder.manifest === manifest))
  const rowsSince = options.operation === 'replace' ? { rowsSince: newestOf(holders) } : {}
  const changed = await changedManifests(writer, base, { add, holders, removed, ...rowsSince })
  const kept = await merged(writer, base, { untouched, others: changed.length })
  const keptDeletes = await writtenDeletes(writer, base, { listed, gone: deletes.gone })
  const snapshot = await writer.snapshot({ manifests: [...changed, ...kept, ...keptDeletes], summary: summaryOf(options, holders, read) })
  const recorded = { ...properties, ...rowsAtAfter(base, snapshot['snapshot-id']) }
  return { kind: 'change', metadata: withSnapshot({ ...base.metadata, properties: recorded }, snapshot) }
}

/** The metadata with a new current snapshot. */
function withSnapshot(metadata: TableMetadata, snapshot: Snapshot): TableMetadata {
  const id = snapshot['snapshot-id']
  const timestamp = snapshot['timestamp-ms']
  return {
    ...metadata,
    'last-sequence-number': snapshot['sequence-number'],
    'last-updated-ms': timestamp,
    'current-snapshot-id': id,
    refs: { ...metadata.refs, main: { ...metadata.refs?.['main'], 'snapshot-id': id, type: 'branch' } },
    snapshots: [...metadata.snapshots.slice(0, -1), ...metadata.snapshots.slice(-1).map(shortened), snapshot],
    'snapshot-log': [...metadata['snapshot-log'], { 'timestamp-ms': timestamp, 'snapshot-id': id }],
  }
}

/** A manifest and its entries. */
interface ReadManifest {
  readonly manifest: ManifestFile
  readonly entries: readonly ManifestEntry[]
}

/** Totals only the newest snapshot needs, since each commit writes the summaries of all kept snapshots. */
const OF_THE_NEWEST = ['total-data-files', 'total-files-size']

/** A snapshot that another one follows, without totals that only the newest needs. */
export function shortened(snapshot: Snapshot): Snapshot {
  const summary = Object.fromEntries(Object.entries(snapshot.summary).filter(([name]) => !OF_THE_NEWEST.includes(name)))
  return { ...snapshot, summary: { ...summary, operation: snapshot.summary.operation } }
}

/** A manifest that lists files to remove. */
interface Holder extends ReadManifest {
  readonly removed: readonly ManifestEntry[]
}

/** The entries of the manifests; a writer has most of them in memory. */
async function readManifests(base: TableState, manifests: readonly ManifestFile[]): Promise<ReadManifest[]> {
  const limit = pLimit(REQUESTS)
  return Promise.all(manifests.map((manifest) => limit(async () => ({ manifest, entries: await base.table.entries(base, manifest) }))))
}

function holdersOf(read: readonly ReadManifest[], removed: ReadonlySet<string>): Holder[] {
  if (removed.size === 0) return []
  return read
    .map(({ manifest, entries }) => ({
      manifest,
      entries,
      removed: entries.filter((entry) => isLive(entry) && removed.has(entry.file.key)),
    }))
    .filter((holder) => holder.removed.length > 0)
}

/**
 * The files of position deletes that no data file needs once some are removed, and the rows that they deleted at most in the
 * removed ones.
 */
async function deletesAfter(
  base: TableState,
  { read, removed }: { readonly read: readonly ReadManifest[]; readonly removed: ReadonlySet<string> },
): Promise<{ readonly gone: ReadonlySet<string>; readonly rows: number }> {
  const gone = new Set<string>()
  let rows = 0
  for (const one of await deleteEntries(base)) {
    const deletesFrom = (isGone: boolean): boolean =>
      read.some(({ manifest: { specId }, entries }) =>
        entries.some((entry) => isLive(entry) && removed.has(entry.file.key) === isGone && mayDelete(base, one, { entry, specId })),
      )
    if (deletesFrom(true)) rows += one.file.rows
    if (!deletesFrom(false)) gone.add(one.file.key)
  }
  return { gone, rows }
}

/** The manifests of deletes, without files that no data file needs. */
async function writtenDeletes(
  writer: SnapshotWriter,
  base: TableState,
  { listed, gone }: { readonly listed: readonly ManifestFile[]; readonly gone: ReadonlySet<string> },
): Promise<ManifestFile[]> {
  const read = await readManifests(
    base,
    listed.filter((one) => one.content === 'deletes' && liveCount(one) > 0),
  )
  const holders = new Set(holdersOf(read, gone).map(({ manifest }) => manifest))
  const written = read.map(({ manifest, entries }) =>
    holders.has(manifest)
      ? writer.manifests(manifest.specId, withoutRemoved({ manifest, entries, removed: [] }, gone, writer), 'deletes')
      : [manifest],
  )
  return (await Promise.all(written)).flat()
}

const isLive = (entry: ManifestEntry): boolean => entry.status !== STATUS.DELETED

/** The rest of a manifest: removed files stay listed as deleted for this snapshot, older deletions are dropped. */
function withoutRemoved(holder: Holder, removed: ReadonlySet<string>, writer: SnapshotWriter): ManifestEntry[] {
  return holder.entries
    .filter(isLive)
    .map((entry) =>
      removed.has(entry.file.key)
        ? { ...entry, status: STATUS.DELETED, snapshotId: writer.snapshotId }
        : { ...entry, status: STATUS.EXISTING },
    )
}

/**
 * The sequence number for rows that are rewritten unchanged: the newest of their files, so that it shows when the rows last
 * changed. Without delete files a table has no other use for it.
 */
function newestOf(holders: readonly Holder[]): number {
  return Math.max(...holders.flatMap((holder) => holder.removed.map((entry) => entry.sequenceNumber)))
}

/** The added files, and the rest of the manifests that lose files, by partition spec. */
async function changedManifests(
  writer: SnapshotWriter,
  base: TableState,
  changes: {
    readonly add: readonly DataFile[]
    readonly holders: readonly Holder[]
    readonly removed: ReadonlySet<string>
    readonly rowsSince?: number
  },
): Promise<ManifestFile[]> {
  const { add, holders, removed, rowsSince } = changes
  const bySpec = new Map<number, ManifestEntry[]>()
  const entriesOf = (specId: number): ManifestEntry[] => {
    const entries = bySpec.get(specId) ?? []
    bySpec.set(specId, entries)
    return entries
  }
  for (const file of add) {
    const manifested = toManifested(checkedFile(base, file), (id) => fieldOf(base.metadata, id))
    entriesOf(file.specId).push(writer.added(manifested, rowsSince))
  }
  for (const holder of holders) entriesOf(holder.manifest.specId).push(...withoutRemoved(holder, removed, writer))
  const manifests: ManifestFile[] = []
  for (const [specId, entries] of bySpec) manifests.push(...(await writer.manifests(specId, entries)))
  return manifests
}

/**
 * The manifests that lose no files. Above the limit of small ones the smaller half is merged, and each larger one with no more
 * files than all before it: so a file is listed anew only a few times, and the largest are sorted by partition together.
 */
async function merged(
  writer: SnapshotWriter,
  base: TableState,
  options: { untouched: readonly ManifestFile[]; others: number },
): Promise<ManifestFile[]> {
  const { untouched, others } = options
  const { isOn, most, bytes } = mergeRules(base.properties)
  const mergeable = mergeableOf(untouched)
  const small = mergeable.filter((manifest) => manifest.bytes < bytes / 2).length + others
  if (!isOn || small <= most || mergeable.length < 2) return [...untouched]
  const bySize = mergeable.toSorted((a, b) => liveCount(a) - liveCount(b))
  const chosen = new Set<ManifestFile>()
  let files = 0
  for (const manifest of bySize) {
    if (chosen.size > small - most / 2 && liveCount(manifest) > files) break
    chosen.add(manifest)
    files += liveCount(manifest)
  }
  const entries: ManifestEntry[] = []
  // In list order, so that files of a time stay together.
  for (const manifest of mergeable.filter((one) => chosen.has(one)))
    for (const entry of await base.table.entries(base, manifest)) if (isLive(entry)) entries.push({ ...entry, status: STATUS.EXISTING })
  const whole = await writer.manifests((bySize[0] as ManifestFile).specId, entries)
  return [...whole, ...untouched.filter((manifest) => !chosen.has(manifest))]
}

/** The manifests of the most frequent partition spec: a manifest lists files of one spec. */
function mergeableOf(manifests: readonly ManifestFile[]): ManifestFile[] {
  const bySpec = Object.groupBy(manifests, (manifest) => manifest.specId)
  return Object.values(bySpec).reduce<ManifestFile[]>((most, group = []) => (group.length > most.length ? group : most), [])
}

function withProperties(
  current: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string>> {
  const changed = Object.entries(changes).filter(([name, value]) => (current[name] ?? null) !== value)
  if (changed.length === 0) return current
  const properties = { ...current }
  for (const [name, value] of changed) {
    if (value === null) delete properties[name]
    else properties[name] = value
  }
  return properties
}

/**
 * Totals, and the rows added and deleted by an overwrite or delete. No more, as there are thousands of summaries (spec, Appendix
 * F: all but the operation is optional).
 */
function summaryOf(options: CommitAttempt, holders: readonly Holder[], read: readonly ReadManifest[]): Snapshot['summary'] {
  const { operation, add, base } = options
  const gone = holders.flatMap((holder) => holder.removed.map((entry) => entry.file))
  const [added, deleted] = [rowsOf(add), rowsOf(gone)]
  const live = (): ManifestedFile[] => read.flatMap(({ entries }) => entries.filter(isLive).map((entry) => entry.file))
  const before: Readonly<Record<string, string>> = base.snapshot?.summary ?? {}
  // Other writers may omit totals; the manifests have been read either way.
  const total = (name: string, change: number, count: () => number): Record<string, string> => {
    const stated = before[name] ? Number(before[name]) : Number.NaN
    return { [name]: String((Number.isSafeInteger(stated) ? stated : count()) + change) }
  }
  const isPlain = operation === 'append' || operation === 'replace'
  return {
    operation,
    ...(!isPlain && { 'added-records': String(added), 'deleted-records': String(deleted) }),
    ...total('total-data-files', add.length - gone.length, () => live().length),
    ...total('total-records', added - deleted, () => rowsOf(live())),
    ...total('total-files-size', bytesOf(add) - bytesOf(gone), () => bytesOf(live())),
    ...options.summary,
  }
}

function bytesOf(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((total, file) => total + file.bytes, 0)
}

function rowsOf(files: readonly { readonly rows: number }[]): number {
  return files.reduce((total, file) => total + file.rows, 0)
}

function checkOperation(options: { operation: Operation; add: readonly DataFile[]; removed: ReadonlySet<string> }): void {
  const { operation, add, removed } = options
  if (operation === 'append' && removed.size > 0) throw new Error('an append cannot remove files: the operation is overwrite or replace')
  if (operation === 'delete' && add.length > 0) throw new Error('a delete cannot add files: the operation is overwrite')
  const keys = new Set(add.map((file) => file.key))
  if (keys.size < add.length) throw new Error('a file is added twice in one commit')
  const both = [...keys].find((key) => removed.has(key))
  if (both) throw new Error(`${both} is added and removed in one commit`)
}

/** A file listed twice in a table returns its rows twice (spec, "Scan Planning"). */
function checkNew(read: readonly ReadManifest[], add: readonly DataFile[]): void {
  const keys = new Set(add.map((file) => file.key))
  for (const { entries } of read)
    for (const entry of entries) if (keys.has(entry.file.key) && isLive(entry)) throw new Error(`${entry.file.key} is in the table already`)
}

function checkRows(options: CommitAttempt, holders: readonly Holder[], deleted: number): void {
  if (options.operation !== 'replace') return
  const [added, gone] = [rowsOf(options.add), rowsOf(holders.flatMap((holder) => holder.removed.map((entry) => entry.file)))]
  if (added > gone || added < gone - deleted)
    throw new Error(`a replace keeps the rows: it adds ${added} and removes ${gone}; the operation is overwrite`)
}

function checkedFile(base: TableState, file: DataFile): DataFile {
  pathsOf(base).toLocation(file.key)
  const parts = specOf(base.metadata, file.specId).fields.length
  if (file.partition.length !== parts)
    throw new Error(`${file.key}: ${file.partition.length} partition values, spec ${file.specId} has ${parts}`)
  return file
}

/** A table must never list a file that is not completely in the store, whatever happened since it was written. */
async function checkStored(table: Table, files: readonly DataFile[]): Promise<void> {
  const limit = pLimit(REQUESTS)
  await Promise.all(
    files.map((file) =>
      limit(async () => {
        const stored = await table.store.head(file.key)
        if (stored?.bytes !== file.bytes)
          throw new Error(`${file.key}: ${stored ? `${stored.bytes} bytes` : 'nothing'} in the store, ${file.bytes} bytes expected`)
      }),
    ),
  )
}
