import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { DuckDBDateValue, DuckDBDecimalValue, DuckDBTimestampTZValue, type DuckDBValue } from '@duckdb/node-api'
import pLimit from 'p-limit'
import { putChecksum, sha256OfFile } from '../iceberg/checksums.ts'
import type { DataFile, FieldMetrics, Bound as Limit } from '../iceberg/types.ts'
import { hasValueForm } from '../iceberg/values.ts'
import type { Dataset, PartitionField } from '../schema/dataset.ts'
import { inTable, type PhysicalField, tableFields } from '../schema/physical.ts'
import type { ObjectStore } from '../store/store.ts'
import { quoteText } from './literal.ts'
import { ascending, cutRows } from './pieces.ts'
import type { CopiedFile, Session } from './session.ts'
import { castToField, column, fieldName, fieldOf, join, outputName, type Sql, type SqlPart, sql } from './sql.ts'
import type { StoredField } from './stored-fields.ts'

/** Rows of a row group: 30 groups per day in Madrid, so that one sensor's rows are in one, and a month's footer is under 1 MB. */
const ROW_GROUP_ROWS = 61_440

const STORED_AT_ONCE = 4

/** Options for writing files. */
export interface WriteOptions {
  readonly dataset: Dataset
  /** Key of the table in the store, such as `lake/road/incidents`. */
  readonly tableKey: string
  /** The FROM item: has the physical columns of `tableColumns(dataset)`, except those in `derivedColumns`. */
  readonly from: Sql
  /**
   * Columns computed after sorting, by name: expressions of the others. A sort column may be among them if it is equal in all
   * rows.
   */
  readonly derivedColumns?: Readonly<Record<string, Sql>>
  readonly specId: number
  readonly sortOrderId: number
  /** Folder for the files, inside the engine's sandbox. */
  readonly folder: string
  /** The partition of all rows, if known; else the rows are split here. */
  readonly partition?: readonly (Limit | null)[]
  /**
   * Bytes of the source files in a rewrite: above 256 MB, several files are written, split by the leading sort columns so that
   * one place stays in one file.
   */
  readonly sourceBytes?: number
  /** Rows sorted at once; more are split into several files in the same way. For tables whose files are never rewritten. */
  readonly mostSorted?: number
  readonly rowGroupRows?: number
  /** The columns to write, in a rewrite those of `storedFields`; the declared ones by default. */
  readonly fields?: readonly StoredField[]
}

/** Files of a closed month have 64 to 256 MB; sorting again never doubles or halves the size. */
const MOST_BYTES = 256 * 1024 ** 2
const PIECE_BYTES = 128 * 1024 ** 2

/** A finished local Parquet file, and its entry in the table. */
export interface WrittenFile {
  readonly path: string
  readonly file: DataFile
}

/**
 * Writes rows as Parquet: one file per partition in the dataset's sort order, with field ids, zstd, and metrics from the finished
 * file's typed values. Without rows there is no file.
 */
export async function writeParquet(session: Session, options: WriteOptions): Promise<WrittenFile[]> {
  const { dataset, from } = options
  const parts = dataset.partition.map((part) => partitionExpression(dataset, part))
  const partitions = options.partition ? [options.partition] : await partitionsOf(session, from, parts)
  const written: WrittenFile[] = []
  for (const partition of partitions) {
    const where = partitions.length === 1 ? sql`` : sql` WHERE ${inPartition(parts, partition)}`
    const rows = sql`(SELECT * FROM ${from}${where})`
    for (const piece of await piecesOf(session, options, rows)) {
      const file = await writeFile(session, options, { partition, rows: sql`${rows} WHERE ${piece}` })
      if (file) written.push(file)
    }
  }
  return written
}

/** Stores finished files and their checksums. The local files are removed afterwards, even on failure. */
export async function storeFiles(store: ObjectStore, written: readonly WrittenFile[]): Promise<DataFile[]> {
  const limit = pLimit({ concurrency: STORED_AT_ONCE, rejectOnClear: true })
  const storing = written.map(({ path, file }) =>
    limit(async () => {
      const sha256 = await sha256OfFile(path)
      await store.putFile(file.key, path)
      await putChecksum(store, file.key, sha256)
    }),
  )
  try {
    await Promise.all(storing)
  } finally {
    limit.clearQueue()
    await Promise.allSettled(storing)
    for (const { path } of written) await rm(path, { force: true })
  }
  return written.map(({ file }) => file)
}

/**
 * The conditions that split a partition's rows into files: none, or between values of all sort columns but the last. Every row of
 * the dataset, also one not in `rows`, meets exactly one.
 */
export async function piecesOf(
  session: Session,
  { dataset, sourceBytes = 0, mostSorted }: Pick<WriteOptions, 'dataset' | 'sourceBytes' | 'mostSorted'>,
  rows: Sql,
): Promise<Sql[]> {
  const [[count] = []] = mostSorted === undefined ? [] : await session.values(sql`SELECT count(*) FROM ${rows}`)
  const byRows = count === undefined ? 1 : Math.ceil(Number(count) / (mostSorted as number))
  const pieces = Math.max(1, byRows, sourceBytes <= MOST_BYTES ? 1 : Math.floor(sourceBytes / PIECE_BYTES))
  const order = orderWithin(dataset)
  const by = order.slice(0, Math.max(1, order.length - 1))
  return pieces === 1 || by.length === 0 ? [sql`true`] : cutRows(session, rows, { by, pieces })
}

/** The sort order within a file, without columns that are constant in its partition and would only be compared. */
function orderWithin(dataset: Dataset): PhysicalField[] {
  const same = dataset.partition.filter(({ transform }) => transform === 'identity').map((part) => part.column)
  return dataset.order.filter((name) => !same.includes(name)).map((name) => fieldOf(dataset, name))
}

async function writeFile(
  session: Session,
  options: WriteOptions,
  part: { readonly partition: readonly (Limit | null)[]; readonly rows: Sql },
): Promise<WrittenFile | null> {
  const { dataset, folder, derivedColumns = {} } = options
  const { fields = tableFields(dataset) } = options
  const name = `${partitionLabel(dataset, part.partition)}${randomUUID()}.parquet`
  const path = joinPath(folder, name)
  const within = orderWithin(dataset).filter((field) => !Object.hasOwn(derivedColumns, field.name))
  const order = within.length > 0 ? sql` ORDER BY ${ascending(within)}` : sql``
  // The engine keeps the order of the subquery.
  const sorted = sql`${part.rows}${order}`
  const made = Object.entries(derivedColumns).map(([column, value]) => sql`${value} AS ${outputName(column)}`)
  const from = made.length === 0 ? sorted : sql`(SELECT *, ${join(made)} FROM (SELECT * FROM ${sorted}))`
  const copy = async (): Promise<CopiedFile & { readonly metrics: DataFile['metrics'] }> => {
    const copied = await session.copyParquet(sql`SELECT ${join(fields.map(fieldName))} FROM ${from}`, {
      path,
      // Without bloom filters: a reader would request one per row group, one after the other, before bounds exclude the group.
      options: `COMPRESSION zstd, WRITE_BLOOM_FILTER false, ROW_GROUP_SIZE ${options.rowGroupRows ?? ROW_GROUP_ROWS}, FIELD_IDS ${fieldIds(fields)}, KV_METADATA {"iceberg.schema": ${quoteText(schemaText(fields))}}`,
    })
    return { ...copied, metrics: await metricsOf(session, copied, fields) }
  }
  const { rows, bytes, metrics } = await copy().catch(async (error: unknown) => {
    await rm(path, { force: true })
    throw error
  })
  if (rows === 0) {
    await rm(path, { force: true })
    return null
  }
  const { specId, sortOrderId } = options
  return {
    path,
    file: { key: `${options.tableKey}/data/${name}`, rows, bytes, partition: part.partition, specId, sortOrderId, metrics },
  }
}

/** DuckDB's FIELD_IDS: every field by its id, a list's element by its own, so that readers never match by name. */
function fieldIds(fields: readonly StoredField[]): string {
  const members = fields.map(({ name, id, iceberg }) => {
    const ids = typeof iceberg === 'object' ? `{__duckdb_field_id: ${id}, element: ${iceberg['element-id']}}` : id
    return `"${name.replaceAll('"', '""')}": ${ids}`
  })
  return `{${members.join(', ')}}`
}

/** The schema of a file, stored like Iceberg's own writers do: readers without field ids find renamed columns with it. */
function schemaText(fields: readonly StoredField[]): string {
  return JSON.stringify({
    type: 'struct',
    fields: fields.map((field) => ({ id: field.id, name: field.name, ...inTable(field) })),
  })
}

/** Counts and bounds of each field of a finished file, as its writer returned them: those of long texts are cut. */
async function metricsOf(session: Session, { rows, columns }: CopiedFile, fields: readonly StoredField[]): Promise<DataFile['metrics']> {
  const metrics = new Map<number, FieldMetrics>()
  // Parquet counts a list's elements, not its values; readers treat missing counts as unknown.
  const counted = rows === 0 ? [] : fields.filter(({ iceberg }) => typeof iceberg === 'string')
  const typed = counted.flatMap((field) =>
    ['min', 'max'].map((side) => {
      const text = hasLimits(field) ? columns.get(field.name)?.get(side) : undefined
      return text === undefined ? sql`NULL` : castToField(field, text)
    }),
  )
  const [limits = []] = typed.length === 0 ? [] : await session.values(sql`SELECT ${join(typed)}`)
  for (const [at, field] of counted.entries()) {
    const stats = columns.get(field.name)
    const nan = stats?.get('has_nan')
    metrics.set(field.id, {
      ...{ values: rows, nulls: Number(stats?.get('null_count')), nans: nan === 'false' ? 0 : null, bytes: null },
      ...{ lower: limitOf(limits[at * 2] ?? null), upper: limitOf(limits[at * 2 + 1] ?? null) },
    })
  }
  return metrics
}

function hasLimits({ iceberg }: StoredField): boolean {
  return typeof iceberg === 'string' && iceberg !== 'binary' && hasValueForm(iceberg)
}

function limitOf(value: DuckDBValue): Limit | null {
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBDecimalValue) return value.value
  if (value instanceof DuckDBDateValue) return value.days
  return value as Limit | null
}

async function partitionsOf(session: Session, from: Sql, parts: readonly Sql[]): Promise<(Limit | null)[][]> {
  if (parts.length === 0) return [[]]
  const rows = await session.values(sql`SELECT DISTINCT ${join(parts)} FROM ${from} ORDER BY ALL`)
  return rows.map((row) => row.map(limitOf))
}

/**
 * The partition value of a row: the column's own, or days or months since 1970-01 (Iceberg's transforms), without the slow ICU
 * calendar.
 */
function partitionExpression(dataset: Dataset, part: PartitionField): Sql {
  const name = column(dataset, part.column)
  const { kind } = fieldOf(dataset, part.column).column
  const isInstant = kind === 'instant'
  if (part.transform === 'identity') {
    if (kind === 'decimal' || kind === 'list') throw new Error(`${dataset.id} cannot be partitioned by ${part.column}: its kind is ${kind}`)
    return isInstant ? sql`epoch_us(${name})` : kind === 'local_date' ? sql`CAST(${name} - DATE '1970-01-01' AS INTEGER)` : name
  }
  const date = isInstant ? sql`CAST(make_timestamp(epoch_us(${name})) AS DATE)` : name
  return part.transform === 'day'
    ? sql`CAST(date_diff('day', DATE '1970-01-01', ${date}) AS INTEGER)`
    : sql`CAST(date_diff('month', DATE '1970-01-01', ${date}) AS INTEGER)`
}

function inPartition(parts: readonly Sql[], partition: readonly (Limit | null)[]): Sql {
  return join(
    parts.map((part, at) => sql`${part} IS NOT DISTINCT FROM ${partition[at] as SqlPart}`),
    sql` AND `,
  )
}

const DAY_MS = 86_400_000

/** Readable prefix of a file's name: `2026-01-` for a month. */
function partitionLabel(dataset: Dataset, partition: readonly (Limit | null)[]): string {
  const labels = dataset.partition.map(({ transform }, at) => {
    const value = partition[at] ?? null
    if (value === null) return 'null'
    if (transform === 'day') return new Date(Number(value) * DAY_MS).toISOString().slice(0, 10)
    if (transform === 'month') return new Date(Date.UTC(1970, Number(value))).toISOString().slice(0, 7)
    return String(value)
      .replace(/[^A-Za-z0-9_.-]/g, '_')
      .slice(0, 40)
  })
  return labels.map((label) => `${label}-`).join('')
}
