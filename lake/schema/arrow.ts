import type { Json } from './columns.ts'
import type { IcebergType } from './physical.ts'

/** A field of an Arrow schema in Arrow's JSON form (format/integration, "JSON test data format"). */
export type ArrowField = { readonly [member: string]: Json }

interface ArrowType {
  /** The type as PyArrow writes it. */
  readonly text: string
  readonly type: { readonly [member: string]: Json }
}

const TYPES: Readonly<Record<string, ArrowType>> = Object.freeze({
  string: { text: 'string', type: { name: 'utf8' } },
  int: { text: 'int32', type: { name: 'int', bitWidth: 32, isSigned: true } },
  long: { text: 'int64', type: { name: 'int', bitWidth: 64, isSigned: true } },
  double: { text: 'double', type: { name: 'floatingpoint', precision: 'DOUBLE' } },
  boolean: { text: 'bool', type: { name: 'bool' } },
  timestamptz: { text: 'timestamp[us, tz=UTC]', type: { name: 'timestamp', unit: 'MICROSECOND', timezone: 'UTC' } },
  date: { text: 'date32[day]', type: { name: 'date', unit: 'DAY' } },
  binary: { text: 'binary', type: { name: 'binary' } },
})
const DECIMAL = /^decimal\((\d+), ?(\d+)\)$/

/** The Arrow type of a table's field, as text; for a list, with that of its element. Throws for an unsupported type. */
export function arrowText(type: IcebergType): string {
  return typeof type === 'string' ? typeOf(type).text : `list<item: ${typeOf(type.element).text} not null>`
}

/** A table's field as a field of an Arrow schema. */
export function arrowField(field: { readonly name: string; readonly type: IcebergType; readonly required: boolean }): ArrowField {
  const { name, type, required } = field
  if (typeof type === 'string') return { name, nullable: !required, type: typeOf(type).type, children: [] }
  const item = { name: 'item', nullable: false, type: typeOf(type.element).type, children: [] }
  return { name, nullable: !required, type: { name: 'list' }, children: [item] }
}

function typeOf(type: string): ArrowType {
  const found = TYPES[type]
  if (found) return found
  const [, precision, scale] = DECIMAL.exec(type) ?? []
  if (precision === undefined) throw new Error(`${type}: no Arrow type is known`)
  const decimal = { name: 'decimal', precision: Number(precision), scale: Number(scale), bitWidth: 128 }
  return { text: `decimal128(${precision}, ${scale})`, type: decimal }
}
