import type { Snapshot, SnapshotId, SnapshotRef, TableMetadata } from './metadata.ts'
import { ROWS_AT } from './other-writers.ts'

const HOUR_MS = 3_600_000

/** How long a replaced state of a table stays readable. */
export const KEEP_SNAPSHOTS_MS = 7 * 24 * HOUR_MS

/** How long every state is kept; older ones are thinned to the last one of each hour. */
export const KEEP_ALL_MS = 24 * HOUR_MS

const MAIN = 'main'

/** The branches and tags kept at a time: main, and those whose `max-ref-age-ms`, if set, has not passed. */
export function namedRefs(metadata: TableMetadata, now: number): Record<string, SnapshotRef> {
  const byId = new Map(metadata.snapshots.map((snapshot) => [snapshot['snapshot-id'], snapshot]))
  const age = (ref: SnapshotRef): number => now - (byId.get(ref['snapshot-id'])?.['timestamp-ms'] ?? now)
  return Object.fromEntries(
    Object.entries(metadata.refs ?? {}).filter(([name, ref]) => name === MAIN || age(ref) <= (ref['max-ref-age-ms'] ?? Infinity)),
  )
}

/**
 * The snapshots to keep: all states replaced in the last 24 hours, the last of each hour for `keep_ms` (7 days by default) after
 * its replacement, the current one, and those retained by branches and tags (spec, "Snapshot Retention Policy").
 */
export function keptSnapshots(metadata: TableMetadata, options: { now: number; keep_ms?: number }): Set<SnapshotId> {
  const { snapshots, refs = {} } = metadata
  const { now, keep_ms = KEEP_SNAPSHOTS_MS } = options
  const kept = new Set<SnapshotId>()
  for (const [name, ref] of Object.entries(refs))
    if (name !== MAIN) for (const id of keptByRef(metadata, ref, { now, keep_ms })) kept.add(id)

  const line = snapshots.toSorted((a, b) => a['sequence-number'] - b['sequence-number'])
  const { 'min-snapshots-to-keep': least = 1, 'max-snapshot-age-ms': most_ms = keep_ms } = refs[MAIN] ?? {}
  for (const [at, snapshot] of line.entries()) {
    const follower = line[at + 1]
    const isNewest = at >= line.length - Math.max(least, 1)
    if (isNewest || !follower || isKeptFor(snapshot, follower, { now, keep_ms: most_ms })) kept.add(snapshot['snapshot-id'])
  }
  if (metadata['current-snapshot-id'] !== undefined) kept.add(metadata['current-snapshot-id'])
  // Without it nobody could tell what other writers have done since.
  const compared = snapshots.find(({ 'snapshot-id': id }) => String(id) === metadata.properties[ROWS_AT])
  if (compared) kept.add(compared['snapshot-id'])
  return kept
}

/**
 * The kept snapshot nearest to an expired one: the first after it, which is the last of its hour, or else the newest. The id of
 * one of ours is its sequence number; of another writer's, which is random, only a child tells the place.
 */
export function nearestSnapshot({ snapshots }: TableMetadata, id: bigint): Snapshot | null {
  const line = snapshots.toSorted((a, b) => a['sequence-number'] - b['sequence-number'])
  const child = line.find((snapshot) => BigInt(snapshot['parent-snapshot-id'] ?? -1) === id)
  return child ?? line.find((snapshot) => BigInt(snapshot['sequence-number']) > id) ?? line.at(-1) ?? null
}

function isKeptFor(snapshot: Snapshot, follower: Snapshot, { now, keep_ms }: { now: number; keep_ms: number }): boolean {
  const replaced_at = follower['timestamp-ms']
  if (replaced_at < now - keep_ms) return false
  if (replaced_at >= now - KEEP_ALL_MS) return true
  const hour = (at: number): number => Math.floor(at / HOUR_MS)
  return hour(snapshot['timestamp-ms']) !== hour(replaced_at)
}

/** Snapshots kept by a tag or a branch other than main: its snapshot, plus as many ancestors as a branch retains. */
function keptByRef(metadata: TableMetadata, ref: SnapshotRef, { now, keep_ms }: { now: number; keep_ms: number }): SnapshotId[] {
  if (ref.type === 'tag') return [ref['snapshot-id']]
  const byId = new Map(metadata.snapshots.map((snapshot) => [snapshot['snapshot-id'], snapshot]))
  const { 'min-snapshots-to-keep': least = 1, 'max-snapshot-age-ms': most_ms = keep_ms } = ref
  const ids: SnapshotId[] = []
  for (let one = byId.get(ref['snapshot-id']); one; one = byId.get(one['parent-snapshot-id'] ?? -1)) {
    if (ids.length >= least && one['timestamp-ms'] < now - most_ms) break
    ids.push(one['snapshot-id'])
  }
  return ids
}
