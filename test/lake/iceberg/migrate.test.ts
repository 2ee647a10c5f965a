import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { MigrationError } from '../../../lake/iceberg/errors.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { schemaOf } from '../../../lake/iceberg/metadata.ts'
import { migrateTable } from '../../../lake/iceberg/migrate.ts'
import { openTable, stateAt, type TableState } from '../../../lake/iceberg/table.ts'
import type { Bound, FieldMetrics } from '../../../lake/iceberg/types.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import { type Columns, col, retired } from '../../../lake/schema/columns.ts'
import { type Dataset, day, identity, month } from '../../../lake/schema/dataset.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { fakeDataFile, samples, tempStore, variant } from './fixtures.ts'

let store: ObjectStore
let remove: () => Promise<void>
let state: TableState

beforeEach(async () => {
  ;({ store, remove } = await tempStore())
  state = await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated' } })
})
afterEach(() => remove())

const withColumns = (columns: Columns): Dataset => variant({ columns: { ...samples.columns, ...columns } })
const migrate = (dataset: Dataset): ReturnType<typeof migrateTable> => migrateTable(openTable({ store, key: state.table.key }), dataset)
const without = (name: string, columns: Columns = samples.columns): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([one]) => one !== name))

describe('a table follows its declaration', () => {
  test('not at all where nothing changed', async () => {
    expect(await migrate(samples)).toMatchObject({ changes: [], state: { version: 1 } })
  })

  test('by adding, renaming, widening, making nullable and retiring columns', async () => {
    const { price: _price, position: _position, ...kept } = samples.columns
    const dataset = variant({
      columns: {
        ...kept,
        level: col.integer(4, 'An int.', { unit: 'm', nullable: true, long: true }),
        ratio: retired(kept.ratio),
        kind: col.string(16, 'A code.', { nullable: true }),
        cost: col.decimal(5, 'A decimal.', { scale: 3, precision: 12, unit: 'EUR/L', nullable: true, was: ['price'] }),
        place: col.point([10, 11], 'A point.', { nullable: true, was: ['position'] }),
        note: col.string(20, 'New.', { nullable: true }),
        codes: col.list([21, 22], 'New too.', col.integer(0, 'One.', { unit: '1' }), { nullable: true }),
      },
    })
    const { state: after, changes } = await migrate(dataset)
    expect(changes).toStrictEqual([
      'retired ratio',
      'widened level from int to long',
      'made kind nullable',
      'renamed price to cost',
      'renamed position_lat to place_lat',
      'renamed position_lon to place_lon',
      'added note',
      'added codes',
    ])
    const schema = schemaOf(after.metadata)
    expect(schema['schema-id']).toBe(1)
    expect(after.properties['read.parquet.vectorization.enabled']).toBe('false')
    expect(after.metadata.schemas).toHaveLength(2)
    expect(after.metadata['last-column-id']).toBe(9999)
    expect(schema.fields.find((field) => field.id === 5)).toMatchObject({ name: 'cost', type: 'decimal(12, 3)' })
    expect(schema.fields.some((field) => field.id === 6)).toBe(false)
    expect((await migrate(dataset)).changes).toStrictEqual([])
  })

  test('and old files are found by the new names, old bounds read as the new types, and old snapshots stay', async () => {
    const limits = (lower: Bound, upper: Bound): FieldMetrics => ({ values: 2, nulls: 0, nans: null, lower, upper, bytes: null })
    const old = await fakeDataFile(state, {
      rows: 2,
      metrics: new Map([
        [4, limits(-5, 7)],
        [5, limits(100n, 200n)],
      ]),
    })
    await commit({ table: state.table, operation: 'append', add: [old] })
    await migrate(
      withColumns({
        height: col.integer(4, 'A long.', { unit: 'm', nullable: true, long: true, was: ['level'] }),
        level: retired(col.integer(30, 'Gone.', { unit: 'm' })),
      }),
    )
    const after = (await state.table.load()) as TableState
    const add = await fakeDataFile(after, { metrics: new Map([[4, limits(2n ** 40n, 2n ** 40n)]]) })
    const { state: last } = await commit({ table: state.table, operation: 'append', add: [add] })
    const keys = async (filter: Parameters<typeof liveFiles>[1]): Promise<string[]> =>
      (await liveFiles(last, filter)).map((file) => file.key)
    expect(await keys({ height: { lte: 7 } })).toStrictEqual([old.key])
    expect(await keys({ height: { gt: 7 } })).toStrictEqual([add.key])
    expect(await keys({ height: { gt: -5, lt: 7 }, price: { gte: 0.2 } })).toStrictEqual([old.key])
    expect(await keys({ height: { eq: 6 }, price: { gt: 0.2 } })).toStrictEqual([])
    await expect(keys({ level: { eq: 1 } })).rejects.toThrow('has no column level')
    expect((await liveFiles(last)).find((file) => file.key === old.key)?.metrics.get(4)).toMatchObject({ lower: -5n, upper: 7n })
    expect(last.metadata.snapshots.map((snapshot) => snapshot['schema-id'])).toStrictEqual([0, 1])
    expect((await liveFiles(stateAt(last, 1n))).map((file) => file.key)).toStrictEqual([old.key])
    expect(() => stateAt(last, 9n)).toThrow('has no snapshot 9')
  })

  test('by partition, order and description; files keep those of their time', async () => {
    const at = (text: string): bigint => BigInt(Date.parse(text)) * 1000n
    const limits = (from: string, to: string): FieldMetrics => ({
      values: 2,
      nulls: 0,
      nans: null,
      lower: at(from),
      upper: at(to),
      bytes: null,
    })
    const september = await fakeDataFile(state, {
      partition: [668],
      metrics: new Map([[2, limits('2025-09-01T00:00:00Z', '2025-09-30T00:00:00Z')]]),
    })
    await commit({ table: state.table, operation: 'append', add: [september] })
    const daily = variant({ partition: [day('observed_at'), identity('kind')], order: ['observed_at'], title: 'Better samples' })
    const { state: after, changes } = await migrate(daily)
    expect(changes).toStrictEqual(['partitioned by observed_at_day, kind', 'new sort order', 'new table properties: title'])
    expect(after.metadata['partition-specs'].map((spec) => spec.fields.map((field) => field['field-id']))).toStrictEqual([
      [1000],
      [1001, 1002],
    ])
    const days = await Promise.all([20_361, 20_362].map((ordinal) => fakeDataFile(after, { partition: [ordinal, 'A'], specId: 1 })))
    const { state: last } = await commit({ table: state.table, operation: 'append', add: days })
    const kept = async (filter: Parameters<typeof liveFiles>[1]): Promise<number[]> =>
      (await liveFiles(last, filter)).map((file) => [september, ...days].findIndex((one) => one.key === file.key)).sort()
    expect(await kept({ observed_at: { gte: Date.parse('2025-09-30T00:00:00Z') } })).toStrictEqual([0, 1, 2])
    expect(await kept({ observed_at: { gt: Date.parse('2025-09-30T00:00:00Z') } })).toStrictEqual([1, 2])
    expect(await kept({ observed_at: { gte: Date.parse('2025-10-01T00:00:00Z'), lt: Date.parse('2025-10-02T00:00:00Z') } })).toStrictEqual([
      2,
    ])
    expect(await kept({ kind: { eq: 'B' } })).toStrictEqual([0])
    expect((await manifestsOf(last)).map((manifest) => manifest.specId).sort()).toStrictEqual([0, 1])
    const back = await migrate(variant({ partition: [month('observed_at')] }))
    expect([back.state.metadata['default-spec-id'], back.state.metadata['partition-specs'].length]).toStrictEqual([0, 2])
    expect([back.state.metadata['default-sort-order-id'], back.state.metadata['sort-orders'].length]).toStrictEqual([1, 3])
  })
})

const manifestsOf = (of: TableState): ReturnType<TableState['table']['manifests']> => of.table.manifests(of)

test('a nullable column that this release does not declare stays, after the declared ones', async () => {
  const { state: after, changes } = await migrate(
    variant({ columns: { ...without('level'), note: col.string(20, 'New.', { nullable: true }) } }),
  )
  expect(changes).toStrictEqual(['added note'])
  expect(after.fields.map(({ name }) => name).slice(-2)).toStrictEqual(['fetch_id', 'level'])
  expect(await migrate(variant({ columns: { ...samples.columns, note: col.string(20, 'New.', { nullable: true }) } }))).toMatchObject({
    changes: ['arranged the columns'],
  })
})

test('a table from before has the ids of columns to come reserved, so that no other engine takes them', async () => {
  expect(state.metadata['last-column-id']).toBe(9999)
  await updateTable({
    table: state.table,
    attempt: async ({ metadata }) => ({ kind: 'change', metadata: { ...metadata, 'last-column-id': 1001 } }),
  })
  const { state: after, changes } = await migrate(samples)
  expect(changes).toStrictEqual(['reserved the ids of columns to come'])
  expect(after.metadata['last-column-id']).toBe(9999)
})

describe('a table refuses, naming the column', () => {
  test.each([
    ['a new column without nulls', withColumns({ note: col.string(20, 'New.') }), 'column note (field id 20) is new and not nullable'],
    [
      'a name it does not know',
      variant({ columns: { ...without('level'), height: col.integer(4, 'An int.', { unit: 'm', nullable: true }) } }),
      'column height (field id 4) is called level in the table',
    ],
    [
      'a required column that vanished',
      variant({ columns: without('kind') }),
      'column kind (field id 16) is required and not declared: no row could be written',
    ],
    [
      "the name of another writer's column",
      variant({ columns: { ...without('level'), level: col.integer(20, 'Again.', { unit: 'm', nullable: true }) } }),
      "column level (field id 20) has the name of another writer's column (field id 4)",
    ],
    [
      'another type',
      withColumns({ level: col.string(4, 'A text.', { nullable: true }) }),
      'column level (field id 4) is int in the table and cannot become string',
    ],
    [
      'a narrower long',
      withColumns({ reading: col.integer(3, 'An int.', { unit: '1', nullable: true }) }),
      'column reading (field id 3) is long in the table and cannot become int',
    ],
    [
      'fewer digits',
      withColumns({ price: col.decimal(5, 'Less.', { scale: 3, precision: 8, unit: 'm', nullable: true }) }),
      'cannot become decimal(8, 3)',
    ],
    [
      'another scale',
      withColumns({ price: col.decimal(5, 'Other.', { scale: 2, precision: 9, unit: 'm', nullable: true }) }),
      'cannot become decimal(9, 2)',
    ],
    [
      'a list of others',
      withColumns({ tags: col.list([13, 14], 'Other.', col.boolean(0, 'One.'), { nullable: true }) }),
      'column tags (field id 13) is list of string in the table and cannot become list of boolean',
    ],
    [
      'no more nulls',
      withColumns({ level: col.integer(4, 'An int.', { unit: 'm' }) }),
      'column level (field id 4) is nullable in the table and cannot become required',
    ],
    [
      'a partition column that goes',
      variant({ columns: { ...samples.columns, kind: retired(samples.columns.kind) } }),
      'column kind (field id 16) cannot be retired',
    ],
  ] as const)('%s', async (what, dataset, message) => {
    if (what === 'a partition column that goes') await migrate(variant({ partition: [identity('kind')] }))
    const before = (await state.table.load())?.version
    await expect(migrate(dataset)).rejects.toThrow(MigrationError)
    await expect(migrate(dataset)).rejects.toThrow(message)
    expect((await state.table.load())?.version).toBe(before)
  })

  test('an id that another column had, and names every column at once', async () => {
    await migrate(variant({ columns: { ...samples.columns, level: retired(samples.columns.level) } }))
    const again = variant({
      columns: { ...without('level'), fresh: col.integer(4, 'Again.', { unit: 'm', nullable: true }), note: col.string(20, 'New.') },
    })
    await expect(migrate(again)).rejects.toThrow(
      /column fresh \(field id 4\) takes an id that column level had[^]*column note \(field id 20\)/,
    )
  })
})
