import type { AnyRow, Dataset } from '../schema/dataset.ts'
import { tableFields } from '../schema/physical.ts'
import { type Dialect, DUCKDB } from './dialect.ts'
import { fieldName, instant, join, outputName, type Sql, type SqlPart, sql } from './sql.ts'

/** A range of instants, half-open, in ms since the epoch. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Longest interval of a dataset's rows that are stamped with its end, ms; 0 without such rows. */
export function longestInterval({ timeEnds }: Pick<Dataset, 'timeEnds'>): number {
  return timeEnds ? 1000 * timeEnds.longest_s : 0
}

/** A filter on a dataset's time that keeps every row whose interval begins in a span; `rowsByStart` removes the others. */
export function timesOfSpan(dataset: Dataset, { from, to }: Span): { readonly gte: number; readonly lt: number } {
  return { gte: from, lt: to + longestInterval(dataset) }
}

/**
 * Rows of a dataset whose intervals begin in a span, with that begin in place of their time: see `timeEnds`. `rows` are a scan of
 * at least `timesOfSpan`; they stay as they are if every time is a begin or an instant.
 */
export function rowsByStart(dataset: Dataset, rows: SqlPart, { from, to }: Span, dialect?: Dialect): SqlPart {
  if (!dataset.timeEnds) return rows
  const time = outputName(dataset.time)
  const sources = join(dataset.timeEnds.sources.map(({ id }) => id))
  const { minusSeconds } = dialect ?? DUCKDB
  const start = sql`CASE WHEN source IN (${sources}) THEN ${minusSeconds(time, sql`period_s`)} ELSE ${time} END`
  // Spark has no REPLACE; `rows` have all columns then.
  const others = join(
    tableFields(dataset)
      .filter(({ name }) => name !== dataset.time)
      .map(fieldName),
  )
  const started: Sql = dialect
    ? sql`SELECT ${others}, ${start} AS ${time} FROM ${rows} AS stamped`
    : sql`SELECT * REPLACE (${start} AS ${time}) FROM ${rows} AS stamped`
  return sql`(SELECT * FROM (${started}) AS started WHERE ${time} >= ${instant(from)} AND ${time} < ${instant(to)})`
}

/** The begin of the interval that a row describes, ms. */
export function startOf({ time, timeEnds }: Dataset, row: AnyRow): number {
  const at = row[time] as number
  const isEnd = timeEnds?.sources.some(({ id }) => id === row['source'])
  return isEnd ? at - 1000 * (row['period_s'] as number) : at
}
