import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A file of an archive, its bytes in pieces so that a large one is never held whole. */
export interface ZipMember {
  readonly name: string
  readonly pieces: Iterable<Buffer>
}

const HEAD = Buffer.from('PK\u0003\u0004')
const ENTRY = Buffer.from('PK\u0001\u0002')
const END = Buffer.from('PK\u0005\u0006')
const VERSION = 20
const DEFLATED = 8
/** A last deflate block without content (RFC 1951, 3.2.6). */
const LAST_BLOCK = Buffer.from([0x03, 0x00])

/** An archive (APPNOTE 6.3) of members as publishers make them: at its root, deflated, dated by `at` (ms, read as UTC). */
export function packZip(members: Iterable<ZipMember>, at: number): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, pieces } of members) {
    const { packed, size, sum } = deflated(pieces)
    const packedSize = packed.reduce((total, { length }) => total + length, 0)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(VERSION, 0)
    common.writeUInt16LE(DEFLATED, 4)
    common.writeUInt32LE(dosTime(at), 6)
    common.writeUInt32LE(sum, 10)
    common.writeUInt32LE(packedSize, 14)
    common.writeUInt32LE(size, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    central.push(ENTRY, Buffer.from([VERSION, 0]), common, place, Buffer.from(name))
    const head = Buffer.concat([HEAD, common, Buffer.from(name)])
    local.push(head, ...packed)
    offset += head.length + packedSize
  }
  const directory = Buffer.concat(central)
  const count = central.length / 5
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...local, directory, END, end])
}

/** Each piece is deflated up to a flush, so that the next goes on behind it. */
function deflated(pieces: Iterable<Buffer>): { packed: Buffer[]; size: number; sum: number } {
  const packed: Buffer[] = []
  let size = 0
  let sum = 0
  for (const piece of pieces) {
    packed.push(deflateRawSync(piece, { level: 1, finishFlush: constants.Z_SYNC_FLUSH }))
    size += piece.length
    sum = crc32(piece, sum)
  }
  packed.push(LAST_BLOCK)
  return { packed, size, sum }
}

/** MS-DOS time in the low word and date in the high one. */
function dosTime(at: number): number {
  const date = new Date(at)
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  return ((day << 16) | time) >>> 0
}
