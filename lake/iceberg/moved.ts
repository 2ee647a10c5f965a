import type { Schema } from 'avsc'
import { decodeContainer, encodeContainer } from './avro.ts'
import type { TableMetadata } from './metadata.ts'

/** Maps a location of a table's object, as its files state it, to another. Throws `TableRefused` for one outside the table. */
type MovePath = (location: string) => string

/** Metadata as it is at another location: every path in it is moved. Its files still state the paths of before. */
export function movedMetadata(metadata: TableMetadata, location: string, move: MovePath): TableMetadata {
  const { statistics, 'partition-statistics': partitions } = metadata
  const moveStatistics = <T extends { readonly 'statistics-path': string }>(files: readonly T[]): T[] =>
    files.map((file) => ({ ...file, 'statistics-path': move(file['statistics-path']) }))
  return {
    ...metadata,
    location,
    snapshots: metadata.snapshots.map((snapshot) => ({ ...snapshot, 'manifest-list': move(snapshot['manifest-list']) })),
    'metadata-log': metadata['metadata-log'].map((entry) => ({ ...entry, 'metadata-file': move(entry['metadata-file']) })),
    ...(statistics ? { statistics: moveStatistics(statistics) } : {}),
    ...(partitions ? { 'partition-statistics': moveStatistics(partitions) } : {}),
  }
}

/** A line of a manifest list, or an entry of a manifest, as far as it states paths (spec, "Manifest Lists", "Manifests"). */
interface WithPaths {
  readonly manifest_path?: string
  readonly content?: number
  readonly added_files_count?: number
  readonly existing_files_count?: number
  readonly data_file?: { readonly file_path: string; readonly referenced_data_file?: string | null }
}

/** A manifest as a list names it, and whether it has files of deletes that apply. */
interface Listed {
  readonly path: string
  readonly deletes: boolean
}

/** The manifests in a manifest list's bytes; none for those of a manifest. */
export function listedManifests(bytes: Buffer): Listed[] {
  return (decodeContainer(bytes).records as readonly WithPaths[]).flatMap(
    ({ manifest_path: path, content, added_files_count: added = 0, existing_files_count: existing = 0 }) =>
      path === undefined ? [] : [{ path, deletes: content === 1 && added + existing > 0 }],
  )
}

/** True if a manifest list or manifest states places below a location: it was written there, and is not yet ours. */
export function isStatedAt(bytes: Buffer, location: string): boolean {
  const [first] = decodeContainer(bytes).records as readonly WithPaths[]
  return (first?.manifest_path ?? first?.data_file?.file_path)?.startsWith(`${location}/`) === true
}

/**
 * The bytes of a manifest list or a manifest with moved paths, equal for equal arguments; all else is as its writer left it.
 * `sizeOf` returns the size in bytes of a moved manifest, by its path of before.
 */
export function movedAvro(bytes: Buffer, move: MovePath, sizeOf: (manifest: string) => number): Buffer {
  const { metadata, records } = decodeContainer(bytes)
  const { 'avro.schema': schema = '', 'avro.codec': _codec, ...rest } = Object.fromEntries(metadata)
  return encodeContainer({
    schema: JSON.parse(schema) as Schema,
    metadata: rest,
    records: (records as readonly WithPaths[]).map((record) => {
      const { manifest_path: manifest, data_file: file } = record
      if (manifest !== undefined) return { ...record, manifest_path: move(manifest), manifest_length: sizeOf(manifest) }
      if (!file) return record
      const { file_path: path, referenced_data_file: referenced } = file
      return { ...record, data_file: { ...file, file_path: move(path), ...(referenced ? { referenced_data_file: move(referenced) } : {}) } }
    }),
  })
}
