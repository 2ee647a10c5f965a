import { isUtf8 } from 'node:buffer'
import { FormatError } from '../feeds/define.ts'

const UTF8 = new TextDecoder('utf-8')
const UTF16LE = new TextDecoder('utf-16le')
const UTF16BE = new TextDecoder('utf-16be')
/** Decodes Windows-1252, a superset of ISO 8859-1. */
export const WINDOWS1252 = new TextDecoder('windows-1252')

const ISO8859_15 = new TextDecoder('iso-8859-15')

const LINE_FEED = 10

/**
 * Decodes a publisher's text, without its byte order mark: by that mark, else as UTF-8. In other files each line that is not
 * UTF-8 is decoded as Windows-1252 (a superset of ISO 8859-1, usual in older Spanish editions), or as `otherwise`. So a bad
 * byte in one line does not damage others.
 */
export function decodeText(bytes: Uint8Array, otherwise: 'windows-1252' | 'iso-8859-15' = 'windows-1252'): string {
  const legacy = otherwise === 'iso-8859-15' ? ISO8859_15 : WINDOWS1252
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF16LE.decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return UTF16BE.decode(bytes)
  if (isUtf8(bytes)) return UTF8.decode(bytes)
  const lines: string[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from) + 1 || bytes.length
    const line = bytes.subarray(from, end)
    lines.push((isUtf8(line) ? UTF8 : legacy).decode(line))
    from = end
  }
  return lines.join('')
}

/**
 * Decodes UTF-8 without its byte order mark, for formats that are UTF-8 by definition. Throws `FormatError`, with the offset
 * of the first bad byte: replacing it by U+FFFD would change the names that are searched for.
 */
export function decodeUtf8(bytes: Buffer): string {
  const bad = firstBadByte(bytes)
  if (bad >= 0) throw badByte(bytes, bad)
  return bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)
}

/** Offset of the first byte that is not UTF-8; -1 if all are. */
export function firstBadByte(bytes: Buffer): number {
  if (isUtf8(bytes)) return -1
  // An invalid sequence comes back as three other bytes.
  const read = Buffer.from(bytes.toString('utf8'))
  let at = 0
  while (bytes[at] === read[at]) at++
  return at
}

/** The error of `decodeUtf8`, for formats that check bytes themselves. */
export function badByte(bytes: Buffer, at: number): FormatError {
  const found = at < bytes.length ? `byte 0x${(bytes[at] as number).toString(16).padStart(2, '0')} at offset ${at}` : 'the last character'
  return new FormatError(`not valid UTF-8: ${found} of ${bytes.length}`)
}
