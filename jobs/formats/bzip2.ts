import { createRequire } from 'node:module'
import { FormatError } from '../feeds/define.ts'

/** The used part of `seek-bzip`, a CommonJS module without types. */
interface Bunzip {
  decode(input: Buffer, output: { writeByte(byte: number): void }, multistream: boolean): void
}

const require = createRequire(import.meta.url)
const bunzip: Bunzip = require('seek-bzip')
const FIRST_BYTES = 1_048_576

/** True for bytes that start like a bzip2 file. */
export function isBzip2(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).toString('latin1') === 'BZh'
}

/** Decompresses a bzip2 file. Throws `FormatError` above `maxBytes`, and for damaged bytes: each block has a checksum. */
export function unpackBzip2(bytes: Buffer, maxBytes: number): Buffer {
  let unpacked = Buffer.allocUnsafe(Math.min(FIRST_BYTES, maxBytes))
  let size = 0
  const writeByte = (byte: number): void => {
    if (size === unpacked.length) {
      if (size >= maxBytes) throw new FormatError(`the bzip2 file unpacks to more than ${maxBytes} bytes`)
      unpacked = Buffer.concat([unpacked], Math.min(2 * size, maxBytes))
    }
    unpacked[size++] = byte
  }
  try {
    bunzip.decode(bytes, { writeByte }, true)
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError(`damaged bzip2 data: ${(cause as Error).message}`, { cause })
  }
  return unpacked.subarray(0, size)
}
