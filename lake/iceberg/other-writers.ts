import { isoInstant } from '../schema/time.ts'
import type { Snapshot, SnapshotId, TableMetadata } from './metadata.ts'
import { stateOf, type TableState } from './table.ts'

/** Table property: the snapshot whose rows are as our writers left them. It differs from the current one after another writer. */
export const ROWS_AT = 'rows-at'

/** The kept snapshots that other writers made. The id of one of ours is its sequence number, theirs are random. */
export function foreignSnapshots({ metadata }: TableState): Snapshot[] {
  return metadata.snapshots.filter(isForeign)
}

/** The engine that made a snapshot, by its summary, and when: `spark 3.5.1 (app-1) at 2026-03-01T00:00:00.000Z`. */
export function writerOf({ summary, 'timestamp-ms': at }: Snapshot): string {
  const app = summary['spark.app.id'] ?? summary['app-id']
  const engine = summary['engine-name'] ?? (summary['spark.app.id'] === undefined ? 'an unnamed engine' : 'spark')
  const version = summary['engine-version']
  return `${engine}${version ? ` ${version}` : ''}${app ? ` (${app})` : ''} at ${isoInstant(at)}`
}

/** `ROWS_AT` after a commit of ours on a base: its snapshot, unless another writer changed the base and nobody compared. */
export function rowsAtAfter({ properties, snapshotId }: TableState, next: SnapshotId): Readonly<Record<string, string>> {
  const known = properties[ROWS_AT]
  return known === undefined || known === String(snapshotId) ? { [ROWS_AT]: String(next) } : {}
}

/**
 * What other writers did to the rows since `ROWS_AT`: nothing, add some, or change them, as by a delete or a rollback. Then
 * `before` is the state at that snapshot; null if it is no longer kept.
 */
export function changeByOthers(
  state: TableState,
): { readonly kind: 'none' | 'added' } | { readonly kind: 'changed'; readonly before: TableState | null } {
  const { metadata, properties, snapshotId } = state
  const known = properties[ROWS_AT]
  if (known === undefined || known === String(snapshotId)) return { kind: 'none' }
  const byId = new Map(metadata.snapshots.map((one) => [String(one['snapshot-id']), one]))
  let at = state.snapshot
  while (at && String(at['snapshot-id']) !== known && !(isForeign(at) && changesRows(at)))
    at = byId.get(String(at['parent-snapshot-id'])) ?? null
  if (String(at?.['snapshot-id']) === known) return { kind: 'added' }
  const before = byId.get(known)
  return { kind: 'changed', before: before ? stateAt(state, before['snapshot-id']) : null }
}

/** The state of a table as if a kept snapshot were the current one. */
function stateAt({ table, version, metadata }: TableState, id: SnapshotId): TableState {
  const past: TableMetadata = { ...metadata, 'current-snapshot-id': id }
  return stateOf(table, version, past)
}

const isForeign = (one: Snapshot): boolean => one['snapshot-id'] !== one['sequence-number']
const changesRows = ({ summary: { operation } }: Snapshot): boolean => operation === 'delete' || operation === 'overwrite'
