import { castTo, instant, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Columns } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import type { ListReturn, State } from '../endpoint.ts'
import type { Fields, ValueOf } from '../fields.ts'
import type { ValuesOf } from '../params/params.ts'
import { bucketEnd, bucketLength } from './buckets.ts'
import type { LakeRead } from './lake-read.ts'
import type { LakeView } from './lake-view.ts'
import { flatFields } from './select.ts'
import { givenBy, type SeriesParams, type SeriesSource, type SourceSpec, seriesSource, valueOf, type Where } from './series-source.ts'

/** The things whose series are returned, if the request names several or finds them by a query. */
interface Among<V, T> {
  /** The column with their id, in every dataset of the series. */
  readonly key: keyof T & string
  /** Columns of the other fields of a thing. */
  readonly fields: Columns
  /** A query that finds them. */
  readonly query?: (values: V) => Sql
  /** Their ids if the request names them; null if the query has to find them. */
  readonly known: (values: V) => readonly string[] | null
  /** Makes the things from the rows of the query. Throws `InvalidParam` for unknown ones. */
  readonly things: (values: V, found: readonly AnyRow[]) => readonly T[]
}

/** The thing whose series is returned. An unknown thing is 404. */
type Subject<V, S extends Dataset> = { readonly of: S; readonly past?: (values: V) => Sql } & (
  | { readonly where: Where<S['columns'], V> }
  | { readonly isKnown: (values: V) => boolean }
)

/** Options of the read, besides its sources. */
interface Options<V, F extends Fields, S extends Dataset, C extends string, T> {
  readonly subject?: Subject<V, S>
  readonly among?: Among<V, T>
  readonly omit?: LakeRead<V, readonly Dataset[], AnyRow>['omit']
  /** Datasets whose earliest row is the begin of the series; the first dataset by default. */
  readonly begins?: readonly Dataset[]
  /** Fields computed in JavaScript from the others. */
  readonly computed?: { readonly [K in C]: (row: Readonly<Omit<ValueOf<F>, C>>) => ValueOf<F>[K & keyof F] }
  /** Name of a second list in the reply: the periods without any record. */
  readonly missing?: string
}

/** Datasets that a request may read. */
type Reads = readonly Dataset[]

/** Makes the read of a series with one source; see `SourceSpec`. */
export function seriesOf<
  const P extends SeriesParams,
  const F extends Fields,
  const D extends Dataset,
  const H extends { readonly columns: Columns } = D,
  const S extends Dataset = Dataset,
  C extends string = never,
>(spec: SourceSpec<P, F, D, H, C> & Options<ValuesOf<P>, F, S, C, never>): LakeRead<ValuesOf<P>, Reads, ValueOf<F>> {
  const { of, rollup, from = rollup ? [of, rollup.of] : [of] } = spec
  return readOf(spec, { from, sourceOf: constant(seriesSource(spec)) })
}

/** Makes the read of a series whose source depends on the request. An answer never mixes sources. */
export function seriesBy<
  const P extends SeriesParams,
  const F extends Fields,
  const N extends string,
  const S extends Dataset = Dataset,
  C extends string = never,
  T extends object = never,
>(
  spec: {
    readonly params: P
    readonly returns: ListReturn<F>
    /** Returns the name of the source. */
    readonly by: (values: ValuesOf<P>) => N
    readonly sources: { readonly [K in N]: SeriesSource<ValuesOf<P>> }
    readonly from: Reads
    /** Datasets that a request reads besides those of its source. */
    readonly also?: (values: ValuesOf<P>) => Reads
  } & Options<ValuesOf<P>, F, S, C, T>,
): LakeRead<ValuesOf<P>, Reads, ValueOf<F>> {
  const { sources, by, from, also } = spec
  return readOf(spec, { from, also, sourceOf: (values) => sources[by(values)] })
}

const constant =
  <T>(value: T) =>
  (): T =>
    value

function readOf<V extends object, F extends Fields, S extends Dataset, C extends string, T extends object>(
  spec: Options<V, F, S, C, T> & { readonly returns: ListReturn<F> },
  of: { readonly from: Reads; readonly also?: ((values: V) => Reads) | undefined; readonly sourceOf: (values: V) => SeriesSource<V> },
): LakeRead<V, Reads, ValueOf<F>> {
  const { among, subject, omit, begins, computed, missing } = spec
  const { from, also, sourceOf } = of
  return {
    kind: 'lake',
    from,
    fromOf: (values) => [...sourceOf(values).reads(values), ...(also?.(values) ?? [])],
    ...(begins ? { coverageOf: begins } : {}),
    coverageRows: (values) => sourceOf(values).rowsOf(values),
    prequery: (values, lake) => {
      const known = among?.known(values) ?? null
      const watermark = sourceOf(values).watermark(values, lake, among && known ? { key: among.key, ids: known } : null)
      if (!among?.query) return watermark
      return sql`SELECT *, (${watermark ?? sql`NULL`}) AS last FROM (${among.query(values)})`
    },
    query: (values, lake, found) => {
      const things = among?.things(values, found)
      const only = among && things ? { key: among.key, ids: things.map((thing) => String(thing[among.key])) } : null
      const records = sourceOf(values).records(values, lake, found, only)
      return among && things ? withThings(records, among, things) : records
    },
    ...(computed ? { rows: computedRows(spec.returns, computed) } : {}),
    ...(subject ? { existenceCheck: { of: subject.of, find: finder(subject), ...(subject.past ? { past: subject.past } : {}) } } : {}),
    ...(omit ? { omit } : {}),
    ...(missing ? { sideQueries: { [missing]: (values, lake) => missingPeriods(sourceOf(values), values, lake) } } : {}),
  }
}

/** Joins the fields of the things to their records. */
function withThings<T extends object>(records: Sql, among: Pick<Among<never, T>, 'key' | 'fields'>, things: readonly T[]): Sql {
  const fields = Object.entries(among.fields)
  if (things.length === 0)
    return sql`SELECT *, ${join(fields.map(([name]) => sql`NULL AS ${outputName(name)}`))} FROM (${records}) WHERE false`
  const rows = things.map((thing) => {
    const cells = fields.map(([name, column]) => castTo(column, plain(valueOf(thing, name))))
    return sql`(${join([String(thing[among.key]), ...cells])})`
  })
  const names = [among.key, ...fields.map(([name]) => name)].map(outputName)
  return sql`SELECT * FROM (${records}) JOIN (VALUES ${join(rows)}) AS things(${join(names)}) USING (${outputName(among.key)})`
}

function plain(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

function computedRows<F extends Fields, C extends string>(
  returns: ListReturn<F>,
  computed: { readonly [K in C]: (row: Readonly<Omit<ValueOf<F>, C>>) => ValueOf<F>[K & keyof F] },
): NonNullable<LakeRead<never, Reads, ValueOf<F>>['rows']> {
  const { fields } = returns.record
  const columns = Object.fromEntries(Object.entries(flatFields(fields)).filter(([name]) => !Object.hasOwn(computed, name)))
  const made = Object.entries<(row: Readonly<Omit<ValueOf<F>, C>>) => unknown>(computed)
  return { columns, finish: (row: ValueOf<F>) => ({ ...row, ...Object.fromEntries(made.map(([name, make]) => [name, make(row)])) }) }
}

/**
 * Looks the thing up in the current state, by the conditions that select its rows: null is none, a list means one of its values.
 */
function finder<V extends object, S extends Dataset>(subject: Subject<V, S>): (state: State, values: V) => boolean {
  if ('isKnown' in subject) return (_, values) => subject.isKnown(values)
  const conditions = Object.entries<unknown>(subject.where)
  return (state, values) => {
    const wanted = conditions.map(([name, is]) => [name, givenBy(is, values)] as const)
    return state.rows.some((row) => {
      const there: AnyRow = row
      return wanted.every(([name, is]) => is === null || (Array.isArray(is) ? is.includes(there[name]) : there[name] === is))
    })
  }
}

/** Lists the periods of whole steps without any record. Adjacent ones are merged. */
function missingPeriods<V>(source: SeriesSource<V>, values: V, lake: LakeView): Sql {
  const { begun, period, until } = source.begun(values, lake)
  const local = (at: Sql): Sql => sql`timezone(${MADRID}, ${at})`
  const end = until(period.to) ?? sql`${instant(Math.min(period.to, lake.covered_until))}`
  return sql`
    SELECT min(begun) AS "from", ${bucketEnd(sql`max(begun)`, period.step)} AS "to"
    FROM (
      SELECT begun, nth - row_number() OVER (ORDER BY begun) AS run
      FROM (
        SELECT timezone(${MADRID}, step) AS begun, row_number() OVER (ORDER BY step) AS nth
        FROM (SELECT unnest(generate_series(${local(sql`${instant(period.from)}`)}, ${local(end)}, ${bucketLength(period.step)})) AS step)
        WHERE timezone(${MADRID}, step) < ${end}
      )
      ANTI JOIN (${begun}) USING (begun)
    )
    GROUP BY run
    ORDER BY 1`
}
