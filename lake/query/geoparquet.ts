import { type Sql, sql } from './sql.ts'

/** The position of two columns as WKB, null if either is null. */
export function pointWkb(lat: Sql, lon: Sql): Sql {
  return sql`CASE WHEN ${lat} IS NULL OR ${lon} IS NULL THEN NULL ELSE ST_AsWKB(CAST('POINT (' || ${lon} || ' ' || ${lat} || ')' AS GEOMETRY)) END`
}

/**
 * GeoParquet's file metadata for geometry columns (GeoJSON types by column name); null without any. The engine's own is missing
 * if no row has a geometry.
 */
export function geoMetadata(types: ReadonlyMap<string, readonly string[]>): string | null {
  const [first] = types.keys()
  if (first === undefined) return null
  const about = [...types].map(([name, type]) => [name, { encoding: 'WKB', geometry_types: type }])
  const primary_column = types.has('geometry') ? 'geometry' : first
  return JSON.stringify({ version: '1.0.0', primary_column, columns: Object.fromEntries(about) })
}
