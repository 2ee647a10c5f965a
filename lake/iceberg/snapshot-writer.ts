import { randomBytes } from 'node:crypto'
import { type Content, encodeManifest, type ManifestEntry, type ManifestedFile, STATUS } from './manifest.ts'
import { encodeManifestList, type ManifestFile, summarise } from './manifest-list.ts'
import { partsOf } from './manifest-schema.ts'
import { type Snapshot, schemaOf, specOf } from './metadata.ts'
import { pathsOf, type TableState } from './table.ts'

/** Writes the manifests and the manifest list of one new snapshot. */
export interface SnapshotWriter {
  /** Id of the new snapshot, as written in entries of removed files. */
  readonly snapshotId: number
  /** The entry of an added file; `rowsSince` is the sequence number of its rows if they were in the table before. */
  added(file: ManifestedFile, rowsSince?: number): ManifestEntry
  /** Writes a manifest of files of one partition spec: data files by default. */
  manifest(specId: number, entries: readonly ManifestEntry[], content?: Content): Promise<ManifestFile>
  /** Writes the manifest list and gives the snapshot. */
  snapshot(options: { manifests: readonly ManifestFile[]; summary: Snapshot['summary'] }): Promise<Snapshot>
}

/**
 * Starts the snapshot after a state. Its id is its sequence number, unique in the table like the version that commits it. Keys of
 * objects go into `written` before they are written.
 */
export function createWriter(options: { base: TableState; written: string[] }): SnapshotWriter {
  const { base, written } = options
  const { table, metadata, snapshot: parent } = base
  const paths = pathsOf(base)
  const sequenceNumber = metadata['last-sequence-number'] + 1
  const snapshotId = sequenceNumber

  return {
    snapshotId,

    added: (file, rowsSince = sequenceNumber) => ({
      status: STATUS.ADDED,
      snapshotId,
      sequenceNumber: rowsSince,
      fileSequenceNumber: sequenceNumber,
      file,
    }),

    async manifest(specId, entries, content = 'data') {
      const spec = specOf(metadata, specId)
      const parts = partsOf(metadata, spec)
      const key = newKey(table.key, `m${sequenceNumber}`)
      const bytes = encodeManifest({ schema: schemaOf(metadata), spec, parts, entries, paths, content })
      written.push(key)
      await table.store.put(key, bytes)
      table.remember({ entries: new Map([[key, entries]]) })
      return summarise({ key, bytes: bytes.length, content, specId, snapshotId, sequenceNumber, parts, entries })
    },

    async snapshot({ manifests, summary }) {
      const key = newKey(table.key, `s${sequenceNumber}`)
      const parentId = parent?.['snapshot-id'] ?? null
      written.push(key)
      await table.store.put(key, encodeManifestList({ manifests, snapshotId, parentId, sequenceNumber, paths }))
      table.remember({ lists: new Map([[key, manifests]]) })
      return {
        'sequence-number': sequenceNumber,
        'snapshot-id': snapshotId,
        ...(parentId !== null && { 'parent-snapshot-id': parentId }),
        'timestamp-ms': Math.max(table.clock(), metadata['last-updated-ms']),
        'manifest-list': paths.toLocation(key),
        summary,
        // DuckDB 1.5.5 crashes (SIGSEGV) when reading a snapshot by id that has no schema id.
        'schema-id': metadata['current-schema-id'],
      }
    },
  }
}

/** A new key for an Avro file of a table's metadata: unique per attempt, and short, since every snapshot names one. */
export function newKey(tableKey: string, name: string): string {
  // 47 bits suffice: only the few attempts at the same snapshot share this name.
  const random = randomBytes(6).readUIntBE(0, 6).toString(36).padStart(10, '0').slice(1)
  return `${tableKey}/metadata/${name}-${random}.avro`
}
