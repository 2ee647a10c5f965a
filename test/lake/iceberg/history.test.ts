import { expect, test } from 'vitest'
import { newestSnapshots } from '../../../lake/iceberg/history.ts'
import type { Snapshot, TableMetadata } from '../../../lake/iceberg/metadata.ts'

const snapshot = (id: number, parent: number | null, summary: Snapshot['summary']): Snapshot => ({
  'snapshot-id': id,
  ...(parent === null ? {} : { 'parent-snapshot-id': parent }),
  'sequence-number': id,
  'timestamp-ms': id * 1000,
  'manifest-list': '',
  summary,
})
const newest = (snapshots: readonly Snapshot[], count = 10) =>
  newestSnapshots({ snapshots } as unknown as TableMetadata, count).map(({ id, operation, rows_added, rows_removed, rows }) => [
    ...[id, operation, rows_added, rows_removed, rows],
  ])

test('lists the newest snapshots first, with the rows that each added and removed', () => {
  const all = [
    snapshot(1, null, { operation: 'append', 'total-records': '10' }),
    snapshot(2, 1, { operation: 'append', 'total-records': '25' }),
    snapshot(3, 2, { operation: 'overwrite', 'added-records': '4', 'deleted-records': '5', 'total-records': '24' }),
    snapshot(4, 3, { operation: 'replace', 'total-records': '24' }),
    snapshot(5, 4, { operation: 'delete', 'deleted-records': '20', 'added-records': '0', 'total-records': '4' }),
  ]
  expect(newest(all)).toEqual([
    ['5', 'delete', 0, 20, 4],
    ['4', 'replace', 0, 0, 24],
    ['3', 'overwrite', 4, 5, 24],
    ['2', 'append', 15, 0, 25],
    ['1', 'append', 10, 0, 10],
  ])
  expect(newest(all, 2).map(([id]) => id)).toEqual(['5', '4'])
  expect(newest([])).toEqual([])
})

test('counts are null if they are not known: the snapshot before has expired, or another writer stated none', () => {
  expect(newest([snapshot(7, 6, { operation: 'append', 'total-records': '30' })])).toEqual([['7', 'append', null, 0, 30]])
  expect(newest([snapshot(7, 6, { operation: 'append', 'added-records': '2' })])).toEqual([['7', 'append', 2, 0, null]])
  expect(newest([snapshot(8, 7, { operation: 'overwrite' })])).toEqual([['8', 'overwrite', null, null, null]])
})
