import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { SnapshotId } from '../../../lake/iceberg/metadata.ts'
import { openTable, type Table, type TableState, tableUri } from '../../../lake/iceberg/table.ts'
import type { DataFile } from '../../../lake/iceberg/types.ts'
import { identity, month } from '../../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { fakeDataFile, samples, tempStore, variant } from './fixtures.ts'

let store: ObjectStore
let remove: () => Promise<void>
let state: TableState
let table: Table

beforeEach(async () => {
  ;({ store, remove } = await tempStore())
  state = await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated' } })
  table = state.table
})
afterEach(() => remove())

const keysOf = async (of: TableState): Promise<string[]> => (await liveFiles(of)).map((file) => file.key).sort()
const file = (rows = 1, partition = 0): Promise<DataFile> => fakeDataFile(state, { rows, partition: [partition] })
const newest = async (): Promise<TableState> => (await openTable({ store, key: table.key }).load()) as TableState

async function objects(part: string): Promise<string[]> {
  const keys: string[] = []
  for await (const object of store.list(`${table.key}/${part}/`)) keys.push(object.key)
  return keys
}

describe('a table', () => {
  test('is created once, by the first of several, with its declaration', async () => {
    const dataset = variant({ id: 'other', partition: [identity('kind'), month('observed_at')] })
    const [one, other] = await Promise.all([1, 2].map(() => createTable({ store, dataset, properties: { 'source-mode': 'live' } })))
    expect(one?.metadata['table-uuid']).toBe(other?.metadata['table-uuid'])
    expect(one?.version).toBe(1)
    expect(one?.snapshotId).toBeNull()
    expect(one?.properties).toMatchObject({
      title: 'Samples',
      licence: 'CC BY 4.0',
      attribution: 'Sample publisher, example.org',
      'source-mode': 'live',
    })
    const { metadata } = one as TableState
    // A full URI: some engines read no plain path.
    expect(metadata.location).toBe(`file://${store.location('lake/test/other')}`)
    expect(metadata.schemas[0]?.['identifier-field-ids']).toStrictEqual([1, 2])
    expect(metadata['partition-specs'][0]?.fields).toStrictEqual([
      { 'source-id': 16, 'field-id': 1000, name: 'kind', transform: 'identity' },
      { 'source-id': 2, 'field-id': 1001, name: 'observed_at_month', transform: 'month' },
    ])
    expect(metadata['sort-orders'][1]?.fields.map((field) => field['source-id'])).toStrictEqual([1, 2])
    expect(metadata.schemas[0]?.fields.find((field) => field.name === 'price')).toStrictEqual({
      id: 5,
      name: 'price',
      required: false,
      type: 'decimal(9, 3)',
      doc: 'A decimal. Unit: EUR/L.',
    })
  })

  test('that is not created loads as null', async () => {
    expect(await openTable({ store, key: 'lake/test/nothing' }).load()).toBeNull()
  })
})

describe('commits', () => {
  test('append, overwrite, replace and delete give the files and totals they say', async () => {
    const [a, b, c, d] = await Promise.all([file(10), file(20), file(5), file(25)])
    await commit({ table, operation: 'append', add: [a, b] })
    await commit({ table, operation: 'overwrite', add: [c], remove: [a.key] })
    expect(await keysOf(await newest())).toStrictEqual([b.key, c.key].sort())
    const live = await liveFiles(await newest())
    await commit({ table, operation: 'replace', add: [d], remove: live })
    const replaced = await newest()
    expect(await keysOf(replaced)).toStrictEqual([d.key])
    expect(replaced.snapshot?.summary).toStrictEqual({
      operation: 'replace',
      'total-data-files': '1',
      'total-records': '25',
      'total-files-size': '4',
    })
    // Those before it keep the counts that their manifest lists do not give.
    expect(replaced.metadata.snapshots[0]?.summary).toStrictEqual({ operation: 'append', 'total-records': '30' })
    expect(replaced.metadata.snapshots[1]?.summary).toMatchObject({ operation: 'overwrite', 'added-records': '5', 'deleted-records': '10' })
    const { state: emptied } = await commit({ table, operation: 'delete', remove: [d] })
    expect(await keysOf(emptied)).toStrictEqual([])
    expect(emptied.snapshot?.summary['total-records']).toBe('0')
    expect(emptied.metadata.snapshots.map((snapshot) => snapshot['parent-snapshot-id'])).toStrictEqual([undefined, 1, 2, 3])
    expect(emptied.metadata['metadata-log'].map((entry) => entry['metadata-file'])).toStrictEqual(
      [1, 2, 3, 4].map((version) => `${tableUri(table)}/metadata/v${version}.metadata.json`),
    )
  })

  test('name removed files in the snapshot that removed them, and no longer in the next', async () => {
    const [a, b, c] = await Promise.all([file(), file(), file()])
    await commit({ table, operation: 'append', add: [a, b] })
    const { state: after } = await commit({ table, operation: 'delete', remove: [a] })
    const entries = async (of: TableState): Promise<[number, string, SnapshotId, number][]> =>
      (await Promise.all((await of.table.manifests(of)).map((manifest) => of.table.entries(of, manifest))))
        .flat()
        .map((entry) => [entry.status, entry.file.key, entry.snapshotId, entry.sequenceNumber])
    const fresh = await newest()
    expect(await entries(fresh)).toStrictEqual(await entries(after))
    expect(await entries(fresh)).toStrictEqual([
      [2, a.key, 2, 1],
      [0, b.key, 1, 1],
    ])
    await commit({ table, operation: 'delete', remove: [b] })
    await commit({ table, operation: 'append', add: [c] })
    expect(await entries(await newest())).toStrictEqual([[1, c.key, 4, 4]])
  })

  test('of properties alone make a version without a snapshot, and none where nothing changes', async () => {
    const { state: set } = await commit({ table, operation: 'append', properties: () => ({ 'landed.f': '1-3', title: null }) })
    expect([set.version, set.snapshotId, set.properties['landed.f'], set.properties.title]).toStrictEqual([2, null, '1-3', undefined])
    const { state: same } = await commit({ table, operation: 'append', properties: () => ({ 'landed.f': '1-3', none: null }) })
    expect(same.version).toBe(2)
  })

  test('that do not fit are refused by name', async () => {
    const a = await file(3)
    await commit({ table, operation: 'append', add: [a] })
    const b = await file(4)
    await expect(commit({ table, operation: 'append', add: [b], remove: [a] })).rejects.toThrow('an append cannot remove files')
    await expect(commit({ table, operation: 'delete', add: [b], remove: [a] })).rejects.toThrow('a delete cannot add files')
    await expect(commit({ table, operation: 'replace', add: [b], remove: [a] })).rejects.toThrow('adds 4 and removes 3')
    await expect(commit({ table, operation: 'append', add: [b, b] })).rejects.toThrow('added twice')
    await expect(commit({ table, operation: 'append', add: [a] })).rejects.toThrow(`${a.key} is in the table already`)
    await expect(commit({ table, operation: 'overwrite', add: [b], remove: [b] })).rejects.toThrow('added and removed')
    await expect(commit({ table, operation: 'append', add: [{ ...b, bytes: 5 }] })).rejects.toThrow(
      '4 bytes in the store, 5 bytes expected',
    )
    await expect(commit({ table, operation: 'append', add: [{ ...b, key: `${b.key}x` }] })).rejects.toThrow('nothing in the store')
    await expect(commit({ table, operation: 'append', add: [{ ...b, partition: [] }] })).rejects.toThrow('0 partition values, spec 0 has 1')
    await expect(commit({ table, operation: 'append', add: [{ ...b, specId: 7 }] })).rejects.toThrow('no partition spec 7')
    await expect(
      commit({
        table,
        operation: 'append',
        add: [b],
        unless: () => {
          throw new Error('asked in vain')
        },
      }),
    ).rejects.toThrow('asked in vain')
    expect((await newest()).version).toBe(2)
    expect(await objects('metadata')).toHaveLength(5)
  })

  test('stay within 16 manifests, and merged entries keep their snapshot and sequence number', async () => {
    const files: DataFile[] = []
    for (let n = 0; n < 40; n++) {
      const one = await file(1, n % 3)
      files.push(one)
      await commit({ table, operation: 'append', add: [one] })
      expect((await table.manifests((await table.load()) as TableState)).length).toBeLessThanOrEqual(16)
    }
    const live = await liveFiles(await newest())
    expect(live.map((one) => one.key).sort()).toStrictEqual(files.map((one) => one.key).sort())
    for (const one of live) {
      const n = files.findIndex((other) => other.key === one.key) + 1
      expect([one.snapshotId, one.sequenceNumber]).toStrictEqual([BigInt(n), n])
    }
    const fresh = await newest()
    for (const manifest of await fresh.table.manifests(fresh)) {
      const entries = await fresh.table.entries(fresh, manifest)
      expect(manifest.minSequenceNumber).toBe(Math.min(...entries.map((entry) => entry.sequenceNumber)))
      expect(manifest.added.files + manifest.existing.files).toBe(entries.length)
    }
  })
})

describe('on a conflict', () => {
  /** A commit through another opened table, while the first stands between its manifests and its metadata. */
  const meanwhile = (work: (other: Table) => Promise<unknown>): ((step: string) => Promise<void>) => {
    let done = false
    return async (step) => {
      if (done || step !== 'manifests-written') return
      done = true
      await work(openTable({ store, key: table.key }))
    }
  }

  test('an append goes onto later commits, checks again, and leaves nothing of its first attempt', async () => {
    const [a, b] = await Promise.all([file(), file()])
    const asked: (string | undefined)[] = []
    const result = await commit({
      table,
      operation: 'append',
      add: [a],
      unless: (current) => {
        asked.push(current.properties.landed)
        return null
      },
      properties: (current) => ({ landed: `${current.properties.landed ?? ''}a` }),
      onStep: meanwhile((other) => commit({ table: other, operation: 'append', add: [b], properties: () => ({ landed: 'b' }) })),
    })
    expect(result.committed).toBe(true)
    expect(asked).toStrictEqual([undefined, 'b'])
    expect(result.state.properties.landed).toBe('ba')
    expect(await keysOf(await newest())).toStrictEqual([a.key, b.key].sort())
    // Three versions and their hint, and a manifest and a list of each of two snapshots.
    expect(await objects('metadata')).toHaveLength(8)
  })

  test('a commit gives up when it is no longer wanted', async () => {
    const [a, b] = await Promise.all([file(), file()])
    const result = await commit({
      table,
      operation: 'append',
      add: [a],
      unless: (current) => (current.properties.landed ? 'landed already' : null),
      onStep: meanwhile((other) => commit({ table: other, operation: 'append', add: [b], properties: () => ({ landed: '1' }) })),
    })
    expect(result).toMatchObject({ committed: false, reason: 'landed already' })
    expect(await keysOf(await newest())).toStrictEqual([b.key])
    expect(await objects('metadata')).toHaveLength(5)
  })

  test.each(['replace', 'overwrite', 'delete'] as const)('a %s goes on only while every file it removes is live', async (operation) => {
    const [a, b, c, d] = await Promise.all([file(), file(), file(), file(2)])
    await commit({ table, operation: 'append', add: [a, b] })
    const change = { table, operation, remove: [a, b], ...(operation !== 'delete' && { add: [d] }) }
    const gone = await commit({ ...change, onStep: meanwhile((other) => commit({ table: other, operation: 'delete', remove: [b] })) })
    expect(gone).toMatchObject({ committed: false, reason: `no longer in the table: ${b.key}` })
    expect(await keysOf(await newest())).toStrictEqual([a.key])

    await commit({ table, operation: 'append', add: [b] })
    const fine = await commit({ ...change, onStep: meanwhile((other) => commit({ table: other, operation: 'append', add: [c] })) })
    expect(fine.committed).toBe(true)
    expect(await keysOf(await newest())).toStrictEqual((operation === 'delete' ? [c.key] : [c.key, d.key]).sort())
  })
})
