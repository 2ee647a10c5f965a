import type { CodeList } from '../../lake/schema/codes.ts'
import {
  type Column,
  type Columns,
  col,
  type GeometryKind,
  isGeometry,
  type Json,
  type Line,
  type Point,
} from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset, Row } from '../../lake/schema/dataset.ts'

/** A member of a reply with members of its own. `T` is its value in a record. */
export interface Nested<T = unknown> {
  /** One object, a list of objects, or an object with one member per code of `keys`. */
  readonly kind: 'object' | 'objects' | 'map'
  readonly about: string
  readonly nullable: boolean
  readonly fields: Fields
  readonly keys?: CodeList
  /** Never present: carries `T` for inference. */
  readonly '~type'?: T
}

/** A field of a reply: a column of a dataset, a column declared with id 0 that is not stored, or a nested one. */
export type Field<T = unknown> = Column<T> | Nested<T>

/** The fields of a record, in the order replies show them. */
export type Fields = { readonly [name: string]: Field }

/** A record as a JavaScript object, with values as in rows (`RowOf`). */
export type ValueOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends { readonly '~type'?: infer T } ? T : never }

/** Supported languages. */
export const LANGS = ['es', 'en', 'ca', 'eu', 'gl'] as const
export type Lang = (typeof LANGS)[number]

/** Constructors of nested fields: one object or a list of objects, that are always there or may be null, and a map. */
export const nested = {
  object: <const F extends Fields>(about: string, fields: F): Nested<ValueOf<F>> =>
    Object.freeze({ kind: 'object', nullable: false, about, fields }),
  maybe: <const F extends Fields>(about: string, fields: F): Nested<ValueOf<F> | null> =>
    Object.freeze({ kind: 'object', nullable: true, about, fields }),
  objects: <const F extends Fields>(about: string, fields: F): Nested<readonly ValueOf<F>[]> =>
    Object.freeze({ kind: 'objects', nullable: false, about, fields }),
  maybeObjects: <const F extends Fields>(about: string, fields: F): Nested<readonly ValueOf<F>[] | null> =>
    Object.freeze({ kind: 'objects', nullable: true, about, fields }),
  /** An object with a member for each code of `keys` that applies; a table shows each code as columns. */
  map: <const F extends Fields>(about: string, keys: CodeList, fields: F): Nested<Readonly<Record<string, ValueOf<F>>>> =>
    Object.freeze({ kind: 'map', nullable: false, about, keys, fields }),
} as const

/** True for a nested field. */
export function isNested(field: Field): field is Nested {
  return field.kind === 'object' || field.kind === 'objects' || field.kind === 'map'
}

/** What a field shows: a column's value, or one made of it. */
interface Origin {
  readonly column: Field
  readonly of?: ((value: never) => unknown) | undefined
}

/** The origins of fields that are not columns themselves. */
const origins = new WeakMap<Field, Origin>()

/** The same column with another description; projections still find its values. */
export function like<C extends Column>(column: C, changes: Partial<Pick<Column, 'about' | 'nullable' | 'example'>>): C {
  const made = Object.freeze({ ...column, ...changes }) as C
  origins.set(made, origins.get(column) ?? { column })
  return made
}

/** A field whose value a function makes of a column's value; it is declared as `field`. */
export function madeOf<T, V>(column: Column<V>, field: Column<T>, of: (value: V) => T): Column<T> {
  const made = Object.freeze({ ...field })
  origins.set(made, { column: origins.get(column)?.column ?? column, of })
  return made
}

/** The same column, nullable and with the meaning of null. */
export function optional<T>(column: Column<T>, about: string): Column<T | null> {
  return like<Column<T | null>>(column, { about, nullable: true })
}

/** The same column with its meaning in a reply. */
export function meaning<T>(column: Column<T>, about: string): Column<T> {
  return like(column, { about })
}

/** Some columns of a dataset, in the given order. */
export function pick<C extends object, const K extends keyof C>(columns: C, ...names: readonly K[]): Pick<C, K> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<C, K>
}

/** A named kind of record; the name is its schema name in OpenAPI. */
export interface RecordShape<F extends Fields = Fields> {
  readonly name: string
  readonly about: string
  readonly fields: F
  /** Returns the record in another language, if it has texts in several. */
  localise?(record: ValueOf<F>, lang: Lang): ValueOf<F>
  /** Languages of its texts, Spanish first; by default Spanish and English. */
  readonly languages?: readonly Lang[]
  /** The field that identifies a record; `id` by default. */
  readonly id?: keyof F & string
  /** Fields that only some replies have. */
  readonly sometimes?: readonly string[]
  /** Fields that a JSON object lacks if their value is null, because hardly any source states them; tables keep their column. */
  readonly omitsNull?: readonly string[]
}

/**
 * Declares a kind of record. Its place is the geometry field `geometry`, else the point `position`. Records with either a line
 * or an area have a second geometry field, `area`, which is the place if `geometry` is null; then the point is.
 */
export function record<const F extends Fields>(
  name: string,
  about: string,
  fields: F,
  options: Pick<RecordShape<F>, 'localise' | 'languages' | 'id' | 'sometimes' | 'omitsNull'> = {},
): RecordShape<F> {
  return Object.freeze({ name, about, fields: Object.freeze(fields), ...options })
}

/** The field that identifies a record, if there is one. */
export function idFieldsOf({ id, fields }: RecordShape): readonly string[] {
  if (id !== undefined) return [id]
  return 'id' in fields ? ['id'] : []
}

/**
 * Returns the field with a record's place, the geometry of its GeoJSON feature: the shape if there is one, else the position,
 * which is also the place of a record whose shape is null. Null for records without a place.
 */
export function placeOf(fields: Fields): 'position' | 'geometry' | null {
  if (geometryKindOf(fields) !== null) return 'geometry'
  return fields['position']?.kind === 'point' ? 'position' : null
}

/** Returns the geometry kind of a record's shape; null for records without one. */
export function geometryKindOf(fields: Fields): GeometryKind | null {
  const kind = fields['geometry']?.kind
  return isGeometry(kind) ? kind : null
}

/** The kind of the second geometry of a record, `area`; null for records without one. */
export function areaKindOf(fields: Fields): GeometryKind | null {
  const kind = fields['area']?.kind
  return isGeometry(kind) && geometryKindOf(fields) !== null ? kind : null
}

/** A dataset, or the fields of records that rows are joined with. */
type Part = { readonly columns: Fields }

/**
 * Maps fields to the columns of a dataset that they show, under any name, or that their values are made of. Other fields are not
 * in the map.
 */
export function columnsOf({ columns }: Part, fields: Fields): ReadonlyMap<string, string> {
  const names = new Map(Object.entries(columns).map(([name, column]) => [column, name]))
  return new Map(
    Object.entries(fields).flatMap(([name, field]) => {
      const column = names.get(field) ?? names.get(origins.get(field)?.column ?? field)
      return column === undefined ? [] : [[name, column] as const]
    }),
  )
}

/** A row with engine metadata, live or from a table of changes. */
export type StateRow<D extends { readonly columns: Columns }> = Row<D> & {
  readonly status: string
  /** Data time of the publication that last changed it, ms since the epoch. */
  readonly updated_at: number
}

/** The names of the fields that may be null. */
type NullableOf<F extends Fields> = { [K in keyof F]: null extends ValueOf<F>[K] ? K : never }[keyof F]

/** Null for each field that may be null: a record without data. */
export function nulls<F extends Fields>(fields: F): { readonly [K in NullableOf<F>]: null } {
  const names = Object.keys(fields).filter((name) => fields[name]?.nullable)
  return Object.freeze(Object.fromEntries(names.map((name) => [name, null]))) as { readonly [K in NullableOf<F>]: null }
}

/** The value of a field, from the rows of the parts. */
type Computed<F extends Fields, Rows extends readonly unknown[]> = { readonly [N in keyof F]?: (...rows: Rows) => ValueOf<F>[N] }

/**
 * Returns a function that converts a row into a record. `computed` supplies its fields; fields that show dataset columns and all
 * others are read from the row by name. Throws if the row lacks one. A row older than a column has null there.
 */
export function projection<D extends Dataset, F extends Fields>(
  dataset: D,
  shape: Pick<RecordShape<F>, 'name' | 'fields'>,
  computed: Computed<F, [StateRow<D>]> = {},
): (row: AnyRow) => ValueOf<F> {
  return joined([dataset], shape, computed as Computed<F, AnyRow[]>)
}

/**
 * The same for rows of several parts, each with its columns: a field shows the first part that has it. Fields of a part without
 * a row are null. Fields that no part has are read from the first row by name. `computed` may take more than the parts' rows.
 */
export function joined<F extends Fields, Rows extends readonly (object | null | undefined)[]>(
  parts: readonly Part[],
  shape: Pick<RecordShape<F>, 'name' | 'fields'>,
  computed: Computed<F, Rows> = {},
): (...rows: Rows) => ValueOf<F> {
  const columns = parts.map((part) => columnsOf(part, shape.fields))
  const steps = Object.keys(shape.fields).map((field) => {
    const at = Math.max(
      0,
      columns.findIndex((one) => one.has(field)),
    )
    const name = columns[at]?.get(field) ?? field
    const declared = shape.fields[field] as Field
    const column = parts[at]?.columns[name]
    const of = column === declared ? undefined : (origins.get(declared)?.of as ((value: unknown) => unknown) | undefined)
    return { field, at, name, isNullable: column?.nullable === true, of, make: computed[field as keyof F] }
  })
  return (...rows) => {
    const made: AnyRow = {}
    for (const { field, at, name, isNullable, of, make } of steps) {
      const row = rows[at] as AnyRow | null | undefined
      const held = make ? make(...rows) : row ? row[name] : null
      const value = !make && isNullable ? (held ?? null) : held
      if (value === undefined) throw new Error(`${shape.name}: a row lacks ${field}`)
      made[field] = make || !of || !row ? value : of(value)
    }
    return made as ValueOf<F>
  }
}

type May<T, N extends boolean> = Column<N extends true ? T | null : T>

/** Makes the constructors. The last argument is the example, as in a JSON reply; units are those of `UNITS`. */
function constructors<const N extends boolean>(nullable: N) {
  const more = (example: Json | undefined, options: object = {}) => ({
    ...options,
    nullable,
    ...(example === undefined ? {} : { example }),
  })
  const as = <T>(column: Column): May<T, N> => column as May<T, N>
  return Object.freeze({
    text: (about: string, example?: string | null) => as<string>(col.string(0, about, more(example))),
    code: (about: string, codes: CodeList, example?: string | null) => as<string>(col.code(0, about, codes, more(example))),
    json: (about: string, example?: Json) => as<Json>(col.json(0, about, more(example))),
    boolean: (about: string, example?: boolean | null) => as<boolean>(col.boolean(0, about, more(example))),
    instant: (about: string, example?: string | null) => as<number>(col.instant(0, about, more(example))),
    date: (about: string, example?: string | null) => as<string>(col.local_date(0, about, more(example))),
    integer: (about: string, unit: string, example?: number | null) => as<number>(col.integer(0, about, more(example, { unit }))),
    float: (about: string, unit: string, example?: number | null) => as<number>(col.float(0, about, more(example, { unit }))),
    /** `scale` is the number of digits after the point, of 9. */
    decimal: (about: string, unit: string, scale: number, example?: number | null) =>
      as<number>(col.decimal(0, about, { ...more(example, { unit }), scale })),
    point: (about: string, example?: Json) => as<Point>(col.point([0, 0], about, more(example))),
    line: (about: string, example?: Json) => as<Line>(col.line(0, about, more(example))),
    list: <E>(about: string, of: Column<E>, example?: Json) => as<readonly E[]>(col.list([0, 0], about, of, more(example))),
  })
}

/** Constructors of reply fields that no dataset stores and that always have a value. */
export const field = constructors(false)
/** The same for fields that may be null. */
export const maybe = constructors(true)
