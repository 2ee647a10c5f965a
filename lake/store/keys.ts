import { StoreError } from './errors.ts'

// A part is a file name (255 bytes on every file system in use), a key an S3 key (1,024 bytes).
const MAX_PART_BYTES = 255
const MAX_KEY_BYTES = 1024

/**
 * Refuses a key that is not plain `a/b/c`: empty, absolute, with empty parts, with parts that begin with a dot (so also
 * `.` and `..`), backslashes, control characters, half surrogates, or longer than a file name (255 bytes a part) or an S3 key (1,024 bytes)
 * may be. Throws `StoreError` with code `invalid-key`.
 */
export function checkKey(key: string): void {
  const fault = keyFault(key)
  if (fault) throw invalidKey('key', key, fault)
}

/** Refuses a prefix that no key can have. The last part may be empty or cut anywhere: `''`, `a/`, `a/b`. Throws like `checkKey`. */
export function checkPrefix(prefix: string): void {
  if (prefix === '') return
  const fault = keyFault(prefix.endsWith('/') ? `${prefix}x` : prefix)
  if (fault) throw invalidKey('prefix', prefix, fault)
}

/** True where an object of this key can be ours; listings leave out others (temporary files, folder marks of consoles). */
export function isKey(key: string): boolean {
  return keyFault(key) === null
}

/** Refuses a byte range that is not whole numbers with 0 ≤ start ≤ end. */
export function checkRange(range: { readonly start: number; readonly end: number }): void {
  const { start, end } = range
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end) return
  throw new StoreError(`range [${start}, ${end}) is not allowed: bounds are whole numbers with 0 ≤ start ≤ end`, { code: 'invalid-range' })
}

/** Order of keys by their UTF-8 bytes, which is the order of S3 listings; JavaScript's own differs above U+FFFF. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at)
    const y = b.charCodeAt(at)
    if (x !== y) return byteRank(x) - byteRank(y)
  }
  return a.length - b.length
}

// Surrogates stand for code points above all others, but as code units they lie below U+E000–U+FFFF.
function byteRank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

function keyFault(key: string): string | null {
  if (typeof key !== 'string' || key === '') return 'it must not be empty'
  if (/[\u0000-\u001f\u007f\ufffe\uffff\\]/.test(key)) return 'backslashes and control characters are refused'
  if (!key.isWellFormed()) return 'it has half a surrogate pair'
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `it is longer than ${MAX_KEY_BYTES} bytes`
  for (const part of key.split('/')) {
    if (part === '') return 'it must be parts joined by single slashes, without one at the start or end'
    if (part.startsWith('.')) return 'no part may begin with a dot'
    if (Buffer.byteLength(part) > MAX_PART_BYTES) return `a part is longer than ${MAX_PART_BYTES} bytes`
  }
  return null
}

function invalidKey(what: string, key: string, fault: string): StoreError {
  return new StoreError(`object ${what} ${JSON.stringify(key)} is not allowed: ${fault}`, { code: 'invalid-key' })
}
