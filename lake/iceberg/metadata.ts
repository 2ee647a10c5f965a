import { decoded, TableRefused } from './errors.ts'
import type { TableField } from './types.ts'

/** One schema of a table. All schemas that snapshots may use are kept. */
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

/** A current or former partition spec of a table. */
export interface PartitionSpec {
  readonly 'spec-id': number
  readonly fields: readonly SpecField[]
}

/** Order of rows within a file. */
export interface SortOrder {
  readonly 'order-id': number
  readonly fields: readonly {
    readonly transform: string
    readonly 'source-id': number
    readonly direction: 'asc' | 'desc'
    readonly 'null-order': 'nulls-first' | 'nulls-last'
  }[]
}

/** Kind of change of a snapshot (spec, "Snapshots"). */
export type Operation = 'append' | 'overwrite' | 'replace' | 'delete'

/** Id of a snapshot: a number, or a bigint for ids of other writers from 2^53 on. */
export type SnapshotId = number | bigint

/** A branch or tag, and its retention (spec, "Snapshot References"). */
export interface SnapshotRef {
  readonly 'snapshot-id': SnapshotId
  readonly type: 'branch' | 'tag'
  readonly 'min-snapshots-to-keep'?: number
  readonly 'max-snapshot-age-ms'?: number
  readonly 'max-ref-age-ms'?: number
}

/** A file of statistics on a snapshot, of all rows or of partitions (spec, "Table Statistics", "Partition Statistics"). */
export interface StatisticsFile {
  readonly 'snapshot-id': SnapshotId
  readonly 'statistics-path': string
}

/** The state of a table's data at one time. */
export interface Snapshot {
  readonly 'snapshot-id': SnapshotId
  readonly 'parent-snapshot-id'?: SnapshotId
  readonly 'sequence-number': number
  readonly 'timestamp-ms': number
  readonly 'manifest-list': string
  readonly summary: Readonly<Record<string, string>> & { readonly operation: Operation }
  readonly 'schema-id'?: number
}

/** The metadata of a table, as in `v<N>.metadata.json` (Iceberg format version 2; spec, "Table Metadata", Appendix C). */
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
  /** Absent if the table has no snapshot; some writers use −1. */
  readonly 'current-snapshot-id'?: SnapshotId
  readonly refs?: Readonly<Record<string, SnapshotRef>>
  readonly snapshots: readonly Snapshot[]
  readonly statistics?: readonly StatisticsFile[]
  readonly 'partition-statistics'?: readonly StatisticsFile[]
  readonly 'snapshot-log': readonly { readonly 'timestamp-ms': number; readonly 'snapshot-id': SnapshotId }[]
  readonly 'metadata-log': readonly { readonly 'timestamp-ms': number; readonly 'metadata-file': string }[]
}

const REQUIRED = Object.freeze([
  ...['table-uuid', 'location', 'last-sequence-number', 'last-updated-ms', 'last-column-id', 'current-schema-id'],
  ...['schemas', 'default-spec-id', 'partition-specs', 'last-partition-id', 'default-sort-order-id', 'sort-orders'],
])

const LISTS = Object.freeze(['schemas', 'partition-specs', 'sort-orders', 'snapshots', 'snapshot-log', 'metadata-log'] as const)

/** Ids from 2^53 on, which JSON.parse would round. */
const LARGE_ID = /"(?:current-|parent-)?snapshot-id"\s*:\s*-?\d{16,}/
const ID_KEY = /^(?:current-|parent-)?snapshot-id$/

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

/** Reads a metadata file. Throws `TableRefused` if it is damaged, not version 2, or lacks a required field, schema or spec. */
export function parseMetadata(bytes: Buffer, name: string): TableMetadata {
  return decoded(name, 'its metadata', () => checkedMetadata(parseExactly(bytes.toString('utf8')) as Partial<TableMetadata>, name))
}

function checkedMetadata(found: Partial<TableMetadata>, name: string): TableMetadata {
  if (found['format-version'] !== 2) throw new TableRefused(name, `its format version is ${found['format-version']}, only 2 is supported`)
  const missing = REQUIRED.filter((field) => found[field as keyof TableMetadata] === undefined)
  if (missing.length > 0) throw new TableRefused(name, `its metadata lacks ${missing.join(', ')}`)
  const metadata = {
    ...(found as TableMetadata),
    properties: found.properties ?? {},
    snapshots: (found.snapshots ?? []).map(summarised),
    'snapshot-log': found['snapshot-log'] ?? [],
    'metadata-log': found['metadata-log'] ?? [],
  }
  const noList = LISTS.filter((field) => !Array.isArray(metadata[field]))
  if (noList.length > 0) throw new TableRefused(name, `in its metadata ${noList.join(', ')} must be lists`)
  for (const { fields } of [schemaOf(metadata), specOf(metadata)])
    if (!Array.isArray(fields)) throw new TableRefused(name, 'its schema or partition spec has no list of fields')
  return metadata
}

/** The bytes of a version's metadata, without spaces. */
export function metadataBytes(metadata: TableMetadata): Buffer {
  const exact = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? (JSON as unknown as ExactJson).rawJSON(String(value)) : value
  try {
    return Buffer.from(JSON.stringify(metadata), 'utf8')
  } catch {
    // A bigint: only other writers' ids need the replacer, which takes four times as long.
    return Buffer.from(JSON.stringify(metadata, exact), 'utf8')
  }
}

function parseExactly(text: string): unknown {
  if (!LARGE_ID.test(text)) return JSON.parse(text)
  return (JSON as unknown as ExactJson).parse(text, (key, value, { source = '' }) =>
    ID_KEY.test(key) && typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value,
  )
}

/** Other writers may omit a summary, or all of it but the operation. */
function summarised(snapshot: Snapshot): Snapshot {
  const { summary } = snapshot as Partial<Snapshot>
  return summary?.operation ? snapshot : { ...snapshot, summary: { ...summary, operation: 'overwrite' } }
}

/** The current snapshot, or null in a table without one. */
export function currentSnapshot(metadata: TableMetadata): Snapshot | null {
  const id = metadata['current-snapshot-id'] ?? -1
  return metadata.snapshots.find((snapshot) => snapshot['snapshot-id'] === id) ?? null
}

/** The schema with an id; the current one by default. Throws `TableRefused` for an unknown id. */
export function schemaOf(metadata: TableMetadata, id: number = metadata['current-schema-id']): TableSchema {
  const found = metadata.schemas.find((schema) => schema['schema-id'] === id)
  if (!found) throw new TableRefused(metadata.location, `its metadata has no schema ${id}`)
  return found
}

/** The partition spec with an id; the default one if omitted. Throws `TableRefused` for an unknown id. */
export function specOf(metadata: TableMetadata, id: number = metadata['default-spec-id']): PartitionSpec {
  const found = metadata['partition-specs'].find((spec) => spec['spec-id'] === id)
  if (!found) throw new TableRefused(metadata.location, `its metadata has no partition spec ${id}`)
  return found
}

/** A table's field by id, from the current schema or else the newest that has it. Throws `TableRefused` for an unknown id. */
export function fieldOf(metadata: TableMetadata, id: number): TableField {
  const schemas = [schemaOf(metadata), ...metadata.schemas.toReversed()]
  for (const schema of schemas) {
    const found = schema.fields.find((field) => field.id === id)
    if (found) return found
  }
  throw new TableRefused(metadata.location, `none of its schemas has field ${id}`)
}

/** A primitive field's type, null for a list. */
export function primitiveOf(field: TableField): string | null {
  return typeof field.type === 'string' ? field.type : null
}
