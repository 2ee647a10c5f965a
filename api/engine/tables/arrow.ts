import {
  Binary,
  Bool,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Field,
  Float64,
  Int32,
  Int64,
  List,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from 'apache-arrow'
import { daysOf, microsOf, unscaledOf, wholeOf } from '../../../lake/query/values.ts'
import { toWkb } from '../../../lake/query/wkb.ts'
import { isGeometry } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { Turn } from '../../kernel/http/turns.ts'
import { type CellType, cellJson, type TableColumn } from '../../kernel/reads/table.ts'
import type { Draft } from './spool.ts'
import type { TableWriter } from './text.ts'

/** Records in one batch of the stream. */
const BATCH_ROWS = 4096
const WORD = 2 ** 32

/**
 * Writes an Arrow IPC stream: texts, instants in µs UTC, decimals of 128 bits, lists of values and of structs; geometries as WKB
 * (`geoarrow.wkb`), JSON as text, times of a service day in seconds. `about` is the schema's metadata.
 */
export function arrowWriter(draft: Draft, columns: readonly TableColumn[], about: ReadonlyMap<string, string>): TableWriter {
  const schema = new Schema(columns.map(fieldOf), new Map(about))
  const stream = new ByteStream()
  stream.reset(undefined, schema)
  let held: AnyRow[] = []
  const flush = async (): Promise<void> => {
    const records = held
    held = []
    const turn = new Turn()
    const children: Data[] = []
    for (const [at, column] of columns.entries()) {
      children.push(dataOf(column.name, column.type, (schema.fields[at] as Field).type, records.map(column.of)))
      if (turn.isOver) await turn.next()
    }
    const rows = makeData({ type: new Struct(schema.fields), length: records.length, nullCount: 0, children })
    stream.write(new RecordBatch(schema, rows))
    for (const bytes of stream.taken()) await draft.write(bytes)
  }
  return {
    async write(records) {
      for (const record of records) {
        held.push(record)
        if (held.length >= BATCH_ROWS) await flush()
      }
    },
    async end() {
      if (held.length > 0) await flush()
      stream.finish()
      for (const bytes of stream.taken()) await draft.write(bytes)
    },
  }
}

/** The library's writer; its bytes are taken as they are made. */
class ByteStream extends RecordBatchStreamWriter {
  #made: Uint8Array[] = []

  taken(): Uint8Array[] {
    const made = this.#made
    this.#made = []
    return made
  }

  protected override _write(chunk: Uint8Array | ArrayBufferView): this {
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    this.#made.push(bytes)
    this._position += bytes.length
    return this
  }
}

function fieldOf({ name, type, nullable, schema }: TableColumn): Field {
  const metadata = new Map<string, string>()
  const { description, 'x-unit': unit } = schema
  if (typeof description === 'string') metadata.set('description', description)
  if (typeof unit === 'string') metadata.set('unit', unit)
  if (isGeometry(type.kind)) {
    metadata.set('ARROW:extension:name', 'geoarrow.wkb')
    metadata.set('ARROW:extension:metadata', '{"crs":"OGC:CRS84"}')
  }
  return new Field(name, typeOf(type), nullable, metadata)
}

function typeOf(type: CellType): DataType {
  switch (type.kind) {
    case 'rows':
      return new List(new Field('item', new Struct(type.columns.map(fieldOf)), false))
    case 'list':
      return new List(new Field('item', typeOf(type.of as CellType), false))
    case 'integer':
      return type.long ? new Int64() : new Int32()
    case 'service_time':
      return new Int32()
    case 'decimal':
      return new Decimal(type.scale ?? 0, type.precision ?? 9, 128)
    case 'float':
      return new Float64()
    case 'boolean':
      return new Bool()
    case 'instant':
      return new TimestampMicrosecond('UTC')
    case 'local_date':
      return new DateDay()
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return new Binary()
    default:
      return new Utf8()
  }
}

/** Returns a column's values as an Arrow vector. A value that its type cannot represent exactly is a `ValueError`. */
function dataOf(name: string, cell: CellType, type: DataType, values: readonly unknown[]): Data {
  const { length } = values
  const { nullBitmap, nullCount } = validityOf(values)
  const common = { length, nullCount, nullBitmap }
  switch (cell.kind) {
    case 'rows':
    case 'list': {
      const { valueOffsets, items } = flattened(values as readonly (readonly unknown[] | null)[])
      const inner = (type as List).children[0]?.type as DataType
      const child =
        cell.kind === 'rows' ? structOf(name, cell.columns, inner as Struct, items) : dataOf(name, cell.of as CellType, inner, items)
      return makeData({ type: type as List, ...common, valueOffsets, child })
    }
    case 'integer':
      return cell.long
        ? makeData({ type: type as Int64, ...common, data: longs(values, (value) => wholeOf(name, cell, value)) })
        : makeData({ type: type as Int32, ...common, data: ints(values, (value) => wholeOf(name, cell, value) as number) })
    case 'service_time':
      return makeData({ type: type as Int32, ...common, data: ints(values, (value) => wholeOf(name, cell, value) as number) })
    case 'decimal':
      return makeData({ type: type as Decimal, ...common, data: decimals(values, (value) => unscaledOf(name, cell, value)) })
    case 'float':
      return makeData({ type: type as Float64, ...common, data: Float64Array.from(values as number[], (value) => value ?? 0) })
    case 'boolean':
      return makeData({ type: type as Bool, ...common, data: bitsOf(values, (value) => value === true) })
    case 'instant':
      return makeData({ type: type as TimestampMicrosecond, ...common, data: longs(values, (value) => microsOf(name, value)) })
    case 'local_date':
      return makeData({ type: type as DateDay, ...common, data: ints(values, (value) => daysOf(name, value)) })
    case 'line':
    case 'polygon':
    case 'multipolygon': {
      const { kind } = cell
      const shapes = values.map((value) => (value === null ? null : toWkb(kind, name, value)))
      return makeData({ type: type as Binary, ...common, ...bytesOf(shapes) })
    }
    case 'json':
      return makeData({
        type: type as Utf8,
        ...common,
        ...textsOf(values.map((value) => (value === null ? null : JSON.stringify(cellJson(cell, value))))),
      })
    default:
      return makeData({ type: type as Utf8, ...common, ...textsOf(values as readonly (string | null)[]) })
  }
}

function structOf(name: string, columns: readonly TableColumn[], type: Struct, rows: readonly unknown[]): Data {
  const children = columns.map((column, at) =>
    dataOf(`${name}.${column.name}`, column.type, type.children[at]?.type as DataType, (rows as AnyRow[]).map(column.of)),
  )
  return makeData({ type, length: rows.length, nullCount: 0, children })
}

function flattened(lists: readonly (readonly unknown[] | null)[]): { valueOffsets: Int32Array; items: unknown[] } {
  const valueOffsets = new Int32Array(lists.length + 1)
  const items: unknown[] = []
  for (const [at, list] of lists.entries()) {
    for (const item of list ?? []) items.push(item)
    valueOffsets[at + 1] = items.length
  }
  return { valueOffsets, items }
}

function validityOf(values: readonly unknown[]): { nullBitmap: Uint8Array; nullCount: number } {
  let nullCount = 0
  const nullBitmap = bitsOf(values, (value) => {
    if (value === null) nullCount++
    return value !== null
  })
  return { nullBitmap, nullCount }
}

function bitsOf(values: readonly unknown[], isSet: (value: unknown) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 64) * 8)
  for (let at = 0; at < values.length; at++) if (isSet(values[at])) bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7))
  return bits
}

function ints(values: readonly unknown[], convert: (value: unknown) => number): Int32Array {
  return Int32Array.from(values, (value) => (value === null ? 0 : convert(value)))
}

/** Makes 64-bit values from two words each, without a BigInt. */
function longs(values: readonly unknown[], convert: (value: unknown) => number | bigint): BigInt64Array {
  const items = new BigInt64Array(values.length)
  const words = new Int32Array(items.buffer)
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (value === null) continue
    const whole = convert(value)
    if (typeof whole === 'bigint') items[at] = whole
    else putLong(words, at * 2, whole)
  }
  return items
}

/** Makes 128-bit values: two words for the number, two for its sign. */
function decimals(values: readonly unknown[], convert: (value: unknown) => number): Uint32Array {
  const words = new Int32Array(values.length * 4)
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (value === null) continue
    const whole = convert(value)
    putLong(words, at * 4, whole)
    if (whole < 0) words.fill(-1, at * 4 + 2, at * 4 + 4)
  }
  return new Uint32Array(words.buffer)
}

function putLong(words: Int32Array, at: number, whole: number): void {
  const high = Math.floor(whole / WORD)
  words[at] = whole - high * WORD
  words[at + 1] = high
}

function textsOf(texts: readonly (string | null)[]): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = new Int32Array(texts.length + 1)
  let most = 0
  // A UTF-16 unit takes at most three bytes.
  for (const text of texts) most += 3 * (text?.length ?? 0)
  const data = Buffer.allocUnsafeSlow(most)
  let end = 0
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at]
    if (text) end += data.write(text, end)
    valueOffsets[at + 1] = end
  }
  return { valueOffsets, data: data.subarray(0, end) }
}

function bytesOf(parts: readonly (Buffer | null)[]): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = new Int32Array(parts.length + 1)
  for (const [at, part] of parts.entries()) valueOffsets[at + 1] = (valueOffsets[at] as number) + (part?.length ?? 0)
  return { valueOffsets, data: Buffer.concat(parts.flatMap((part) => part ?? [])) }
}
