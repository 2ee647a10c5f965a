import { isInRing, ringArea } from '../../lake/places/rings.ts'
import type { Line, MultiPolygon } from '../../lake/schema/columns.ts'
import { FormatError } from '../feeds/define.ts'
import { decodeText } from './text.ts'

/** A point in the file's own coordinates; null for a null shape. */
export type ShapePoint = { readonly x: number; readonly y: number } | null

/** Converts a corner from the file's coordinate system; null if it is out of range, so that it is left out. */
export type PlaceOf = (x: number, y: number) => Line[0] | null

const FILE_CODE = 9994
const VERSION = 1000
const HEADER_BYTES = 100
const RECORD_HEADER_BYTES = 8
const NULL_SHAPE = 0
const POINT = 1
const LINE = 3
const POLYGON = 5
/** Types with a height or a measure behind the same x and y, by the plain type. */
const [WITH_Z, WITH_M] = [10, 20]
const NAMES: Readonly<Record<number, string>> = { [POINT]: 'points', [LINE]: 'lines', [POLYGON]: 'polygons' }
/**
 * Content bytes of a null shape, of a point, and of a polygon before its parts: type, box, number of parts, number of points.
 */
const NULL_BYTES = 4
const POINT_BYTES = 20
const POLYGON_HEAD_BYTES = 44

/**
 * The points of a shapefile's main file (`.shp`), in order; the table (`readDbf`) has the row of the same number. Throws
 * `FormatError` for another format, a truncated file or other shapes. Source: ESRI Shapefile Technical Description (July
 * 1998).
 */
export function readShapePoints(bytes: Buffer): readonly ShapePoint[] {
  return Array.from(shapesOf(bytes, POINT), ({ number, content }) => {
    if (content === null) return null
    const more = Math.floor(content.readInt32LE(0) / WITH_Z)
    // A height comes with a measure, which may be left out.
    const sizes = [[0], [8, 16], [8]][more] as readonly number[]
    if (!sizes.includes(content.length - POINT_BYTES)) throw sizeError(number, content)
    return { x: content.readDoubleLE(4), y: content.readDoubleLE(12) }
  })
}

/**
 * The lines of a shapefile, in order: the parts of each, in the file's coordinates, without heights and measures; null for a
 * null shape. Throws `FormatError`.
 */
export function* readShapeLines(bytes: Buffer): Generator<[number, number][][] | null> {
  for (const { number, content } of shapesOf(bytes, LINE)) yield content && partsOf(number, content)
}

function partsOf(number: number, content: Buffer): [number, number][][] {
  if (content.length < POLYGON_HEAD_BYTES) throw sizeError(number, content)
  const [parts, points] = [content.readInt32LE(36), content.readInt32LE(40)]
  const begin = POLYGON_HEAD_BYTES + 4 * parts
  if (parts < 0 || points < parts || content.length < begin + 16 * points) throw sizeError(number, content)
  return Array.from({ length: parts }, (_, part) => {
    const [start, end] = [part, part + 1].map((at) => (at < parts ? content.readInt32LE(POLYGON_HEAD_BYTES + 4 * at) : points)) as [
      number,
      number,
    ]
    if (start < 0 || start > end || end > points)
      throw new FormatError(`part ${part + 1} of shape ${number} is of points ${start} to ${end}`)
    return Array.from({ length: end - start }, (_, at): [number, number] => {
      const place = begin + 16 * (start + at)
      return [content.readDoubleLE(place), content.readDoubleLE(place + 8)]
    })
  })
}

/**
 * The polygons of a shapefile, in order: outer rings counter-clockwise, with their holes. A ring in hole direction is a hole
 * of the smallest polygon around it, or a polygon if there is none; if all rings are reversed, all are turned. Null without a
 * ring that has an area. Throws `FormatError`, also for an open ring.
 */
export function* readShapePolygons(bytes: Buffer, placeOf: PlaceOf): Generator<MultiPolygon | null> {
  for (const { number, content } of shapesOf(bytes, POLYGON)) {
    const rings = content && ringsOf(number, content, placeOf)
    yield rings && polygonsOf(rings)
  }
}

/** The shapes of a file of one type, from their type on; null for a null shape. */
function* shapesOf(bytes: Buffer, type: number): Generator<{ readonly number: number; readonly content: Buffer | null }> {
  if (bytes.length < HEADER_BYTES || bytes.readInt32BE(0) !== FILE_CODE) throw new FormatError('no shapefile: it does not begin with 9994')
  const [length, version, shapeType] = [2 * bytes.readInt32BE(24), bytes.readInt32LE(28), bytes.readInt32LE(32)]
  if (version !== VERSION) throw new FormatError(`a shapefile of version ${version}; 1000 is known`)
  if (!isOfType(shapeType, type)) throw new FormatError(`shapes of type ${shapeType}, where ${NAMES[type]} (${type}) are expected`)
  if (length !== bytes.length) throw new FormatError(`the shapefile was cut off: it says ${length} bytes, there are ${bytes.length}`)
  for (let at = HEADER_BYTES, number = 1; at < length; number++) {
    const begin = at + RECORD_HEADER_BYTES
    if (begin + NULL_BYTES > length) throw new FormatError(`shape ${number} is cut off`)
    const [named, size, kind] = [bytes.readInt32BE(at), 2 * bytes.readInt32BE(at + 4), bytes.readInt32LE(begin)]
    if (named !== number) throw new FormatError(`shape ${number} is numbered ${named}`)
    if (kind !== NULL_SHAPE && kind !== shapeType)
      throw new FormatError(`shape ${number} is of type ${kind}, where ${NAMES[type]} (${type}) are expected`)
    at = begin + size
    const content = bytes.subarray(begin, at)
    if (size < NULL_BYTES || at > length || (kind === NULL_SHAPE && size !== NULL_BYTES)) throw sizeError(number, { length: size })
    yield { number, content: kind === NULL_SHAPE ? null : content }
  }
}

/** Points and lines may have heights or measures, which are ignored; polygons may not. */
const isOfType = (found: number, type: number): boolean =>
  found === type || (type !== POLYGON && (found === type + WITH_Z || found === type + WITH_M))

function sizeError(number: number, { length }: { readonly length: number }): FormatError {
  return new FormatError(`shape ${number} has ${length} bytes`)
}

/** The rings of a shape, without corners that are out of range. */
function ringsOf(number: number, content: Buffer, placeOf: PlaceOf): Line[] {
  if (content.length < POLYGON_HEAD_BYTES) throw sizeError(number, content)
  const [parts, points] = [content.readInt32LE(36), content.readInt32LE(40)]
  const begin = POLYGON_HEAD_BYTES + 4 * parts
  // Every ring has points: without this check a forged number of rings would exceed memory.
  if (parts < 0 || points < parts || (parts === 0 && points > 0) || content.length !== begin + 16 * points)
    throw new FormatError(`shape ${number} has ${content.length} bytes, which ${parts} rings of ${points} points are not`)
  const starts = Array.from({ length: parts }, (_, part) => content.readInt32LE(POLYGON_HEAD_BYTES + 4 * part))
  const rings: Line[] = []
  for (const [part, start] of starts.entries()) {
    const end = starts[part + 1] ?? points
    if (start < 0 || start > end || end > points || (part === 0 && start !== 0))
      throw new FormatError(`ring ${part + 1} of shape ${number} is of points ${start} to ${end} of ${points}`)
    const last = begin + 16 * (end - 1)
    if (end > start && content.compare(content, last, last + 16, begin + 16 * start, begin + 16 * (start + 1)) !== 0)
      throw new FormatError(`ring ${part + 1} of shape ${number} is not closed`)
    rings.push(ringOf(content.subarray(begin + 16 * start, begin + 16 * end), placeOf))
  }
  return rings
}

/** Reverses a ring: shapefiles have clockwise outer rings, ours are counter-clockwise. */
function ringOf(corners: Buffer, placeOf: PlaceOf): Line {
  const ring: Line[0][] = []
  for (let at = corners.length - 16; at >= 0; at -= 16) {
    const place = placeOf(corners.readDoubleLE(at), corners.readDoubleLE(at + 8))
    if (place !== null) ring.push(place)
  }
  const [first, last] = [ring[0], ring.at(-1)]
  // The corner that closed the ring may have been left out.
  if (first && last && (first[0] !== last[0] || first[1] !== last[1])) ring.push(first)
  return ring
}

interface Ring {
  readonly line: Line
  /** Twice its area; negative for a hole. */
  readonly area: number
  readonly box: Box
}

function polygonsOf(lines: readonly Line[]): MultiPolygon | null {
  // The area of holes never exceeds that of their polygons.
  const isTurned = lines.reduce((sum, line) => sum + areaOf(line), 0) < 0
  const rings = lines.map(
    (line): Ring => ({ line: isTurned ? line.toReversed() : line, area: (isTurned ? -1 : 1) * areaOf(line), box: boxOf(line) }),
  )
  const outer = rings.filter(({ area }) => area > 0)
  const polygons = new Map(outer.map((ring): [Ring, Line[]] => [ring, [ring.line]]))
  // Smallest first: a ring inside several is a hole of the innermost.
  const bySize = outer.toSorted((one, other) => one.area - other.area)
  for (const ring of rings.filter(({ area }) => area < 0)) {
    const around = bySize.find((one) => doBoxesMeet(one.box, ring.box) && holdsRing(one.line, ring.line))
    if (around) polygons.get(around)?.push(ring.line)
    else polygons.set(ring, [ring.line.toReversed()])
  }
  return polygons.size === 0 ? null : [...polygons.values()]
}

/** Twice the signed area of a ring, like `ringArea`; 0 if it is too short to have an area. */
function areaOf(ring: Line): number {
  return ring.length < 4 ? 0 : ringArea(ring)
}

type Box = readonly [west: number, south: number, east: number, north: number]

function boxOf(ring: Line): Box {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of ring) {
    box[0] = Math.min(box[0], x)
    box[1] = Math.min(box[1], y)
    box[2] = Math.max(box[2], x)
    box[3] = Math.max(box[3], y)
  }
  return box
}

function doBoxesMeet(one: Box, other: Box): boolean {
  return one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]
}

/** True if most corners of a ring are inside another: one corner may be on its border, where rings touch. */
function holdsRing(outer: Line, ring: Line): boolean {
  const inside = ring.filter((corner) => isInRing(outer, corner)).length
  return 2 * inside > ring.length
}

const DBF_VERSION = 3
const DBF_HEADER_BYTES = 32
const FIELD_BYTES = 32
const FIELDS_END = 0x0d
const FILE_END = 0x1a
const DELETED = 0x2a

/** A table of texts: its field names, and rows with trimmed texts; null for a row marked as deleted. */
export interface DbfTable {
  readonly fields: readonly string[]
  readonly rows: readonly (readonly string[] | null)[]
}

/** A table that is read row by row: large tables do not fit into memory as texts. */
export interface DbfReader {
  readonly fields: readonly string[]
  readonly count: number
  /** Day of the table's last change, YYYY-MM-DD; null if its header has none. */
  readonly changed: string | null
  /** The trimmed texts of a row's named fields, "" for a field that the table lacks; null for a row marked as deleted. */
  row(number: number, fields: readonly string[]): readonly string[] | null
}

/** Reads a shapefile's table (`.dbf`) completely; see `openDbf`. */
export function readDbf(bytes: Buffer): DbfTable {
  const { fields, count, row } = openDbf(bytes)
  return { fields, rows: Array.from({ length: count }, (_, number) => row(number, fields)) }
}

/**
 * Opens a shapefile's table (`.dbf`, dBASE III), with texts in UTF-8 or, if that fails, Windows-1252. Throws `FormatError` for
 * another format or a truncated file. Source: dBASE III PLUS table file format (version byte 3, field descriptors of 32 bytes
 * ended by 0x0D).
 */
export function openDbf(bytes: Buffer): DbfReader {
  if (bytes.length < DBF_HEADER_BYTES + 1 || bytes[0] !== DBF_VERSION) throw new FormatError('no dBASE III table: it does not begin with 3')
  const [count, header, width] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)]
  const places = new Map<string, { readonly at: number; readonly bytes: number }>()
  const fields: string[] = []
  let sum = 1
  for (let at = DBF_HEADER_BYTES; bytes[at] !== FIELDS_END; at += FIELD_BYTES) {
    if (at + FIELD_BYTES >= Math.min(header, bytes.length)) throw new FormatError('the fields of the table have no end')
    const [name = ''] = bytes.toString('latin1', at, at + 11).split('\0')
    fields.push(name)
    places.set(name, { at: sum, bytes: bytes[at + 16] as number })
    sum += bytes[at + 16] as number
  }
  if (sum !== width) throw new FormatError(`fields of ${sum} bytes in rows of ${width}`)
  const end = header + count * width
  // The mark of the end may be left out.
  if (bytes.length !== end && !(bytes.length === end + 1 && bytes[end] === FILE_END))
    throw new FormatError(`the table was cut off: ${count} rows are ${end} bytes, there are ${bytes.length}`)
  const [year = 0, month = 0, day = 0] = bytes.subarray(1, 4)
  const changed = month === 0 ? null : `${1900 + year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  return {
    ...{ fields, count, changed },
    row(number, wanted) {
      const begin = header + number * width
      if (bytes[begin] === DELETED) return null
      return wanted.map((name) => {
        const place = places.get(name)
        if (!place) return ''
        const text = decodeText(bytes.subarray(begin + place.at, begin + place.at + place.bytes))
        return text.replaceAll('\0', ' ').trim()
      })
    },
  }
}
