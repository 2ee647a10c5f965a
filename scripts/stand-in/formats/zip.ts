import { Readable } from 'node:stream'
import { constants, crc32, createDeflateRaw, deflateRawSync } from 'node:zlib'

/** A file of an archive, in pieces so that a large one is never completely in memory. */
export interface ZipMember {
  readonly name: string
  readonly pieces: Iterable<Buffer>
}

const HEAD = Buffer.from('PK\u0003\u0004')
const ENTRY = Buffer.from('PK\u0001\u0002')
const END = Buffer.from('PK\u0005\u0006')
const BEHIND = Buffer.from('PK\u0007\u0008')
const VERSION = 20
const DEFLATED = 8
/** Flag of a member whose checksum and sizes follow it. */
const SIZED_BEHIND = 8
/** A last deflate block without content (RFC 1951, 3.2.6). */
const LAST_BLOCK = Buffer.from([0x03, 0x00])

/** An archive (APPNOTE 6.3) as publishers make them: members at its root, deflated, dated `at` (ms, read as UTC). */
export function packZip(members: Iterable<ZipMember>, at: number): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, pieces } of members) {
    const { packed, size, sum } = deflated(pieces)
    const packedSize = packed.reduce((total, { length }) => total + length, 0)
    const common = commonOf({ name, at, flags: 0, sum, packedSize, size })
    central.push(entryOf(name, common, offset))
    const head = Buffer.concat([HEAD, common, Buffer.from(name)])
    local.push(head, ...packed)
    offset += head.length + packedSize
  }
  return Buffer.concat([...local, endOf(central, offset)])
}

/** An archive of one member, packed while it is sent. Its checksum and sizes are unknown at first, so they follow the data. */
export async function* streamZip(
  text: Iterable<string>,
  { name, at }: { readonly name: string; readonly at: number },
): AsyncGenerator<Buffer> {
  const sized = { name, at, flags: SIZED_BEHIND, sum: 0, packedSize: 0, size: 0 }
  const head = Buffer.concat([HEAD, commonOf(sized), Buffer.from(name)])
  const counted = function* (): Generator<Buffer> {
    for (const piece of text) {
      const bytes = Buffer.from(piece)
      sized.size += bytes.length
      sized.sum = crc32(bytes, sized.sum)
      yield bytes
    }
  }
  yield head
  for await (const some of Readable.from(counted()).compose(createDeflateRaw({ level: 1 })) as AsyncIterable<Buffer>) {
    sized.packedSize += some.length
    yield some
  }
  const common = commonOf(sized)
  const behind = Buffer.concat([BEHIND, common.subarray(10, 22)])
  yield behind
  yield endOf([entryOf(name, common, 0)], head.length + sized.packedSize + behind.length)
}

/** The fields that a member's header and its directory entry share. */
function commonOf(of: {
  readonly name: string
  readonly at: number
  readonly flags: number
  readonly sum: number
  readonly packedSize: number
  readonly size: number
}): Buffer {
  const common = Buffer.alloc(26)
  common.writeUInt16LE(VERSION, 0)
  common.writeUInt16LE(of.flags, 2)
  common.writeUInt16LE(DEFLATED, 4)
  common.writeUInt32LE(dosTime(of.at), 6)
  common.writeUInt32LE(of.sum, 10)
  common.writeUInt32LE(of.packedSize, 14)
  common.writeUInt32LE(of.size, 18)
  common.writeUInt16LE(Buffer.byteLength(of.name), 22)
  return common
}

function entryOf(name: string, common: Buffer, offset: number): Buffer {
  const place = Buffer.alloc(14)
  place.writeUInt32LE(offset, 10)
  return Buffer.concat([ENTRY, Buffer.from([VERSION, 0]), common, place, Buffer.from(name)])
}

/** The directory, which begins at `offset`, and the end record. */
function endOf(entries: readonly Buffer[], offset: number): Buffer {
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([directory, END, end])
}

/** Each piece ends with a flush, so that the next one can be appended. */
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
