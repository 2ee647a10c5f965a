import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { crc32, deflateRawSync, gunzipSync } from 'node:zlib'

/** A member of an archive in a test; its declared sizes and checksum may be wrong. */
export interface Member {
  readonly name: string
  readonly bytes: Buffer
  readonly statedSize?: number
  readonly statedSum?: number
  readonly flags?: number
  readonly isStored?: boolean
}

/**
 * The archive of a folder's members: unlike an archive, text can be read and compared. Files that end in `.gz` are stored
 * gzipped.
 */
export function zipOfFolder(folder: string): Buffer {
  return zipOf(...membersOf(folder))
}

/** The files of a folder and its subfolders, as members. */
export function membersOf(folder: string): Member[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
    .map((file) => {
      const bytes = readFileSync(join(folder, file))
      return { name: file.replace(/\.gz$/, ''), bytes: file.endsWith('.gz') ? gunzipSync(bytes) : bytes }
    })
}

/** An archive by APPNOTE 6.3: local headers with data, the central directory, the end record. */
export function zipOf(...members: readonly Member[]): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, bytes, statedSize = bytes.length, statedSum = crc32(bytes), flags = 0x800, isStored = false } of members) {
    const packed = isStored ? bytes : deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(isStored ? 0 : 8, 4)
    common.writeUInt32LE(statedSum, 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(statedSize, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const head = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name)])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    central.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, place, Buffer.from(name))
    local.push(head, packed)
    offset += head.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(members.length, 4)
  end.writeUInt16LE(members.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...local, directory, Buffer.from('PK\u0005\u0006'), end])
}
