import type { Line, Polygon } from '../schema/columns.ts'
import { badValue } from './values.ts'

const LITTLE_ENDIAN = 1
const LINE_STRING = 2
const POLYGON = 3

/** Well-known binary of a line, little-endian (OGC 06-103r4, "Well-known Binary Representation"); x is the longitude. */
export function lineToWkb(name: string, line: unknown): Buffer {
  const points = pointsOf(name, line)
  const bytes = Buffer.alloc(9 + points.length * 16)
  bytes.writeUInt8(LITTLE_ENDIAN, 0)
  bytes.writeUInt32LE(LINE_STRING, 1)
  writePoints(bytes, 5, points)
  return bytes
}

/** Well-known binary of a polygon's rings, little-endian. */
export function polygonToWkb(name: string, polygon: unknown): Buffer {
  if (!Array.isArray(polygon)) throw badValue(name, polygon, 'a list of rings is expected')
  const rings = polygon.map((ring) => pointsOf(name, ring))
  const bytes = Buffer.alloc(9 + rings.reduce((sum, ring) => sum + 4 + ring.length * 16, 0))
  bytes.writeUInt8(LITTLE_ENDIAN, 0)
  bytes.writeUInt32LE(POLYGON, 1)
  bytes.writeUInt32LE(rings.length, 5)
  let at = 9
  for (const ring of rings) at = writePoints(bytes, at, ring)
  return bytes
}

/** The line of its well-known binary; throws for any other geometry. */
export function lineOfWkb(wkb: Uint8Array): Line {
  const view = viewOf(wkb, LINE_STRING)
  return readPoints(view, 5).points
}

/** The rings of a polygon's well-known binary; throws for any other geometry. */
export function polygonOfWkb(wkb: Uint8Array): Polygon {
  const view = viewOf(wkb, POLYGON)
  const rings: Line[] = []
  let at = 9
  for (let left = view.getUint32(5, true); left > 0; left--) {
    const ring = readPoints(view, at)
    rings.push(ring.points)
    at = ring.end
  }
  return rings
}

function pointsOf(name: string, line: unknown): Line {
  const good = Array.isArray(line) && line.length >= 2 && line.every((at) => Array.isArray(at) && at.every(Number.isFinite))
  if (!good) throw badValue(name, line, 'a list of at least two [lon, lat] is expected')
  return line as unknown as Line
}

function writePoints(bytes: Buffer, start: number, points: Line): number {
  let at = bytes.writeUInt32LE(points.length, start)
  for (const [lon, lat] of points) at = bytes.writeDoubleLE(lat, bytes.writeDoubleLE(lon, at))
  return at
}

function viewOf(wkb: Uint8Array, type: number): DataView {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
  if (view.getUint8(0) !== LITTLE_ENDIAN || view.getUint32(1, true) !== type)
    throw new Error(`WKB of type ${view.getUint32(1, true)} in byte order ${view.getUint8(0)}; type ${type}, little-endian, was expected`)
  return view
}

function readPoints(view: DataView, start: number): { points: Line; end: number } {
  const count = view.getUint32(start, true)
  const points: [number, number][] = []
  let at = start + 4
  for (let left = count; left > 0; left--, at += 16) points.push([view.getFloat64(at, true), view.getFloat64(at + 8, true)])
  return { points, end: at }
}
