import { decodeContainer, encodeContainer } from './avro.ts'
import { TableRefused } from './errors.ts'
import { decimalBytes, manifestSchema, type PartitionPart } from './manifest-schema.ts'
import { type PartitionSpec, primitiveOf, type SnapshotId, type TableSchema } from './metadata.ts'
import type { Bound, DataFile, FieldMetrics, TableField } from './types.ts'
import { decimalOf, decodeTwosComplement, decodeValue, encodeLower, encodeTwosComplement, encodeUpper, hasValueForm } from './values.ts'

/** Whether an entry's file existed before, or was added or deleted by the manifest's snapshot. */
export const STATUS = Object.freeze({ EXISTING: 0, ADDED: 1, DELETED: 2 })

/** What the files of a manifest are: data, or positions of deleted rows. */
export type Content = 'data' | 'deletes'

/** A data file, or one of deletes, as stored in a manifest; bounds stay raw bytes. */
export interface ManifestedFile {
  readonly key: string
  readonly rows: number
  readonly bytes: number
  readonly partition: readonly (Bound | null)[]
  readonly sortOrderId: number
  readonly sizes: ReadonlyMap<number, number>
  readonly values: ReadonlyMap<number, number>
  readonly nulls: ReadonlyMap<number, number>
  readonly nans: ReadonlyMap<number, number>
  readonly lower: ReadonlyMap<number, Buffer>
  readonly upper: ReadonlyMap<number, Buffer>
}

/** One entry of a manifest, with the values inherited from the manifest list. */
export interface ManifestEntry {
  readonly status: number
  readonly snapshotId: SnapshotId
  readonly sequenceNumber: number
  readonly fileSequenceNumber: number
  readonly file: ManifestedFile
}

/** Maps keys to locations of a table's files, and back. */
export interface Paths {
  toLocation(key: string): string
  toKey(location: string): string
}

interface AvroFile {
  content: number
  file_path: string
  file_format: string
  partition: Record<string, unknown>
  record_count: number
  file_size_in_bytes: number
  column_sizes: Pairs<number>
  value_counts: Pairs<number>
  null_value_counts: Pairs<number>
  nan_value_counts: Pairs<number>
  lower_bounds: Pairs<Buffer>
  upper_bounds: Pairs<Buffer>
  sort_order_id: number | null
}

interface AvroEntry {
  status: number
  snapshot_id: SnapshotId | null
  sequence_number: number | null
  file_sequence_number: number | null
  data_file: AvroFile
}

type Pairs<T> = readonly { readonly key: number; readonly value: T }[] | null

/**
 * Encodes a manifest. New files inherit their sequence number (spec, "Sequence Number Inheritance"), unless their rows were in
 * the table before. The header's schema has no descriptions, which would be most of a small manifest.
 */
export function encodeManifest(options: {
  schema: TableSchema
  spec: PartitionSpec
  parts: readonly PartitionPart[]
  entries: readonly ManifestEntry[]
  paths: Paths
  content?: Content
}): Buffer {
  const { schema, spec, parts, entries, paths, content = 'data' } = options
  return encodeContainer({
    schema: manifestSchema(parts),
    metadata: {
      schema: JSON.stringify({ ...schema, fields: schema.fields.map(({ doc: _, ...field }) => field) }),
      'schema-id': String(schema['schema-id']),
      'partition-spec': JSON.stringify(spec.fields),
      'partition-spec-id': String(spec['spec-id']),
      'format-version': '2',
      content,
    },
    records: entries.map((entry): AvroEntry => {
      const isNew = entry.status === STATUS.ADDED
      return {
        status: entry.status,
        snapshot_id: entry.snapshotId,
        sequence_number: isNew && entry.sequenceNumber === entry.fileSequenceNumber ? null : entry.sequenceNumber,
        file_sequence_number: isNew ? null : entry.fileSequenceNumber,
        data_file: { ...avroFile(entry.file, parts, paths), content: content === 'data' ? 0 : 1 },
      }
    }),
  })
}

/**
 * Decodes a manifest. Entries take missing values from `inherited`, its line in the manifest list. Throws `TableRefused` for
 * deletes other than by position.
 */
export function decodeManifest(options: {
  bytes: Buffer
  parts: readonly PartitionPart[]
  inherited: { readonly snapshotId: SnapshotId; readonly sequenceNumber: number }
  paths: Paths
}): ManifestEntry[] {
  const { parts, inherited, paths } = options
  const entries = decodeContainer(options.bytes).records as readonly AvroEntry[]
  return entries.map((entry) => {
    const { content, file_format, file_path } = entry.data_file
    if (content === 2) throw new TableRefused(file_path, 'it deletes rows by equality')
    if (content === 1 && file_format.toUpperCase() !== 'PARQUET')
      throw new TableRefused(file_path, `it has deletes in ${file_format} files`)
    return {
      status: entry.status,
      snapshotId: entry.snapshot_id ?? inherited.snapshotId,
      sequenceNumber: entry.sequence_number ?? inherited.sequenceNumber,
      fileSequenceNumber: entry.file_sequence_number ?? inherited.sequenceNumber,
      file: manifestedFile(entry.data_file, parts, paths),
    }
  })
}

/** Converts a data file for a manifest; its metrics must belong to fields of the table. */
export function toManifested(file: DataFile, fields: (id: number) => TableField): ManifestedFile {
  const typed = [...file.metrics].map(([id, metrics]) => ({ id, metrics, type: primitiveOf(fields(id)) }))
  const pick = <T>(value: (one: { metrics: FieldMetrics; type: string | null }) => T | null): Map<number, T> => {
    const picked = new Map<number, T>()
    for (const one of typed) {
      const found = value(one)
      if (found !== null) picked.set(one.id, found)
    }
    return picked
  }
  return {
    key: file.key,
    rows: file.rows,
    bytes: file.bytes,
    partition: file.partition,
    sortOrderId: file.sortOrderId,
    sizes: pick(({ metrics }) => metrics.bytes),
    values: pick(({ metrics }) => metrics.values),
    nulls: pick(({ metrics }) => metrics.nulls),
    nans: pick(({ metrics }) => metrics.nans),
    lower: pick(({ metrics, type }) => (type === null ? null : encodeLower(type, metrics.lower))),
    upper: pick(({ metrics, type }) => (type === null ? null : encodeUpper(type, metrics.upper))),
  }
}

/** The metrics of a manifest's file, typed by the table's current fields. */
export function metricsOf(file: ManifestedFile, fields: readonly TableField[]): Map<number, FieldMetrics> {
  const metrics = new Map<number, FieldMetrics>()
  for (const field of fields) {
    const values = file.values.get(field.id)
    if (values === undefined) continue
    // Columns of other writers may have types whose bounds nobody here needs.
    const primitive = primitiveOf(field)
    const type = primitive !== null && hasValueForm(primitive) ? primitive : null
    const [lower, upper] = [file.lower.get(field.id), file.upper.get(field.id)]
    metrics.set(field.id, {
      values,
      nulls: file.nulls.get(field.id) ?? 0,
      nans: file.nans.get(field.id) ?? null,
      lower: type !== null && lower ? decodeValue(type, lower) : null,
      upper: type !== null && upper ? decodeValue(type, upper) : null,
      bytes: file.sizes.get(field.id) ?? null,
    })
  }
  return metrics
}

function avroFile(file: ManifestedFile, parts: readonly PartitionPart[], paths: Paths): AvroFile {
  return {
    content: 0,
    file_path: paths.toLocation(file.key),
    file_format: 'PARQUET',
    partition: Object.fromEntries(parts.map((part, at) => [part.name, avroValue(part.type, file.partition[at] ?? null)])),
    record_count: file.rows,
    file_size_in_bytes: file.bytes,
    column_sizes: pairs(file.sizes),
    value_counts: pairs(file.values),
    null_value_counts: pairs(file.nulls),
    nan_value_counts: pairs(file.nans),
    lower_bounds: pairs(file.lower),
    upper_bounds: pairs(file.upper),
    sort_order_id: file.sortOrderId,
  }
}

function manifestedFile(file: AvroFile, parts: readonly PartitionPart[], paths: Paths): ManifestedFile {
  return {
    key: paths.toKey(file.file_path),
    rows: file.record_count,
    bytes: file.file_size_in_bytes,
    partition: parts.map((part) => plainValue(part.type, file.partition[part.name] ?? null)),
    sortOrderId: file.sort_order_id ?? 0,
    sizes: unpaired(file.column_sizes),
    values: unpaired(file.value_counts),
    nulls: unpaired(file.null_value_counts),
    nans: unpaired(file.nan_value_counts),
    lower: unpaired(file.lower_bounds),
    upper: unpaired(file.upper_bounds),
  }
}

function pairs<T>(map: ReadonlyMap<number, T>): Pairs<T> {
  return map.size === 0 ? null : Array.from(map, ([key, value]) => ({ key, value }))
}

function unpaired<T>(found: Pairs<T> | undefined): Map<number, T> {
  return new Map(found?.map(({ key, value }) => [key, value]))
}

function avroValue(type: string, value: Bound | null): unknown {
  const decimal = decimalOf(type)
  return decimal && typeof value === 'bigint' ? encodeTwosComplement(value, decimalBytes(decimal.precision)) : value
}

/** A partition value as a `Bound`; one written as an int before its column became a long is widened. */
function plainValue(type: string, value: unknown): Bound | null {
  if (decimalOf(type) && Buffer.isBuffer(value)) return decodeTwosComplement(value)
  if (type === 'long' && typeof value === 'number') return BigInt(value)
  return value as Bound | null
}
