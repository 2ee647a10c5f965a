const UTF8 = new TextDecoder('utf-8', { fatal: true })
const UTF16LE = new TextDecoder('utf-16le')
const UTF16BE = new TextDecoder('utf-16be')
const WINDOWS1252 = new TextDecoder('windows-1252')

/**
 * The text of a publisher's bytes, without its byte order mark: by the mark where there is one, else UTF-8, and where the bytes are
 * no UTF-8, Windows-1252 (of which ISO 8859-1 is a part), as older Spanish editions are.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF16LE.decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return UTF16BE.decode(bytes)
  try {
    return UTF8.decode(bytes)
  } catch {
    return WINDOWS1252.decode(bytes)
  }
}

/** The text of UTF-8 bytes without its byte order mark; broken sequences become U+FFFD. For formats that are UTF-8 by definition. */
export function decodeUtf8(bytes: Buffer): string {
  return bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)
}
