import type { QueryLimits } from '../../../lake/open.ts'
import { rowsOf } from '../../../lake/query/answers.ts'
import type { Session } from '../../../lake/query/session.ts'
import { castTo, headerName, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { instantText } from '../../../lake/query/text-cells.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { decimalsOf } from '../../../lake/schema/precision.ts'
import { type Field, isNested, type RecordShape } from '../../kernel/fields.ts'
import { DIALECT_KINDS, type Dialect } from '../../kernel/formats.ts'
import type { Position } from '../../kernel/page.ts'
import type { TableColumn } from '../../kernel/reads/table.ts'
import type { ListPage } from '../answers/compose.ts'
import { type PageOfQuery, pageQuery, rowsAfter } from '../request/page-query.ts'
import { positionOf } from '../request/paging.ts'
import { copyParquet, pointGeometry } from './parquet.ts'
import type { Spooled } from './spool.ts'
import { columnsFor, fileAbout, type TableAsk, type Tables } from './tables.ts'
import { NUMBER_LIKE } from './text.ts'

/** Up to this many rows, a table is written row by row: the engine's own writer has a higher fixed cost. */
const FEW_ROWS = 1000
/** Options with which the engine writes CSV as `csvWriter` does. */
const csvOptions = (dialect: Dialect): string =>
  `FORMAT csv, HEADER, DELIMITER '${DIALECT_KINDS[dialect].separator}', NEW_LINE '\r\n', USE_TMP_FILE false`
/** Kinds that are texts in CSV and that a spreadsheet may take for formulas. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'code'])

/** A page of a query of the lake that becomes a table. */
export interface LakeTable extends PageOfQuery {
  /** Makes the record of a row, if rows are not records already. */
  readonly finish: ((row: AnyRow) => AnyRow) | null
  /** Throws if an answer without rows means that nothing exists under the path. */
  readonly refuseEmpty: () => Promise<void>
  readonly cursorAt: (end: Position | null) => string | null
  readonly about: Omit<ListPage, 'next_cursor'>
  readonly limits: QueryLimits
}

/** Rows that are made into records at once. More would survive to V8's old generation, which is collected late. */
const FINISHED_ROWS = 128

interface Made {
  readonly file: Spooled
  readonly next_cursor: string | null
}

/** Writes a page of a query as a table. The engine writes many flat rows by itself; other rows are written as they come. */
export async function lakeTable(tables: Tables, ask: TableAsk, source: LakeTable): Promise<Made> {
  const isEngines = source.limit > FEW_ROWS && !source.finish && isWrittenByEngine(ask.record)
  if (isEngines && ask.format === 'csv') return await engineCsv(tables, ask, source)
  if (isEngines && ask.format === 'parquet') return await engineParquet(tables, ask, source)
  let next_cursor: string | null = null
  const batches = rowBatches(tables, ask, source, (end) => {
    next_cursor = source.cursorAt(end)
  })
  const { meta } = source.about
  const file = await tables.write(ask, batches, { meta, about: () => ({ ...source.about, next_cursor }) })
  return { file, next_cursor }
}

/** Yields the records of a page as they are made, then passes the end of the page to `onEnd`; null for the last page. */
async function* rowBatches(
  tables: Tables,
  ask: TableAsk,
  source: LakeTable,
  onEnd: (end: Position | null) => void,
): AsyncGenerator<AnyRow[]> {
  const { finish, limit, columns } = source
  const query = pageQuery({ ...source, limit: limit + 1 })
  let rows = 0
  let last: AnyRow | null = null
  for await (const batch of tables.lake.stream(query, { ...source.limits, signal: ask.signal, columns, maxRows: limit + 1 })) {
    const kept = batch.slice(0, limit - rows)
    rows += batch.length
    last = kept.at(-1) ?? last
    for (let at = 0; at < kept.length; at += FINISHED_ROWS) {
      const piece = kept.slice(at, at + FINISHED_ROWS)
      yield finish ? piece.map(finish) : piece
    }
  }
  if (rows === 0) await source.refuseEmpty()
  onEnd(rows > limit && last ? positionOf(source.order, last) : null)
}

async function engineCsv(tables: Tables, ask: TableAsk, source: LakeTable): Promise<Made> {
  const dialect = ask.page.dialect ?? 'exact'
  const cells = textCells(pageQuery(source), columnsFor(ask), dialect)
  return await engineTable(tables, ask, source, async (session, path) => {
    const rows = await session.copy(cells, { path, options: csvOptions(dialect) })
    return { rows, end: rows < source.limit ? null : await endOf(session, source) }
  })
}

async function engineParquet(tables: Tables, ask: TableAsk, source: LakeTable): Promise<Made> {
  const columns = columnsFor(ask)
  const about = fileAbout(source.about)
  const codec = ask.page.codec ?? 'zstd'
  const cells = typedCells(pageQuery(source), columns)
  return await engineTable(tables, ask, source, async (session, path) => {
    const rows = await copyParquet(session, cells, { path, columns, codec, about })
    if (rows < source.limit) return { rows, end: null }
    return { rows, end: holdsOrder(columns, source) ? await endOfFile(session, source, path) : await endOf(session, source) }
  })
}

/** Makes a table that `write` writes to a path. `write` returns the number of rows, and the end of the page if more follow. */
async function engineTable(
  tables: Tables,
  ask: TableAsk,
  source: LakeTable,
  write: (session: Session, path: string) => Promise<{ readonly rows: number; readonly end: Position | null }>,
): Promise<Made> {
  return await tables.drafted(async (draft) => {
    const { rows, end } = await draft.filled(ask.signal, (signal) =>
      tables.lake.use({ ...source.limits, signal }, (session) => write(session, draft.path)),
    )
    if (rows === 0) await source.refuseEmpty()
    return { file: await draft.finish(), next_cursor: source.cursorAt(end) }
  })
}

/** Returns the end of a full page; null if nothing follows. */
async function endOf(session: Session, source: LakeTable): Promise<Position | null> {
  const { limit } = source
  const query = sql`SELECT ${namesOf(source)} FROM (${pageQuery({ ...source, limit: limit + 1 })}) LIMIT 2 OFFSET ${limit - 1}`
  const [last, next] = await found(session, query, source)
  return last && next ? positionOf(source.order, last) : null
}

/** The same for a page in a file: its last row is the end, and only the rows after it are queried. */
async function endOfFile(session: Session, source: LakeTable, path: string): Promise<Position | null> {
  const query = sql`SELECT ${namesOf(source)} FROM read_parquet(${path}, file_row_number = true) WHERE file_row_number = ${source.limit - 1}`
  const [last] = await found(session, query, source)
  if (!last) throw new Error('the file does not have the rows that were written')
  const after = positionOf(source.order, last)
  const [next] = await found(session, sql`SELECT ${namesOf(source)} FROM (${rowsAfter(source, after)}) LIMIT 1`, source)
  return next ? after : null
}

/** Kinds whose values are the same in a file as in the query, whatever their column is. */
const SAME_IN_FILE: ReadonlySet<string> = new Set(['string', 'code', 'integer', 'boolean', 'instant', 'local_date'])

/** True if a file contains the exact values of the page's order. */
function holdsOrder(columns: readonly TableColumn[], { order }: LakeTable): boolean {
  return order.every(({ field }) => columns.some(({ name, type }) => name === field && SAME_IN_FILE.has(type.kind)))
}

function namesOf({ order }: LakeTable): Sql {
  return join(order.map(({ field }) => outputName(field)))
}

async function found(session: Session, query: Sql, { columns }: LakeTable): Promise<AnyRow[]> {
  const rows: AnyRow[] = []
  for await (const batch of rowsOf(await session.select(query), columns)) rows.push(...batch)
  return rows
}

/** Kinds whose values the engine writes as we do. */
const WRITTEN: ReadonlySet<string> = new Set(['string', 'code', 'integer', 'decimal', 'float', 'boolean', 'instant', 'local_date', 'point'])

/** True if the engine can write the records by itself: no nesting, no lists, one language, and a fixed number of decimals. */
function isWrittenByEngine(shape: RecordShape): boolean {
  const isWritten = (field: Field): boolean =>
    !isNested(field) && WRITTEN.has(field.kind) && (field.kind !== 'float' || decimalsOf(field) !== null)
  return !shape.localise && Object.values(shape.fields).every(isWritten)
}

/** Selects the rows of a query with the table's columns and their declared types, for Parquet. */
function typedCells(query: Sql, columns: readonly TableColumn[]): Sql {
  const cells = columns.map((column) => sql`${typed(column)} AS ${outputName(column.name)}`)
  const geometry = pointGeometry(columns)
  const rows = sql`SELECT ${join(cells)} FROM (${query})`
  return geometry.length === 0 ? rows : sql`SELECT ${join([sql`*`, ...geometry])} FROM (${rows})`
}

/** Selects the rows of a query as the cells of CSV. */
function textCells(query: Sql, columns: readonly TableColumn[], dialect: Dialect): Sql {
  const { begin } = DIALECT_KINDS[dialect]
  const cells = columns.map((column, at) => sql`${cellOf(column, dialect)} AS ${headerName(column.name, at === 0 ? begin : '')}`)
  return sql`SELECT ${join(cells)} FROM (${query})`
}

/** Returns the expression of a cell's value; for a point, one of its coordinates. */
function valueOf({ field, part }: TableColumn): Sql {
  return outputName(part === null ? field : `${field}_${part}`)
}

function typed(column: TableColumn): Sql {
  if (column.type.kind === 'rows') throw new Error(`${column.name} is a list`)
  const value = valueOf(column)
  const decimals = column.type.kind === 'float' ? decimalsOf(column.type) : null
  return castTo(column.type, decimals === null ? value : sql`round(${value}, ${decimals})`)
}

function cellOf(column: TableColumn, dialect: Dialect): Sql {
  const value = typed(column)
  const { kind } = column.type
  if (kind === 'instant') return instantText(value)
  const { isGuarded, point } = DIALECT_KINDS[dialect]
  if (point !== '.' && (kind === 'decimal' || kind === 'float')) return sql`replace(CAST(${value} AS VARCHAR), '.', ${point})`
  if (!isGuarded || !TEXTS.has(kind)) return value
  return sql`CASE
    WHEN ${value}[1] IN ('=', '+', '-', '@', chr(9), chr(13)) THEN '''' || ${value}
    WHEN regexp_matches(${value}, ${NUMBER_LIKE}) THEN '="' || ${value} || '"'
    ELSE ${value}
  END`
}
