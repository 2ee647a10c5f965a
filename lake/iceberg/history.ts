import type { Operation, Snapshot, TableMetadata } from './metadata.ts'

/** A snapshot and what it changed. Counts are null if they are not known any more. */
interface HistoryEntry {
  readonly id: string
  /** ms since the epoch. */
  readonly at: number
  readonly operation: Operation
  readonly rows_added: number | null
  readonly rows_removed: number | null
  /** Rows of the table since then. */
  readonly rows: number | null
}

/** Returns the newest snapshots of a table, newest first, with the rows that each added and removed. Reads no files. */
export function newestSnapshots({ snapshots }: TableMetadata, count: number): readonly HistoryEntry[] {
  const byId = new Map(snapshots.map((snapshot) => [String(snapshot['snapshot-id']), snapshot]))
  return snapshots
    .slice(-count)
    .toReversed()
    .map((snapshot) => {
      const parent = snapshot['parent-snapshot-id']
      const rowsBefore = parent === undefined ? 0 : countOf(byId.get(String(parent)), 'total-records')
      return {
        id: String(snapshot['snapshot-id']),
        at: snapshot['timestamp-ms'],
        operation: snapshot.summary.operation,
        ...changeOf(snapshot, rowsBefore),
        rows: countOf(snapshot, 'total-records'),
      }
    })
}

/** The stated counts. Without them: an append adds the difference to the snapshot before, a rewrite of files changes no rows. */
function changeOf(snapshot: Snapshot, rowsBefore: number | null): Pick<HistoryEntry, 'rows_added' | 'rows_removed'> {
  const { operation } = snapshot.summary
  if (operation === 'replace') return { rows_added: 0, rows_removed: 0 }
  const [added, removed, rows] = ['added-records', 'deleted-records', 'total-records'].map((name) => countOf(snapshot, name))
  if (operation !== 'append') return { rows_added: added ?? null, rows_removed: removed ?? null }
  const difference = rows == null || rowsBefore === null ? null : rows - rowsBefore
  return { rows_added: added ?? difference, rows_removed: 0 }
}

function countOf(snapshot: Snapshot | undefined, name: string): number | null {
  const stated = Number(snapshot?.summary[name] ?? Number.NaN)
  return Number.isSafeInteger(stated) ? stated : null
}
