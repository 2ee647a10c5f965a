import { decodeContainer, encodeContainer } from './avro.ts'
import { type Content, type ManifestEntry, type Paths, STATUS } from './manifest.ts'
import { MANIFEST_LIST_SCHEMA, type PartitionPart } from './manifest-schema.ts'
import type { SnapshotId } from './metadata.ts'
import type { Bound } from './types.ts'
import { compareValues, encodeLower, encodeUpper } from './values.ts'

/** A manifest list's summary of one partition field over a manifest; bounds as bytes. */
export interface PartSummary {
  readonly containsNull: boolean
  readonly containsNan: boolean | null
  readonly lower: Buffer | null
  readonly upper: Buffer | null
}

/** A manifest as listed in a manifest list. */
export interface ManifestFile {
  readonly key: string
  readonly bytes: number
  /** What its files are: data, or deletes of rows. */
  readonly content: Content
  readonly specId: number
  readonly sequenceNumber: number
  readonly minSequenceNumber: number
  readonly snapshotId: SnapshotId
  readonly added: Count
  readonly existing: Count
  readonly deleted: Count
  /** One per part of the spec, in its order. */
  readonly partitions: readonly PartSummary[]
}

interface Count {
  readonly files: number
  readonly rows: number
}

interface AvroManifestFile {
  manifest_path: string
  manifest_length: number
  partition_spec_id: number
  content: number
  sequence_number: number
  min_sequence_number: number
  added_snapshot_id: SnapshotId
  added_files_count: number
  existing_files_count: number
  deleted_files_count: number
  added_rows_count: number
  existing_rows_count: number
  deleted_rows_count: number
  partitions: { contains_null: boolean; contains_nan: boolean | null; lower_bound: Buffer | null; upper_bound: Buffer | null }[] | null
}

/** Number of live files in a manifest. */
export function liveCount(manifest: ManifestFile): number {
  return manifest.added.files + manifest.existing.files
}

/** The manifest list entry for a manifest with these entries. */
export function summarise(options: {
  key: string
  bytes: number
  content?: Content
  specId: number
  snapshotId: SnapshotId
  sequenceNumber: number
  parts: readonly PartitionPart[]
  entries: readonly ManifestEntry[]
}): ManifestFile {
  const { entries, parts, content = 'data', ...rest } = options
  const count = (status: number): Count => {
    const counted = entries.filter((entry) => entry.status === status)
    return { files: counted.length, rows: counted.reduce((sum, entry) => sum + entry.file.rows, 0) }
  }
  const live = entries.filter((entry) => entry.status !== STATUS.DELETED)
  return {
    ...rest,
    content,
    minSequenceNumber: live.reduce((least, entry) => Math.min(least, entry.sequenceNumber), options.sequenceNumber),
    added: count(STATUS.ADDED),
    existing: count(STATUS.EXISTING),
    deleted: count(STATUS.DELETED),
    partitions: parts.map((part, at) =>
      partSummary(
        part.type,
        entries.map((entry) => entry.file.partition[at] ?? null),
      ),
    ),
  }
}

/** A manifest list's bytes. */
export function encodeManifestList(options: {
  manifests: readonly ManifestFile[]
  snapshotId: SnapshotId
  parentId: SnapshotId | null
  sequenceNumber: number
  paths: Paths
}): Buffer {
  return encodeContainer({
    schema: MANIFEST_LIST_SCHEMA,
    metadata: {
      'snapshot-id': String(options.snapshotId),
      'parent-snapshot-id': String(options.parentId),
      'sequence-number': String(options.sequenceNumber),
      'format-version': '2',
    },
    records: options.manifests.map(
      (manifest): AvroManifestFile => ({
        manifest_path: options.paths.toLocation(manifest.key),
        manifest_length: manifest.bytes,
        partition_spec_id: manifest.specId,
        content: manifest.content === 'data' ? 0 : 1,
        sequence_number: manifest.sequenceNumber,
        min_sequence_number: manifest.minSequenceNumber,
        added_snapshot_id: manifest.snapshotId,
        added_files_count: manifest.added.files,
        existing_files_count: manifest.existing.files,
        deleted_files_count: manifest.deleted.files,
        added_rows_count: manifest.added.rows,
        existing_rows_count: manifest.existing.rows,
        deleted_rows_count: manifest.deleted.rows,
        partitions: manifest.partitions.map((part) => ({
          contains_null: part.containsNull,
          contains_nan: part.containsNan,
          lower_bound: part.lower,
          upper_bound: part.upper,
        })),
      }),
    ),
  })
}

/** Reads a manifest list. */
export function decodeManifestList(bytes: Buffer, paths: Paths): ManifestFile[] {
  const records = decodeContainer(bytes).records as readonly AvroManifestFile[]
  return records.map((record) => {
    return {
      key: paths.toKey(record.manifest_path),
      bytes: record.manifest_length,
      content: record.content === 0 ? 'data' : 'deletes',
      specId: record.partition_spec_id,
      sequenceNumber: record.sequence_number,
      minSequenceNumber: record.min_sequence_number,
      snapshotId: record.added_snapshot_id,
      added: { files: record.added_files_count, rows: record.added_rows_count },
      existing: { files: record.existing_files_count, rows: record.existing_rows_count },
      deleted: { files: record.deleted_files_count, rows: record.deleted_rows_count },
      partitions: (record.partitions ?? []).map((part) => ({
        containsNull: part.contains_null,
        containsNan: part.contains_nan,
        lower: part.lower_bound,
        upper: part.upper_bound,
      })),
    }
  })
}

function partSummary(type: string, values: readonly (Bound | null)[]): PartSummary {
  let [lower, upper]: (Bound | null)[] = [null, null]
  let containsNan = false
  for (const value of values) {
    if (value === null) continue
    if (Number.isNaN(value)) {
      containsNan = true
      continue
    }
    if (lower === null || compareValues(value, lower as Bound) < 0) lower = value
    if (upper === null || compareValues(value, upper as Bound) > 0) upper = value
  }
  return {
    containsNull: values.includes(null),
    containsNan,
    lower: encodeLower(type, lower ?? null),
    upper: encodeUpper(type, upper ?? null),
  }
}
