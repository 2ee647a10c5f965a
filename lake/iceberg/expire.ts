import pLimit from 'p-limit'
import { deleteTableObjects } from './checksums.ts'
import { STATUS } from './manifest.ts'
import type { ManifestFile } from './manifest-list.ts'
import type { Snapshot, SnapshotId, TableMetadata } from './metadata.ts'
import { keptSnapshots, namedRefs } from './retention.ts'
import { BASE_MAX_AGE_MS, hintKey, pathsOf, type Table, type TableState, VERSION } from './table.ts'
import { updateTable, writeHint } from './update.ts'

const REQUESTS = 16

/** Number of snapshots removed from a table, and of objects deleted from the store. */
export interface Expired {
  readonly snapshots: number
  readonly objects: number
}

/**
 * Removes the snapshots that `keptSnapshots` does not keep at `now` (ms; the store's clock by default), then deletes objects that
 * only they list. Objects `inUse` by a running query are left to the orphan clean-up.
 */
export async function expireSnapshots(options: {
  table: Table
  keep_ms?: number
  now?: number
  inUse?: (key: string) => boolean
}): Promise<Expired> {
  const { table, keep_ms, inUse = () => false } = options
  const now = options.now ?? (await table.store.now())
  let base: TableState | null = null
  let expired: readonly Snapshot[] = []
  const { state } = await updateTable({
    table,
    attempt: async (current) => {
      base = current
      const refs = namedRefs(current.metadata, now)
      const kept = keptSnapshots({ ...current.metadata, refs }, { now, ...(keep_ms === undefined ? {} : { keep_ms }) })
      expired = current.metadata.snapshots.filter((snapshot) => !kept.has(snapshot['snapshot-id']))
      const hasEndedRefs = Object.keys(refs).length < Object.keys(current.metadata.refs ?? {}).length
      if (expired.length === 0 && !hasEndedRefs) return { kind: 'nothing' }
      return { kind: 'change', metadata: { ...without(current.metadata, kept), refs } }
    },
  })
  if (expired.length === 0) return { snapshots: 0, objects: 0 }
  const unnamed = await onlyIn(base ?? state, expired)
  const removable = unnamed.filter((key) => !inUse(key))
  await deleteTableObjects(table.store, removable)
  return { snapshots: expired.length, objects: removable.length }
}

function without(metadata: TableMetadata, kept: ReadonlySet<SnapshotId>): TableMetadata {
  const isKept = (one: { readonly 'snapshot-id': SnapshotId }): boolean => kept.has(one['snapshot-id'])
  const { statistics, 'partition-statistics': byPartition } = metadata
  const { [LINE_BREAK]: _, ...properties } = metadata.properties
  const snapshots = metadata.snapshots.filter(isKept)
  const at = lineBreak(metadata)
  return {
    ...metadata,
    properties: snapshots.some((one) => one['sequence-number'] < at) ? { ...properties, [LINE_BREAK]: String(at) } : properties,
    snapshots,
    'snapshot-log': metadata['snapshot-log'].filter(isKept),
    ...(statistics ? { statistics: statistics.filter(isKept) } : {}),
    ...(byPartition ? { 'partition-statistics': byPartition.filter(isKept) } : {}),
  }
}

/** Objects listed by expired snapshots and by no kept one. */
async function onlyIn(base: TableState, expired: readonly Snapshot[]): Promise<string[]> {
  const { table } = base
  const limit = pLimit(REQUESTS)
  const manifestsOf = async (snapshots: readonly Snapshot[]): Promise<Map<string, ManifestFile>> => {
    const lists = await Promise.all(snapshots.map((snapshot) => limit(() => table.manifests(base, snapshot))))
    return new Map(lists.flat().map((manifest) => [manifest.key, manifest]))
  }
  const kept = await manifestsOf(neighbours(base.metadata, expired))
  const all = await manifestsOf(expired)
  const manifests = [...all.values()].filter((manifest) => !kept.has(manifest.key))

  const entriesOf = async (of: Iterable<ManifestFile>) =>
    (await Promise.all([...of].map((manifest) => limit(() => table.entries(base, manifest))))).flat()
  const live = new Set<string>()
  for (const entry of await entriesOf(kept.values())) if (entry.status !== STATUS.DELETED) live.add(entry.file.key)
  const files = new Set<string>()
  for (const entry of await entriesOf(manifests)) if (!live.has(entry.file.key)) files.add(entry.file.key)
  const { toKey } = pathsOf(base)
  return [...files, ...manifests.map((manifest) => manifest.key), ...expired.map((snapshot) => toKey(snapshot['manifest-list']))]
}

/**
 * Kept snapshots that may list objects of expired ones. On one line of descent a removed manifest or file never returns, so the
 * nearest kept snapshots before and after each are enough. With other branches or tags, or before a break, all kept ones count.
 */
function neighbours(metadata: TableMetadata, expired: readonly Snapshot[]): Snapshot[] {
  const gone = new Set(expired)
  const line = lineOf(metadata)
  const isPlain =
    Object.keys(metadata.refs ?? {}).every((name) => name === 'main') && line.every((one) => one['sequence-number'] >= lineBreak(metadata))
  if (!isPlain) return line.filter((snapshot) => !gone.has(snapshot))
  return line.filter((snapshot, at) => {
    const beside = [line[at - 1], line[at + 1]]
    return !gone.has(snapshot) && beside.some((one) => one !== undefined && gone.has(one))
  })
}

/** Sequence number of the newest snapshot that does not continue the one before it. It outlives that snapshot. */
const LINE_BREAK = 'line-break'

/** The newest break of the line of descent: after a rollback or a dropped branch, removed files return. 0 if there is none. */
function lineBreak(metadata: TableMetadata): number {
  const line = lineOf(metadata)
  const isBroken = (snapshot: Snapshot, at: number): boolean => {
    const before = line[at - 1]
    const parent = snapshot['parent-snapshot-id']
    if (!before || parent === before['snapshot-id']) return false
    // An expired parent of ours lies between the two: its id is its sequence number.
    const isGone = !line.some((one) => one['snapshot-id'] === parent)
    return !(isGone && typeof parent === 'number' && parent > before['sequence-number'] && parent < snapshot['sequence-number'])
  }
  const broken = line.findLast(isBroken)?.['sequence-number'] ?? 0
  return Math.max(broken, Number(metadata.properties[LINE_BREAK] ?? 0))
}

function lineOf({ snapshots }: TableMetadata): Snapshot[] {
  return snapshots.toSorted((a, b) => a['sequence-number'] - b['sequence-number'])
}

/** Grace period of an object that no snapshot lists: a commit may be about to add it, or a reader may still read it. */
export const ORPHAN_GRACE_MS = 72 * 3_600_000

/** Grace period of versions no longer in the newest version's log: readers may use one as a base for `BASE_MAX_AGE_MS`. */
const VERSION_GRACE_MS = 2 * BASE_MAX_AGE_MS

/**
 * Deletes metadata versions older than the grace period by the store's clock, except the newest and those in its log. Returns
 * their keys.
 */
export async function removeOldVersions({ table, grace_ms = VERSION_GRACE_MS }: { table: Table; grace_ms?: number }): Promise<string[]> {
  const before = (await table.store.now()) - grace_ms
  const old = new Map<number, string>()
  for await (const object of table.store.list(`${table.key}/metadata/v`)) {
    const [, version] = VERSION.exec(object.key) ?? []
    if (version && object.modified_at < before) old.set(Number(version), object.key)
  }
  const state = await table.load()
  if (!state) return []
  const first = state.version - state.metadata['metadata-log'].length
  const gone = [...old].filter(([version]) => version < first).sort(([a], [b]) => a - b)
  // A leftover hint must not point at a deleted version.
  if (gone.length > 0) await writeHint(table, { version: state.version, committed_at: table.clock() })
  // Oldest first, one by one: readers that search for the newest version rely on the absence of gaps.
  for (const [, key] of gone) await table.store.delete(key)
  return gone.map(([, key]) => key)
}

/**
 * Deletes objects in `data/` and `metadata/` that no snapshot lists, that are older than the grace period by the store's clock
 * and not `inUse`; also old metadata versions. Returns the deleted keys. Throws, deleting nothing, if the table lists a file
 * outside its folder.
 */
export async function removeOrphans(options: { table: Table; grace_ms?: number; inUse?: (key: string) => boolean }): Promise<string[]> {
  const { table, grace_ms = ORPHAN_GRACE_MS, inUse = () => false } = options
  const before = (await table.store.now()) - grace_ms
  const old = new Set<string>()
  for (const part of ['data', 'metadata'])
    for await (const object of table.store.list(`${table.key}/${part}/`)) if (object.modified_at < before) old.add(object.key)
  // After the listing, so that this state includes whatever was committed meanwhile.
  const state = await table.load({ isFresh: true })
  if (!state) throw new Error(`table ${table.key} is not created`)
  const candidates = [...old].filter((key) => key !== hintKey(table.key) && !VERSION.test(key) && !inUse(key))
  const named = candidates.length > 0 ? await namedBy(state) : new Set<string>()
  const orphans = candidates.filter((key) => !named.has(key))
  await deleteTableObjects(table.store, orphans)
  return [...orphans, ...(await removeOldVersions({ table, grace_ms: Math.min(grace_ms, VERSION_GRACE_MS) }))]
}

/** Keys of every manifest list, manifest and statistics file of the state's snapshots, and of every live data file in them. */
async function namedBy(state: TableState): Promise<Set<string>> {
  const { table, metadata } = state
  const { toKey } = pathsOf(state)
  const statistics = [...(metadata.statistics ?? []), ...(metadata['partition-statistics'] ?? [])]
  const named = new Set(statistics.map((file) => toKey(file['statistics-path'])))
  const limit = pLimit(REQUESTS)
  const lists = metadata.snapshots.map((snapshot) =>
    limit(async () => {
      named.add(toKey(snapshot['manifest-list']))
      return table.manifests(state, snapshot)
    }),
  )
  const manifests = new Map((await Promise.all(lists)).flat().map((manifest) => [manifest.key, manifest]))
  await Promise.all(
    [...manifests.values()].map((manifest) =>
      limit(async () => {
        named.add(manifest.key)
        for (const entry of await table.entries(state, manifest)) if (entry.status !== STATUS.DELETED) named.add(entry.file.key)
      }),
    ),
  )
  return named
}
