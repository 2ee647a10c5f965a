import { type DuckDBDataChunk, type DuckDBDecimalType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import duckdb, { type Vector } from '@duckdb/node-bindings'
import { dateOfDays, decimalOf, instantOfMicros, parseJson, wholeNumber } from './values.ts'
import { INLINE, SLOT } from './vectors.ts'

/** Reads one column of a chunk: a value per row, or null. */
export type ColumnReader = (chunk: DuckDBDataChunk, at: number) => unknown[]

const WORD = 2 ** 32
/** High words within which a double represents every 64-bit value exactly. */
const EXACT_HIGH = 2 ** 21

/**
 * The reader of a common column type, from the vector's memory layout (DuckDB's C API, "Vectors"); null for other types. Values
 * as in `rowReader`; JSON texts (`isJson`) are parsed, with one shared object for equal consecutive rows. The library's object
 * and BigInt per cell cost more than a small query.
 */
export function vectorReader(type: DuckDBType, isJson: boolean): ColumnReader | null {
  switch (type.typeId) {
    case DuckDBTypeId.VARCHAR:
      return isJson ? jsonReader : textReader
    case DuckDBTypeId.TIMESTAMP_TZ:
    case DuckDBTypeId.TIMESTAMP:
      return longReader((micros) => micros / 1000, instantOfMicros)
    case DuckDBTypeId.BIGINT:
      return longReader((whole) => whole, wholeNumber)
    case DuckDBTypeId.DECIMAL:
      return decimalReader(type as DuckDBDecimalType)
    case DuckDBTypeId.DATE:
      return numberReader(Int32Array, dateOfDays)
    case DuckDBTypeId.INTEGER:
      return numberReader(Int32Array)
    case DuckDBTypeId.DOUBLE:
      return numberReader(Float64Array)
    case DuckDBTypeId.BOOLEAN:
      return numberReader(Uint8Array, (byte) => byte !== 0)
    default:
      return null
  }
}

/** DuckDB stores a decimal in the smallest sufficient integer: 16 bits up to 4 digits, 32 up to 9, 64 up to 18, else 128. */
function decimalReader({ width, scale }: DuckDBDecimalType): ColumnReader | null {
  if (width > 18) return null
  const power = 10 ** scale
  if (width > 9)
    return longReader(
      (unscaled) => unscaled / power,
      (unscaled) => decimalOf(unscaled, scale),
    )
  return numberReader(width > 4 ? Int32Array : Int16Array, (unscaled) => unscaled / power)
}

type Numbers = Uint8ArrayConstructor | Int16ArrayConstructor | Int32ArrayConstructor | Float64ArrayConstructor

function numberReader(of: Numbers, convert?: (value: number) => unknown): ColumnReader {
  return (chunk, at) => {
    const { vector, isNull, values } = begin(chunk, at)
    const { buffer, byteOffset } = dataOf(vector, values.length * of.BYTES_PER_ELEMENT)
    const items = new of(buffer, byteOffset, values.length)
    for (let row = 0; row < values.length; row++) {
      if (isNull(row)) continue
      const value = items[row] as number
      values[row] = convert ? convert(value) : value
    }
    return values
  }
}

/** 64-bit values by their two words; `rare` gets the BigInt of values that a number cannot represent exactly. */
function longReader(convert: (value: number) => unknown, rare: (value: bigint) => unknown): ColumnReader {
  return (chunk, at) => {
    const { vector, isNull, values } = begin(chunk, at)
    const { buffer, byteOffset } = dataOf(vector, values.length * 8)
    const low = new Uint32Array(buffer, byteOffset, values.length * 2)
    const high = new Int32Array(buffer, byteOffset, values.length * 2)
    for (let row = 0; row < values.length; row++) {
      if (isNull(row)) continue
      const [above, below] = [high[row * 2 + 1] as number, low[row * 2] as number]
      const isExact = above > -EXACT_HIGH && above < EXACT_HIGH
      values[row] = isExact ? convert(above * WORD + below) : rare((BigInt(above) << 32n) | BigInt(below))
    }
    return values
  }
}

const utf8 = new TextDecoder()

/** The last read row for each hash of a slot; most text columns have few distinct values. */
const lastOfKind = new Int32Array(256)

/** Texts from DuckDB's 16-byte slots. A slot equal to an earlier one, in place or by pointer, is the same text. */
const textReader: ColumnReader = (chunk, at) => {
  const { vector, isNull, values } = begin(chunk, at)
  const { buffer, byteOffset } = dataOf(vector, values.length * SLOT)
  const words = new Uint32Array(buffer, byteOffset, values.length * 4)
  lastOfKind.fill(-1)
  for (let row = 0; row < values.length; row++) {
    if (isNull(row)) continue
    const kind = kindOfSlot(words, row * 4)
    const before = lastOfKind[kind] as number
    if (before >= 0 && isSameSlot(words, row * 4, before * 4)) {
      values[row] = values[before]
      continue
    }
    const start = byteOffset + row * SLOT
    const length = words[row * 4] as number
    const bytes = length > INLINE ? duckdb.get_data_from_pointer(buffer, start + 8, length) : new Uint8Array(buffer, start + 4, length)
    values[row] = utf8.decode(bytes)
    lastOfKind[kind] = row
  }
  return values
}

const jsonReader: ColumnReader = (chunk, at) => {
  const values = textReader(chunk, at)
  let text: unknown = null
  let said: unknown = null
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as string | null
    if (value === null) continue
    if (value !== text) [text, said] = [value, parseJson(value)]
    values[row] = said
  }
  return values
}

/** A hash of a slot, 0 to 255: the first byte of a product of all its words (Knuth's multiplicative hash). */
function kindOfSlot(words: Uint32Array, at: number): number {
  let hash = 0
  for (let word = 0; word < 4; word++) hash = Math.imul(hash ^ (words[at + word] as number), 0x9e3779b1)
  return hash >>> 24
}

function isSameSlot(words: Uint32Array, one: number, other: number): boolean {
  return (
    words[one] === words[other] &&
    words[one + 1] === words[other + 1] &&
    words[one + 2] === words[other + 2] &&
    words[one + 3] === words[other + 3]
  )
}

interface Begun {
  readonly vector: Vector
  /** Whether a row has no value. */
  readonly isNull: (row: number) => boolean
  /** One null per row, to be filled. */
  readonly values: unknown[]
}

function begin(chunk: DuckDBDataChunk, at: number): Begun {
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, at)
  const values: unknown[] = new Array(chunk.rowCount).fill(null)
  const mask = duckdb.vector_get_validity(vector, Math.ceil(values.length / 64) * 8)
  if (!mask) return { vector, isNull: () => false, values }
  const words = new Uint32Array(mask.buffer, mask.byteOffset, mask.byteLength / 4)
  return { vector, isNull: (row) => ((words[row >>> 5] as number) & (1 << (row & 31))) === 0, values }
}

/** The memory of a vector in DuckDB: never shared, and freed with its chunk. */
function dataOf(vector: Vector, bytes: number): { readonly buffer: ArrayBuffer; readonly byteOffset: number } {
  return duckdb.vector_get_data(vector, bytes) as Uint8Array<ArrayBuffer>
}
