import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type FlatGeometry, openGeoPackage, readGeoPackageGeometry } from '../../../formats/geopackage.ts'
import { openDbf, readShapeLines, readShapePoints } from '../../../formats/shapefile.ts'
import type { Zip } from '../../../formats/zip.ts'
import { FormatError } from '../../define.ts'

/** A row of a layer: its texts in the order of the wanted columns, "" for a missing column or value, and its geometry. */
export interface LayerRow {
  readonly texts: readonly string[]
  readonly geometry: FlatGeometry | null
}

/** A layer of a road network, whatever its format. */
export interface Layer {
  readonly name: string
  readonly count: number
  /** Day of its last change, YYYY-MM-DD; null if the file states none. */
  readonly changed: string | null
  /** Names of its columns, in lower case: shapefiles end those of descriptions in a capital D. */
  readonly columns: ReadonlySet<string>
  rows(columns: readonly string[]): Iterable<LayerRow>
}

/** The opened layers of a road network: its sections, and its posts or the points with posts and house numbers. */
export interface NetworkLayers {
  readonly sections: Layer
  readonly posts: Layer | null
  close(): void
}

const SECTIONS = 'rt_tramo_vial'
/** In order of preference. */
const POSTS = ['rt_ppkk_p', 'rt_portalpk_p']
/** ETRS89 as longitude and latitude, which equals WGS84 within a metre. */
const SRS = [4258, 4326]

/** Opens the road network of a GeoPackage, or of the folder with its shapefiles. Throws `FormatError`. */
export function openNetwork(path: string): NetworkLayers {
  return statSync(path).isDirectory() ? openShapefiles(path) : openPackage(path)
}

/** True for a file of a road network: a GeoPackage, or a part of a shapefile of its layers. */
export function isNetworkFile(name: string): boolean {
  const base = basename(name).toLowerCase()
  return /\.gpkg$/.test(base) || [SECTIONS, ...POSTS].some((layer) => base === `${layer}.shp` || base === `${layer}.dbf`)
}

function openPackage(path: string): NetworkLayers {
  const { layers, close } = openGeoPackage(path)
  try {
    const found = [...layers].map(([name, layer]): [string, Layer] => {
      const named = new Map(layer.columns.map((column) => [column.toLowerCase(), column]))
      return [
        name,
        {
          ...{ name, count: layer.rows, changed: layer.changed, columns: new Set(named.keys()) },
          *rows(columns) {
            if (!SRS.includes(layer.srs))
              throw new FormatError(`${name} has coordinates of EPSG:${layer.srs}; EPSG:${SRS.join(' and EPSG:')} are read`)
            const there = columns.flatMap((column) => named.get(column) ?? [])
            const places = columns.map((column) => there.indexOf(named.get(column) ?? ''))
            for (const values of layer.read(there)) {
              const blob = values.at(-1)
              const geometry = blob instanceof Uint8Array ? readGeoPackageGeometry(blob) : null
              yield { texts: places.map((place) => (place < 0 ? '' : textOf(values[place]))), geometry }
            }
          },
        },
      ]
    })
    return { ...chosen(new Map(found), basename(path)), close }
  } catch (error) {
    close()
    throw error
  }
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value).trim())

function openShapefiles(folder: string): NetworkLayers {
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [basename(name).toLowerCase(), join(folder, name)]),
  )
  const layers = new Map([SECTIONS, ...POSTS].flatMap((name) => (files.has(`${name}.shp`) ? [[name, shapefileLayer(name, files)]] : [])))
  return { ...chosen(layers, basename(folder)), close: () => {} }
}

function shapefileLayer(name: string, files: ReadonlyMap<string, string>): Layer {
  const read = (ending: string): Buffer => {
    const path = files.get(`${name}.${ending}`)
    if (path === undefined) throw new FormatError(`${name}.${ending} is missing beside ${name}.shp`)
    return readFileSync(path)
  }
  const header = openDbf(read('dbf'))
  const named = new Map(header.fields.map((field) => [field.toLowerCase(), field]))
  return {
    ...{ name, count: header.count, changed: header.changed, columns: new Set(named.keys()) },
    *rows(columns) {
      const table = openDbf(read('dbf'))
      const shapes = name === SECTIONS ? readShapeLines(read('shp')) : pointsOf(read('shp'))
      let number = 0
      for (const geometry of shapes) {
        if (number >= table.count) throw new FormatError(`${name} has more shapes than the ${table.count} rows of its table`)
        const texts = table.row(
          number++,
          columns.map((column) => named.get(column) ?? column),
        )
        if (texts) yield { texts, geometry }
      }
    },
  }
}

function* pointsOf(bytes: Buffer): Generator<FlatGeometry | null> {
  for (const point of readShapePoints(bytes)) yield point && [[[point.x, point.y]]]
}

function chosen(layers: ReadonlyMap<string, Layer>, file: string): Omit<NetworkLayers, 'close'> {
  const sections = layers.get(SECTIONS)
  if (!sections) throw new FormatError(`${file} has no layer ${SECTIONS}; it has ${[...layers.keys()].join(', ') || 'none'}`)
  return { sections, posts: POSTS.flatMap((name) => layers.get(name) ?? [])[0] ?? null }
}

/** Unpacked members of an archive. */
interface Unpacked {
  /** The GeoPackage, or the folder with the shapefiles. */
  readonly path: string
  remove(): void
}

/** Unpacks the wanted members of an archive into a temporary folder: SQLite reads files only. Throws `FormatError`. */
export async function unpackedInto(
  zip: Pick<Zip, 'names' | 'read'>,
  wanted: (name: string) => boolean,
  onBytes: (bytes: number) => void = () => {},
): Promise<Unpacked> {
  const folder = mkdtempSync(join(tmpdir(), 'road-network-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const names = zip.names.filter(wanted)
    for (const name of names) {
      const counted = async function* (): AsyncGenerator<Buffer> {
        for await (const piece of zip.read(name)) {
          onBytes(piece.length)
          yield piece
        }
      }
      await pipeline(Readable.from(counted()), createWriteStream(join(folder, basename(name))))
    }
    const only = names.find((name) => /\.gpkg$/i.test(name))
    return { path: only === undefined ? folder : join(folder, basename(only)), remove }
  } catch (error) {
    remove()
    throw error
  }
}
