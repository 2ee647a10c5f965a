import duckdb, { type Vector } from '@duckdb/node-bindings'
import type { AnyRow } from '../schema/dataset.ts'
import type { PhysicalField } from '../schema/physical.ts'
import { badValue, canonicalJson, daysOf, microsOf, unscaledOf } from './values.ts'
import { toWkb } from './wkb.ts'

/** Rows in a DuckDB data chunk. */
export const CHUNK_ROWS = duckdb.vector_size()

/** Copies one field of a chunk of rows into a DuckDB vector. */
export type VectorWriter = (vector: Vector, rows: readonly AnyRow[], range: { readonly start: number; readonly count: number }) => void

const ALL_VALID = 0xffff_ffff

/**
 * The writer of a scalar field. It fills typed arrays in the vector's memory layout (DuckDB's C API, "Vectors") and copies them
 * once, since one engine call per value costs more than all the rest. Throws a `ValueError` for a value that its column cannot
 * store.
 */
export function vectorWriter(field: PhysicalField): VectorWriter {
  const { column, name } = field
  switch (column.kind) {
    case 'string':
    case 'code':
      return textWriter(field, (value) => (typeof value === 'string' ? value : refuse(name, value, 'a text is expected')))
    case 'json':
      return textWriter(field, (value) => canonicalJson(name, value))
    case 'line':
    case 'polygon':
    case 'multipolygon': {
      const { kind } = column
      return bytesWriter(field, (value) => toWkb(kind, name, value))
    }
    case 'integer':
      return column.long ? longWriter(field, (value) => value) : wholeWriter(field, (value) => value)
    case 'service_time':
      return wholeWriter(field, (value) => value)
    case 'local_date':
      return wholeWriter(field, (value) => daysOf(name, value))
    case 'instant':
      return longWriter(field, (value) => microsOf(name, value))
    case 'decimal':
      return decimalWriter(field)
    case 'boolean':
      return numberWriter(field, new Uint8Array(CHUNK_ROWS), (value) =>
        typeof value === 'boolean' ? Number(value) : refuse(name, value, 'true or false is expected'),
      )
    case 'float':
    case 'point':
      return numberWriter(field, new Float64Array(CHUNK_ROWS), (value) =>
        typeof value === 'number' ? value : refuse(name, value, 'a number is expected'),
      )
    case 'list':
      throw new Error(`${name} is a list, not a scalar`)
  }
}

/** The value of a field in a row: the column's, or a point's latitude or longitude; null if absent. Throws if it is required. */
export function fieldValue(field: PhysicalField, row: AnyRow): unknown {
  const value = row[field.columnName]
  if (value === null || value === undefined) return field.required ? refuse(field.name, value ?? null, 'a value is required') : null
  return field.part === null ? value : (value as Record<string, unknown>)[field.part]
}

function refuse(name: string, value: unknown, allowed: string): never {
  throw badValue(name, value, allowed)
}

/** DuckDB's validity mask of a chunk's rows: one bit per row, set if there is a value. */
class Validity {
  readonly #words = new Uint32Array(CHUNK_ROWS / 32).fill(ALL_VALID)
  #anyNull = false

  clear(): void {
    if (this.#anyNull) this.#words.fill(ALL_VALID)
    this.#anyNull = false
  }

  setNull(row: number): void {
    this.#anyNull = true
    this.#words[row >>> 5] = (this.#words[row >>> 5] as number) & ~(1 << (row & 31))
  }

  copyTo(vector: Vector): void {
    if (!this.#anyNull) return
    duckdb.vector_ensure_validity_writable(vector)
    duckdb.copy_data_to_vector_validity(vector, 0, this.#words.buffer, 0, this.#words.byteLength)
  }
}

type NumberArray = Uint8Array<ArrayBuffer> | Int16Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>

function numberWriter(field: PhysicalField, items: NumberArray, convert: (value: unknown) => number): VectorWriter {
  const validity = new Validity()
  return (vector, rows, { start, count }) => {
    validity.clear()
    for (let at = 0; at < count; at++) {
      const value = fieldValue(field, rows[start + at] as AnyRow)
      if (value === null) validity.setNull(at)
      else items[at] = convert(value)
    }
    duckdb.copy_data_to_vector(vector, 0, items.buffer, 0, count * items.BYTES_PER_ELEMENT)
    validity.copyTo(vector)
  }
}

const MAX_INT = 2 ** 31

function wholeWriter(field: PhysicalField, convert: (value: unknown) => unknown): VectorWriter {
  return numberWriter(field, new Int32Array(CHUNK_ROWS), (value) => {
    const whole = convert(value)
    return Number.isInteger(whole) && (whole as number) >= -MAX_INT && (whole as number) < MAX_INT
      ? (whole as number)
      : refuse(field.name, value, 'a whole number of 32 bits is expected')
  })
}

const WORD = 2 ** 32

/** 64-bit values from numbers without a BigInt each: floored high word, low word; bigints beyond 2^53 unchanged. */
function longWriter(field: PhysicalField, convert: (value: unknown) => unknown): VectorWriter {
  const validity = new Validity()
  const items = new BigInt64Array(CHUNK_ROWS)
  const words = new Int32Array(items.buffer)
  return (vector, rows, { start, count }) => {
    validity.clear()
    for (let at = 0; at < count; at++) {
      const value = fieldValue(field, rows[start + at] as AnyRow)
      if (value === null) {
        validity.setNull(at)
        continue
      }
      const whole = convert(value)
      if (Number.isSafeInteger(whole)) {
        const high = Math.floor((whole as number) / WORD)
        words[at * 2] = (whole as number) - high * WORD
        words[at * 2 + 1] = high
      } else if (typeof whole === 'bigint' && BigInt.asIntN(64, whole) === whole) items[at] = whole
      else refuse(field.name, value, 'a whole number of 64 bits is expected')
    }
    duckdb.copy_data_to_vector(vector, 0, items.buffer, 0, count * 8)
    validity.copyTo(vector)
  }
}

/** DuckDB stores a decimal in the smallest sufficient integer: 16 bits up to 4 digits, 32 up to 9, 64 up to 18. */
function decimalWriter(field: PhysicalField): VectorWriter {
  const { column, name } = field
  const convert = (value: unknown): number => unscaledOf(name, column, value)
  const precision = column.precision ?? 9
  if (precision > 9) return longWriter(field, convert)
  return numberWriter(field, precision > 4 ? new Int32Array(CHUNK_ROWS) : new Int16Array(CHUNK_ROWS), convert)
}

/** Bytes of a text's slot in a vector. */
export const SLOT = 16
/** Longest text, in bytes, stored inside its slot. */
export const INLINE = 12
const ASCII_END = 0x80

/**
 * Texts as DuckDB's 16-byte string slots: length, then up to 12 bytes in place, else prefix and pointer. Short ASCII texts are
 * written in place; others go to the engine one by one. A repeated text copies the slot of the row before.
 */
function textWriter(field: PhysicalField, convert: (value: unknown) => string): VectorWriter {
  const validity = new Validity()
  const bytes = new Uint8Array(CHUNK_ROWS * SLOT)
  const words = new Uint32Array(bytes.buffer)
  const long: string[] = []
  const longAt: number[] = []
  const repeatAt: number[] = []
  return (vector, rows, { start, count }) => {
    validity.clear()
    words.fill(0)
    long.length = longAt.length = repeatAt.length = 0
    let before = ''
    let beforeAt = -1
    let beforeIsLong = false
    for (let at = 0; at < count; at++) {
      const value = fieldValue(field, rows[start + at] as AnyRow)
      if (value === null) {
        validity.setNull(at)
        continue
      }
      const text = convert(value)
      if (text === before && beforeAt >= 0) {
        if (beforeIsLong) repeatAt.push(at, longAt.at(-1) as number)
        else for (let word = 0; word < 4; word++) words[at * 4 + word] = words[beforeAt * 4 + word] as number
        continue
      }
      before = text
      beforeAt = at
      beforeIsLong = !writeInline(bytes, at * SLOT, text)
      if (!beforeIsLong) words[at * 4] = text.length
      else {
        words.fill(0, at * 4, at * 4 + 4)
        long.push(text)
        longAt.push(at)
      }
    }
    duckdb.copy_data_to_vector(vector, 0, bytes.buffer, 0, count * SLOT)
    for (let at = 0; at < long.length; at++) duckdb.vector_assign_string_element(vector, longAt[at] as number, long[at] as string)
    if (repeatAt.length > 0) copySlots(vector, repeatAt, count)
    validity.copyTo(vector)
  }
}

function writeInline(bytes: Uint8Array, start: number, text: string): boolean {
  const { length } = text
  if (length > INLINE) return false
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= ASCII_END) return false
    bytes[start + 4 + at] = code
  }
  return true
}

/** Copies slots within a vector: a slot's pointer stays valid for the vector's life, even in several slots. */
function copySlots(vector: Vector, pairs: readonly number[], count: number): void {
  const data = duckdb.vector_get_data(vector, count * SLOT)
  const slots = new BigUint64Array(count * 2)
  new Uint8Array(slots.buffer).set(data)
  for (let at = 0; at < pairs.length; at += 2) {
    const [to, from] = [(pairs[at] as number) * 2, (pairs[at + 1] as number) * 2]
    slots[to] = slots[from] as bigint
    slots[to + 1] = slots[from + 1] as bigint
  }
  duckdb.copy_data_to_vector(vector, 0, slots.buffer, 0, slots.byteLength)
}

function bytesWriter(field: PhysicalField, convert: (value: unknown) => Buffer): VectorWriter {
  const validity = new Validity()
  const empty = new Uint8Array(CHUNK_ROWS * SLOT)
  return (vector, rows, { start, count }) => {
    validity.clear()
    duckdb.copy_data_to_vector(vector, 0, empty.buffer, 0, count * SLOT)
    for (let at = 0; at < count; at++) {
      const value = fieldValue(field, rows[start + at] as AnyRow)
      if (value === null) validity.setNull(at)
      else duckdb.vector_assign_string_element_len(vector, at, convert(value))
    }
    validity.copyTo(vector)
  }
}
