import { type Column, GEOMETRY_TYPES, isGeometry } from '../schema/columns.ts'
import { type Sql, sql } from './sql.ts'

/** An instant as ISO 8601 with Z, like `isoInstant`: DuckDB's time zone calendar is several times slower than a UTC one. */
export function instantText(value: Sql): Sql {
  const plain = sql`make_timestamp(epoch_us(${value}))`
  return sql`CASE WHEN epoch_us(${value}) % 1000 = 0 THEN strftime(${plain}, '%Y-%m-%dT%H:%M:%S.%gZ') ELSE strftime(${plain}, '%Y-%m-%dT%H:%M:%S.%fZ') END`
}

/** A column's value for CSV: geometries as WKT, lists as JSON text. */
export function csvCell(column: Column, value: Sql): Sql {
  if (isGeometry(column.kind)) return sql`ST_AsText(ST_GeomFromWKB(${value}))`
  return column.kind === 'list' ? sql`CAST(to_json(${listCells(column, value)}) AS VARCHAR)` : plainCell(column, value)
}

/** A column's value for JSON rows: geometries as GeoJSON, JSON embedded. */
export function jsonCell(column: Column, value: Sql): Sql {
  if (isGeometry(column.kind)) return geoJson(GEOMETRY_TYPES[column.kind], value)
  if (column.kind === 'json') return sql`CAST(${value} AS JSON)`
  return column.kind === 'list' ? listCells(column, value) : plainCell(column, value)
}

function listCells(column: Column, value: Sql): Sql {
  return sql`list_transform(${value}, lambda item: ${plainCell(column.of as Column, sql`item`)})`
}

function plainCell({ kind }: Column, value: Sql): Sql {
  if (kind === 'instant') return instantText(value)
  if (kind === 'service_time') return sql`printf('%02d:%02d:%02d', ${value} // 3600, ${value} // 60 % 60, ${value} % 60)`
  return value
}

/** GeoJSON of WKB: the coordinates of its WKT in brackets. */
function geoJson(type: string, value: Sql): Sql {
  const text = sql`ST_AsText(ST_GeomFromWKB(${value}))`
  const pairs = sql`regexp_replace(substr(${text}, strpos(${text}, '(')), '([-+.0-9eE]+) ([-+.0-9eE]+)', '[\\1,\\2]', 'g')`
  return sql`CAST('{"type":"' || ${type} || '","coordinates":' || replace(replace(${pairs}, '(', '['), ')', ']') || '}' AS JSON)`
}
