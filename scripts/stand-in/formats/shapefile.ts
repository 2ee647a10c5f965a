const HEADER_BYTES = 100

/** A corner in the coordinate system of the file. */
type Corner = readonly [x: number, y: number]

/**
 * The main file of a shapefile of points (ESRI Shapefile Technical Description, 1998): a header, then a record for each point.
 */
export function shapePoints(points: readonly { readonly x: number; readonly y: number }[]): Buffer {
  const contents = points.map(({ x, y }) => {
    const content = Buffer.alloc(20)
    content.writeInt32LE(1, 0)
    writeCorners(content, 4, [[x, y]])
    return content
  })
  return mainFile(
    1,
    contents,
    points.map(({ x, y }) => [x, y]),
  )
}

/** The same for polygons: the closed rings of each, outer ones clockwise and holes counter-clockwise; none for a null shape. */
export function shapePolygons(shapes: readonly (readonly (readonly Corner[])[])[]): Buffer {
  const contents = shapes.map((rings) => {
    if (rings.length === 0) return Buffer.alloc(4)
    const corners = rings.flat()
    const begin = 44 + 4 * rings.length
    const content = Buffer.alloc(begin + 16 * corners.length)
    content.writeInt32LE(5, 0)
    writeCorners(content, 4, boundsOf(corners))
    content.writeInt32LE(rings.length, 36)
    content.writeInt32LE(corners.length, 40)
    let start = 0
    for (const [nth, ring] of rings.entries()) {
      content.writeInt32LE(start, 44 + 4 * nth)
      start += ring.length
    }
    writeCorners(content, begin, corners)
    return content
  })
  return mainFile(5, contents, shapes.flat(2))
}

function mainFile(type: number, contents: readonly Buffer[], corners: readonly Corner[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  const records = contents.flatMap((content, nth) => {
    const head = Buffer.alloc(8)
    head.writeInt32BE(nth + 1, 0)
    head.writeInt32BE(content.length / 2, 4)
    return [head, content]
  })
  const bytes = Buffer.concat([header, ...records])
  bytes.writeInt32BE(9994, 0)
  bytes.writeInt32BE(bytes.length / 2, 24)
  bytes.writeInt32LE(1000, 28)
  bytes.writeInt32LE(type, 32)
  writeCorners(bytes, 36, boundsOf(corners))
  return bytes
}

function boundsOf(corners: readonly Corner[]): readonly [Corner, Corner] {
  const [least, most] = [
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ] as [[number, number], [number, number]]
  for (const corner of corners)
    for (const axis of [0, 1] as const) {
      least[axis] = Math.min(least[axis], corner[axis])
      most[axis] = Math.max(most[axis], corner[axis])
    }
  return [least, most]
}

function writeCorners(bytes: Buffer, start: number, corners: readonly Corner[]): void {
  for (const [nth, [x, y]] of corners.entries()) {
    bytes.writeDoubleLE(x, start + 16 * nth)
    bytes.writeDoubleLE(y, start + 16 * nth + 8)
  }
}

/** The table of a shapefile (dBASE III) of text fields, each 80 bytes wide as in the ministry's files. */
export function dbfTable(fields: readonly string[], rows: readonly (readonly string[])[]): Buffer {
  const [width, header] = [80, 32 + 32 * fields.length + 1]
  const row_bytes = 1 + width * fields.length
  const bytes = Buffer.alloc(header + row_bytes * rows.length + 1, ' ')
  bytes.fill(0, 0, header)
  bytes.set([3, 122, 12, 20])
  bytes.writeUInt32LE(rows.length, 4)
  bytes.writeUInt16LE(header, 8)
  bytes.writeUInt16LE(row_bytes, 10)
  for (const [nth, field] of fields.entries()) {
    const at = 32 + 32 * nth
    bytes.write(field, at, 11, 'latin1')
    bytes.write('C', at + 11)
    bytes[at + 16] = width
  }
  bytes[header - 1] = 0x0d
  for (const [nth, row] of rows.entries())
    for (const [at, text] of row.entries()) bytes.write(text, header + row_bytes * nth + 1 + width * at, width, 'utf8')
  bytes[bytes.length - 1] = 0x1a
  return bytes
}
