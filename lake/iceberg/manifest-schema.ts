import type { Schema } from 'avsc'
import { TableRefused } from './errors.ts'
import { fieldOf, type PartitionSpec, primitiveOf, type TableMetadata } from './metadata.ts'
import { resultType, type Transform } from './transforms.ts'
import { decimalOf } from './values.ts'

/** One part of a partition tuple: its field id, name and type, and its source column. */
export interface PartitionPart {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly sourceId: number
  readonly sourceType: string
  readonly transform: Transform
}

const TRANSFORMS: readonly string[] = ['identity', 'day', 'month']

/** The parts of a spec's partition tuples. Throws `TableRefused` for an unsupported transform. */
export function partsOf(metadata: TableMetadata, spec: PartitionSpec): PartitionPart[] {
  return spec.fields.map((field) => {
    const sourceType = primitiveOf(fieldOf(metadata, field['source-id']))
    if (sourceType === null || !TRANSFORMS.includes(field.transform))
      throw new TableRefused(
        metadata.location,
        `partition field ${field.name} has transform ${field.transform}; supported are ${TRANSFORMS.join(', ')}`,
      )
    const transform = field.transform as Transform
    return {
      id: field['field-id'],
      name: field.name,
      type: resultType(transform, sourceType),
      sourceId: field['source-id'],
      sourceType,
      transform,
    }
  })
}

/** Fewest bytes that hold every decimal of a precision (spec, Appendix A). */
export function decimalBytes(precision: number): number {
  let size = 1
  while (10n ** BigInt(precision) > 1n << BigInt(size * 8 - 1)) size++
  return size
}

/** Avro's form of a partition value's type (spec, Appendix A). */
function avroType(type: string): Schema {
  const decimal = decimalOf(type)
  if (decimal) {
    const { precision, scale } = decimal
    return { type: 'fixed', name: `decimal_${precision}_${scale}`, size: decimalBytes(precision), logicalType: 'decimal', precision, scale }
  }
  if (type === 'date') return { type: 'int', logicalType: 'date' }
  if (type === 'timestamptz') return { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': true } as Schema
  return type === 'binary' ? 'bytes' : (type as Schema)
}

const field = (id: number, name: string, type: unknown): object => ({ name, type, 'field-id': id })
const optional = (id: number, name: string, type: unknown): object => ({ name, type: ['null', type], default: null, 'field-id': id })
const map = (id: number, name: string, keyId: number, valueId: number, value: string): object =>
  optional(id, name, {
    type: 'array',
    logicalType: 'map',
    items: { type: 'record', name: `k${keyId}_v${valueId}`, fields: [field(keyId, 'key', 'int'), field(valueId, 'value', value)] },
  })

/** The Avro schema of a manifest whose files have these partition parts (spec, "Manifests", v2). */
export function manifestSchema(parts: readonly PartitionPart[]): Schema {
  const partition = { type: 'record', name: 'r102', fields: parts.map((part) => optional(part.id, part.name, avroType(part.type))) }
  const dataFile = {
    type: 'record',
    name: 'r2',
    fields: [
      field(134, 'content', 'int'),
      field(100, 'file_path', 'string'),
      field(101, 'file_format', 'string'),
      field(102, 'partition', partition),
      field(103, 'record_count', 'long'),
      field(104, 'file_size_in_bytes', 'long'),
      map(108, 'column_sizes', 117, 118, 'long'),
      map(109, 'value_counts', 119, 120, 'long'),
      map(110, 'null_value_counts', 121, 122, 'long'),
      map(137, 'nan_value_counts', 138, 139, 'long'),
      map(125, 'lower_bounds', 126, 127, 'bytes'),
      map(128, 'upper_bounds', 129, 130, 'bytes'),
      optional(140, 'sort_order_id', 'int'),
    ],
  }
  return {
    type: 'record',
    name: 'manifest_entry',
    fields: [
      field(0, 'status', 'int'),
      optional(1, 'snapshot_id', 'long'),
      optional(3, 'sequence_number', 'long'),
      optional(4, 'file_sequence_number', 'long'),
      field(2, 'data_file', dataFile),
    ],
  } as Schema
}

/** The Avro schema of a manifest list (spec, "Manifest Lists", v2). */
export const MANIFEST_LIST_SCHEMA: Schema = Object.freeze({
  type: 'record',
  name: 'manifest_file',
  fields: [
    field(500, 'manifest_path', 'string'),
    field(501, 'manifest_length', 'long'),
    field(502, 'partition_spec_id', 'int'),
    field(517, 'content', 'int'),
    field(515, 'sequence_number', 'long'),
    field(516, 'min_sequence_number', 'long'),
    field(503, 'added_snapshot_id', 'long'),
    field(504, 'added_files_count', 'int'),
    field(505, 'existing_files_count', 'int'),
    field(506, 'deleted_files_count', 'int'),
    field(512, 'added_rows_count', 'long'),
    field(513, 'existing_rows_count', 'long'),
    field(514, 'deleted_rows_count', 'long'),
    optional(507, 'partitions', {
      type: 'array',
      'element-id': 508,
      items: {
        type: 'record',
        name: 'r508',
        fields: [
          field(509, 'contains_null', 'boolean'),
          optional(518, 'contains_nan', 'boolean'),
          optional(510, 'lower_bound', 'bytes'),
          optional(511, 'upper_bound', 'bytes'),
        ],
      },
    }),
  ],
}) as Schema
