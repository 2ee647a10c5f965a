import type { TableField } from './types.ts'

/** One schema of a table; a table keeps every schema that a snapshot may have been written with. */
export interface TableSchema {
  readonly type: 'struct'
  readonly 'schema-id': number
  readonly 'identifier-field-ids'?: readonly number[]
  readonly fields: readonly TableField[]
}

/** One field of a partition spec. */
export interface SpecField {
  readonly 'source-id': number
  readonly 'field-id': number
  readonly name: string
  readonly transform: string
}

/** How a table was or is partitioned. */
export interface PartitionSpec {
  readonly 'spec-id': number
  readonly fields: readonly SpecField[]
}

/** How rows lie inside a file. */
export interface SortOrder {
  readonly 'order-id': number
  readonly fields: readonly {
    readonly transform: string
    readonly 'source-id': number
    readonly direction: 'asc' | 'desc'
    readonly 'null-order': 'nulls-first' | 'nulls-last'
  }[]
}

/** What kind of change a snapshot was (spec, "Snapshots"). */
export type Operation = 'append' | 'overwrite' | 'replace' | 'delete'

/** The state of a table's data at one time. */
export interface Snapshot {
  readonly 'snapshot-id': number
  readonly 'parent-snapshot-id'?: number
  readonly 'sequence-number': number
  readonly 'timestamp-ms': number
  readonly 'manifest-list': string
  readonly summary: Readonly<Record<string, string>> & { readonly operation: Operation }
  readonly 'schema-id'?: number
}

/** The metadata of a table as `v<N>.metadata.json` holds it (Iceberg format version 2; spec, "Table Metadata", Appendix C). */
export interface TableMetadata {
  readonly 'format-version': 2
  readonly 'table-uuid': string
  readonly location: string
  readonly 'last-sequence-number': number
  readonly 'last-updated-ms': number
  readonly 'last-column-id': number
  readonly 'current-schema-id': number
  readonly schemas: readonly TableSchema[]
  readonly 'default-spec-id': number
  readonly 'partition-specs': readonly PartitionSpec[]
  readonly 'last-partition-id': number
  readonly 'default-sort-order-id': number
  readonly 'sort-orders': readonly SortOrder[]
  readonly properties: Readonly<Record<string, string>>
  /** Absent while the table has no snapshot; some writers say −1. */
  readonly 'current-snapshot-id'?: number
  readonly refs?: Readonly<Record<string, { readonly 'snapshot-id': number; readonly type: 'branch' | 'tag' }>>
  readonly snapshots: readonly Snapshot[]
  readonly 'snapshot-log': readonly { readonly 'timestamp-ms': number; readonly 'snapshot-id': number }[]
  readonly 'metadata-log': readonly { readonly 'timestamp-ms': number; readonly 'metadata-file': string }[]
}

const REQUIRED = Object.freeze([
  'table-uuid',
  'location',
  'last-sequence-number',
  'last-updated-ms',
  'last-column-id',
  'current-schema-id',
  'schemas',
  'default-spec-id',
  'partition-specs',
  'last-partition-id',
  'default-sort-order-id',
  'sort-orders',
])

/**
 * Reads a metadata file. Throws where it is not version 2, lacks a required field, or was written by a writer whose ids this one cannot
 * keep exactly (ours are below 2^53).
 */
export function parseMetadata(bytes: Buffer, name: string): TableMetadata {
  const found = JSON.parse(bytes.toString('utf8')) as Partial<TableMetadata>
  if (found['format-version'] !== 2) throw new Error(`${name}: format-version ${found['format-version']} is not supported, only 2`)
  const missing = REQUIRED.filter((field) => found[field as keyof TableMetadata] === undefined)
  if (missing.length > 0) throw new Error(`${name}: ${missing.join(', ')} missing`)
  const metadata = {
    ...(found as TableMetadata),
    properties: found.properties ?? {},
    snapshots: found.snapshots ?? [],
    'snapshot-log': found['snapshot-log'] ?? [],
    'metadata-log': found['metadata-log'] ?? [],
  }
  const foreign = metadata.snapshots.find((snapshot) => !Number.isSafeInteger(snapshot['snapshot-id']))
  if (foreign) throw new Error(`${name}: snapshot ${foreign['snapshot-id']} was written by another writer, which is not supported`)
  return metadata
}

/** The current snapshot, or null in a table without one. */
export function currentSnapshot(metadata: TableMetadata): Snapshot | null {
  const id = metadata['current-snapshot-id'] ?? -1
  return metadata.snapshots.find((snapshot) => snapshot['snapshot-id'] === id) ?? null
}

/** The schema of an id; the current one unless told. Throws for an id the table lacks. */
export function schemaOf(metadata: TableMetadata, id: number = metadata['current-schema-id']): TableSchema {
  const found = metadata.schemas.find((schema) => schema['schema-id'] === id)
  if (!found) throw new Error(`${metadata.location}: no schema ${id}`)
  return found
}

/** The partition spec of an id; the default one unless told. Throws for an id the table lacks. */
export function specOf(metadata: TableMetadata, id: number = metadata['default-spec-id']): PartitionSpec {
  const found = metadata['partition-specs'].find((spec) => spec['spec-id'] === id)
  if (!found) throw new Error(`${metadata.location}: no partition spec ${id}`)
  return found
}

/** A table's field by id, in the current schema or else the newest that has it. Throws for an id that no schema has. */
export function fieldOf(metadata: TableMetadata, id: number): TableField {
  const schemas = [schemaOf(metadata), ...metadata.schemas.toReversed()]
  for (const schema of schemas) {
    const found = schema.fields.find((field) => field.id === id)
    if (found) return found
  }
  throw new Error(`${metadata.location}: no schema has field ${id}`)
}

/** A field's type where it is a primitive, null for a list. */
export function primitiveOf(field: TableField): string | null {
  return typeof field.type === 'string' ? field.type : null
}
