import { DatabaseSync } from 'node:sqlite'
import { FormatError } from '../feeds/define.ts'

/**
 * The lines of a geometry in the file's own order of coordinates; a point is one line of one corner. Third dimensions are
 * dropped.
 */
export type FlatGeometry = readonly (readonly (readonly [x: number, y: number])[])[]

/** A layer of features: names of its columns, and its rows with the geometry's blob under `geometry`. */
export interface GeoPackageLayer {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: number
  /** EPSG code of its coordinates. */
  readonly srs: number
  /** Day of the layer's last change, YYYY-MM-DD; null if it states none. */
  readonly changed: string | null
  /** Rows with the named columns in that order, then the geometry's blob; one at a time. */
  read(columns: readonly string[]): IterableIterator<readonly unknown[]>
}

/** Bytes of the envelope, by the header's indicator (OGC 12-128, table 5). */
const ENVELOPE_BYTES = [0, 32, 48, 48, 64]
const HEADER_BYTES = 8
const IS_EMPTY = 0x10
const [POINT, LINE, MULTI_POINT, MULTI_LINE] = [1, 2, 4, 5]
/** Flags of the extended form, which some programs write: Z, M and an SRS id. */
const [EWKB_Z, EWKB_M, EWKB_SRID] = [0x8000_0000, 0x4000_0000, 0x2000_0000]

/** The feature layers of a GeoPackage (an SQLite file), by name in lower case. Throws `FormatError` for any other file. */
export function openGeoPackage(path: string): { readonly layers: ReadonlyMap<string, GeoPackageLayer>; close(): void } {
  const base = openBase(path)
  try {
    const found = base
      .prepare(
        `SELECT c.table_name, c.last_change, g.column_name, g.srs_id FROM gpkg_contents c
         JOIN gpkg_geometry_columns g ON g.table_name = c.table_name WHERE c.data_type = 'features' ORDER BY c.table_name`,
      )
      .all()
    const layers = found.map((row): [string, GeoPackageLayer] => {
      const [name, geometry] = [String(row['table_name']), String(row['column_name'])]
      const columns = base
        .prepare(`PRAGMA table_info(${quoted(name)})`)
        .all()
        .map((one) => String(one['name']))
      const changed = /^\d{4}-\d\d-\d\d/.exec(String(row['last_change'] ?? ''))?.[0] ?? null
      const layer = {
        ...{ name, columns: columns.filter((column) => column !== geometry), srs: Number(row['srs_id']), changed },
        rows: Number(base.prepare(`SELECT count(*) AS rows FROM ${quoted(name)}`).get()?.['rows']),
        read(wanted: readonly string[]) {
          const statement = base.prepare(`SELECT ${[...wanted, geometry].map(quoted).join(', ')} FROM ${quoted(name)}`)
          statement.setReturnArrays(true)
          return statement.iterate() as unknown as IterableIterator<readonly unknown[]>
        },
      }
      return [name.toLowerCase(), layer]
    })
    return { layers: new Map(layers), close: () => base.close() }
  } catch (cause) {
    base.close()
    throw new FormatError(`no GeoPackage: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

function openBase(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true })
  } catch (cause) {
    throw new FormatError(`no GeoPackage: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The geometry of a GeoPackage blob: `GP`, version, flags, SRS id, an envelope of 0, 2, 3 or 4 dimensions, then WKB of points or
 * lines with 2 to 4. Null if it is empty. Throws `FormatError`. Source: OGC 12-128r18, clause 2.1.3.
 */
export function readGeoPackageGeometry(blob: Uint8Array): FlatGeometry | null {
  const bytes = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  if (blob.length < HEADER_BYTES || blob[0] !== 0x47 || blob[1] !== 0x50) throw new FormatError('a geometry does not begin with GP')
  const flags = blob[3] as number
  const envelope = ENVELOPE_BYTES[(flags >> 1) & 7]
  if (envelope === undefined) throw new FormatError(`a geometry has an envelope of kind ${(flags >> 1) & 7}; 0 to 4 are known`)
  if (flags & IS_EMPTY) return null
  try {
    const lines = new WkbReader(bytes, HEADER_BYTES + envelope).lines()
    return lines.length > 0 ? lines : null
  } catch (cause) {
    throw cause instanceof RangeError ? new FormatError('a geometry is cut off', { cause }) : cause
  }
}

class WkbReader {
  readonly #bytes: DataView
  #at: number

  constructor(bytes: DataView, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  lines(): [number, number][][] {
    const isLittle = this.#bytes.getUint8(this.#at++) === 1
    const stated = this.#count(isLittle)
    if (stated & EWKB_SRID) this.#at += 4
    const kind = stated & 0xffff
    const type = kind % 1000
    const more = [0, 1, 1, 2][Math.floor(kind / 1000)] ?? 0
    const dimensions = 2 + more + (stated & EWKB_Z ? 1 : 0) + (stated & EWKB_M ? 1 : 0)
    if (type === POINT) {
      const [corner] = this.#corners(1, { dimensions, isLittle })
      // An empty point has no numbers.
      return corner && Number.isFinite(corner[0]) ? [[corner]] : []
    }
    const count = this.#count(isLittle)
    if (type === LINE) return count === 0 ? [] : [this.#corners(count, { dimensions, isLittle })]
    if (type !== MULTI_POINT && type !== MULTI_LINE) throw new FormatError(`a geometry is of type ${kind}; points and lines are read`)
    return Array.from({ length: count }, () => this.lines()).flat()
  }

  #corners(count: number, { dimensions, isLittle }: { readonly dimensions: number; readonly isLittle: boolean }): [number, number][] {
    // A forged count would exceed memory.
    if (this.#at + 8 * dimensions * count > this.#bytes.byteLength) throw new FormatError('a geometry is cut off')
    return Array.from({ length: count }, () => {
      const corner: [number, number] = [this.#bytes.getFloat64(this.#at, isLittle), this.#bytes.getFloat64(this.#at + 8, isLittle)]
      this.#at += 8 * dimensions
      return corner
    })
  }

  #count(isLittle: boolean): number {
    const value = this.#bytes.getUint32(this.#at, isLittle)
    this.#at += 4
    return value
  }
}
