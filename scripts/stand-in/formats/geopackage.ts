import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

type Corner = readonly [x: number, y: number]
type Value = string | number | null

/** A layer to write: its columns with SQLite's types, and its features; a point is a line of one corner. */
export interface LayerToWrite {
  readonly name: string
  readonly columns: Readonly<Record<string, 'TEXT' | 'INTEGER' | 'REAL'>>
  readonly geometry: 'LINESTRING' | 'POINT'
  /** True for geometries with a height, as IGN has them. */
  readonly hasHeights: boolean
  readonly features: Iterable<{ readonly values: readonly Value[]; readonly line: readonly Corner[] }>
}

const SRS = 4258

/** A GeoPackage (OGC 12-128) of feature layers in ETRS89, last changed at an instant (ms). */
export function writeGeoPackage(layers: readonly LayerToWrite[], changed: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'geopackage-'))
  try {
    const path = join(folder, 'new.gpkg')
    writeGeoPackageFile(path, layers, changed)
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same into a new file, feature by feature, for files that do not fit into memory. */
export function writeGeoPackageFile(path: string, layers: readonly LayerToWrite[], changed: number): void {
  const base = new DatabaseSync(path)
  base.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = 1196444487; PRAGMA user_version = 10200;
    CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT, description TEXT DEFAULT '',
      last_change DATETIME NOT NULL, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
    CREATE TABLE gpkg_geometry_columns (table_name TEXT PRIMARY KEY, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
      srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL);
    BEGIN`)
  const day = new Date(changed).toISOString()
  for (const { name, columns, geometry, hasHeights, features } of layers) {
    const names = Object.keys(columns)
    const types = names.map((column) => `"${column}" ${columns[column]}`)
    base.exec(`CREATE TABLE "${name}" (fid INTEGER PRIMARY KEY, geom ${geometry}, ${types.join(', ')})`)
    base
      .prepare('INSERT INTO gpkg_contents (table_name, data_type, identifier, last_change, srs_id) VALUES (?, ?, ?, ?, ?)')
      .run(name, 'features', name, day, SRS)
    base.prepare('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, ?, 0)').run(name, 'geom', geometry, SRS, hasHeights ? 1 : 0)
    const insert = base.prepare(
      `INSERT INTO "${name}" (geom, ${names.map((column) => `"${column}"`).join(', ')}) VALUES (?${', ?'.repeat(names.length)})`,
    )
    for (const { values, line } of features) insert.run(geometryBlob(line, { geometry, hasHeights }), ...values)
  }
  base.exec('COMMIT')
  base.close()
}

/** A geometry's blob: header with an envelope of two dimensions for lines, then little-endian WKB. */
function geometryBlob(line: readonly Corner[], { geometry, hasHeights }: Pick<LayerToWrite, 'geometry' | 'hasHeights'>): Buffer {
  const isPoint = geometry === 'POINT'
  const dimensions = hasHeights ? 3 : 2
  const begin = isPoint ? 8 : 40
  const bytes = Buffer.alloc(begin + (isPoint ? 5 : 9) + 8 * dimensions * line.length)
  bytes.write('GP')
  bytes[3] = isPoint ? 1 : 3
  bytes.writeInt32LE(SRS, 4)
  if (!isPoint) for (const [nth, value] of boundsOf(line).entries()) bytes.writeDoubleLE(value, 8 + 8 * nth)
  bytes[begin] = 1
  bytes.writeUInt32LE((isPoint ? 1 : 2) + (hasHeights ? 1000 : 0), begin + 1)
  if (!isPoint) bytes.writeUInt32LE(line.length, begin + 5)
  let at = begin + (isPoint ? 5 : 9)
  for (const [x, y] of line) {
    bytes.writeDoubleLE(x, at)
    bytes.writeDoubleLE(y, at + 8)
    at += 8 * dimensions
  }
  return bytes
}

function boundsOf(line: readonly Corner[]): readonly [west: number, east: number, south: number, north: number] {
  const [xs, ys] = [line.map(([x]) => x), line.map(([, y]) => y)]
  return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
}
