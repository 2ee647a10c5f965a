import { LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { geoMetadata, pointWkb } from '../../../lake/query/geoparquet.ts'
import { quoteText } from '../../../lake/query/literal.ts'
import type { Session } from '../../../lake/query/session.ts'
import { Bound, join, outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { unscaledOf, wholeOf } from '../../../lake/query/values.ts'
import { type Column, GEOMETRY_TYPES, isGeometry, type Json } from '../../../lake/schema/columns.ts'
import { scalarType } from '../../../lake/schema/physical.ts'
import type { Codec } from '../../kernel/formats.ts'
import type { JsonObject } from '../../kernel/reads/shape.ts'
import { type CellType, cellJson, type TableColumn } from '../../kernel/reads/table.ts'
import { decimalText } from './text.ts'

/** Largest record as JSON text, in bytes: the engine's reader needs several times as much memory for each thread. */
const RECORD_BYTES = 1024 ** 2

/** Rows in a row group of staged records, which may be wide: a group stays in memory until it is written. */
export const STAGED_GROUP_ROWS = 30_720

/** The key-values of a file: texts by name, and the facts about the page that are known before its rows. */
export interface FileAbout {
  readonly texts: ReadonlyMap<string, string>
  readonly page: JsonObject
}

/**
 * Returns a cell's JSON value for `readStaged`: decimals as texts, so that they stay exact; JSON and geometries as texts. A value
 * that its type cannot represent exactly is a `ValueError`.
 */
export function stagedJson(type: CellType, value: unknown, name: string): Json {
  if (value === null || value === undefined) return null
  switch (type.kind) {
    case 'integer':
      wholeOf(name, type, value)
      return cellJson(type, value)
    case 'decimal':
      unscaledOf(name, type, value)
      return decimalText(value as number, type.scale ?? 0)
    case 'json':
      return JSON.stringify(cellJson(type, value))
    case 'line':
      return `LINESTRING (${positions(value)})`
    case 'polygon':
      return `POLYGON ${rings(value)}`
    case 'multipolygon':
      return `MULTIPOLYGON (${(value as readonly unknown[]).map(rings).join(', ')})`
    case 'service_time':
      return value as number
    case 'list':
      return (value as readonly unknown[]).map((item) => stagedJson(type.of as Column, item, name))
    case 'rows':
      return (value as readonly Record<string, unknown>[]).map((row) =>
        Object.fromEntries(type.columns.map((column) => [column.name, stagedJson(column.type, column.of(row), `${name}.${column.name}`)])),
      )
    default:
      return cellJson(type, value)
  }
}

/** Returns the query that reads records which `ndjsonWriter` wrote with `stagedJson`, with the columns' types. */
export function readStaged(paths: readonly string[], columns: readonly TableColumn[]): Sql {
  const types = columns.map(({ name, type }) => sql`${outputName(name)}: ${stagedType(type)}`)
  const cells = columns.map(({ name, type }) => {
    const column = outputName(name)
    if (!isGeometry(type.kind)) return column
    const shape = sql`ST_AsWKB(CAST(${column} AS GEOMETRY))`
    return sql`${fallsBack(name, columns) ? sql`coalesce(${shape}, ${pointWkb(sql`lat`, sql`lon`)})` : shape} AS ${column}`
  })
  const files = new Bound(listValue([...paths]), LIST(VARCHAR))
  // Numbering the rows keeps the engine from reading ahead with several threads, which would take most of the memory.
  return sql`SELECT ${join([...cells, ...pointGeometry(columns)])} FROM (
    SELECT *, row_number() OVER () AS "row number" FROM read_json(${files}, format = 'newline_delimited',
      maximum_object_size = ${RECORD_BYTES}, columns = {${join(types)}})) WHERE "row number" > 0`
}

/** Returns the GeoParquet geometry of a table whose records have both `lat` and `lon`. */
export function pointGeometry(columns: readonly TableColumn[]): Sql[] {
  if (!hasPlace(columns)) return []
  return [sql`${pointWkb(sql`lat`, sql`lon`)} AS geometry`]
}

/** True for the geometry of records that also have a position, which is their place where they have no shape, as in GeoJSON. */
function fallsBack(name: string, columns: readonly TableColumn[]): boolean {
  return name === 'geometry' && ['lat', 'lon'].every((half) => columns.some((one) => one.name === half && one.field === 'position'))
}

function hasPlace(columns: readonly TableColumn[]): boolean {
  return ['lat', 'lon'].every((half) => columns.some(({ name, isPlace }) => name === half && isPlace))
}

/** Returns GeoParquet's key-values of a table. */
function geoTexts(columns: readonly TableColumn[]): (readonly [string, string])[] {
  const types = new Map<string, readonly string[]>(hasPlace(columns) ? [['geometry', ['Point']]] : [])
  for (const { name, type } of columns)
    if (isGeometry(type.kind)) types.set(name, [GEOMETRY_TYPES[type.kind], ...(fallsBack(name, columns) ? ['Point'] : [])])
  const text = geoMetadata(types)
  return text === null ? [] : [['geo', text]]
}

/** Writes a query's rows as Parquet (GeoParquet 1.0 with a geometry) and returns their number. */
export function copyParquet(
  session: Session,
  query: Sql,
  target: {
    readonly path: string
    readonly columns: readonly TableColumn[]
    readonly codec: Codec
    readonly about: FileAbout
    readonly groupRows?: number
  },
): Promise<number> {
  const { path, columns, codec, about, groupRows } = target
  const texts = [...about.texts, ['page', JSON.stringify(about.page)] as const, ...geoTexts(columns)]
  const values = texts.map(([name, text]) => `${name}: ${quoteText(text)}`).join(', ')
  const group = groupRows === undefined ? '' : `, ROW_GROUP_SIZE ${groupRows}`
  return session.copy(query, {
    path,
    options: `FORMAT parquet, COMPRESSION ${codec}, USE_TMP_FILE false, WRITE_BLOOM_FILTER false, KV_METADATA {${values}}${group}`,
  })
}

function stagedType(type: CellType): string {
  switch (type.kind) {
    case 'rows':
      return `STRUCT(${type.columns.map((column) => `"${column.name}" ${stagedType(column.type)}`).join(', ')})[]`
    case 'list':
      return `${stagedType(type.of as Column)}[]`
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return 'VARCHAR'
    default:
      return scalarType(type).duckdb
  }
}

function rings(polygon: unknown): string {
  return `(${(polygon as readonly unknown[]).map((ring) => `(${positions(ring)})`).join(', ')})`
}

function positions(line: unknown): string {
  return (line as readonly (readonly [number, number])[]).map(([lon, lat]) => `${lon} ${lat}`).join(', ')
}
