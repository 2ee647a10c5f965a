import { createLimit } from '../limit.ts'
import { deleteTableObject } from './checksums.ts'
import { STATUS } from './manifest.ts'
import type { Snapshot } from './metadata.ts'
import { pathsOf, type Table, type TableState } from './table.ts'
import { updateTable } from './update.ts'

/** How long a state of a table stays readable after another took its place. */
export const KEEP_SNAPSHOTS_MS = 7 * 86_400_000

const REQUESTS = 16

/** How many snapshots an expiry took from a table, and how many objects from the store. */
export interface Expired {
  readonly snapshots: number
  readonly objects: number
}

/**
 * Takes from a table the snapshots that were replaced by another more than `keep_ms` before `now` (both ms; the store's clock unless
 * told), never the current one; then deletes the objects that only they named, except those that `inUse` claims (a running query lists
 * them): the clean-up of orphans finds these later.
 */
export async function expireSnapshots(options: {
  table: Table
  keep_ms?: number
  now?: number
  inUse?: (key: string) => boolean
}): Promise<Expired> {
  const { table, keep_ms = KEEP_SNAPSHOTS_MS, inUse = () => false } = options
  const now = options.now ?? (await table.store.now())
  let base: TableState | null = null
  let expired: readonly Snapshot[] = []
  const { state } = await updateTable({
    table,
    attempt: async (current) => {
      base = current
      expired = expiredOf(current.metadata.snapshots, now - keep_ms)
      if (expired.length === 0) return { kind: 'nothing' }
      const gone = new Set(expired.map((snapshot) => snapshot['snapshot-id']))
      const kept = <T extends { readonly 'snapshot-id': number }>(list: readonly T[]): T[] =>
        list.filter((one) => !gone.has(one['snapshot-id']))
      const { snapshots, 'snapshot-log': log } = current.metadata
      return { kind: 'change', metadata: { ...current.metadata, snapshots: kept(snapshots), 'snapshot-log': kept(log) } }
    },
  })
  if (expired.length === 0) return { snapshots: 0, objects: 0 }
  const unnamed = await onlyIn(base ?? state, expired)
  const removable = unnamed.filter((key) => !inUse(key))
  const limit = createLimit(REQUESTS)
  await Promise.all(removable.map((key) => limit(() => deleteTableObject(table.store, key))))
  return { snapshots: expired.length, objects: removable.length }
}

/** Snapshots whose follower came before a time. History is a line here: one branch, never rolled back. */
function expiredOf(snapshots: readonly Snapshot[], before: number): Snapshot[] {
  const line = snapshots.toSorted((a, b) => a['sequence-number'] - b['sequence-number'])
  return line.filter((_, at) => {
    const follower = line[at + 1]
    return follower !== undefined && follower['timestamp-ms'] < before
  })
}

/**
 * Objects that expired snapshots name and no later one: in a line of snapshots a manifest or file that is gone never returns, so what
 * the first snapshot that stays does not name, none does.
 */
async function onlyIn(base: TableState, expired: readonly Snapshot[]): Promise<string[]> {
  const { table, metadata } = base
  const last = Math.max(...expired.map((snapshot) => snapshot['sequence-number']))
  const stays = metadata.snapshots
    .filter((snapshot) => snapshot['sequence-number'] > last)
    .reduce((first, snapshot) => (snapshot['sequence-number'] < first['sequence-number'] ? snapshot : first))
  const keptManifests = await table.manifests(base, stays)
  const kept = new Set(keptManifests.map((manifest) => manifest.key))
  const limit = createLimit(REQUESTS)
  const lists = await Promise.all(expired.map((snapshot) => limit(() => table.manifests(base, snapshot))))
  const manifests = [...new Map(lists.flat().map((manifest) => [manifest.key, manifest])).values()].filter(
    (manifest) => !kept.has(manifest.key),
  )

  const live = new Set<string>()
  for (const manifest of keptManifests)
    for (const entry of await table.entries(base, manifest)) if (entry.status !== STATUS.DELETED) live.add(entry.file.key)
  const files = new Set<string>()
  const entries = await Promise.all(manifests.map((manifest) => limit(() => table.entries(base, manifest))))
  for (const entry of entries.flat()) if (!live.has(entry.file.key)) files.add(entry.file.key)
  const { toKey } = pathsOf(base)
  return [...files, ...manifests.map((manifest) => manifest.key), ...expired.map((snapshot) => toKey(snapshot['manifest-list']))]
}
