import { existsSync } from 'node:fs'
import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readChecksum } from '../../../lake/iceberg/checksums.ts'
import { declaredTable } from '../../../lake/iceberg/schema.ts'
import type { Lake } from '../../../lake/open.ts'
import { storeFiles, type WriteOptions, type WrittenFile, writeParquet } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { sql } from '../../../lake/query/sql.ts'
import { type AnyRow, type Dataset, day, identity, month } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { everything, openTestLake, variant } from './fixtures.ts'

let lake: Lake
const folder = tempFolder()
beforeAll(async () => {
  lake = await openTestLake(folder)
})
afterAll(() => lake.close())

const DAY = 86_400_000
const row = (id: number, more: AnyRow = {}): AnyRow => ({ id, observed_at: 0, fetch_id: 'x', ...more })

async function write(rows: readonly AnyRow[], dataset: Dataset = everything, more: Partial<WriteOptions> = {}): Promise<WrittenFile[]> {
  return lake.use({}, async (session) => {
    const { table } = await stageRows(session, tableColumns(dataset), [rows])
    return writeParquet(session, {
      dataset,
      tableKey: 'lake/test/everything',
      from: table,
      specId: 3,
      sortOrderId: 1,
      folder: lake.engine.folder,
      ...more,
    })
  })
}

test('rows go to one file a partition, named after it, negatives rounded down', async () => {
  const rows = [row(1, { observed_at: -1 }), row(2), row(3, { observed_at: 31 * DAY }), row(4, { observed_at: 32 * DAY })]
  const months = await write(rows, variant({ partition: [month('observed_at')] }))
  expect(months.map(({ file }) => [file.partition, file.rows])).toEqual([
    [[-1], 1],
    [[0], 1],
    [[1], 2],
  ])
  expect(months.map(({ file }) => file.key.replace(/[0-9a-f-]{36}\.parquet$/, ''))).toEqual([
    'lake/test/everything/data/1969-12-',
    'lake/test/everything/data/1970-01-',
    'lake/test/everything/data/1970-02-',
  ])
  expect(months[0]?.file).toMatchObject({ specId: 3, sortOrderId: 1, bytes: (await stat(months[0]?.path as string)).size })
  const days = await write(rows, variant({ partition: [day('observed_at')] }))
  expect(days.map(({ file }) => file.partition)).toEqual([[-1], [0], [31], [32]])
  const parts: Partial<Dataset> = { partition: [identity('name'), identity('is_open'), day('valid_on'), identity('seen_at')] }
  const values = { name: 'A/6', is_open: true, valid_on: '1969-12-30', seen_at: 1.5 }
  const mixed = await write([row(1, values), row(2), row(3, values)], variant(parts))
  expect(mixed.map(({ file }) => [file.partition, file.rows])).toEqual([
    [['A/6', true, -2, 1500n], 2],
    [[null, null, null, null], 1],
  ])
  expect(mixed[0]?.file.key).toContain('/data/A_6-true-1969-12-30-1500-')
  expect(await write([])).toEqual([])
})

test("metrics are typed limits of the file's values", async () => {
  const rows = [
    row(5, {
      observed_at: -0.001,
      price: -1.5,
      ratio: Number.NaN,
      big: 2 ** 40,
      name: 'b',
      is_open: true,
      valid_on: '1969-12-31',
      tags: ['x'],
    }),
    row(30, { observed_at: 1.234, price: 10.25, ratio: -2.5, big: -3, name: 'a', is_open: false, seen_at: 5, leaves_at: 90_000, tags: [] }),
    row(7, { ratio: 1e300, position: { lat: 40.5, lon: -3 } }),
  ]
  const [written] = await write(rows, variant({ partition: [] }))
  const metrics = written?.file.metrics
  const of = (id: number): unknown[] => {
    const { values, nulls, nans, lower, upper } = metrics?.get(id) ?? {}
    return [values, nulls, nans, lower, upper]
  }
  expect(of(1)).toEqual([3, 0, null, 5, 30])
  expect(of(2)).toEqual([3, 0, null, -1n, 1234n])
  expect(of(3)).toEqual([3, 1, null, 'a', 'b'])
  expect(of(7)).toEqual([3, 1, null, -3n, BigInt(2 ** 40)])
  expect(of(9)).toEqual([3, 1, null, -1500n, 10250n])
  expect(of(11)).toEqual([3, 0, null, -2.5, 1e300])
  expect(of(12)).toEqual([3, 1, null, false, true])
  expect(of(13)).toEqual([3, 2, null, 5000n, 5000n])
  expect(of(14)).toEqual([3, 2, null, -1, -1])
  expect(of(15)).toEqual([3, 2, null, 90_000, 90_000])
  expect(of(16)).toEqual([3, 2, 0, 40.5, 40.5])
  expect(of(4)).toEqual([3, 3, null, null, null])
  expect(metrics?.has(20)).toBe(false)
})

test('the file carries field ids, lists and elements included, in zstd, in the order of the dataset', async () => {
  const names = ['c', null, 'a', 'b', 'a']
  const [written] = await write(
    names.map((name, id) => row(id, { name, observed_at: 10 - id, tags: ['t'] })),
    variant({ partition: [] }),
  )
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(written?.path as string))
  const ids = Object.fromEntries(
    metadata.schema.filter(({ field_id }) => field_id !== undefined).map(({ name, field_id }) => [name, field_id]),
  )
  expect(ids).toMatchObject({ id: 1, observed_at: 2, tags: 20, position_lat: 16, position_lon: 17, fetch_id: 1001 })
  const elements = metadata.schema.filter(({ name }) => name === 'element').map(({ field_id }) => field_id)
  expect(elements).toEqual([21, 23, 25])
  expect(new Set(metadata.row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec)))).toEqual(new Set(['ZSTD']))
  const order = await lake.use({}, (session) => session.values(sql`SELECT id FROM read_parquet(${written?.path as string})`))
  expect(order.flat()).toEqual([4, 2, 3, 0, 1])
})

test('the file carries the schema it was written with, as Iceberg writers do', async () => {
  const [written] = await write([row(1)], variant({ partition: [] }))
  const { key_value_metadata } = await parquetMetadataAsync(await asyncBufferFromFile(written?.path as string))
  const kept = key_value_metadata?.find(({ key }) => key === 'iceberg.schema')?.value
  const { fields } = declaredTable(everything)
  expect(fields.length).toBeGreaterThan(20)
  expect(JSON.parse(kept ?? '')).toEqual({
    type: 'struct',
    fields: fields.map(({ id, name, required, type }) => ({ id, name, required, type })),
  })
})

test('many bytes become several files, none sharing a place with another', async () => {
  const rows = Array.from({ length: 20_000 }, (_, id) =>
    row(id, { name: id % 50 === 0 ? null : `sensor ${(id * 7919) % 997}`, observed_at: id }),
  )
  const pieces = await write(rows, variant({ partition: [] }), { sourceBytes: 3 * 128 * 1024 ** 2 + 5 })
  expect(pieces).toHaveLength(3)
  expect(pieces.reduce((sum, { file }) => sum + file.rows, 0)).toBe(20_000)
  for (const { file } of pieces) expect(file.rows).toBeGreaterThan(5500)
  const limits = pieces.map(({ file }) => file.metrics.get(3))
  for (let at = 1; at < limits.length; at++) expect((limits[at]?.lower as string) > (limits[at - 1]?.upper as string)).toBe(true)
  const paths = pieces.map(({ path }) => path)
  const found = await lake.use({}, (session) =>
    session.values(
      sql`SELECT count(*), count(DISTINCT id) FROM read_parquet([${paths[0] as string}, ${paths[1] as string}, ${paths[2] as string}])`,
    ),
  )
  expect(found).toEqual([[20_000n, 20_000n]])
})

test('a finished file can be moved: no handle keeps it open', async () => {
  const [written] = await write([row(1)])
  await rename(written?.path as string, join(folder, 'moved.parquet'))
  expect((await stat(join(folder, 'moved.parquet'))).size).toBe(written?.file.bytes)
})

test('columns derived from others are computed from sorted rows, which stay in their order', async () => {
  const dataset = variant({ order: ['name', 'id'], partition: [] })
  const shuffled = Array.from({ length: 150_000 }, (_, at) => (at * 7919) % 150_000)
  const derived = { name: sql`'same'`, big: sql`CAST(id AS BIGINT) * 2` }
  const [written] = await lake.use({}, async (session) => {
    const { table } = await stageRows(session, tableColumns(dataset), [shuffled.map((id) => row(id))])
    const options = { tableKey: 'lake/test/everything', specId: 3, sortOrderId: 1, folder: lake.engine.folder, rowGroupRows: 20_480 }
    return writeParquet(session, { ...options, dataset, from: sql`(SELECT * EXCLUDE (name, big) FROM ${table})`, derivedColumns: derived })
  })
  const rows = await lake.query(sql`SELECT id, name, big FROM read_parquet([${written?.path as string}])`)
  expect(rows.map(({ id }) => id)).toEqual(shuffled.toSorted((one, other) => one - other))
  expect(rows.every(({ id, name, big }) => name === 'same' && big === 2 * (id as number))).toBe(true)
})

test('files are stored together; if one fails, the error is thrown once none is being sent, and no local file stays', async () => {
  const written = await write([row(1)])
  const many = Array.from({ length: 9 }, (_, at) => ({ ...(written[0] as (typeof written)[0]), path: join(tempFolder(), `${at}.parquet`) }))
  for (const { path } of many) await writeFile(path, 'rows')
  const files = many.map((one, at) => ({ ...one, file: { ...one.file, key: `lake/road/x/data/${at}.parquet` } }))
  const store = await fileStore(tempFolder())
  let sending = 0
  const failing = {
    ...store,
    putFile: async (key: string, path: string) => {
      sending++
      await delay(key.endsWith('/1.parquet') ? 5 : 30)
      sending--
      if (key.endsWith('/1.parquet')) throw new Error('the disk is full')
      await store.putFile(key, path)
    },
  }
  await expect(storeFiles(failing, files)).rejects.toThrow('the disk is full')
  expect(sending).toBe(0)
  expect(many.filter(({ path }) => existsSync(path))).toEqual([])
  for (const { path } of many) await writeFile(path, 'rows')
  expect(await storeFiles(store, files)).toEqual(files.map(({ file }) => file))
  for (const { file } of files) expect(await readChecksum(store, file.key)).toMatch(/^[0-9a-f]{64}$/)
})
