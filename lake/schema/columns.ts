import type { CodeList } from './codes.ts'

/** The kinds of values; each has one Parquet, Iceberg and JSON form (`physical.ts`, `json.ts`). */
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

/** Polygons of one object in WGS84, each a `Polygon`; they do not overlap, unless published so. */
export type MultiPolygon = readonly Polygon[]

/** GeoJSON types of the geometry kinds; a value is the GeoJSON coordinates (RFC 7946, section 3.1). */
export const GEOMETRY_TYPES = Object.freeze({ line: 'LineString', polygon: 'Polygon', multipolygon: 'MultiPolygon' } as const)
export type GeometryKind = keyof typeof GEOMETRY_TYPES

/** True for geometry kinds: stored as well-known binary, returned as GeoJSON. */
export function isGeometry(kind: string | undefined): kind is GeometryKind {
  return kind !== undefined && Object.hasOwn(GEOMETRY_TYPES, kind)
}

/** A JSON value; the value of a `json` column, embedded in replies and stored as text. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Options of a column of any kind. */
interface CommonOptions {
  /** True if the publisher may have no value; it is then null, never 0 or "". */
  readonly nullable?: boolean
  /** A value as in a JSON reply, for documentation. */
  readonly example?: Json
  /** Former names of the column: the migration renames a table's column with such a name and the same id. */
  readonly was?: readonly string[]
}

interface StringOptions extends CommonOptions {
  /** The closed list of its values, for replies of the service about itself. */
  readonly values?: readonly string[]
  readonly format?: 'uri'
}

interface JsonOptions extends CommonOptions {
  /** Code lists of members of the value. */
  readonly lists?: readonly CodeList[]
}

interface NumberOptions extends CommonOptions {
  /** A unit in `UNITS`; a law requires it (or `unitIn`) on every number of a dataset. */
  readonly unit?: string
  /** The name of the sibling code column with the unit. */
  readonly unitIn?: string
  /** Least and greatest value of a valid row; others are rejected. */
  readonly min?: number
  readonly max?: number
}

/** A declared column. `T` is the type of its value in a row, including null if nullable. */
export interface Column<T = unknown> {
  readonly kind: Kind
  /** Iceberg field id, never reused in its dataset; 0 in a reply field that is not stored. */
  readonly id: number
  /** Second field id: the longitude of a point, the element of a list; else 0. */
  readonly secondId: number
  /** Meaning of the value, in one sentence. */
  readonly about: string
  readonly nullable: boolean
  readonly example?: Json
  readonly unit?: string
  readonly unitIn?: string
  readonly min?: number
  readonly max?: number
  readonly codes?: CodeList
  readonly values?: readonly string[]
  readonly format?: string
  /** Code lists of members of a JSON value. */
  readonly lists?: readonly CodeList[]
  /** A decimal's total digits, and digits after the point. */
  readonly precision?: number
  readonly scale?: number
  /** True if an integer needs 64 bits. */
  readonly long?: boolean
  /** Element of a list. */
  readonly of?: Column
  /** Former names of this column, for the migration; readers use the id. */
  readonly was?: readonly string[]
  /** True if the column is no longer written; its id stays reserved. */
  readonly retired?: boolean
  /** Never present: carries `T` for inference. */
  readonly '~type'?: T
}

/** Columns of a dataset or fields of a reply, by name. */
export type Columns = { readonly [name: string]: Column }

/** A row in JavaScript: instants as ms since the epoch, decimals as numbers, local dates as YYYY-MM-DD. */
export type RowOf<C extends Columns> = { -readonly [K in keyof C]: C[K] extends Column<infer T> ? T : never }

type Value<T, O> = O extends { readonly nullable: true } ? T | null : T

function column<T>(kind: Kind, ids: number | readonly [number, number], about: string, options: object = {}): Column<T> {
  const [id, secondId] = typeof ids === 'number' ? [ids, 0] : ids
  return Object.freeze({ nullable: false, ...options, kind, id, secondId, about })
}

/** Options of a column that the publisher may leave out: null then. `example` is a value as in a JSON reply. */
export const orNull = <const E extends Json>(example: E) => ({ nullable: true, example }) as const

/** Makes the constructor of a kind without options of its own. */
const plain =
  <T>(kind: Kind) =>
  <const O extends CommonOptions>(id: number, about: string, options?: O): Column<Value<T, O>> =>
    column(kind, id, about, options)

/** Constructors of stored columns. First argument: the field id (a pair for a point or list), then the meaning. */
export const col = {
  /** Text as published, trimmed. */
  string: <const O extends StringOptions>(id: number, about: string, options?: O): Column<Value<string, O>> =>
    column('string', id, about, options),
  /** A value of a code list; unknown codes are stored unchanged and counted. */
  code: <const O extends CommonOptions>(id: number, about: string, codes: CodeList, options?: O): Column<Value<string, O>> =>
    column('code', id, about, { ...options, codes }),
  /** Any JSON value, embedded in replies; `lists` are the code lists of its members. */
  json: <const O extends JsonOptions>(id: number, about: string, options?: O): Column<Value<Json, O>> => column('json', id, about, options),
  /** An integer of 32 bits, or 64 with `long`. */
  integer: <const O extends NumberOptions & { long?: boolean }>(id: number, about: string, options?: O): Column<Value<number, O>> =>
    column('integer', id, about, options),
  /** An exact decimal of at most 15 digits; `precision` is 9 by default. */
  decimal: <const O extends NumberOptions & { scale: number; precision?: number }>(
    id: number,
    about: string,
    options: O,
  ): Column<Value<number, O>> => column('decimal', id, about, { precision: 9, ...options }),
  /** A double. */
  float: <const O extends NumberOptions>(id: number, about: string, options?: O): Column<Value<number, O>> =>
    column('float', id, about, options),
  /** True or false; named `is_…` or `has_…`. */
  boolean: plain<boolean>('boolean'),
  /** An instant; ms since the epoch in a row, µs in the lake, ISO 8601 with Z in JSON. */
  instant: plain<number>('instant'),
  /** A calendar date at the place of publication, YYYY-MM-DD. */
  local_date: plain<string>('local_date'),
  /** Seconds since the start of the service day; may exceed 24 h. */
  service_time: plain<number>('service_time'),
  /** A position, with field ids for latitude and longitude. */
  point: <const O extends CommonOptions>(ids: readonly [number, number], about: string, options?: O): Column<Value<Point, O>> =>
    column('point', ids, about, options),
  /** A line. */
  line: plain<Line>('line'),
  /** A polygon. */
  polygon: plain<Polygon>('polygon'),
  /** Several polygons of one object. */
  multipolygon: plain<MultiPolygon>('multipolygon'),
  /**
   * A list, with field ids for itself and its element. The element is declared with id 0 and may not be a list, a point or a
   * geometry.
   */
  list: <E, const O extends CommonOptions>(
    ids: readonly [number, number],
    about: string,
    of: Column<E>,
    options?: O,
  ): Column<Value<readonly E[], O>> => column('list', ids, about, { ...options, of }),
} as const

/** A column that is no longer written: its id stays reserved and old files remain readable. @public */
export function retired<T>(was: Column<T>): Column<null> {
  const { ['~type']: _type, ...rest } = was
  return Object.freeze({ ...rest, nullable: true, retired: true })
}
