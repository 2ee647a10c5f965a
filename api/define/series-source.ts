import type { Filter } from '../../lake/iceberg/types.ts'
import { type Scan, scan } from '../../lake/query/scan.ts'
import { join, outputName, type Sql, type SqlPart, sql } from '../../lake/query/sql.ts'
import type { Column, Columns, RowOf } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { type Bucket, bucketStart } from './buckets.ts'
import type { ListReturn } from './endpoint.ts'
import type { Fields, ValueOf } from './fields.ts'
import { type Figure, selected } from './figures.ts'
import { cutAtSteps } from './held.ts'
import type { Closing, LakeView, RowsOf } from './lake-view.ts'
import type { Params, ValuesOf } from './params.ts'
import { INTERVALS, type Interval, type Period } from './params-time.ts'
import { Refused } from './problems.ts'
import { newestOf, rolledUntil } from './rolled.ts'
import { flatFields } from './select.ts'
import type { StepsParam } from './series.ts'

/** Parameters of a series: `time` among them. */
export type SeriesParams = Params & { readonly time: StepsParam }

/** The steps that parameters allow. */
type StepsOf<P extends SeriesParams> = P['time'] extends StepsParam<infer S> ? S : never

type Names<C extends Columns> = keyof C & string
type NumberNames<C extends Columns> = { [K in Names<C>]: NonNullable<RowOf<C>[K]> extends number ? K : never }[Names<C>]
/** The parameters that have a value of a type, or several. */
type ParamsOf<V, T> = { [K in keyof V & string]: V[K] extends T | readonly T[] | null ? K : never }[keyof V & string]

/** Conditions on columns: a value, several, a parameter, or what a function makes of them; a parameter that is not given is no condition. */
export type Where<C extends Columns, V> = {
  readonly [K in Names<C>]?:
    | NonNullable<RowOf<C>[K]>
    | readonly NonNullable<RowOf<C>[K]>[]
    | Figure<never, never, ParamsOf<V, NonNullable<RowOf<C>[K]>>>
    | ((values: V) => NonNullable<RowOf<C>[K]> | readonly NonNullable<RowOf<C>[K]>[])
}

/** How each field of a record is made of the columns of rows: numbers where the field is one. */
type Figures<F extends Fields, C extends Columns, V, Out extends string> = {
  readonly [K in Exclude<keyof F & string, 'period_start' | 'interval' | Out>]: NonNullable<ValueOf<F>[K]> extends number
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

/** A roll-up by days or parts of them, made once a day is over. */
interface Rollup<H extends Dataset, V> {
  readonly of: H
  readonly step: Bucket
  /** Which of its rows; those that `where` of the source gives unless told. */
  readonly where?: Where<H['columns'], V>
  /** The columns of the roll-up, of rows of the source that are not in it yet or in a step that is finer than its own. */
  readonly make: (rows: SqlPart, period: StepPeriod) => Sql
  /** Which of its rows tell how far it goes; `where` unless told. */
  readonly watermark?: Where<H['columns'], V>
  /** False where a request is of rows that never follow the roll-up. */
  readonly follows?: (values: V) => boolean
}

/** What a series is made of; see `seriesSource`. */
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
  /** The instant that a row of `of` is of; with `rows` of theirs. Rows that hold for a time have `since` and `until` instead. */
  readonly at: Names<D['columns']> | 'held'
  /** Set where that is the end of what a row tells of, not its begin. */
  readonly isEnd?: true
  readonly where?: Where<D['columns'], V>
  /** How much later than its time a row may have come, in ms. */
  readonly late_ms?: number
  /** Rows in place of those of the table: a SELECT in brackets, or a scan. */
  readonly rows?: (rows: Scan, values: V, period: Between, lake: LakeView) => SqlPart
  readonly shape?: H
  readonly rollup?: H extends Dataset ? Rollup<H, V> : never
  /** Which rows of the roll-up, or of `rows`, count. */
  readonly only?: (values: V) => Sql
  readonly fields: Figures<F, H['columns'], V, Out>
  /** Fields that are not made here: those of things, and computed ones. */
  readonly elsewhere?: readonly Out[]
  /** The step in which every row is a record; `raw` unless told. How its fields are made, or its records. */
  readonly points?: {
    readonly step?: StepsOf<P>
    readonly fields?: Figures<F, D['columns'], V, Out>
    readonly query?: (values: V, period: Between, lake: LakeView) => Sql
  }
  /** What is done with the records at last: `SELECT … FROM (records)`. */
  readonly after?: (records: Sql, values: V) => Sql
  /** Steps that this source does not have, and the refusal of each. */
  readonly lacks?: { readonly [K in StepsOf<P>]?: string }
  /** How an open end is closed where not by the end of what has landed. */
  readonly closing?: (values: V, lake: LakeView) => Closing
  /** All datasets that requests are answered from, the one whose landing counts first; `of` and the roll-up, in steps that need it, unless told. */
  readonly from?: readonly Dataset[]
  /** Those that a request is answered from, where it is not from all. */
  readonly reads?: (values: V) => readonly Dataset[]
  /** Rows that `meta` tells of where not those of the first dataset. */
  readonly rowsOf?: (values: V) => readonly RowsOf[] | null
  /** End of what is known, until an instant (ms): what comes later is not missing. The end of what has landed unless told. */
  readonly until?: (to: number) => Sql
}

/** Rows of things that a request names: only those whose column `key` is one of `ids`. */
export interface OnlyThings {
  readonly key: string
  readonly ids: readonly string[]
}

/** What a series is made of, as `seriesOf` reads it. */
export interface SeriesSource<V> {
  readonly reads: (values: V) => readonly Dataset[]
  readonly rowsOf: (values: V) => readonly RowsOf[] | null
  /** A query of how far the roll-up goes, where a request needs it. */
  readonly watermark: (values: V, lake: LakeView, things: OnlyThings | null) => Sql | null
  readonly records: (values: V, lake: LakeView, found: readonly AnyRow[], things: OnlyThings | null) => Sql
  /** The begins of the steps that have a record in some series (`begun`), and the period and the end of what is known. */
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
 * Declares what a series is made of: rows of a dataset, a roll-up of them as far as it goes, and how each field of a record comes from the rows
 * of a step. The types hold columns, parameters and steps to what is declared; kinds of columns are checked when it is called.
 */
export function seriesSource<
  const P extends SeriesParams,
  const F extends Fields,
  const D extends Dataset,
  const H extends { readonly columns: Columns } = D,
  Out extends string = never,
>(spec: SourceSpec<P, F, D, H, Out>): SeriesSource<ValuesOf<P>> {
  type V = ValuesOf<P>
  const { of, at, isEnd = false, rollup, rows, only, late_ms = 0, points, after, closing } = spec
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
    if (refusal !== undefined) throw new Refused(refusal, { parameter: 'interval' })
    const isBefore = time.since !== null && to !== null && to <= time.since
    const asked = { from: from ?? (isBefore ? null : time.since), to, interval }
    const spans: Readonly<Record<string, number | 'all'>> = time.spans
    return lake.period(asked, spans[interval] as number | 'all', closing?.(values, lake))
  }
  const rowsIn = (values: V, { from, to }: Between, things: OnlyThings | null): Scan => {
    const range = isEnd ? { gt: from, lte: to } : { gte: from, lt: to + late_ms }
    return scan(of, { ...filterOf(spec.where, values), ...idsOf(things), ...(at === 'held' ? {} : { [at]: range }) })
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

  /** The rows of a period, with what figures are made of, and the expression of the begin of the step that a row is in. */
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
    const since = { from: rolledUntil(found, period), to: period.to, step: rollup.step }
    return { of: sql`(${rolled} UNION ALL BY NAME ${rollup.make(rowsIn(values, since, things), since)})`, start }
  }
  const records = (values: V, lake: LakeView, found: readonly AnyRow[], things: OnlyThings | null): Sql => {
    const { from, to, interval } = periodOf(values, lake)
    const asked = (name: string): unknown => valueOf(values, name)
    if (interval === pointStep) {
      if (points?.query) return points.query(values, { from, to }, lake)
      const scanned = rowsIn(values, { from, to }, things)
      const made = selected(columns, points?.fields ?? figures, (figure) => figure.single({ asked }))
      const length = LENGTH[interval]
      const begin = isEnd && length ? sql`${outputName(at)} - ${length}` : outputName(at)
      return sql`
        SELECT ${begin} AS period_start, ${interval} AS "interval", ${made}
        FROM ${rows ? rows(scanned, values, { from, to }, lake) : scanned}`
    }
    const step = interval as Bucket
    const shape = shaped(values, { from, to, step }, { lake, found, things })
    const start = sql`step_start`
    const time = at === 'held' ? sql`held_from` : outputName(rollup?.of.time ?? at)
    const rowsOfStep = { step, start, time, from, lake, asked, filter: sql`` }
    const condition = only ? sql`WHERE ${only(values)}` : sql``
    const of = sql`(SELECT * ${at === 'held' ? sql`` : sql`, ${shape.start} AS step_start`} FROM ${shape.of} AS shaped)`
    // In the roll-up's own step, and in finer ones, no two rows are of one step.
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
      return after ? after(made, values) : made
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

/** Lengths of the steps in which rows may be records, where their time is the end of what they tell of. */
const LENGTH: Readonly<Partial<Record<Interval, Sql>>> = { '15m': sql`INTERVAL 15 MINUTE`, '1h': sql`INTERVAL 1 HOUR` }

const isFiner = (step: Interval, than: Bucket): boolean => INTERVALS.indexOf(step) < INTERVALS.indexOf(than)

const idsOf = (things: OnlyThings | null): Filter => (things ? { [things.key]: { in: things.ids } } : {})

/** Conditions of a scan from those of a declaration. */
function filterOf(where: object | undefined, values: object): Filter {
  return Object.fromEntries(
    Object.entries(where ?? {}).flatMap(([name, condition]: [string, unknown]) => {
      const given = givenBy(condition, values)
      return given === null ? [] : [[name, Array.isArray(given) ? { in: given } : { eq: given }] as const]
    }),
  )
}

/** What a condition compares with, in a request. */
export function givenBy(condition: unknown, values: object): unknown {
  if (typeof condition === 'function') return condition(values)
  return isParameter(condition) ? valueOf(values, condition.asked[0] as string) : condition
}

/** True for a condition that is a parameter. */
function isParameter(condition: unknown): condition is Figure {
  return typeof condition === 'object' && condition !== null && 'asked' in condition
}

/** Throws where a figure takes a column that there is not, or that its kind does not fit: a mean of instants, a number for a text. */
function checkKinds(fields: Columns, figures: Readonly<Record<string, Figure>>, columns: Columns): void {
  const isNumber = (column: Column | undefined): boolean => column !== undefined && ['integer', 'decimal', 'float'].includes(column.kind)
  for (const [name, figure] of Object.entries(figures)) {
    const lacking = [...figure.numbers, ...figure.columns].find((used) => !columns[used])
    if (lacking !== undefined) throw new Error(`${name} of a series: ${lacking} is no column`)
    const wrong = figure.numbers.find((used) => !isNumber(columns[used]))
    if (wrong !== undefined) throw new Error(`${name} of a series: ${wrong} is no number`)
    if (figure.numbers.length > 0 && !isNumber(fields[name])) throw new Error(`${name} of a series is no number`)
  }
}
