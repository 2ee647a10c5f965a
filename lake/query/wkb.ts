import type { GeometryKind, Line, MultiPolygon, Polygon } from '../schema/columns.ts'
import { badValue } from './values.ts'

const LITTLE_ENDIAN = 1
/** WKB type numbers of the kinds. */
const TYPES = { line: 2, polygon: 3, multipolygon: 6 } as const satisfies Record<GeometryKind, number>
/** Byte order and type: the head of each geometry, including parts of another. */
const HEAD_BYTES = 5
const COUNT_BYTES = 4
const POINT_BYTES = 16

/** Coordinates of a geometry, as GeoJSON nests them. */
type Coordinates = Line | Polygon | MultiPolygon

/**
 * Well-known binary of a geometry's coordinates, little-endian (OGC 06-103r4, "Well-known Binary Representation"); x is the
 * longitude. Throws a `ValueError` with `name` for coordinates of another nesting. The bytes fill their `buffer`.
 */
export function toWkb(kind: GeometryKind, name: string, coordinates: unknown): Buffer<ArrayBuffer> {
  if (kind === 'multipolygon') {
    if (!Array.isArray(coordinates)) throw badValue(name, coordinates, 'a list of polygons is expected')
    const parts = coordinates.map((polygon) => ringsOf(name, polygon))
    const bytes = Buffer.alloc(parts.reduce((sum, rings) => sum + sizeOf('polygon', rings), HEAD_BYTES + COUNT_BYTES))
    let at = writeHead(bytes, 0, kind, parts.length)
    for (const rings of parts) at = write(bytes, at, 'polygon', rings)
    return bytes
  }
  const lines = kind === 'line' ? [lineOf(name, coordinates)] : ringsOf(name, coordinates)
  const bytes = Buffer.alloc(sizeOf(kind, lines))
  write(bytes, 0, kind, lines)
  return bytes
}

/** The coordinates of a geometry's well-known binary; throws for another kind of geometry. */
export function ofWkb(kind: GeometryKind, wkb: Uint8Array): Coordinates {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  return readGeometry(view, 0, kind).coordinates
}

function ringsOf(name: string, polygon: unknown): Polygon {
  if (!Array.isArray(polygon)) throw badValue(name, polygon, 'a list of rings is expected')
  return polygon.map((ring) => lineOf(name, ring))
}

function lineOf(name: string, line: unknown): Line {
  const good = Array.isArray(line) && line.length >= 2 && line.every((at) => Array.isArray(at) && at.every(Number.isFinite))
  if (!good) throw badValue(name, line, 'a list of at least two [lon, lat] is expected')
  return line as unknown as Line
}

/** A line has no count of lines. */
function sizeOf(kind: 'line' | 'polygon', lines: readonly Line[]): number {
  const start = kind === 'line' ? HEAD_BYTES : HEAD_BYTES + COUNT_BYTES
  return lines.reduce((sum, line) => sum + COUNT_BYTES + line.length * POINT_BYTES, start)
}

/** Writes a geometry's head, with its count if it has parts. Like all writers here, returns the end position. */
function writeHead(bytes: Buffer, start: number, kind: GeometryKind, parts: number): number {
  const at = bytes.writeUInt32LE(TYPES[kind], bytes.writeUInt8(LITTLE_ENDIAN, start))
  return kind === 'line' ? at : bytes.writeUInt32LE(parts, at)
}

/** Writes a line, or a polygon's rings. */
function write(bytes: Buffer, start: number, kind: 'line' | 'polygon', lines: readonly Line[]): number {
  let at = writeHead(bytes, start, kind, lines.length)
  for (const line of lines) {
    at = bytes.writeUInt32LE(line.length, at)
    for (const [lon, lat] of line) at = bytes.writeDoubleLE(lat, bytes.writeDoubleLE(lon, at))
  }
  return at
}

interface Read<T> {
  readonly coordinates: T
  readonly end: number
}

function readGeometry(view: DataView, at: number, kind: GeometryKind): Read<Coordinates> {
  const [order, type] = [view.getUint8(at), view.getUint32(at + 1, true)]
  if (order !== LITTLE_ENDIAN || type !== TYPES[kind])
    throw new Error(`WKB of type ${type} in byte order ${order}; type ${TYPES[kind]}, little-endian, was expected`)
  const start = at + HEAD_BYTES
  if (kind === 'line') return readLine(view, start)
  if (kind === 'polygon') return readMany(view, start, readLine)
  return readMany(view, start, (_, part) => readGeometry(view, part, 'polygon') as Read<Polygon>)
}

function readMany<T>(view: DataView, start: number, read: (view: DataView, at: number) => Read<T>): Read<T[]> {
  const coordinates: T[] = []
  let at = start + COUNT_BYTES
  for (let left = view.getUint32(start, true); left > 0; left--) {
    const part = read(view, at)
    coordinates.push(part.coordinates)
    at = part.end
  }
  return { coordinates, end: at }
}

function readLine(view: DataView, start: number): Read<Line> {
  const points: [number, number][] = []
  let at = start + COUNT_BYTES
  for (let left = view.getUint32(start, true); left > 0; left--, at += POINT_BYTES)
    points.push([view.getFloat64(at, true), view.getFloat64(at + 8, true)])
  return { coordinates: points, end: at }
}
