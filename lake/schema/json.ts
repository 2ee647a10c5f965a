import { type Column, GEOMETRY_TYPES, type Json } from './columns.ts'
import { isoInstant } from './time.ts'

/** A JSON Schema (draft 2020-12), as used in OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The schemas of numbers. Without a format, generators take `float` for doubles, and their clients lose digits. */
export const INT32 = Object.freeze({ type: 'integer', format: 'int32' })
export const INT64 = Object.freeze({ type: 'integer', format: 'int64' })
export const DOUBLE = Object.freeze({ type: 'number', format: 'double' })

/** One JSON member of a column. */
export interface JsonProperty {
  readonly name: string
  readonly schema: JsonSchema
  /** Converts the column's value in a row to the member's JSON value. */
  readonly json: (value: unknown) => Json
}

/**
 * The JSON members of a column: a point has two (`lat` and `lon` if it is named `position`, else `<name>_lat` and `<name>_lon`),
 * any other column one.
 */
export function jsonProperties(name: string, column: Column): JsonProperty[] {
  if (column.kind !== 'point') return [{ name, schema: columnSchema(column), json: (value) => jsonValue(column, value) }]
  return (['lat', 'lon'] as const).map((axis) => {
    const most = axis === 'lat' ? 90 : 180
    const word = axis === 'lat' ? 'Latitude' : 'Longitude'
    const example = (column.example as Record<string, Json> | undefined)?.[axis]
    return {
      name: name === 'position' ? axis : `${name}_${axis}`,
      schema: {
        ...DOUBLE,
        ...(column.nullable ? { type: ['number', 'null'] } : {}),
        minimum: -most,
        maximum: most,
        description: `${column.about} ${word}, WGS84 decimal degrees.`,
        ...(example === undefined ? {} : { examples: [example] }),
      },
      json: (value) => (value === null ? null : ((value as Record<string, number>)[axis] as number)),
    }
  })
}

/** The JSON Schema of a column's value, for every kind except points (see `jsonProperties`). */
export function columnSchema(column: Column): JsonSchema {
  const { type, ...rest } = kindSchema(column)
  const unit = column.unit ? ` Unit: ${column.unit}.` : column.unitIn ? ` Unit: see ${column.unitIn}.` : ''
  return {
    ...(type === undefined ? {} : { type: column.nullable ? [type, 'null'] : type }),
    ...rest,
    ...(column.values ? { enum: column.nullable ? [...column.values, null] : column.values } : {}),
    ...(column.min === undefined ? {} : { minimum: column.min }),
    ...(column.max === undefined ? {} : { maximum: column.max }),
    description: `${column.about}${unit}`,
    ...(column.unit ? { 'x-unit': column.unit } : {}),
    ...(column.example === undefined ? {} : { examples: [column.example] }),
  }
}

/** The JSON form of a column's value: instants as ISO 8601 with Z, geometries as GeoJSON. Null stays null. */
export function jsonValue(column: Column, value: unknown): Json {
  if (value === null || value === undefined) return null
  switch (column.kind) {
    case 'instant':
      return isoInstant(value as number)
    case 'service_time':
      return clockText(value as number)
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return { type: GEOMETRY_TYPES[column.kind], coordinates: value as Json }
    case 'list':
      return (value as readonly unknown[]).map((item) => jsonValue(column.of as Column, item))
    case 'integer':
      // JSON readers with only doubles would lose digits beyond 2^53.
      return typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : (value as number)
    default:
      return value as Json
  }
}

function kindSchema(column: Column): { type?: string } & JsonSchema {
  switch (column.kind) {
    case 'string':
      return { type: 'string', ...(column.format ? { format: column.format } : {}) }
    case 'code':
      return { type: 'string', 'x-code-list': column.codes?.id, 'x-extensible-enum': Object.keys(column.codes?.codes ?? {}) }
    case 'json':
      return {}
    case 'integer':
      return column.long ? INT64 : INT32
    case 'decimal':
    case 'float':
      return DOUBLE
    case 'boolean':
      return { type: 'boolean' }
    case 'instant':
      return { type: 'string', format: 'date-time' }
    case 'local_date':
      return { type: 'string', format: 'date' }
    case 'service_time':
      return { type: 'string', pattern: '^\\d{2,}:\\d{2}:\\d{2}$' }
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return geometrySchema(GEOMETRY_TYPES[column.kind])
    case 'list':
      return { type: 'array', items: columnSchema(column.of as Column) }
    case 'point':
      throw new Error('a point is two members, see jsonProperties')
  }
}

const POSITION = Object.freeze({ type: 'array', items: DOUBLE, minItems: 2, maxItems: 2, description: 'Longitude, latitude.' })
/** A polygon's rings, outer ring first. */
const RINGS = Object.freeze({ type: 'array', items: { type: 'array', items: POSITION, minItems: 4 }, minItems: 1 })
const COORDINATES = Object.freeze({
  Point: POSITION,
  LineString: { type: 'array', items: POSITION, minItems: 2 },
  Polygon: RINGS,
  MultiPolygon: { type: 'array', items: RINGS, minItems: 1 },
})

/** The JSON Schema of a GeoJSON geometry. */
export function geometrySchema(type: keyof typeof COORDINATES): { type: string } & JsonSchema {
  return {
    type: 'object',
    required: ['type', 'coordinates'],
    properties: { type: { type: 'string', const: type }, coordinates: COORDINATES[type] },
  }
}

/** HH:MM:SS of seconds since the start of the service day; the hour may exceed 24. */
function clockText(seconds: number): string {
  const part = (value: number): string => String(value).padStart(2, '0')
  return `${part(Math.floor(seconds / 3600))}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}`
}
