import { FormatError } from '../feeds/define.ts'
import { decodeText } from './text.ts'

/** A point of a shapefile, in the coordinates of its own system; null for a shape without one. */
export type ShapePoint = { readonly x: number; readonly y: number } | null

const FILE_CODE = 9994
const VERSION = 1000
const HEADER_BYTES = 100
const RECORD_HEADER_BYTES = 8
const NULL_SHAPE = 0
const POINT = 1
/** 16-bit words that a record's content has: of a null shape, and of a point. */
const WORDS = { [NULL_SHAPE]: 2, [POINT]: 10 } as const

/**
 * The points of the main file of a shapefile (`.shp`), in order: that of the same number in the table (`readDbf`) says what each is. Throws
 * `FormatError` where the file is another one, was cut, or has shapes that are no points.
 * Source: ESRI Shapefile Technical Description (July 1998).
 */
export function readShapePoints(bytes: Buffer): readonly ShapePoint[] {
  if (bytes.length < HEADER_BYTES || bytes.readInt32BE(0) !== FILE_CODE) throw new FormatError('no shapefile: it does not begin with 9994')
  const [length, version, type] = [2 * bytes.readInt32BE(24), bytes.readInt32LE(28), bytes.readInt32LE(32)]
  if (version !== VERSION) throw new FormatError(`a shapefile of version ${version}; 1000 is known`)
  if (type !== POINT) throw new FormatError(`shapes of type ${type}, where points (1) are expected`)
  if (length !== bytes.length) throw new FormatError(`the shapefile was cut off: it says ${length} bytes, there are ${bytes.length}`)
  const points: ShapePoint[] = []
  for (let at = HEADER_BYTES; at < length; ) {
    const number = points.length + 1
    if (at + RECORD_HEADER_BYTES + 4 > length) throw new FormatError(`shape ${number} is cut off`)
    const [told, words, kind] = [bytes.readInt32BE(at), bytes.readInt32BE(at + 4), bytes.readInt32LE(at + RECORD_HEADER_BYTES)]
    if (told !== number) throw new FormatError(`shape ${number} is numbered ${told}`)
    if (kind !== NULL_SHAPE && kind !== POINT) throw new FormatError(`shape ${number} is of type ${kind}, where a point (1) is expected`)
    const end = at + RECORD_HEADER_BYTES + 2 * words
    if (words !== WORDS[kind] || end > length) throw new FormatError(`shape ${number} has ${2 * words} bytes`)
    const begin = at + RECORD_HEADER_BYTES + 4
    points.push(kind === NULL_SHAPE ? null : { x: bytes.readDoubleLE(begin), y: bytes.readDoubleLE(begin + 8) })
    at = end
  }
  return points
}

const DBF_VERSION = 3
const DBF_HEADER_BYTES = 32
const FIELD_BYTES = 32
const FIELDS_END = 0x0d
const FILE_END = 0x1a
const DELETED = 0x2a

/** A table of texts: names of its fields, and rows without the blanks around their texts; null for one that is marked as deleted. */
export interface DbfTable {
  readonly fields: readonly string[]
  readonly rows: readonly (readonly string[] | null)[]
}

/**
 * The table of a shapefile (`.dbf`, dBASE III), its texts in UTF-8, or in Windows-1252 where they are not. Throws `FormatError` where the file is
 * another one or was cut. Source: dBASE III PLUS table file format (version byte 3, field descriptors of 32 bytes ended by 0x0D).
 */
export function readDbf(bytes: Buffer): DbfTable {
  if (bytes.length < DBF_HEADER_BYTES + 1 || bytes[0] !== DBF_VERSION) throw new FormatError('no dBASE III table: it does not begin with 3')
  const [count, header, width] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)]
  const fields: { readonly name: string; readonly bytes: number }[] = []
  for (let at = DBF_HEADER_BYTES; bytes[at] !== FIELDS_END; at += FIELD_BYTES) {
    if (at + FIELD_BYTES >= Math.min(header, bytes.length)) throw new FormatError('the fields of the table have no end')
    const [name = ''] = bytes.toString('latin1', at, at + 11).split('\0')
    fields.push({ name, bytes: bytes[at + 16] as number })
  }
  const sum = fields.reduce((all, field) => all + field.bytes, 1)
  if (sum !== width) throw new FormatError(`fields of ${sum} bytes in rows of ${width}`)
  const end = header + count * width
  // The mark of the end may be left out.
  if (bytes.length !== end && !(bytes.length === end + 1 && bytes[end] === FILE_END))
    throw new FormatError(`the table was cut off: ${count} rows are ${end} bytes, there are ${bytes.length}`)
  const rows = Array.from({ length: count }, (_, row) => {
    let at = header + row * width
    if (bytes[at] === DELETED) return null
    at++
    return fields.map((field) => {
      const text = decodeText(bytes.subarray(at, at + field.bytes))
      at += field.bytes
      return text.replaceAll('\0', ' ').trim()
    })
  })
  return { fields: fields.map(({ name }) => name), rows }
}
