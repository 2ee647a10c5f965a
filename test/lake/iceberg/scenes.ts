import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { expireSnapshots, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { migrateTable } from '../../../lake/iceberg/migrate.ts'
import { relocate } from '../../../lake/iceberg/relocate.ts'
import { openTable, type Table, type TableState } from '../../../lake/iceberg/table.ts'
import type { DataFile } from '../../../lake/iceberg/types.ts'
import { type Columns, col, retired } from '../../../lake/schema/columns.ts'
import { type Dataset, day, identity } from '../../../lake/schema/dataset.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { sampleRows, samples, variant, writeDataFile } from './fixtures.ts'

const MONTHS = ['2025-08-03T00:00:00Z', '2025-09-03T00:00:00Z', '2025-10-30T22:00:00Z'] as const
const ROWS = 120

/** The place of the scenes, and their tools. */
interface Stage {
  readonly store: ObjectStore
  /** Folder of the store. */
  readonly root: string
  readonly duck: DuckDBConnection
  /** Folder for scratch files. */
  readonly folder: string
  /** Where DuckDB finds an object of the store. */
  readonly path: (key: string) => string
}

/** Builds a lake with a table for every possible event, and returns the tables; each is at `lake/test/<name>`. */
export async function buildScenes(stage: Stage): Promise<Table[]> {
  const scenes = { empty, appended, overwritten, compacted, deleted, evolved, partitioned, priced, extremes, lists, expired }
  const tables: Table[] = []
  for (const [id, build] of Object.entries(scenes)) {
    const scene = await build(stage, id)
    tables.push(openTable({ store: stage.store, key: scene.key }))
  }
  tables.push(await relocated(stage))
  return tables
}

async function create({ store }: Stage, dataset: Dataset, clock: () => number = Date.now): Promise<Table> {
  return (await createTable({ store, dataset, properties: { 'source-mode': 'simulated' }, clock })).table
}

const newest = async (table: Table): Promise<TableState> => (await table.load()) as TableState

async function write(stage: Stage, table: Table, select: string): Promise<DataFile> {
  return writeDataFile({ ...stage, state: await newest(table), select })
}

async function append(stage: Stage, table: Table, select: string): Promise<DataFile> {
  const file = await write(stage, table, select)
  await commit({ table, operation: 'append', add: [file] })
  return file
}

const month = (at: number): string => sampleRows({ count: ROWS, first: at * ROWS, at: MONTHS[at] ?? '' })

function empty(stage: Stage, id: string): Promise<Table> {
  return create(stage, variant({ id }))
}

async function appended(stage: Stage, id: string): Promise<Table> {
  const table = await create(stage, variant({ id }))
  for (const at of MONTHS.keys()) await append(stage, table, month(at))
  return table
}

async function overwritten(stage: Stage, id: string): Promise<Table> {
  const table = await create(stage, variant({ id }))
  const [first] = [await append(stage, table, month(0)), await append(stage, table, month(1))]
  const add = await write(stage, table, sampleRows({ count: 7, first: 9_000, at: MONTHS[0] }))
  await commit({ table, operation: 'overwrite', add: [add], remove: [first] })
  return table
}

async function compacted(stage: Stage, id: string): Promise<Table> {
  const table = await create(stage, variant({ id }))
  for (let n = 0; n < 24; n++) await append(stage, table, sampleRows({ count: 10, first: n * 10 }))
  const files = (await liveFiles(await newest(table))).slice(0, 20)
  const paths = files.map((file) => `'${stage.path(file.key)}'`)
  const add = await write(stage, table, `SELECT * FROM read_parquet([${paths.join(', ')}]) ORDER BY station_id, observed_at`)
  await commit({ table, operation: 'replace', add: [add], remove: files })
  return table
}

async function deleted(stage: Stage, id: string): Promise<Table> {
  const table = await create(stage, variant({ id }))
  const first = await append(stage, table, month(0))
  const both = [await write(stage, table, month(1)), await write(stage, table, month(2))]
  await commit({ table, operation: 'append', add: both })
  await commit({ table, operation: 'delete', remove: [first, ...both.slice(1)] })
  return table
}

/** Columns renamed, widened, made nullable, retired and added, another partition and another order, each half of the files. */
async function evolved(stage: Stage, id: string): Promise<Table> {
  const before = variant({ id, order: ['station_id', 'ratio'] })
  const table = await create(stage, before)
  await append(stage, table, month(0))
  const { price: _price, position: _position, ...kept } = samples.columns
  const columns: Columns = {
    ...kept,
    level: col.integer(4, 'An int that became a long.', { unit: 'm', nullable: true, long: true }),
    ratio: retired(kept.ratio),
    kind: col.string(16, 'A code.', { nullable: true }),
    cost: col.decimal(5, 'A decimal, renamed.', { scale: 3, precision: 12, unit: 'EUR/L', nullable: true, was: ['price'] }),
    place: col.point([10, 11], 'A point, renamed.', { nullable: true, was: ['position'] }),
    note: col.string(20, 'New.', { nullable: true }),
    codes: col.list([21, 22], 'New too.', col.integer(0, 'One.', { unit: '1' }), { nullable: true }),
  }
  await migrateTable(
    table,
    variant({ id, columns, order: ['station_id', 'observed_at'], partition: [day('observed_at'), identity('kind')] }),
  )
  for (const kind of ["= 'A'", "= 'B'", 'IS NULL'])
    await append(
      stage,
      table,
      `SELECT * EXCLUDE (price, ratio, position_lat, position_lon, level, kind), level::BIGINT + 1099511627776 AS level,
        price::DECIMAL(12, 3) * 100000 AS cost, position_lat AS place_lat, position_lon AS place_lon, 'note ' || leaves_at AS note,
        [1, 2, NULL, leaves_at][:2] AS codes, CASE WHEN leaves_at % 3 = 0 THEN NULL ELSE kind END AS kind
      FROM (${sampleRows({ count: ROWS, first: 500, at: MONTHS[1] })}) WHERE CASE WHEN leaves_at % 3 = 0 THEN NULL ELSE kind END ${kind}`,
    )
  return table
}

/** Partitioned by text, date, boolean, long and instant as they are, nulls among them. */
function partitioned(stage: Stage, id: string): Promise<Table> {
  return partitionedBy(stage, id, ['kind', 'valid_on', 'is_open', 'reading', 'observed_at'])
}

/** Partitioned by decimal, nulls among them. */
function priced(stage: Stage, id: string): Promise<Table> {
  return partitionedBy(stage, id, ['price'])
}

async function partitionedBy(stage: Stage, id: string, columns: readonly string[]): Promise<Table> {
  const table = await create(stage, variant({ id, partition: columns.map(identity) }))
  const files: DataFile[] = []
  for (let n = 0; n < 24; n++) files.push(await write(stage, table, sampleRows({ count: 1, first: n * 5 })))
  await commit({ table, operation: 'append', add: files })
  return table
}

async function extremes(stage: Stage, id: string): Promise<Table> {
  const table = await create(stage, variant({ id, partition: [] }))
  const row = (reading: string, level: string, price: string, ratio: string, valid: string, at: string, text: string): string => `
    SELECT ${text} AS station_id, TIMESTAMPTZ '${at}' AS observed_at, (${reading})::BIGINT AS reading, (${level})::INTEGER AS level,
      ${price}::DECIMAL(9, 3) AS price, ${ratio}::DOUBLE AS ratio, NULL::BOOLEAN AS is_open, DATE '${valid}' AS valid_on, 86400 * 2 AS leaves_at,
      -0.0::DOUBLE AS position_lat, 0.0::DOUBLE AS position_lon, ''::BLOB AS path, NULL::VARCHAR[] AS tags, '' AS extra, 'ñ😀' AS kind, 'f' AS fetch_id`
  await append(
    stage,
    table,
    row('-9223372036854775808', '-2147483648', "'-999999.999'", "'-Infinity'", '0001-01-01', '1900-01-01 00:00:00.000001+00', "''"),
  )
  await append(
    stage,
    table,
    row(
      '9223372036854775807',
      '2147483647',
      "'999999.999'",
      "'Infinity'",
      '9999-12-31',
      '2199-12-31 23:59:59.999999+00',
      "chr(1114111) || repeat('z', 90)",
    ),
  )
  await append(stage, table, row('0', '0', "'0.001'", "'NaN'", '1969-12-31', '1969-12-31 23:59:59.999999+00', "repeat('😀', 70)"))
  await append(stage, table, row('NULL', 'NULL', 'NULL', 'NULL', '1970-01-01', '1970-01-01 00:00:00+00', 'chr(65374)'))
  return table
}

/** Lists of every kind of element. */
async function lists(stage: Stage, id: string): Promise<Table> {
  const list = (ids: readonly [number, number], of: Columns[string]): Columns[string] => col.list(ids, 'A list.', of, { nullable: true })
  const table = await create(
    stage,
    variant({
      id,
      columns: {
        ...samples.columns,
        longs: list([30, 31], col.integer(0, 'One.', { unit: '1', long: true })),
        prices: list([32, 33], col.decimal(0, 'One.', { scale: 2, unit: 'EUR/L' })),
        instants: list([34, 35], col.instant(0, 'One.')),
        dates: list([36, 37], col.local_date(0, 'One.')),
        ratios: list([38, 39], col.float(0, 'One.', { unit: '%' })),
        flags: list([40, 41], col.boolean(0, 'One.')),
      },
    }),
  )
  await append(
    stage,
    table,
    `SELECT *, [reading, -reading] AS longs, [price::DECIMAL(9, 2)] AS prices, [observed_at, TIMESTAMPTZ '1969-12-31 23:59:59.5+00'] AS instants,
      [valid_on] AS dates, [ratio, 0.5] AS ratios, [is_open] AS flags
    FROM (${month(1)}) WHERE reading IS NOT NULL AND price IS NOT NULL AND valid_on IS NOT NULL AND ratio IS NOT NULL AND is_open IS NOT NULL`,
  )
  return table
}

/** Twelve days of a commit each, then expiry and clean-up. */
async function expired(stage: Stage, id: string): Promise<Table> {
  const dayMs = 86_400_000
  const start = Date.now() - 12 * dayMs
  let now = start
  const table = await create(stage, variant({ id }), () => now)
  let last: DataFile | null = null
  for (let n = 0; n < 12; n++) {
    now = start + n * dayMs
    const add = await write(stage, table, sampleRows({ count: 20, first: n * 20, at: MONTHS[1] }))
    await commit({ table, operation: n % 3 === 2 ? 'overwrite' : 'append', add: [add], remove: n % 3 === 2 && last ? [last] : [] })
    last = add
  }
  await expireSnapshots({ table, now })
  await removeOrphans({ table, grace_ms: -1000 })
  return table
}

/** A table of another lake, moved here as it was and relocated. */
async function relocated(stage: Stage): Promise<Table> {
  const elsewhere = join(stage.folder, 'elsewhere')
  const store = await fileStore(elsewhere)
  const other: Stage = { ...stage, store, root: elsewhere, path: (key) => store.location(key) }
  const { key } = await overwritten(other, 'relocated')
  await rename(join(elsewhere, key), join(stage.root, key))
  const table = openTable({ store: stage.store, key })
  await append(stage, table, month(2))
  await relocate(table)
  return table
}
