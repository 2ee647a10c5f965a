import { type Column, col, type Json } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { columnSchema, type JsonSchema, jsonProperties, jsonValue } from '../../../lake/schema/json.ts'
import { DEGREE_DECIMALS, roundedTo, rounderOf } from '../../../lake/schema/precision.ts'
import { type Field, type Fields, isNested, type Nested, placeOf } from '../fields.ts'

/** Type of a table cell: a column type other than a point, or a list of rows with their own columns. */
export type CellType = Column | { readonly kind: 'rows'; readonly columns: readonly TableColumn[] }

/** One column of a table of records. */
export interface TableColumn {
  readonly name: string
  /** The member of the record's JSON object that it comes from; `fields` chooses by it. */
  readonly member: string
  /** The record's field that it comes from and, for a point, which half. */
  readonly field: string
  readonly part: 'lat' | 'lon' | null
  /** True for a half of the point that is the record's place (`placeOf`). */
  readonly isPlace?: boolean
  readonly type: CellType
  readonly nullable: boolean
  readonly schema: JsonSchema
  /** The value of the cell for a record, as in rows; null without a value. */
  readonly of: (record: AnyRow) => unknown
}

/**
 * Table columns of a record, the same for CSV, Parquet and Arrow. Nested members become `a_b`; a map has one column per code in
 * lower case, and `a_other` for unlisted codes; a point has two. Lists stay lists, and their rows are flattened too.
 */
export function tableColumns(fields: Fields): readonly TableColumn[] {
  return Object.entries(fields).flatMap(([name, field]) => columnsOfField(name, field, placeOf(fields) === name))
}

/** The column with decimals as floating-point numbers of the same precision, also inside lists. */
export function withDoubles(column: TableColumn): TableColumn {
  return { ...column, type: asDouble(column.type) }
}

function asDouble(type: CellType): CellType {
  if (type.kind === 'rows') return { ...type, columns: type.columns.map(withDoubles) }
  if (type.kind === 'decimal') return { ...type, kind: 'float' }
  return type.kind === 'list' && type.of ? { ...type, of: asDouble(type.of) as Column } : type
}

/** The JSON Schema of a table row: all columns and no others. Columns of fields in `sometimes` are optional. */
export function tableRowSchema(about: string, columns: readonly TableColumn[], sometimes: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    description: about,
    required: columns.filter(({ field }) => !sometimes.includes(field)).map(({ name }) => name),
    additionalProperties: false,
    properties: Object.fromEntries(columns.map(({ name, schema }) => [name, schema])),
  }
}

/** The JSON value of a cell, as CSV lists contain it. */
export function cellJson(type: CellType, value: unknown): Json {
  if (value === null || value === undefined) return null
  if (type.kind !== 'rows') return jsonValue(type, value)
  return (value as readonly AnyRow[]).map((row) => rowJson(type.columns, row))
}

function rowJson(columns: readonly TableColumn[], row: AnyRow): { [name: string]: Json } {
  const object: { [name: string]: Json } = {}
  for (const { name, type, of } of columns) object[name] = cellJson(type, of(row))
  return object
}

function columnsOfField(name: string, field: Field, isPlace: boolean): TableColumn[] {
  if (!isNested(field)) return field.kind === 'point' ? pointColumns(name, field, isPlace) : [scalarColumn(name, field)]
  if (field.kind === 'objects') return [listColumn(name, field)]
  if (field.kind === 'map') return mapColumns(name, field)
  return tableColumns(field.fields).map((column) => within(name, field.nullable, column, (held) => held))
}

function scalarColumn(name: string, column: Column): TableColumn {
  const { nullable } = column
  const round = rounderOf(column)
  const of = (record: AnyRow): unknown => (round ? round(record[name] ?? null) : (record[name] ?? null))
  return { name, member: name, field: name, part: null, type: column, nullable, schema: columnSchema(column), of }
}

function pointColumns(field: string, column: Column, isPlace: boolean): TableColumn[] {
  const { nullable } = column
  return jsonProperties(field, column).map(({ name, schema }, at) => {
    const part = at === 0 ? 'lat' : 'lon'
    const type = col.float(0, String(schema['description']), { unit: 'deg', nullable })
    const of = (record: AnyRow): unknown => {
      const degrees = (record[field] as Record<typeof part, number> | null | undefined)?.[part]
      return degrees === undefined ? null : roundedTo(degrees, DEGREE_DECIMALS)
    }
    return { name, member: name, field, part, isPlace, type, nullable, schema, of }
  })
}

function listColumn(name: string, { about, fields, nullable }: Nested): TableColumn {
  const columns = tableColumns(fields)
  const schema = { type: nullable ? ['array', 'null'] : 'array', description: about, items: tableRowSchema('One entry.', columns) }
  const type = { kind: 'rows', columns } as const
  return { name, member: name, field: name, part: null, type, nullable, schema, of: (record) => record[name] ?? null }
}

function mapColumns(name: string, field: Nested): TableColumn[] {
  const codes = Object.keys(field.keys?.codes ?? {})
  const columns = tableColumns(field.fields)
  const ofCodes = codes.flatMap((code) =>
    columns.map((column) => {
      const held = within(name, true, column, (map) => map[code] as AnyRow | undefined)
      const description = `For ${code} (${field.keys?.codes[code]?.en}): ${String(column.schema['description'] ?? '')}`
      return { ...held, name: `${name}_${code.toLowerCase()}_${column.name}`, schema: { ...held.schema, description } }
    }),
  )
  const about = `Values of ${name} under codes outside the list ${field.keys?.id}, by code; null without any.`
  const type = col.json(0, about, { nullable: true })
  const of = (record: AnyRow): unknown => {
    const others = Object.entries((record[name] ?? {}) as Record<string, AnyRow>).filter(([code]) => !codes.includes(code))
    return others.length === 0 ? null : Object.fromEntries(others.map(([code, row]) => [code, rowJson(columns, row)]))
  }
  const other = { name: `${name}_other`, member: name, field: name, part: null, type, nullable: true, schema: columnSchema(type), of }
  return [...ofCodes, other]
}

/** Wraps a column of a nested object under the object's name. */
function within(name: string, mayLack: boolean, column: TableColumn, find: (held: AnyRow) => AnyRow | undefined): TableColumn {
  const nullable = mayLack || column.nullable
  return {
    ...column,
    ...{ name: `${name}_${column.name}`, member: name, field: name, part: null, nullable },
    schema: nullable ? orNull(column.schema) : column.schema,
    of: (record) => {
      const held = record[name] as AnyRow | null | undefined
      const inner = held ? find(held) : undefined
      return inner ? column.of(inner) : null
    },
  }
}

/** The schema of values that may also be null. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type } = schema
  if (type === undefined) return schema
  const types = Array.isArray(type) ? type : [type]
  return types.includes('null') ? schema : { ...schema, type: [...types, 'null'] }
}
