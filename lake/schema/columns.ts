import type { CodeList } from './codes.ts'

/** The kinds a value can have; each has one Parquet, Iceberg and JSON form (`physical.ts`, `json.ts`). */
export type Kind =
  | 'string'
  | 'code'
  | 'json'
  | 'integer'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'instant'
  | 'local_date'
  | 'service_time'
  | 'point'
  | 'line'
  | 'polygon'
  | 'multipolygon'
  | 'list'

/** A position in WGS84 decimal degrees. */
export interface Point {
  readonly lat: number
  readonly lon: number
}

/** A line in WGS84: [lon, lat] pairs in order, at least two. */
export type Line = readonly (readonly [number, number])[]

/** A polygon in WGS84: rings of [lon, lat] pairs, outer ring first and counter-clockwise, each closed. */
export type Polygon = readonly Line[]

/** Polygons of one thing in WGS84, each as `Polygon` says; they do not overlap, unless their publisher has them so. */
export type MultiPolygon = readonly Polygon[]

/** What GeoJSON calls the kinds whose values are geometries; a value is what it calls the coordinates (RFC 7946, section 3.1). */
export const GEOMETRY_TYPES = Object.freeze({ line: 'LineString', polygon: 'Polygon', multipolygon: 'MultiPolygon' } as const)
export type GeometryKind = keyof typeof GEOMETRY_TYPES

/** True for a kind whose values are geometries: kept as well-known binary, told as GeoJSON. */
export function isGeometry(kind: string | undefined): kind is GeometryKind {
  return kind !== undefined && Object.hasOwn(GEOMETRY_TYPES, kind)
}

/** A value that JSON can hold; the value of a `json` column, embedded in replies and stored as text. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** What a column of any kind may say about itself. */
interface CommonOptions {
  /** True where the publisher may have no value; such a value is null, never 0 or "". */
  readonly nullable?: boolean
  /** A value as it appears in a JSON reply, for the documentation. */
  readonly example?: Json
  /** Names the column had before: the migration takes a table's column of such a name, under the same id, for this one. */
  readonly was?: readonly string[]
}

interface JsonOptions extends CommonOptions {
  /** Code lists that members of the value are of. */
  readonly lists?: readonly CodeList[]
}

interface NumberOptions extends CommonOptions {
  /** A unit of `UNITS`; required on every number of a dataset (or `unitIn`), checked by a law. */
  readonly unit?: string
  /** The name of the sibling code column that holds the unit. */
  readonly unitIn?: string
  /** Least and greatest value that a row may carry; outside, the row is quarantined. */
  readonly min?: number
  readonly max?: number
}

/** A declared column. `T` is the type of its value in a row, null included where nullable. */
export interface Column<T = unknown> {
  readonly kind: Kind
  /** Iceberg field id, never reused in its dataset; 0 in a reply field that is not stored. */
  readonly id: number
  /** Second field id: the longitude of a point, the element of a list; else 0. */
  readonly secondId: number
  /** What the value means, one sentence. */
  readonly about: string
  readonly nullable: boolean
  readonly example?: Json
  readonly unit?: string
  readonly unitIn?: string
  readonly min?: number
  readonly max?: number
  readonly codes?: CodeList
  /** Code lists that members of a JSON value are of. */
  readonly lists?: readonly CodeList[]
  /** Digits in all and after the point, of a decimal. */
  readonly precision?: number
  readonly scale?: number
  /** True where an integer needs 64 bits. */
  readonly long?: boolean
  /** What a list holds. */
  readonly of?: Column
  /** Names this column had before; readers go by id, this tells the migration that it is the same column. */
  readonly was?: readonly string[]
  /** True where the column is no longer written; its id stays taken. */
  readonly retired?: boolean
  /** Never present: carries `T` for inference. */
  readonly '~type'?: T
}

/** Columns of a dataset or fields of a reply, by name. */
export type Columns = { readonly [name: string]: Column }

/** A row as JavaScript holds it: instants as ms since the epoch, decimals as numbers, local dates as YYYY-MM-DD. */
export type RowOf<C extends Columns> = { -readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never }

type Value<T, O> = O extends { readonly nullable: true } ? T | null : T

function column<T>(kind: Kind, ids: number | readonly [number, number], about: string, options: object = {}): Column<T> {
  const [id, secondId] = typeof ids === 'number' ? [ids, 0] : ids
  return Object.freeze({ nullable: false, ...options, kind, id, secondId, about })
}

/** The vocabulary of stored columns. First argument: the field id (a pair for a point and a list), then the meaning. */
export const col = {
  /** Text as published, trimmed. */
  string: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<string, O>> =>
    column('string', id, about, options),
  /** A value of a code list; a code the list lacks is kept as it came and counted. */
  code: <const O extends CommonOptions>(id: number, about: string, codes: CodeList, options?: O): Column<Value<string, O>> =>
    column('code', id, about, { ...options, codes }),
  /** Any JSON value, embedded in replies; `lists` names the code lists that its members are of. */
  json: <const O extends JsonOptions>(id: number, about: string, options?: O): Column<Value<Json, O>> => column('json', id, about, options),
  /** A whole number of 32 bits, or 64 with `long`. */
  integer: <const O extends NumberOptions & { long?: boolean }>(id: number, about: string, options?: O): Column<Value<number, O>> =>
    column('integer', id, about, options),
  /** An exact decimal of at most 15 digits; `precision` is 9 unless told. */
  decimal: <const O extends NumberOptions & { scale: number; precision?: number }>(
    id: number,
    about: string,
    options: O,
  ): Column<Value<number, O>> => column('decimal', id, about, { precision: 9, ...options }),
  /** A double. */
  float: <const O extends NumberOptions>(id: number, about: string, options?: O): Column<Value<number, O>> =>
    column('float', id, about, options),
  /** True or false; named `is_…` or `has_…`. */
  boolean: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<boolean, O>> =>
    column('boolean', id, about, options),
  /** An instant; ms since the epoch in a row, µs in the lake, ISO 8601 with Z in JSON. */
  instant: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<number, O>> =>
    column('instant', id, about, options),
  /** A calendar date where it was published, YYYY-MM-DD. */
  local_date: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<string, O>> =>
    column('local_date', id, about, options),
  /** Seconds since the service day began; may exceed 24 h. */
  service_time: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<number, O>> =>
    column('service_time', id, about, options),
  /** A position; ids of latitude and longitude. */
  point: <const O extends CommonOptions>(ids: readonly [number, number], about: string, options?: O): Column<Value<Point, O>> =>
    column('point', ids, about, options),
  /** A line. */
  line: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<Line, O>> =>
    column('line', id, about, options),
  /** A polygon. */
  polygon: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<Polygon, O>> =>
    column('polygon', id, about, options),
  /** Several polygons of one thing. */
  multipolygon: <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<MultiPolygon, O>> =>
    column('multipolygon', id, about, options),
  /** A list; ids of the list and of its element. The element is declared with id 0 and may not be a list, a point or a geometry. */
  list: <E, const O extends CommonOptions>(
    ids: readonly [number, number],
    about: string,
    of: Column<E>,
    options?: O,
  ): Column<Value<readonly E[], O>> => column('list', ids, about, { ...options, of }),
} as const

/** A column that is no longer written: its id stays taken and old files still read. @public */
export function retired<T>(was: Column<T>): Column<null> {
  const { ['~type']: _type, ...rest } = was
  return Object.freeze({ ...rest, nullable: true, retired: true })
}
