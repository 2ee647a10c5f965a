import { column, join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { Group, Param, Params } from '../params/params.ts'
import type { Area } from './geo.ts'

/** Returns a table's column by name: for datasets use `columnsOf`, for other tables any function. Throws for an unknown name. */
export type TableColumns = (name: string) => Sql

/** The values of a record that a parameter compares with: none, one or several. */
export type Present<R> = (record: R) => string | number | boolean | null | readonly string[]

/** A filter that is only applied in memory: its parameters, and the condition on a record. */
export interface MemoryFilter<N extends string, T, R> {
  /** Name of the filter's value among the values of an endpoint. */
  readonly name: N
  /** The request parameters; the filter is not applied if their value is null. */
  readonly param: Param<T> | Group<T>
  /** The predicate of a value. `now` (ms) moves in steps of the parameter's `clockGranularity_s`. */
  readonly matches: (value: NonNullable<T>, now: number) => (record: R) => boolean
  /** The area that a value selects by the records' `position`: lists use their spatial index for it. */
  readonly area?: (value: NonNullable<T>) => Area
  /**
   * Distance of a record from a point in metres; null without a place. For filters whose values are circles: their lists show
   * `distance_m` around a point and sort by it.
   */
  readonly distance?: (centre: Point) => (record: R) => number | null
  /** The values of records for each parameter, so that an empty list can report existing values. */
  readonly present?: { readonly [parameter: string]: Present<R> }
}

/** A filter of records in memory and of tables: one condition, declared for both. */
export interface Filter<N extends string, T, R> extends MemoryFilter<N, T, R> {
  /** Columns that `where` reads. */
  readonly columns: readonly string[]
  /** The condition in SQL, never NULL. */
  readonly where: (value: NonNullable<T>, columns: TableColumns) => Sql
}

/** A declared filter of records `R`, without the type of its value. */
export interface AnyFilter<R = never> {
  readonly name: string
  readonly param: Param | Group
  /** Absent if the read itself applies the value, see `appliedByRead`. */
  readonly matches?: (value: never, now: number) => (record: R) => boolean
  readonly columns?: readonly string[]
  readonly where?: (value: never, columns: TableColumns) => Sql
  readonly area?: (value: never) => Area
  readonly distance?: (centre: Point) => (record: R) => number | null
  readonly present?: { readonly [parameter: string]: Present<R> }
}

/** The values of filters by their names. */
export type FilterValues<Fs extends readonly AnyFilter[]> = {
  readonly [F in Fs[number] as F['name']]: F['param'] extends { readonly '~type'?: infer T } ? T : never
}

/** The record type that all filters accept. */
export type FilteredRecord<Fs extends readonly AnyFilter[]> = Fs[number] extends {
  readonly matches?: (value: never, now: number) => (record: infer R) => boolean
}
  ? R
  : never

/** Values of a request by the names of parameters and filters. */
type Values = Readonly<Record<string, unknown>>

/** Declares a filter of records and tables. */
export function defineFilter<const N extends string, T, R>(filter: Filter<N, T, R>): Filter<N, T, R> {
  return Object.freeze(filter)
}

/** Declares a filter that tables do not support. */
export function defineMemoryFilter<const N extends string, T, R>(filter: MemoryFilter<N, T, R>): MemoryFilter<N, T, R> {
  return Object.freeze(filter)
}

/** Declares a filter by one column of records and tables: equal to the value or one of the values. Null never matches. */
export function columnFilter<const N extends string, T, const C extends string>(
  name: N,
  param: Param<T>,
  field: C,
): Filter<N, T, { readonly [K in C]: string | number | boolean | null }> {
  return defineFilter({
    name,
    param,
    matches: (value) => {
      const wanted = new Set<unknown>(Array.isArray(value) ? value : [value])
      return (record) => wanted.has(record[field])
    },
    present: { [name]: (record) => record[field] },
    columns: [field],
    where: (value, columns) => isOneOf(columns(field), (Array.isArray(value) ? value : [value]) as (string | number | boolean)[]),
  })
}

/** A parameter listed among the filters for documentation, but applied by the endpoint's read. */
export function appliedByRead<const N extends string, P extends Param | Group>(
  name: N,
  param: P,
): AnyFilter<unknown> & { readonly name: N; readonly param: P } {
  return Object.freeze({ name, param })
}

/** The parameters of filters, by their names. */
export function filterParams(filters: readonly AnyFilter[]): Params {
  return Object.fromEntries(filters.map(({ name, param }) => [name, param]))
}

/** The predicate of all filters with a value in the request; null without any. */
export function predicateOf<R>(filters: readonly AnyFilter<R>[], values: Values, now: number): ((record: R) => boolean) | null {
  const asked = filters.flatMap(({ name, matches }) => {
    const value = values[name] ?? null
    return value === null || !matches ? [] : [matches(value as never, now)]
  })
  return asked.length === 0 ? null : (record) => asked.every((isSelected) => isSelected(record))
}

/** The SQL condition of all filters with a value in the request; `true` without any. */
export function conditionOf(filters: readonly AnyFilter[], values: Values, columns: TableColumns): Sql {
  const parts = filters.flatMap(({ name, where }) => {
    if (!where) throw new Error(`the filter ${name} has no SQL`)
    const value = values[name] ?? null
    return value === null ? [] : [where(value as never, columns)]
  })
  return parts.length === 0 ? sql`true` : sql`(${join(parts, sql` AND `)})`
}

/** The area that a request selects by `position`; null without such a filter. */
export function areaOf(filters: readonly AnyFilter[], values: Values): Area | null {
  for (const { name, area } of filters) {
    const value = values[name] ?? null
    if (area && value !== null) return area(value as never)
  }
  return null
}

/** The columns of a dataset's table; `others` replaces columns that it lacks or has under another name. */
export function columnsOf(dataset: Dataset, others: Readonly<Record<string, Sql>> = {}): TableColumns {
  return (name) => others[name] ?? column(dataset, name)
}

/** Condition that a value is one of some; false for an empty list and for NULL. */
export function isOneOf(value: Sql, values: readonly (string | number | boolean)[]): Sql {
  return values.length === 0 ? sql`false` : sql`coalesce(${value} IN (${join(values)}), false)`
}

/** Condition that a list contains one of some values; false for an empty list and for NULL. */
export function hasOneOf(list: Sql, values: readonly string[]): Sql {
  return values.length === 0 ? sql`false` : sql`coalesce(list_has_any(${list}, [${join(values)}]), false)`
}

/** Joins conditions by AND; `true` for none. */
export function allOf(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? sql`true` : sql`(${join(parts, sql` AND `)})`
}
