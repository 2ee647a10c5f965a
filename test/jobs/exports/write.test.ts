import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { parse } from 'csv-parse/sync'
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ExportRejected, writeExport } from '../../../jobs/exports/write.ts'
import type { ExportRequest } from '../../../lake/exports/jobs.ts'
import type { TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import type { Lake } from '../../../lake/open.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { everything, landRows, openTestLake, variant } from '../../lake/query/fixtures.ts'

const T0 = Date.UTC(2026, 0, 31, 23, 59, 59, 999)
const FULL = {
  id: 1,
  observed_at: T0,
  name: 'a, "quoted"\nname',
  colour: 'RED',
  extra: { b: [1, null], a: 'x' },
  small: -5,
  big: 9_007_199_254_740_991,
  tiny: 12.5,
  price: 1.409,
  amount: 123456789.012345,
  ratio: 0.1,
  is_open: true,
  seen_at: T0 + 1,
  valid_on: '2026-03-29',
  leaves_at: 25 * 3600 + 61,
  position: { lat: 40.4168, lon: -3.7038 },
  path: [
    [-3.5, 40],
    [1e-7, 41.25],
  ],
  area: [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  ],
  regions: [
    [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  ],
  tags: ['x', 'y, z'],
  stops: [T0, T0 + 1],
  rates: [1.25, 2],
  fetch_id: 'every.1',
}
const EMPTY = {
  ...Object.fromEntries(Object.keys(everything.columns).map((name) => [name, null])),
  ...{ id: 2, observed_at: T0 + 2, name: '', fetch_id: 'every.1' },
}
let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
  await landRows(lake, everything, [FULL, EMPTY])
})
afterAll(() => lake?.close())

const { signal } = new AbortController()
const request = (more: Partial<ExportRequest>): ExportRequest => ({
  ...{ id: 'exp_1', slot: 's', created_at: 0, dataset: 'everything', from: null, to: null, province: null, columns: null },
  ...{ format: 'parquet', split: 'none' },
  ...more,
})
const read = async (name: string): Promise<Buffer> => (await lake.store.get(`exports/files/exp_1/one/${name}`)) as Buffer
const lines = async (name: string): Promise<Record<string, unknown>[]> =>
  gunzipSync(await read(name))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('NDJSON has every kind of value as JSON rows have it', async () => {
  const { files } = await writeExport(lake, request({ format: 'ndjson.gz' }), { dataset: everything, attempt: 'one', signal })
  expect(files[0]).toMatchObject({ name: 'everything.ndjson.gz', rows: 2 })
  const [empty, full] = (await lines('everything.ndjson.gz')).toSorted((a, b) => Number(b['id']) - Number(a['id']))
  const { position, path, area, regions, ...rest } = FULL
  expect(full).toEqual({
    ...rest,
    observed_at: '2026-01-31T23:59:59.999Z',
    seen_at: '2026-02-01T00:00:00.000Z',
    leaves_at: '25:01:01',
    ...position,
    path: { type: 'LineString', coordinates: path },
    area: { type: 'Polygon', coordinates: area },
    regions: { type: 'MultiPolygon', coordinates: regions },
    stops: ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  })
  const { position: _position, ...none } = EMPTY as Record<string, unknown>
  expect(empty).toEqual({ ...none, observed_at: '2026-02-01T00:00:00.001Z', lat: null, lon: null })
})

test('CSV distinguishes null from an empty text, and quotes as RFC 4180', async () => {
  await writeExport(lake, request({ format: 'csv.gz' }), { dataset: everything, attempt: 'one', signal })
  const text = gunzipSync(await read('everything.csv.gz')).toString()
  const rows = parse(text, { columns: true, cast: (value, { quoting, header }) => (header || quoting || value !== '' ? value : null) })
  const [full, empty] = (rows as Record<string, unknown>[]).toSorted((a, b) => Number(a['id']) - Number(b['id']))
  expect(full).toMatchObject({
    name: FULL.name,
    extra: '{"a":"x","b":[1,null]}',
    price: '1.409',
    leaves_at: '25:01:01',
    is_open: 'true',
    lat: '40.4168',
    path: 'LINESTRING (-3.5 40, 1e-07 41.25)',
    tags: '["x","y, z"]',
    stops: '["2026-01-31T23:59:59.999Z","2026-02-01T00:00:00.000Z"]',
  })
  expect(empty).toMatchObject({ name: '', extra: null, price: null, tags: null })
})

test('Parquet has the columns of the table; GeoParquet a geometry as well', async () => {
  await writeExport(lake, request({ columns: ['id', 'position', 'path'], format: 'geoparquet' }), {
    dataset: everything,
    attempt: 'one',
    signal,
  })
  const file = await asyncBufferFromFile(lake.store.location('exports/files/exp_1/one/everything.parquet'))
  const { schema, key_value_metadata: texts } = await parquetMetadataAsync(file)
  expect(schema.slice(1).map(({ name }) => name)).toEqual(['id', 'position_lat', 'position_lon', 'path', 'geometry'])
  const geo = JSON.parse(texts?.find(({ key }) => key === 'geo')?.value ?? '{}')
  expect(geo).toMatchObject({ primary_column: 'geometry', columns: { geometry: { geometry_types: ['Point'] }, path: {} } })
  expect(texts?.find(({ key }) => key === 'attribution')?.value).toContain('Nobody')
})

test('decimals=double has all decimals of Parquet as 64-bit floating-point numbers', async () => {
  await writeExport(lake, request({ decimals: 'double' }), { dataset: everything, attempt: 'one', signal })
  const file = await asyncBufferFromFile(lake.store.location('exports/files/exp_1/one/everything.parquet'))
  const { schema } = await parquetMetadataAsync(file)
  expect(schema.filter(({ converted_type }) => converted_type === 'DECIMAL')).toEqual([])
  const path = lake.store.location('exports/files/exp_1/one/everything.parquet')
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect()
  const rows = await duckdb.runAndReadAll(`SELECT tiny, price, amount, ratio, to_json(rates) FROM read_parquet('${path}') ORDER BY id`)
  expect(rows.getRows()).toEqual([
    [12.5, 1.409, 123456789.012345, 0.1, '[1.25,2.0]'],
    [null, null, null, null, null],
  ])
})

test('a day has the rows of its day, and none is written twice', async () => {
  const { files, rows } = await writeExport(lake, request({ split: 'day' }), { dataset: everything, attempt: 'one', signal })
  expect(files.slice(0, 2).map(({ name, rows }) => [name, rows])).toEqual([
    ['everything-2026-01-31.parquet', 1],
    ['everything-2026-02-01.parquet', 1],
  ])
  expect(rows).toBe(2)
})

test('a dataset without a table has one file without rows; too many files are refused', async () => {
  const unused = variant({ id: 'unused' })
  const { files, rows, snapshot } = await writeExport(lake, request({ format: 'csv.gz' }), { dataset: unused, attempt: 'one', signal })
  expect([files[0]?.rows, rows, snapshot]).toEqual([0, 0, null])
  const many = variant({ id: 'many', partition: [] })
  const days = Array.from({ length: 1001 }, (_, day) => ({ ...EMPTY, id: day, observed_at: T0 + day * 86_400_000 }))
  await landRows(lake, many, days)
  await expect(writeExport(lake, request({ split: 'day' }), { dataset: many, attempt: 'one', signal })).rejects.toThrow(ExportRejected)
})

test('a table that cannot be used ends the job with the reason', async () => {
  const table = lake.table(everything)
  await updateTable({
    table,
    attempt: async ({ metadata }) => {
      const [schema] = metadata.schemas.toReversed() as [TableMetadata['schemas'][number]]
      const fields = [...schema.fields, { id: 10_000, name: 'must', required: true, type: 'string' }]
      const id = schema['schema-id'] + 1
      return {
        kind: 'change',
        metadata: { ...metadata, schemas: [...metadata.schemas, { ...schema, 'schema-id': id, fields }], 'current-schema-id': id },
      }
    },
  })
  const request = { id: 'job', dataset: everything.id, format: 'csv', split: null, columns: null, filter: {} } as unknown as ExportRequest
  const options = { dataset: everything, attempt: 'one', signal: new AbortController().signal }
  await expect(writeExport(lake, request, options)).rejects.toThrow('cannot be used: column must (field id 10000) is required')
})
