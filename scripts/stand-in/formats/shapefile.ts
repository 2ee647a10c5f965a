/** The main file of a shapefile of points (ESRI Shapefile Technical Description, 1998): header, then a record each. */
export function shapePoints(points: readonly { readonly x: number; readonly y: number }[]): Buffer {
  const [header, record] = [100, 28]
  const bytes = Buffer.alloc(header + record * points.length)
  bytes.writeInt32BE(9994, 0)
  bytes.writeInt32BE(bytes.length / 2, 24)
  bytes.writeInt32LE(1000, 28)
  bytes.writeInt32LE(1, 32)
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  for (const [at, bound] of [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].entries())
    bytes.writeDoubleLE(bound, 36 + 8 * at)
  for (const [nth, { x, y }] of points.entries()) {
    const at = header + record * nth
    bytes.writeInt32BE(nth + 1, at)
    bytes.writeInt32BE(10, at + 4)
    bytes.writeInt32LE(1, at + 8)
    bytes.writeDoubleLE(x, at + 12)
    bytes.writeDoubleLE(y, at + 20)
  }
  return bytes
}

/** The table of a shapefile (dBASE III) of texts, each field 80 bytes wide, as the ministry writes them. */
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
