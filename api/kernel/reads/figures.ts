import { castTo, instant, join, outputName, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { type Column, col } from '../../../lake/schema/columns.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { type Bucket, bucketEnd, bucketSeconds } from './buckets.ts'
import type { LakeView } from './lake-view.ts'

/** The rows of one step. */
export interface StepRows {
  readonly step: Bucket
  /** Begin of the step; rows are grouped by it. */
  readonly start: Sql
  /** Rows of a step are ordered by it. */
  readonly time: Sql
  readonly from: number
  readonly lake: Pick<LakeView, 'covered_from' | 'covered_until'>
  /** Selects the rows that count: a FILTER clause, or nothing. */
  readonly filter: Sql
  /** The value of a parameter. */
  readonly asked: (name: string) => unknown
}

/**
 * How a field of a series is made from the rows of a step. The type parameters are the names of its number columns, of its other
 * columns, and of its parameters.
 */
export interface Figure<N extends string = string, C extends string = string, A extends string = string> {
  readonly numbers: readonly N[]
  readonly columns: readonly C[]
  readonly asked: readonly A[]
  /** The field from all rows of a step. */
  readonly sql: (rows: StepRows) => Sql
  /** The field from a row that already covers the whole step; `single` by default. */
  readonly whole?: (rows: StepRows) => Sql
  /** The field from a row that is a record. */
  readonly single: (rows: Pick<StepRows, 'asked'>) => Sql
  /** True if rows are grouped by it. */
  readonly isKey: boolean
  /** True if it has to be rounded for an integer field. */
  readonly isFraction: boolean
}

/** Options of `mean` and `sum`. */
interface Options {
  /** Null unless every row of the step has a value. */
  readonly needsAll?: boolean
  /** Factor of the result. */
  readonly times?: number
  /** Decimal places to round to before the cast to the type of the field. */
  readonly scale?: number
}

type Parts = Pick<Figure, 'sql' | 'single' | 'whole'> & Partial<Pick<Figure, 'isKey' | 'isFraction'>>

const PLAIN = { numbers: [], columns: [], asked: [], isKey: false, isFraction: false } as const

/** A figure of number columns. */
function ofNumbers<N extends string>(numbers: readonly N[], parts: Parts): Figure<N, never, never> {
  return Object.freeze({ ...PLAIN, ...parts, numbers })
}

/** A figure of columns of any kind. */
function ofColumns<C extends string>(columns: readonly C[], parts: Parts): Figure<never, C, never> {
  return Object.freeze({ ...PLAIN, ...parts, columns })
}

/** The mean of the rows, each counting once. */
export function mean<N extends string>(column: N, options: Options = {}): Figure<N, never, never> {
  return ofNumbers([column], { ...aggregate(column, sql`avg`, options), isFraction: true })
}

/** The sum of the rows. */
export function sum<N extends string>(column: N, options: Options = {}): Figure<N, never, never> {
  return ofNumbers([column], aggregate(column, sql`sum`, options))
}

function aggregate(column: string, name: Sql, { needsAll = false, times, scale }: Options): Parts {
  const value = outputName(column)
  const shown = (of: Sql): Sql => {
    const factored = times === undefined ? of : sql`${times} * ${of}`
    return scale === undefined ? factored : castTo(col.decimal(0, '', { scale }), factored)
  }
  return {
    sql: ({ filter }) => {
      const made = shown(sql`${name}(${value})${filter}`)
      return needsAll ? sql`CASE WHEN count(*)${filter} = count(${value})${filter} THEN ${made} END` : made
    },
    single: () => shown(value),
  }
}

/** Restricts a figure to the rows with a value in a column. */
export function onlyWhere<C extends string, N extends string, O extends string>(
  column: C,
  wanted: string,
  figure: Figure<N, O, never>,
): Figure<N, C | O, never> {
  const is = sql`${outputName(column)} = ${wanted}`
  return Object.freeze({
    ...figure,
    columns: [...figure.columns, column],
    sql: (rows: StepRows) => figure.sql({ ...rows, filter: sql` FILTER (WHERE ${is})` }),
    single: (row: Pick<StepRows, 'asked'>) => sql`CASE WHEN ${is} THEN ${figure.single(row)} END`,
  })
}

/** The weighted mean, for rows that are means of several things. */
export function weightedMean<N extends string>(column: N, weight: N): Figure<N, never, never> {
  const [value, by] = [outputName(column), outputName(weight)]
  const weights = sql`nullif(sum(${by}) FILTER (WHERE ${value} IS NOT NULL), 0)`
  return ofNumbers([column, weight], { sql: () => sql`sum(${value} * ${by}) / ${weights}`, single: () => value, isFraction: true })
}

/** The mean from a roll-up's sum column (or several to add up) and count column, times a factor; null if the count is 0. */
export function meanFromSums<const N extends string>(total: N | readonly N[], count: N, { times = 1 } = {}): Figure<N, never, never> {
  const totals: readonly N[] = typeof total === 'string' ? [total] : total
  const of = (top: Sql, by: Sql): Sql => (times === 1 ? sql`${top} / nullif(${by}, 0)` : sql`${times} * ${top} / nullif(${by}, 0)`)
  const [top, by] = [sql`(${join(totals.map(outputName), sql` + `)})`, outputName(count)]
  return ofNumbers([...totals, count], { sql: () => of(sql`sum(${top})`, sql`sum(${by})`), single: () => of(top, by), isFraction: true })
}

/** The time-weighted mean of rows that are valid for a time. */
export function heldMean<N extends string>(column: N): Figure<N, never, never> {
  const value = outputName(column)
  return ofNumbers([column], { sql: () => sql`sum(${value} * held_s) / sum(held_s)`, single: () => value, isFraction: true })
}

/** The minimum. */
export function min<C extends string>(column: C): Figure<never, C, never> {
  const value = outputName(column)
  return ofColumns([column], { sql: ({ filter }) => sql`min(${value})${filter}`, single: () => value })
}

/** The maximum. */
export function max<C extends string>(column: C): Figure<never, C, never> {
  const value = outputName(column)
  return ofColumns([column], { sql: ({ filter }) => sql`max(${value})${filter}`, single: () => value })
}

/** The value of the last row with one. */
export function last<C extends string>(column: C, as: (value: Sql) => Sql = (value) => value): Figure<never, C, never> {
  const value = as(outputName(column))
  return ofColumns([column], { sql: ({ time, filter }) => sql`arg_max(${value}, ${time})${filter}`, single: () => value })
}

/** The value in the row with the maximum of another column. */
export function ofGreatest<C extends string>(column: C, by: C): Figure<never, C, never> {
  const shown = outputName(column)
  return ofColumns([column, by], { sql: ({ filter }) => sql`arg_max(${shown}, ${outputName(by)})${filter}`, single: () => shown })
}

/** True if any row has a value in a column. */
export function hasAny<C extends string>(column: C, wanted: string): Figure<never, C, never> {
  const is = sql`${outputName(column)} = ${wanted}`
  return ofColumns([column], { sql: () => sql`coalesce(bool_or(${is}), false)`, single: () => sql`coalesce(${is}, false)` })
}

/** The number of rows. */
export function count(): Figure<never, never, never> {
  return Object.freeze({ ...PLAIN, sql: ({ filter }: StepRows) => sql`count(*)${filter}`, single: () => sql`1` })
}

/** A key column: rows are grouped by it. */
export function same<C extends string>(column: C): Figure<never, C, never> {
  const value = outputName(column)
  return ofColumns([column], { sql: () => value, single: () => value, isKey: true })
}

/** A constant. */
export function value(given: string | number | boolean | null): Figure<never, never, never> {
  return Object.freeze({ ...PLAIN, sql: () => sql`${given}`, single: () => sql`${given}` })
}

/** A parameter of the request. */
export function parameter<A extends string>(name: A): Figure<never, never, A> {
  const given = ({ asked }: Pick<StepRows, 'asked'>): Sql => sql`${asked(name) as SqlPart}`
  return Object.freeze({ ...PLAIN, asked: [name], sql: given, single: given })
}

/** Coverage: the share of the expected readings, for one thing or for as many as the fullest row of the step has. */
export function shareOfReadings<const N extends string>(of: {
  readonly count: N
  readonly each_s: N
  readonly things?: N
}): Figure<N, never, never> {
  const [count, each_s] = [outputName(of.count), outputName(of.each_s)]
  const things = of.things === undefined ? null : outputName(of.things)
  const present = (readings: Sql, seconds: Sql, number: Sql, { start, step }: StepRows): Sql =>
    sql`coalesce(least(1, ${readings} * ${seconds} / nullif(${number} * ${bucketSeconds(start, step)}, 0)), 0)`
  const one = sql`1`
  return ofNumbers([of.count, of.each_s, ...(of.things === undefined ? [] : [of.things])], {
    sql: (rows) => present(sql`sum(${count})`, sql`max(${each_s})`, things ? sql`max(${things})` : one, rows),
    whole: (rows) => present(sql`CAST(${count} AS BIGINT)`, each_s, things ?? one, rows),
    single: () => sql`NULL`,
  })
}

/** Coverage: the share of the expected rows, at a number per hour. */
export function shareOfHours(perHour = 1): Figure<never, never, never> {
  return share(({ start, step }) => sql`least(1, 3600 * count(*) / (${perHour} * ${bucketSeconds(start, step)}))`)
}

const dateOf = (at: Sql): Sql => sql`CAST(timezone(${MADRID}, ${at}) AS DATE)`

/** Coverage: the share of the days of the step (in Madrid) with a row. */
export function shareOfDays(): Figure<never, never, never> {
  return share(({ start, step }) => sql`count(*) / (${dateOf(bucketEnd(start, step))} - ${dateOf(start)})`)
}

/** Coverage: the share of the Mondays of the step with a row. */
export function shareOfMondays(): Figure<never, never, never> {
  // The first Monday from a day on.
  const monday = (at: Sql): Sql => sql`CAST(date_trunc('week', ${dateOf(at)} + 6) AS DATE)`
  return share(({ start, step }) => sql`count(*) / ((${monday(bucketEnd(start, step))} - ${monday(start)}) // 7)`)
}

/** Coverage: the share of the step that the data of the lake covers. */
export function shareFollowed(): Figure<never, never, never> {
  const followed: Figure['sql'] = ({ start, step, from, lake }) => {
    const begin = sql`greatest(${start}, ${instant(lake.covered_from ?? from)})`
    const end = sql`least(${bucketEnd(start, step)}, ${instant(lake.covered_until)})`
    return sql`greatest(0, epoch(${end}) - epoch(${begin})) / ${bucketSeconds(start, step)}`
  }
  return Object.freeze({ ...share(followed), whole: followed })
}

/** Coverage: the share of the step with a valid row. */
export function shareHeld(): Figure<never, never, never> {
  return share(({ start, step }) => sql`least(1, sum(held_s) / ${bucketSeconds(start, step)})`)
}

function share(of: Figure['sql']): Figure<never, never, never> {
  return Object.freeze({ ...PLAIN, sql: of, single: () => sql`NULL` })
}

/** The column list of a SELECT that makes records; `of` returns the expression of a figure. */
export function selected(
  fields: Readonly<Record<string, Column>>,
  figures: Readonly<Record<string, Figure>>,
  of: (figure: Figure) => Sql,
): Sql {
  return join(
    Object.entries(figures).map(([name, figure]) => {
      const field = fields[name] as Column
      const made = of(figure)
      const whole = figure.isFraction && field.kind === 'integer' ? sql`round(${made})` : made
      return sql`${figure.isKey ? whole : castTo(field, whole)} AS ${outputName(name)}`
    }),
  )
}
