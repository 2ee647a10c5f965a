import type { DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replaceRows } from '../../../jobs/ingest/tables.ts'
import { rewriteFiles } from '../../../jobs/upkeep/compact.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { schemaOf, type TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { migrateTable } from '../../../lake/iceberg/migrate.ts'
import { openTable, type TableState } from '../../../lake/iceberg/table.ts'
import type { TableField } from '../../../lake/iceberg/types.ts'
import { updateTable } from '../../../lake/iceberg/update.ts'
import { landedOf } from '../../../lake/landed.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { openDuck, ourSelect, sampleRows as rowsOf, samples, tempFolder, variant, writeDataFile } from '../../lake/iceberg/fixtures.ts'
import { openStage, type Stage } from '../ingest/stage.ts'

/** Columns as another engine adds them, with a value of each. */
const FOREIGN: readonly (readonly [type: TableField['type'], name: string, value: string])[] = [
  ['string', 'Note of Spark', "'ñ' || i"],
  ['float', 'share', 'i / 3.0'],
  ['time', 'opens', "TIME '08:30:00' + to_microseconds(i)"],
  ['timestamp', 'local_at', "TIMESTAMP '2026-01-01' + to_microseconds(i * 7)"],
  ['timestamptz', 'checked_at', "TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_microseconds(i * 7)"],
  ['uuid', 'trace', "('00000000-0000-0000-0000-' || lpad(i::VARCHAR, 12, '0'))::UUID"],
  ['decimal(30, 4)', 'amount', '(i * 12345678901234567 / 7)::DECIMAL(30, 4)'],
  ['binary', 'blob', "encode('b' || i)"],
  ['boolean', 'is_checked', 'i % 2 = 0'],
  [{ type: 'list', 'element-id': 10_100, element: 'long', 'element-required': true }, 'marks', '[i, i + 1]'],
]
const foreignFields = FOREIGN.map(([type, name], at): TableField => ({ id: 10_000 + at, name, required: false, type }))

let stage: Stage
let duck: DuckDBConnection
let folder: { path: string; remove: () => Promise<void> }
beforeEach(async () => {
  ;[stage, duck, folder] = await Promise.all([openStage(), openDuck(), tempFolder('carried')])
  await prepareTables(stage.context, [samples])
})
afterEach(async () => {
  duck.closeSync()
  await stage.close()
  await folder.remove()
})

const table = () => openTable({ store: stage.context.store, key: stage.context.lake.table(samples).key })
const state = async (): Promise<TableState> => (await table().load()) as TableState

/** Adds columns to the table as other engines do. */
async function addColumns(fields: readonly TableField[]): Promise<void> {
  const attempt = async ({ metadata }: TableState) => {
    const schema = schemaOf(metadata)
    const id = schema['schema-id'] + 1
    const schemas = [...metadata.schemas, { ...schema, 'schema-id': id, fields: [...schema.fields, ...fields] }]
    return {
      kind: 'change' as const,
      metadata: { ...metadata, schemas, 'current-schema-id': id, 'last-column-id': 10_200 } as TableMetadata,
    }
  }
  await updateTable({ table: table(), attempt })
}

/** Appends files of a few rows each, as another engine or release does, with its columns. */
async function append(columns: string): Promise<void> {
  for (const nth of [0, 1]) {
    const select = `SELECT *, ${columns} FROM (SELECT row_number() OVER () - 1 AS i, * FROM (${rowsOf({ count: 5, first: nth * 5, fetch: `little.${nth}` })}))`
    const file = await writeDataFile({ duck, state: await state(), select, folder: folder.path })
    await commit({ table: table(), operation: 'append', add: [{ ...file, metrics: new Map() }] })
  }
}

/** Every column of the table's schema in every row, as another reader sees them. */
async function everything(where = 'true'): Promise<unknown[]> {
  const held = await state()
  const paths = (await liveFiles(held)).map(({ key }) => `'${stage.context.store.location(key)}'`)
  const query = `SELECT * FROM (${ourSelect(held.fields, paths)}) WHERE ${where} ORDER BY observed_at`
  return (await duck.runAndReadAll(query)).getRowObjectsJson()
}

/** A rewrite of all files by the release that declares `samples`. */
async function rewriteAll(): Promise<void> {
  expect(await rewriteFiles(stage.context, samples, await liveFiles(await state()))).toHaveLength(1)
  expect(await liveFiles(await state())).toHaveLength(1)
}

test('a rewrite keeps every value of the columns that another engine added', async () => {
  await addColumns(foreignFields)
  await append(FOREIGN.map(([, name, value]) => `${value} AS "${name}"`).join(', '))
  const before = await everything()
  for (const [, name] of FOREIGN) expect((before[3] as Record<string, unknown>)[name]).not.toBeNull()
  await rewriteAll()
  expect(await everything()).toEqual(before)
})

test('a rewrite by the earlier release keeps what a later one added and widened', async () => {
  const later = variant({
    columns: {
      ...samples.columns,
      level: col.integer(4, 'A long now.', { unit: 'm', long: true, nullable: true }),
      price: col.decimal(5, 'More digits.', { scale: 3, precision: 15, unit: 'EUR/L', nullable: true }),
      note: col.string(20, 'New.', { nullable: true }),
    },
  })
  await migrateTable(stage.context.lake.table(samples), later)
  await append("'n' || i AS note")
  const wide = `SELECT * REPLACE (9007199254740000 AS level, 123456789.125 AS price), 'wide' AS note FROM (${rowsOf({ count: 1, first: 20 })})`
  const file = await writeDataFile({ duck, state: await state(), select: wide, folder: folder.path })
  await commit({ table: table(), operation: 'append', add: [file] })
  const before = await everything()
  await rewriteAll()
  expect(await everything()).toEqual(before)
  expect((await prepareTables(stage.context, [samples])).get(samples.id)).toContain('column level (field id 4) is long in the table')
})

test('a release that only added a column can be taken back, and rows of the earlier one have no value', async () => {
  const later = variant({ columns: { ...samples.columns, note: col.string(20, 'New.', { nullable: true }) } })
  await prepareTables(stage.context, [later])
  await append("'n' || i AS note")
  const before = await everything()
  await prepareTables(stage.context, [samples])
  await rewriteAll()
  expect(await everything()).toEqual(before)
  expect((await migrateTable(stage.context.lake.table(samples), later)).changes).toEqual([])
})

test('the replacement of a fetch keeps the other columns of the rows beside it, and has none itself', async () => {
  await addColumns(foreignFields)
  await append(FOREIGN.map(([, name, value]) => `${value} AS "${name}"`).join(', '))
  await rewriteAll()
  const others = await everything("fetch_id = 'little.0'")
  const base = landedOf((await state()).properties, 'little')
  const theirs = scan(samples, { fetch_id: { eq: 'little.1' } })
  const [first] = await stage.context.lake.query(sql`SELECT * REPLACE (NULL::BLOB AS path) FROM ${theirs} ORDER BY observed_at LIMIT 1`)
  const rows = [{ ...first, level: 77 }]
  const done = await replaceRows(stage.context, samples, { feed: 'little', base, next: base, rows, fetchIds: ['little.1'] })
  expect(done).toMatchObject({ added: 1 })
  expect(await everything("fetch_id = 'little.0'")).toEqual(others)
  const [replaced, ...more] = await everything("fetch_id = 'little.1'")
  expect(more).toEqual([])
  expect(replaced).toMatchObject({ level: 77, share: null, 'Note of Spark': null })
})

test('files are left alone while the table has a column that cannot be written again', async () => {
  const point = { type: 'struct', fields: [{ id: 10_001, name: 'x', required: false, type: 'double' }] } as unknown as string
  await addColumns([{ id: 10_000, name: 'place', required: false, type: point }])
  await prepareTables(stage.context, [samples])
  const plain = { ...(await state()), fields: (await state()).fields.filter(({ id }) => id < 10_000) }
  for (const first of [0, 5]) {
    const file = await writeDataFile({ duck, state: plain, select: rowsOf({ count: 5, first }), folder: folder.path })
    await commit({ table: table(), operation: 'append', add: [file] })
  }
  expect(await rewriteFiles(stage.context, samples, await liveFiles(await state()))).toBeNull()
  expect(await liveFiles(await state())).toHaveLength(2)
})

test('a required column of another writer refuses the table', async () => {
  await addColumns([{ id: 10_000, name: 'must', required: true, type: 'string' }])
  await expect(migrateTable(stage.context.lake.table(samples), samples)).rejects.toThrow(
    'column must (field id 10000) is required and not declared: no row could be written',
  )
})
