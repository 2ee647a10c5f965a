import { StoreError } from './errors.ts'

// A part is a file name (at most 255 bytes on all common file systems), a key an S3 key (1,024 bytes).
const MAX_PART_BYTES = 255
const MAX_KEY_BYTES = 1024

/**
 * Checks that a key is plain `a/b/c`: not empty or absolute, no empty parts, leading dots in parts, backslashes, control
 * characters or half surrogates; at most 255 bytes per part and 1,024 in total. Throws `StoreError` with code `invalid-key`.
 */
export function checkKey(key: string): void {
  const fault = keyFault(key)
  if (fault) throw invalidKey('key', key, fault)
}

/**
 * Checks that a prefix can begin a key. The last part may be empty or cut anywhere: `''`, `a/`, `a/b`. Throws like `checkKey`.
 */
export function checkPrefix(prefix: string): void {
  if (prefix === '') return
  const fault = keyFault(prefix.endsWith('/') ? `${prefix}x` : prefix)
  if (fault) throw invalidKey('prefix', prefix, fault)
}

/** True if an object with this key can be ours; listings skip others (temporary files, consoles' folder markers). */
export function isKey(key: string): boolean {
  return keyFault(key) === null
}

/** Checks that a byte range has integers with 0 ≤ start ≤ end. */
export function checkRange(range: { readonly start: number; readonly end: number }): void {
  const { start, end } = range
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end) return
  throw new StoreError(`range [${start}, ${end}) is not allowed: bounds are whole numbers with 0 ≤ start ≤ end`, { code: 'invalid-range' })
}

/** Order of keys by their UTF-8 bytes, as in S3 listings; JavaScript's own differs above U+FFFF. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at)
    const y = b.charCodeAt(at)
    if (x !== y) return byteRank(x) - byteRank(y)
  }
  return a.length - b.length
}

// Surrogates represent the highest code points, but as code units they sort below U+E000–U+FFFF.
function byteRank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

function keyFault(key: string): string | null {
  if (typeof key !== 'string' || key === '') return 'it must not be empty'
  if (/[\u0000-\u001f\u007f\ufffe\uffff\\]/.test(key)) return 'backslashes and control characters are not allowed'
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
