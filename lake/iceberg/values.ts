import type { Bound } from './types.ts'

/** Longest text or binary bound in a manifest, in code points or bytes; longer ones are truncated. */
export const MAX_BOUND_LENGTH = 64

const DECIMAL = /^decimal\((\d+), ?(\d+)\)$/
const MAX_CODE_POINT = 0x10ffff

/** Precision and scale in a decimal type's name, null for every other type. */
export function decimalOf(type: string): { readonly precision: number; readonly scale: number } | null {
  const match = DECIMAL.exec(type)
  return match ? { precision: Number(match[1]), scale: Number(match[2]) } : null
}

/**
 * Encodes a value in Iceberg's binary single-value serialization (spec, Appendix D): numbers little-endian, decimals as the
 * shortest big-endian two's complement of the unscaled value, strings as UTF-8. Throws for an unsupported type or a wrong value.
 */
export function encodeValue(type: string, value: Bound): Buffer {
  if (decimalOf(type) && typeof value === 'bigint') return encodeTwosComplement(value)
  switch (type) {
    case 'boolean':
      if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0])
      break
    case 'int':
    case 'date':
      if (typeof value === 'number' && Number.isInteger(value)) return write(4, (bytes) => bytes.writeInt32LE(value))
      break
    case 'long':
    case 'timestamptz':
      if (typeof value === 'bigint') return write(8, (bytes) => bytes.writeBigInt64LE(value))
      break
    case 'double':
      if (typeof value === 'number') return write(8, (bytes) => bytes.writeDoubleLE(value))
      break
    case 'string':
      if (typeof value === 'string') return Buffer.from(value, 'utf8')
      break
    case 'binary':
      if (Buffer.isBuffer(value)) return value
      break
  }
  throw new Error(`a value ${show(value)} cannot be stated as ${type}`)
}

/**
 * Decodes a binary single-value serialization. Values written before their column was widened keep their old form: 4 bytes in a
 * long are an int (spec, "Schema Evolution").
 */
export function decodeValue(type: string, bytes: Buffer): Bound {
  if (decimalOf(type)) return decodeTwosComplement(bytes)
  switch (type) {
    case 'boolean':
      return bytes[0] !== 0
    case 'int':
    case 'date':
      return bytes.readInt32LE()
    case 'long':
    case 'timestamptz':
      return bytes.length === 4 ? BigInt(bytes.readInt32LE()) : bytes.readBigInt64LE()
    case 'double':
      return bytes.readDoubleLE()
    case 'string':
      return bytes.toString('utf8')
    case 'binary':
      return bytes
  }
  throw new Error(`no single-value form for type ${type}`)
}

/** True for the types whose bounds `decodeValue` reads. */
export function hasValueForm(type: string): boolean {
  return decimalOf(type) !== null || VALUE_FORMS.has(type)
}

const VALUE_FORMS: ReadonlySet<string> = new Set(['boolean', 'int', 'date', 'long', 'timestamptz', 'double', 'string', 'binary'])

/** The value of big-endian two's complement bytes, of any length. */
export function decodeTwosComplement(bytes: Buffer): bigint {
  if (bytes.length === 0) return 0n
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
}

/** Big-endian two's complement of a value, in `size` bytes or as few as possible. */
export function encodeTwosComplement(value: bigint, size: number = shortestLength(value)): Buffer {
  const hex = BigInt.asUintN(size * 8, value).toString(16)
  return Buffer.from(hex.padStart(size * 2, '0'), 'hex')
}

function shortestLength(value: bigint): number {
  let size = 1
  while (BigInt.asIntN(size * 8, value) !== value) size++
  return size
}

/**
 * A manifest's lower bound, null if there is none: texts and binaries are truncated, which only lowers them; −0 sorts before +0
 * (spec, "Manifests"); NaN is not a bound.
 */
export function encodeLower(type: string, bound: Bound | null): Buffer | null {
  if (bound === null || Number.isNaN(bound)) return null
  if (type === 'double' && bound === 0) return encodeValue(type, -0)
  if (type === 'string' && typeof bound === 'string') return encodeValue(type, cutText(bound).kept)
  const bytes = encodeValue(type, bound)
  return type === 'binary' ? bytes.subarray(0, MAX_BOUND_LENGTH) : bytes
}

/** A manifest's upper bound; a truncated text or binary is incremented at its last possible position. */
export function encodeUpper(type: string, bound: Bound | null): Buffer | null {
  if (bound === null || Number.isNaN(bound)) return null
  if (type === 'double' && bound === 0) return encodeValue(type, 0)
  if (type === 'string' && typeof bound === 'string') {
    const { kept, isCut } = cutText(bound)
    const text = isCut ? raiseText(kept) : kept
    return text === null ? null : encodeValue(type, text)
  }
  const bytes = encodeValue(type, bound)
  return type === 'binary' && bytes.length > MAX_BOUND_LENGTH ? raiseBytes(bytes.subarray(0, MAX_BOUND_LENGTH)) : bytes
}

function cutText(text: string): { kept: string; isCut: boolean } {
  if (text.length <= MAX_BOUND_LENGTH) return { kept: text, isCut: false }
  let end = 0
  for (let points = 0; points < MAX_BOUND_LENGTH && end < text.length; points++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return { kept: text.slice(0, end), isCut: end < text.length }
}

/** The least text above every text with this prefix, in code point order; null if there is none. */
function raiseText(text: string): string | null {
  const points = Array.from(text.toWellFormed(), (point) => point.codePointAt(0) as number)
  for (let at = points.length - 1; at >= 0; at--) {
    const point = points[at] as number
    if (point === MAX_CODE_POINT) continue
    // Surrogates are not characters: U+E000 follows U+D7FF.
    return String.fromCodePoint(...points.slice(0, at), point === 0xd7ff ? 0xe000 : point + 1)
  }
  return null
}

function raiseBytes(bytes: Buffer): Buffer | null {
  for (let at = bytes.length - 1; at >= 0; at--) {
    const byte = bytes[at] as number
    if (byte < 0xff) return Buffer.concat([bytes.subarray(0, at), Buffer.from([byte + 1])])
  }
  return null
}

function write(size: number, fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size)
  fill(bytes)
  return bytes
}

function show(value: Bound): string {
  return typeof value === 'bigint' ? `${value}n` : Buffer.isBuffer(value) ? `0x${value.toString('hex')}` : JSON.stringify(value)
}

/** Order of two values of one type: texts and binaries by bytes (UTF-8), NaN above every number, −0 equal to +0. */
export function compareValues(one: Bound, other: Bound): number {
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  if (Buffer.isBuffer(one) && Buffer.isBuffer(other)) return Buffer.compare(one, other)
  if (Number.isNaN(one)) return Number.isNaN(other) ? 0 : 1
  if (Number.isNaN(other)) return -1
  return one < other ? -1 : one > other ? 1 : 0
}

/** From here on, code units do not sort like their UTF-8 bytes. */
const SURROGATES = 0xd800

/** Order of two texts by their bytes, encoded only if code units cannot decide: a scan compares hundreds. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [unit, another] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (unit === another) continue
    if (unit < SURROGATES && another < SURROGATES) return unit < another ? -1 : 1
    return Buffer.compare(Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8'))
  }
  return Math.sign(one.length - other.length)
}
