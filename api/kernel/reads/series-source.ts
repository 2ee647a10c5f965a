import type { Filter } from '../../../lake/iceberg/types.ts'
import { rowsByStart, timesOfSpan } from '../../../lake/query/intervals.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { join, outputName, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import type { Column, Columns, RowOf } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import type { ListReturn } from '../endpoint.ts'
import type { Fields, ValueOf } from '../fields.ts'
import type { Params, ValuesOf } from '../params/params.ts'
import { INTERVALS, type Interval, type Period } from '../params/params-time.ts'
import { InvalidParam } from '../problems.ts'
import { type Bucket, bucketStart, dateOfStep } from './buckets.ts'
import { type Figure, selected } from './figures.ts'
import { cutAtSteps } from './held.ts'
import type { Closing, LakeView, RowsOf } from './lake-view.ts'
import { flatFields } from './select.ts'
import type { StepsParam } from './series.ts'

/** Parameters of a series, with `time`. */
export type SeriesParams = Params & { readonly time: StepsParam }

/** The steps that parameters allow. */
type StepsOf<P extends SeriesParams> = P['time'] extends StepsParam<infer S> ? S : never

type Names<C extends Columns> = keyof C & string
type NumberNames<C extends Columns> = { [K in Names<C>]: NonNullable<RowOf<C>[K]> extends number ? K : never }[Names<C>]
/** Names of the parameters with values of a type, or lists of them. */
type ParamsOf<V, T> = { [K in keyof V & string]: V[K] extends T | readonly T[] | null ? K : never }[keyof V & string]

/** Conditions by column: a value, a list, a parameter, or a function of the parameters. A missing parameter is no condition. */
export type Where<C extends Columns, V> = {
  readonly [K in Names<C>]?:
    | NonNullable<RowOf<C>[K]>
    | readonly NonNullable<RowOf<C>[K]>[]
    | Figure<never, never, ParamsOf<V, NonNullable<RowOf<C>[K]>>>
    | ((values: V) => NonNullable<RowOf<C>[K]> | readonly NonNullable<RowOf<C>[K]>[])
}

/** A figure for each field of a record. Number fields take number columns. */
type Figures<F extends Fields, C extends Columns, V, Out extends string> = {
  readonly [K in Exclude<keyof F & string, 'period_start' | 'interval' | 'date' | Out>]: NonNullable<ValueOf<F>[K]> extends number
    ? Figure<NumberNames<C>, Names<C>, keyof V & string>
    : Figure<never, Names<C>, keyof V & string>
}

/** A period in steps. */
export interface StepPeriod {
  readonly from: number
  readonly to: number
  readonly step: Bucket
}

type Between = Pick<StepPeriod, 'from' | 'to'>

/** A roll-up with steps of at most a day, built once a day is over. */
interface Rollup<H extends Dataset, V> {
  readonly of: H
  readonly step: Bucket
  /** Conditions on its rows; `where` of the source by default. */
  readonly where?: Where<H['columns'], V>
  /** Makes rows of the roll-up from rows of the source: for the time after its watermark, and for finer steps. */
  readonly make: (rows: SqlPart, period: StepPeriod) => Sql
  /** Conditions on the rows that define its watermark; `where` by default. */
  readonly watermark?: Where<H['columns'], V>
  /** False for requests that need no rows after the watermark. */
  readonly follows?: (values: V) => boolean
}

/** Inputs of a series; see `seriesSource`. */
export interface SourceSpec<
  P extends SeriesParams,
  F extends Fields,
  D extends Dataset,
  H extends { readonly columns: Columns },
  Out extends string,
  V = ValuesOf<P>,
> {
  readonly params: P
  readonly returns: ListReturn<F>
  readonly of: D
  /** The instant of a row. Rows that are valid for a time (`held`) have `since` and `until` instead. */
  readonly at: Names<D['columns']> | 'held'
  readonly where?: Where<D['columns'], V>
  /** Allowed lateness of a row, in ms. */
  readonly late_ms?: number
  /**
   * Replaces the rows of the table: a SELECT in parentheses, or a scan. Rows after a roll-up's watermark come from the table
   * itself. Their time is the begin of their interval (`rowsByStart`), except with interval=raw.
   */
  readonly rows?: (rows: SqlPart, values: V, period: Between, lake: LakeView) => SqlPart
  readonly shape?: H
  readonly rollup?: H extends Dataset ? Rollup<H, V> : never
  /** A condition on the rows that count. */
  readonly only?: (values: V) => Sql
  readonly fields: Figures<F, H['columns'], V, Out>
  /** Fields without a figure: joined or computed later. */
  readonly elsewhere?: readonly Out[]
  /** The step in which every row is a record (`raw` by default), with figures or a query of its own. */
  readonly points?: {
    readonly step?: StepsOf<P>
    readonly fields?: Figures<F, D['columns'], V, Out>
    readonly query?: (values: V, period: Between, lake: LakeView) => Sql
  }
  /** A last transformation: `SELECT … FROM (records)`. */
  readonly after?: (records: Sql, values: V) => Sql
  /** Steps that this source lacks, each with its error message. */
  readonly lacks?: { readonly [K in StepsOf<P>]?: string }
  /** The default end of the period, if not the end of the data. */
  readonly closing?: (values: V, lake: LakeView) => Closing
  /** All datasets, the one with the watermark of the reply first. By default `of`, and the roll-up in steps that use it. */
  readonly from?: readonly Dataset[]
  /** The datasets of one request, if not all. */
  readonly reads?: (values: V) => readonly Dataset[]
  /** Rows that `meta` describes, if not those of the first dataset. */
  readonly rowsOf?: (values: V) => readonly RowsOf[] | null
  /** End of the known data before an instant (ms): later steps are not missing. The end of the landed data by default. */
  readonly until?: (to: number) => Sql
}

/** Restricts rows to those with one of the ids in the column `key`. */
export interface OnlyThings {
  readonly key: string
  readonly ids: readonly string[]
}

/** A series source, as `seriesOf` reads it. */
export interface SeriesSource<V> {
  readonly reads: (values: V) => readonly Dataset[]
  readonly rowsOf: (values: V) => readonly RowsOf[] | null
  /** The query for the watermark of the roll-up; null if the request does not use it. */
  readonly watermark: (values: V, lake: LakeView, things: OnlyThings | null) => Sql | null
  readonly records: (values: V, lake: LakeView, found: readonly AnyRow[], things: OnlyThings | null) => Sql
  /** A query for the begins of the steps with any record (`begun`), with the period and the end of the known data. */
  readonly begun: (
    values: V,
    lake: LakeView,
  ) => { readonly begun: Sql; readonly period: StepPeriod; readonly until: (to: number) => Sql | null }
}

/** The value of a parameter. */
export function valueOf(values: object, name: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[name]
}

const timeOf = (values: object): Period => (values as { readonly time: Period }).time

/**
 * Declares a source: the rows of a dataset, their roll-up up to its watermark, and a figure for each field of a record. The types
 * check columns, parameters and steps; the kinds of columns are checked on call.
 */
export function seriesSource<
  const P extends SeriesParams,
  const F extends Fields,
  const D extends Dataset,
  const H extends { readonly columns: Columns } = D,
  Out extends string = never,
>(spec: SourceSpec<P, F, D, H, Out>): SeriesSource<ValuesOf<P>> {
  type V = ValuesOf<P>
  const { of, at, rollup, rows, only, late_ms = 0, points, after, closing } = spec
  const lacks: Readonly<Partial<Record<string, string>>> = spec.lacks ?? {}
  const { time } = spec.params
  const columns = flatFields(spec.returns.record.fields)
  const pointStep = points?.step ?? 'raw'
  const figures: Readonly<Record<string, Figure>> = spec.fields
  checkKinds(columns, figures, (rollup?.of ?? spec.shape ?? of).columns)
  if (points?.fields) checkKinds(columns, points.fields, of.columns)
  const isRolled = (step: Interval): boolean => rollup !== undefined && step !== pointStep && !isFiner(step, rollup.step)

  const periodOf = (values: V, lake: LakeView): Between & { readonly interval: Interval } => {
    const { from, to, interval } = timeOf(values)
    const refusal = lacks[interval]
    if (refusal !== undefined) throw new InvalidParam(refusal, { parameter: 'interval' })
    const isBefore = time.since !== null && to !== null && to <= time.since
    const asked = { from: from ?? (isBefore ? null : time.since), to, interval }
    const spans: Readonly<Record<string, number | 'all'>> = time.spans
    return lake.period(asked, spans[interval] as number | 'all', closing?.(values, lake))
  }
  const scanIn = (values: V, times: { gte: number; lt: number }, things: OnlyThings | null): Scan =>
    scan(of, { ...filterOf(spec.where, values), ...idsOf(things), ...(at === 'held' ? {} : { [at]: times }) })
  /** The rows that belong to a period, by the begin of their intervals. */
  const rowsIn = (values: V, period: Between, things: OnlyThings | null): SqlPart => {
    const { gte, lt } = timesOfSpan(of, period)
    return rowsByStart(of, scanIn(values, { gte, lt: lt + late_ms }, things), period)
  }
  const rolledIn = (values: V, where: object | undefined, { from, to }: Between, things: OnlyThings | null): Scan => {
    const { of: table } = rollup as Rollup<Dataset, V>
    return scan(table, { ...filterOf(where, values), ...idsOf(things), [table.time]: { gte: from, lt: to } })
  }
  const rolledWhere = rollup ? (rollup.where ?? spec.where) : undefined
  const watermark = (values: V, lake: LakeView, things: OnlyThings | null): Sql | null =>
    rollup && isRolled(timeOf(values).interval)
      ? newestOf(rolledIn(values, rollup.watermark ?? rolledWhere, periodOf(values, lake), things))
      : null

  /** The rows of a period that figures are made of, and the expression for the begin of a row's step. */
  const shaped = (
    values: V,
    period: StepPeriod,
    { lake, found, things }: { lake: LakeView; found: readonly AnyRow[]; things: OnlyThings | null },
  ): { readonly of: SqlPart; readonly start: Sql } => {
    const { step } = period
    const asTable = (between: Between): SqlPart => {
      const scanned = rowsIn(values, between, things)
      return rows ? rows(scanned, values, between, lake) : scanned
    }
    if (at === 'held') return { of: cutAtSteps(sql`SELECT * FROM ${asTable(period)}`, step), start: sql`step_start` }
    if (!rollup) return { of: asTable(period), start: bucketStart(outputName(at), step) }
    const start = bucketStart(outputName(rollup.of.time), step)
    if (!isRolled(step)) return { of: sql`(${rollup.make(asTable(period), period)})`, start }
    const rolled = sql`SELECT * FROM ${rolledIn(values, rolledWhere, period, things)}`
    if (rollup.follows && !rollup.follows(values)) return { of: sql`(${rolled})`, start }
    const since = { from: rollupWatermark(found, period), to: period.to, step: rollup.step }
    return { of: sql`(${rolled} UNION ALL BY NAME ${rollup.make(rowsIn(values, since, things), since)})`, start }
  }
  const records = (values: V, lake: LakeView, found: readonly AnyRow[], things: OnlyThings | null): Sql => {
    const { from, to, interval } = periodOf(values, lake)
    const asked = (name: string): unknown => valueOf(values, name)
    if (interval === pointStep) {
      if (points?.query) return points.query(values, { from, to }, lake)
      // A raw record has its time as published.
      const scanned = interval === 'raw' ? scanIn(values, { gte: from, lt: to + late_ms }, things) : rowsIn(values, { from, to }, things)
      const made = selected(columns, points?.fields ?? figures, (figure) => figure.single({ asked }))
      return sql`
        SELECT ${outputName(at)} AS period_start, ${interval} AS "interval", ${made}
        FROM ${rows ? rows(scanned, values, { from, to }, lake) : scanned}`
    }
    const step = interval as Bucket
    const shape = shaped(values, { from, to, step }, { lake, found, things })
    const start = sql`step_start`
    const time = at === 'held' ? sql`held_from` : outputName(rollup?.of.time ?? at)
    const rowsOfStep = { step, start, time, from, lake, asked, filter: sql`` }
    const condition = only ? sql`WHERE ${only(values)}` : sql``
    const of = sql`(SELECT * ${at === 'held' ? sql`` : sql`, ${shape.start} AS step_start`} FROM ${shape.of} AS shaped)`
    // In the roll-up's own step and in finer ones, each row is a whole step: grouping again would only cost time.
    if (rollup && !isFiner(rollup.step, step)) {
      const whole = selected(columns, figures, (figure) => figure.whole?.(rowsOfStep) ?? figure.single({ asked }))
      return sql`SELECT step_start AS period_start, ${interval} AS "interval", ${whole} FROM ${of} ${condition}`
    }
    const made = selected(columns, figures, (figure) => figure.sql(rowsOfStep))
    const keys = Object.values(figures).flatMap((figure) => (figure.isKey ? figure.columns.map(outputName) : []))
    return sql`
      SELECT step_start AS period_start, ${interval} AS "interval", ${made}
      FROM ${of} ${condition}
      GROUP BY ${join([start, ...keys])}`
  }
  return {
    reads: (values) => spec.reads?.(values) ?? spec.from ?? [of, ...(rollup && isRolled(timeOf(values).interval) ? [rollup.of] : [])],
    rowsOf: (values) => spec.rowsOf?.(values) ?? null,
    watermark,
    records: (values, ...rest) => {
      const made = records(values, ...rest)
      const date = dateOfStep(sql`period_start`, timeOf(values).interval)
      return sql`SELECT *, ${date} AS date FROM (${after ? after(made, values) : made})`
    },
    begun: (values, lake) => {
      const { from, to, interval } = periodOf(values, lake)
      const period = { from, to, step: interval as Bucket }
      const shape = shaped(values, period, { lake, found: [], things: null })
      return {
        begun: sql`SELECT DISTINCT ${shape.start} AS begun FROM ${shape.of} AS shaped`,
        period,
        until: (end) => spec.until?.(end) ?? null,
      }
    },
  }
}

const isFiner = (step: Interval, than: Bucket): boolean => INTERVALS.indexOf(step) < INTERVALS.indexOf(than)

const idsOf = (things: OnlyThings | null): Filter => (things ? { [things.key]: { in: things.ids } } : {})

/** Makes the filter of a scan. */
function filterOf(where: object | undefined, values: object): Filter {
  return Object.fromEntries(
    Object.entries(where ?? {}).flatMap(([name, condition]: [string, unknown]) => {
      const given = givenBy(condition, values)
      return given === null ? [] : [[name, Array.isArray(given) ? { in: given } : { eq: given }] as const]
    }),
  )
}

/** The value in a condition. */
export function givenBy(condition: unknown, values: object): unknown {
  if (typeof condition === 'function') return condition(values)
  return isParameter(condition) ? valueOf(values, condition.asked[0] as string) : condition
}

/** True for a condition that is a parameter. */
function isParameter(condition: unknown): condition is Figure {
  return typeof condition === 'object' && condition !== null && 'asked' in condition
}

/** Throws if a figure takes an unknown column, or one of the wrong kind: instants have no mean. */
function checkKinds(fields: Columns, figures: Readonly<Record<string, Figure>>, columns: Columns): void {
  const isNumber = (column: Column | undefined): boolean => column !== undefined && ['integer', 'decimal', 'float'].includes(column.kind)
  for (const [name, figure] of Object.entries(figures)) {
    const lacking = [...figure.numbers, ...figure.columns].find((used) => !columns[used])
    if (lacking !== undefined) throw new Error(`${name} of a series: ${lacking} is not a column`)
    const wrong = figure.numbers.find((used) => !isNumber(columns[used]))
    if (wrong !== undefined) throw new Error(`${name} of a series: ${wrong} is not a number`)
    if (figure.numbers.length > 0 && !isNumber(fields[name])) throw new Error(`${name} of a series is not a number`)
  }
}

/** End (ms) of the finished days in a roll-up, from the newest begin in its column `last`; `from` if it has none. */
function rollupWatermark([found]: readonly AnyRow[], { from, to }: { readonly from: number; readonly to: number }): number {
  const last = (found?.['last'] ?? null) as number | null
  return last === null ? from : Math.min(to, Math.max(from, dayBounds(madridDate(last)).end))
}

/** The newest begin in the rows of a roll-up, for `rollupWatermark`. */
const newestOf = (rows: SqlPart): Sql => sql`SELECT epoch_ms(max(period_start)) AS last FROM ${rows}`
