import type { CodeList } from '../../lake/schema/codes.ts'
import { type Column, type Columns, type GeometryKind, isGeometry } from '../../lake/schema/columns.ts'
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

type Nullable<T, O> = O extends { readonly nullable: true } ? T | null : T

/** Supported languages. */
export const LANGS = ['es', 'en', 'ca', 'eu', 'gl'] as const
export type Lang = (typeof LANGS)[number]

/** Constructors of nested fields. */
export const nested = {
  object: <const F extends Fields, const O extends { nullable?: boolean }>(
    about: string,
    fields: F,
    options?: O,
  ): Nested<Nullable<ValueOf<F>, O>> => Object.freeze({ nullable: false, ...options, kind: 'object', about, fields }),
  objects: <const F extends Fields, const O extends { nullable?: boolean }>(
    about: string,
    fields: F,
    options?: O,
  ): Nested<Nullable<readonly ValueOf<F>[], O>> => Object.freeze({ nullable: false, ...options, kind: 'objects', about, fields }),
  /** An object with a member for each code of `keys` that applies; a table shows each code as columns. */
  map: <const F extends Fields>(about: string, keys: CodeList, fields: F): Nested<Readonly<Record<string, ValueOf<F>>>> =>
    Object.freeze({ nullable: false, kind: 'map', about, keys, fields }),
} as const

/** True for a nested field. */
export function isNested(field: Field): field is Nested {
  return field.kind === 'object' || field.kind === 'objects' || field.kind === 'map'
}

/** The same column, nullable and with the meaning of null. */
export function optional<T>(column: Column<T>, about: string): Column<T | null> {
  return Object.freeze({ ...column, about, nullable: true })
}

/** The same column with its meaning in a reply. */
export function meaning<T>(column: Column<T>, about: string): Column<T> {
  return Object.freeze({ ...column, about })
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

/**
 * Maps fields to columns of a dataset: a field that is the dataset's own column object shows that column under any name. Other
 * fields are not in the map.
 */
export function columnsOf(dataset: Dataset, fields: Fields): ReadonlyMap<string, string> {
  const names = new Map(Object.entries(dataset.columns).map(([name, column]) => [column as Field, name]))
  return new Map(
    Object.entries(fields).flatMap(([name, field]) => {
      const column = names.get(field)
      return column ? [[name, column] as const] : []
    }),
  )
}

/** A row with engine metadata, live or from a table of changes. */
export type StateRow<D extends { readonly columns: Columns }> = Row<D> & {
  readonly status: string
  /** Data time of the publication that last changed it, ms since the epoch. */
  readonly updated_at: number
}

/**
 * Returns a function that converts a row into a record. `computed` supplies its fields; fields that are dataset columns and all
 * others are read from the row by name. Throws if the row lacks one. A row older than a column has null there.
 */
export function projection<D extends Dataset, F extends Fields>(
  dataset: D,
  shape: RecordShape<F>,
  computed: { readonly [N in keyof F]?: (row: StateRow<D>) => ValueOf<F>[N] } = {},
): (row: AnyRow) => ValueOf<F> {
  const columns = columnsOf(dataset, shape.fields)
  const steps = Object.keys(shape.fields).map((name) => {
    const make = computed[name as keyof F] as ((row: AnyRow) => unknown) | undefined
    const column = columns.get(name) ?? name
    return { name, column, make, isNullable: dataset.columns[column]?.nullable === true }
  })
  return (row) => {
    const made: AnyRow = {}
    for (const { name, column, make, isNullable } of steps) {
      const value = make ? make(row) : isNullable ? (row[column] ?? null) : row[column]
      if (value === undefined) throw new Error(`${shape.name}: a row of ${dataset.id} lacks ${name}`)
      made[name] = value
    }
    return made as ValueOf<F>
  }
}
