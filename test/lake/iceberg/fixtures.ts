import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBDateValue, DuckDBDecimalValue, DuckDBInstance, DuckDBTimestampTZValue } from '@duckdb/node-api'
import { createTable } from '../../../lake/iceberg/create.ts'
import { partsOf } from '../../../lake/iceberg/manifest-schema.ts'
import { specOf } from '../../../lake/iceberg/metadata.ts'
import { pathsOf, type Table, type TableState } from '../../../lake/iceberg/table.ts'
import type { Bound, DataFile, FieldMetrics, TableField } from '../../../lake/iceberg/types.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { type Dataset, defineDataset, month } from '../../../lake/schema/dataset.ts'
import { defineSource } from '../../../lake/schema/sources.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { transformValue } from './partition-value.ts'

const source = defineSource({
  id: 'sample',
  publisher: 'Sample publisher',
  url: 'https://example.org/',
  licence: 'CC BY 4.0',
  licence_url: 'https://creativecommons.org/licenses/by/4.0/',
  attribution: 'Sample publisher, example.org',
  commercial_use: 'yes',
})

const KINDS = defineCodes('sample_kind', 'Kind of sample.', { A: ['a', 'a'], B: ['b', 'b'] })

/** A dataset with a column of every kind. */
export const samples = defineDataset({
  id: 'samples',
  domain: 'test',
  title: 'Samples',
  about: 'One column of every kind.',
  sources: [source],
  columns: {
    station_id: col.string(1, 'Station.'),
    observed_at: col.instant(2, 'Time.'),
    reading: col.integer(3, 'A long.', { unit: '1', long: true, nullable: true }),
    level: col.integer(4, 'An int.', { unit: 'm', nullable: true }),
    price: col.decimal(5, 'A decimal.', { scale: 3, unit: 'EUR/L', nullable: true }),
    ratio: col.float(6, 'A double.', { unit: '%', nullable: true }),
    is_open: col.boolean(7, 'A boolean.', { nullable: true }),
    valid_on: col.local_date(8, 'A date.', { nullable: true }),
    leaves_at: col.service_time(9, 'A service time.', { nullable: true }),
    position: col.point([10, 11], 'A point.', { nullable: true }),
    path: col.line(12, 'A line.', { nullable: true }),
    tags: col.list([13, 14], 'A list.', col.string(0, 'A tag.'), { nullable: true }),
    extra: col.json(15, 'Any JSON.', { nullable: true }),
    kind: col.code(16, 'A code.', KINDS),
  },
  entity: ['station_id'],
  time: 'observed_at',
  writeMode: 'append',
  partition: [month('observed_at')],
  order: ['station_id', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})

/** A dataset like another except for some parts, under the same id. */
export function variant(parts: Partial<Dataset>, of: Dataset = samples): Dataset {
  return Object.freeze({ ...of, ...parts })
}

/**
 * SELECT of `count` rows of `samples` from `first` on, all in the month of `at` (ISO): every kind, negatives, nulls, long
 * strings, µs. The same arguments give the same rows.
 */
export function sampleRows(options: { count: number; first?: number; at?: string; fetch?: string }): string {
  const { count, first = 0, at = '2025-09-03T00:00:00Z', fetch = 'sample.20250903T000000000Z' } = options
  return `
    SELECT 'st_' || (i % 7)::VARCHAR AS station_id,
      TIMESTAMPTZ '${at}' + to_microseconds(i * 61000001) AS observed_at,
      CASE WHEN i % 11 = 0 THEN NULL ELSE (i - 50) * 9007199254 END AS reading,
      CASE WHEN i % 5 = 0 THEN NULL ELSE (i % 200 - 100)::INTEGER END AS level,
      CASE WHEN i % 6 = 0 THEN NULL ELSE ((i * 37 % 3000 - 1500) / 1000.0)::DECIMAL(9, 3) END AS price,
      CASE WHEN i % 13 = 0 THEN NULL ELSE (i - 20) / 8.0 END AS ratio,
      CASE WHEN i % 3 = 0 THEN NULL ELSE i % 2 = 0 END AS is_open,
      CASE WHEN i % 4 = 0 THEN NULL ELSE DATE '1969-12-20' + (i % 400)::INTEGER END AS valid_on,
      (i * 37 % 100000)::INTEGER AS leaves_at,
      CASE WHEN i % 9 = 0 THEN NULL ELSE 36 + i / 1000.0 END AS position_lat,
      CASE WHEN i % 9 = 0 THEN NULL ELSE -3 - i / 1000.0 END AS position_lon,
      CASE WHEN i % 8 = 0 THEN NULL ELSE unhex('0102ff') || encode(i::VARCHAR) END AS path,
      CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN [] ELSE ['t' || i, 'ñandú ' || (i % 3)] END AS tags,
      CASE WHEN i % 7 = 0 THEN NULL ELSE '{"n":' || i || ',"text":"' || repeat('á€😀', 1 + (i % 40)::INTEGER) || '"}' END AS extra,
      CASE WHEN i % 2 = 0 THEN 'A' ELSE 'B' END AS kind,
      '${fetch}' AS fetch_id
    FROM (SELECT unnest(range(${first}, ${first + count})) AS i)`
}

/** A folder of its own under the system's temporary one; `remove` deletes it. */
export async function tempFolder(name: string): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A file store in a folder of its own. */
export async function tempStore(name = 'iceberg'): Promise<{ store: ObjectStore; root: string; remove: () => Promise<void> }> {
  const { path, remove } = await tempFolder(name)
  return { store: await fileStore(join(path, 'store')), root: join(path, 'store'), remove }
}

/** A new table of samples in a store of its own, whose commits are dated by a clock. */
export async function sampleTable(clock: () => number): Promise<{ table: Table } & Awaited<ReturnType<typeof tempStore>>> {
  const opened = await tempStore()
  const { store } = opened
  const { table } = await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated' }, clock })
  return { ...opened, table }
}

/** A DuckDB of its own, in memory; times are shown in UTC. */
export async function openDuck(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return connection
}

/** The only row of a query, by column name. */
export async function oneRow(connection: DuckDBConnection, query: string): Promise<Record<string, unknown>> {
  const reader = await connection.runAndReadAll(query)
  return (reader.getRowObjects()[0] ?? {}) as Record<string, unknown>
}

/**
 * Writes the rows of a SELECT, all of one partition, as a Parquet file of the table with field ids, and stores it; metrics come
 * from the file's values.
 */
export async function writeDataFile(options: {
  duck: DuckDBConnection
  state: TableState
  select: string
  specId?: number
  folder: string
}): Promise<DataFile> {
  const { duck, state, select, folder } = options
  const { metadata, table } = state
  const spec = specOf(metadata, options.specId ?? metadata['default-spec-id'])
  const name = `${randomUUID()}.parquet`
  const path = join(folder, name)
  const fields = state.fields
  const ids = fields.map((field) =>
    typeof field.type === 'object'
      ? `"${field.name}": {__duckdb_field_id: ${field.id}, element: ${field.type['element-id']}}`
      : `"${field.name}": ${field.id}`,
  )
  const schema = metadata.schemas.find((one) => one['schema-id'] === metadata['current-schema-id'])
  const columns = fields.map((field) => `CAST("${field.name}" AS ${duckType(field.type)}) AS "${field.name}"`).join(', ')
  await duck.run(
    `COPY (SELECT ${columns} FROM (${select})) TO '${path}' (FORMAT parquet, COMPRESSION zstd, FIELD_IDS {${ids.join(', ')}},
      KV_METADATA {'iceberg.schema': '${JSON.stringify(schema).replaceAll("'", "''")}'})`,
  )
  const metrics = new Map<number, FieldMetrics>()
  for (const field of fields) {
    const name = `"${field.name}"`
    const isDouble = field.type === 'double'
    const finite = isDouble ? `FILTER (NOT isnan(${name}))` : ''
    const isList = typeof field.type === 'object'
    const found = await oneRow(
      duck,
      `SELECT count(*) AS n, count(${name}) AS held, ${isDouble ? `count(*) FILTER (isnan(${name}))` : 'NULL'} AS nans,
        ${isList ? 'NULL AS lower, NULL AS upper' : `min(${name}) ${finite} AS lower, max(${name}) ${finite} AS upper`} FROM '${path}'`,
    )
    metrics.set(field.id, {
      values: Number(found.n),
      nulls: Number(found.n) - Number(found.held),
      nans: found.nans === null ? null : Number(found.nans),
      lower: boundOf(found.lower),
      upper: boundOf(found.upper),
      bytes: null,
    })
  }
  const key = `${table.key}/data/${name}`
  await table.store.putFile(key, path)
  const stored = await table.store.head(key)
  const partition = partsOf(metadata, spec).map((part) =>
    transformValue(part.transform, part.sourceType, metrics.get(part.sourceId)?.lower ?? null),
  )
  pathsOf(state).toLocation(key)
  return {
    key,
    rows: metrics.get(fields[0]?.id ?? 0)?.values ?? 0,
    bytes: stored?.bytes ?? 0,
    partition,
    specId: spec['spec-id'],
    sortOrderId: metadata['default-sort-order-id'],
    metrics,
  }
}

function boundOf(value: unknown): Bound | null {
  if (value === null || value === undefined) return null
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBDateValue) return value.days
  if (value instanceof DuckDBDecimalValue) return value.value
  if (typeof value === 'object' && 'bytes' in value) return Buffer.from(value.bytes as Uint8Array)
  return value as Bound
}

/** SELECT of fields from Parquet files by field id, whatever the files call them. */
export function ourSelect(fields: readonly TableField[], paths: readonly string[]): string {
  const columns = fields.map((field) => `"${field.name}"`).join(', ')
  const members = fields.map((field) => `${field.id}: {name: '${field.name}', type: '${duckType(field.type)}', default_value: NULL}`)
  if (paths.length === 0)
    return `SELECT ${fields.map((field) => `NULL::${duckType(field.type)} AS "${field.name}"`).join(', ')} WHERE false`
  return `SELECT ${columns} FROM read_parquet([${paths.join(', ')}], schema = MAP {${members.join(', ')}})`
}

function duckType(type: TableField['type']): string {
  return typeof type === 'object' ? `${duckType(type.element)}[]` : (DUCKDB_TYPES[type] ?? type.toUpperCase())
}

const DUCKDB_TYPES: Readonly<Record<string, string>> = Object.freeze({
  string: 'VARCHAR',
  int: 'INTEGER',
  long: 'BIGINT',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  binary: 'BLOB',
})

/** A data file without readable contents: a few bytes under a new key, for tests that never open it. */
export async function fakeDataFile(
  state: TableState,
  options: { rows?: number; partition?: readonly (Bound | null)[]; metrics?: ReadonlyMap<number, FieldMetrics>; specId?: number } = {},
): Promise<DataFile> {
  const { rows = 1, partition = [0], metrics = new Map(), specId = 0 } = options
  const key = `${state.table.key}/data/${randomUUID()}.parquet`
  await state.table.store.put(key, Buffer.from('data'))
  return { key, rows, bytes: 4, partition, specId, sortOrderId: 1, metrics }
}
