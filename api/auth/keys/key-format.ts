import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'tia_'
const RANDOM_CHARS = 30
const CHECK_CHARS = 6
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_CHARS + CHECK_CHARS}}$`)

/** Makes a new key: `tia_`, 30 random base62 characters (178 bits) and a checksum of 6. */
export function makeKey(): string {
  const random = Array.from({ length: RANDOM_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return withChecksum(`${PREFIX}${random}`)
}

/** Appends the checksum to a key's first 34 characters: their CRC-32 (as in zlib) in base62, padded with zeros. */
export function withChecksum(body: string): string {
  let rest = crc32(body)
  let check = ''
  for (let at = 0; at < CHECK_CHARS; at++) {
    check = ALPHABET[rest % ALPHABET.length] + check
    rest = Math.floor(rest / ALPHABET.length)
  }
  return `${body}${check}`
}

/** True for a text with the form and checksum of a key. This stops typing errors before any lookup. */
export function isWellFormed(text: string): boolean {
  return FORM.test(text) && withChecksum(text.slice(0, -CHECK_CHARS)) === text
}

/** The public part of a key, for its owner to recognize it: the first 8 and the last 4 characters. */
export interface KeyHint {
  readonly first: string
  readonly last: string
}

/** Returns the hint of a key. */
export function hintOf(key: string): KeyHint {
  return { first: key.slice(0, 8), last: key.slice(-4) }
}
