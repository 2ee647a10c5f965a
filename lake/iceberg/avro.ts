import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import avro, { type Schema, type Type } from 'avsc'

/** Content of an Avro object container: the texts of its header by key, and its records. */
export interface AvroContainer {
  readonly metadata: ReadonlyMap<string, string>
  readonly records: readonly unknown[]
}

const MAGIC = Buffer.from('Obj\u0001', 'latin1')
const SYNC_BYTES = 16
const metadataType = avro.Type.forSchema({ type: 'map', values: 'bytes' })
const longType = avro.Type.forSchema('long')
const types = new Map<string, Type>()

// Partition values are the only longs that may exceed 2^53.
const bigLongType = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: longBytes,
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a === b ? 0 : a < b ? -1 : 1),
})

// Snapshot ids of other writers may exceed 2^53 too: only these become bigint.
const wideLongType = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => {
    const value = bytes.readBigInt64LE()
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  },
  toBuffer: (value: number | bigint) => longBytes(BigInt(value)),
  fromJSON: (value: number) => value,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint' || Number.isSafeInteger(value),
  compare: (a: number | bigint, b: number | bigint) => (a === b ? 0 : a < b ? -1 : 1),
})
/** Error of avsc for a long that does not fit in a number. */
const TOO_LONG = 'potential precision loss'

/**
 * Encodes records as an Avro object container (Avro 1.12, "Object Container Files"), deflated, in one block. Equal arguments give
 * equal bytes. The header has the schema as given, since avsc's own form drops Iceberg's `field-id`s.
 */
export function encodeContainer(options: { schema: Schema; metadata: Readonly<Record<string, string>>; records: unknown[] }): Buffer {
  const schema = JSON.stringify(options.schema)
  const header = { ...options.metadata, 'avro.codec': 'deflate', 'avro.schema': schema }
  const head = metadataType.toBuffer(Object.fromEntries(Object.entries(header).map(([key, text]) => [key, Buffer.from(text, 'utf8')])))
  const count = options.records.length
  const block = count > 0 ? deflateRawSync(recordBytes(schema, options.records)) : Buffer.alloc(0)
  // Of the content, and not random: a file that is made again for each range has the same bytes.
  const sync = createHash('sha256').update(head).update(block).digest().subarray(0, SYNC_BYTES)
  const parts = [MAGIC, head, sync]
  if (count > 0) parts.push(longType.toBuffer(count), longType.toBuffer(block.length), block, sync)
  return Buffer.concat(parts)
}

/** Reads an Avro object container, deflated or plain. Throws for other or truncated bytes. */
export function decodeContainer(bytes: Buffer): AvroContainer {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('not an Avro object container')
  const header = decode<Record<string, Buffer>>(metadataType, bytes, MAGIC.length)
  const metadata = new Map(Object.entries(header.value).map(([key, text]) => [key, text.toString('utf8')]))
  const schema = metadata.get('avro.schema') ?? ''
  const inflate = inflaterOf(metadata.get('avro.codec') ?? 'null')
  const sync = bytes.subarray(header.end, header.end + SYNC_BYTES)
  if (sync.length < SYNC_BYTES) throw new Error('the Avro container is cut')
  const records: unknown[] = []
  for (let at = header.end + SYNC_BYTES; at < bytes.length; ) {
    const count = decode<number>(longType, bytes, at)
    const size = decode<number>(longType, bytes, count.end)
    const end = size.end + size.value
    if (!bytes.subarray(end, end + SYNC_BYTES).equals(sync))
      throw new Error('the Avro container is damaged: a block does not end in its mark')
    const block = inflate(bytes.subarray(size.end, end))
    for (const record of recordsOf(schema, block, count.value)) records.push(record)
    at = end + SYNC_BYTES
  }
  return { metadata, records }
}

function recordBytes(schema: string, records: readonly unknown[]): Buffer {
  const encode = (type: Type): Buffer => Buffer.concat(records.map((record) => type.toBuffer(record)))
  try {
    return encode(typeOf(schema))
  } catch {
    // A long that does not fit in a number; anything else fails again.
    return encode(typeOf(schema, wideLongType))
  }
}

function recordsOf(schema: string, block: Buffer, count: number): unknown[] {
  const decodeAll = (type: Type): unknown[] => {
    const records: unknown[] = []
    for (let n = 0, position = 0; n < count; n++) {
      const record = decode<unknown>(type, block, position)
      records.push(record.value)
      position = record.end
    }
    return records
  }
  try {
    return decodeAll(typeOf(schema))
  } catch (error) {
    if ((error as Error).message !== TOO_LONG) throw error
    return decodeAll(typeOf(schema, wideLongType))
  }
}

function longBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}

function decode<T>(type: Type, bytes: Buffer, start: number): { value: T; end: number } {
  const { value, offset } = type.decode(bytes, start) as { value: T; offset: number }
  if (offset < 0) throw new Error('the Avro container is cut')
  return { value, end: offset }
}

function inflaterOf(codec: string): (bytes: Buffer) => Buffer {
  if (codec === 'deflate') return (bytes) => inflateRawSync(bytes)
  if (codec === 'null') return (bytes) => bytes
  throw new Error(`the Avro codec ${codec} is not supported, only deflate and null`)
}

/** The type of a JSON schema, cached: compiling it costs more than a small file, and a table has few. */
function typeOf(schema: string, long?: Type): Type {
  const name = `${long ? 'wide' : ''}${schema}`
  const known = types.get(name)
  if (known) return known
  const typeHook = (part: Schema): Type | undefined => partitionType(part) ?? (nameOf(part) === 'long' ? long : undefined)
  const type = avro.Type.forSchema(JSON.parse(schema) as Schema, { typeHook: typeHook as never })
  if (types.size >= 200) types.clear()
  types.set(name, type)
  return type
}

function partitionType(schema: Schema): Type | undefined {
  if (typeof schema !== 'object' || Array.isArray(schema) || !('name' in schema) || schema.name !== 'r102') return undefined
  return avro.Type.forSchema(schema, { typeHook: (part: Schema) => (nameOf(part) === 'long' ? bigLongType : undefined) } as never)
}

function nameOf(schema: Schema): unknown {
  return typeof schema === 'object' && 'type' in schema ? schema.type : schema
}
