import { randomBytes } from 'node:crypto'
import { type Content, encodeManifest, type ManifestEntry, type ManifestedFile, STATUS } from './manifest.ts'
import { encodeManifestList, type ManifestFile, summarise } from './manifest-list.ts'
import { partsOf } from './manifest-schema.ts'
import { type Snapshot, schemaOf, specOf } from './metadata.ts'
import { pathsOf, type TableState } from './table.ts'
import { compareValues } from './values.ts'

/** Writes the manifests and the manifest list of one new snapshot. */
export interface SnapshotWriter {
  /** Id of the new snapshot, as written in entries of removed files. */
  readonly snapshotId: number
  /** The entry of an added file; `rowsSince` is the sequence number of its rows if they were in the table before. */
  added(file: ManifestedFile, rowsSince?: number): ManifestEntry
  /**
   * Writes files of one partition spec, data files by default, into manifests: as many as their size asks for, each with the
   * files of neighbouring partitions.
   */
  manifests(specId: number, entries: readonly ManifestEntry[], content?: Content): Promise<ManifestFile[]>
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

    async manifests(specId, all, content = 'data') {
      const spec = specOf(metadata, specId)
      const parts = partsOf(metadata, spec)
      const encode = (entries: readonly ManifestEntry[]): Buffer =>
        encodeManifest({ schema: schemaOf(metadata), spec, parts, entries, paths, content })
      const sorted = all.toSorted(({ file }, other) => comparePartitions(file.partition, other.file.partition))
      const whole = encode(sorted)
      const pieces = cutByPartition(sorted, Math.ceil(whole.length / mergeRules(base.properties).bytes))
      return Promise.all(
        pieces.map(async (entries) => {
          const key = newKey(table.key, `m${sequenceNumber}`)
          const bytes = pieces.length === 1 ? whole : encode(entries)
          written.push(key)
          await table.store.put(key, bytes)
          table.remember({ entries: new Map([[key, entries]]) })
          return summarise({ key, bytes: bytes.length, content, specId, snapshotId, sequenceNumber, parts, entries })
        }),
      )
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

/** When manifests are merged, and how large they become. */
interface MergeRules {
  readonly isOn: boolean
  /** Small manifests above which a commit merges some. */
  readonly most: number
  /** Size from which manifests are split between partitions. */
  readonly bytes: number
}

/** Size of a manifest by default: some 400 files. Iceberg's own, 8 MB, is more than any of our tables has. */
const MANIFEST_BYTES = 256 * 1024
/** Least size that a property can set: a manifest's header alone is some 10 kB. */
const LEAST_MANIFEST_BYTES = 32 * 1024
/** Small manifests by default. Iceberg's own is 100, which a lookup would open one by one. */
const MOST_MANIFESTS = 16

/** The rules that a table's properties set, as Iceberg names them. */
export function mergeRules(properties: Readonly<Record<string, string>>): MergeRules {
  const stated = (name: string, usual: number): number => {
    const value = Number(properties[name])
    return Number.isSafeInteger(value) && value > 0 ? value : usual
  }
  return {
    isOn: properties['commit.manifest-merge.enabled'] !== 'false',
    most: stated('commit.manifest.min-count-to-merge', MOST_MANIFESTS),
    bytes: Math.max(LEAST_MANIFEST_BYTES, stated('commit.manifest.target-size-bytes', MANIFEST_BYTES)),
  }
}

type Partition = ManifestedFile['partition']

/** Order of two partitions of one spec, nulls first. */
function comparePartitions(one: Partition, other: Partition): number {
  for (const [at, value] of one.entries()) {
    const beside = other[at] ?? null
    const order = value === null || beside === null ? Number(value !== null) - Number(beside !== null) : compareValues(value, beside)
    if (order !== 0) return order
  }
  return 0
}

/** Sorted entries in about so many pieces of equal length, but never a partition in two. */
function cutByPartition(sorted: readonly ManifestEntry[], pieces: number): (readonly ManifestEntry[])[] {
  const cuts: number[] = [0]
  for (let piece = 1; piece < pieces; piece++) {
    let at = Math.max(Math.round((piece * sorted.length) / pieces), (cuts.at(-1) as number) + 1)
    while (at < sorted.length && comparePartitions(partitionOf(sorted[at - 1]), partitionOf(sorted[at])) === 0) at++
    if (at < sorted.length) cuts.push(at)
  }
  return cuts.map((from, index) => sorted.slice(from, cuts[index + 1]))
}

const partitionOf = (entry: ManifestEntry | undefined): Partition => entry?.file.partition ?? []

/** A new key for an Avro file of a table's metadata: unique per attempt, and short, since every snapshot names one. */
export function newKey(tableKey: string, name: string): string {
  // 47 bits suffice: only the few attempts at the same snapshot share this name.
  const random = randomBytes(6).readUIntBE(0, 6).toString(36).padStart(10, '0').slice(1)
  return `${tableKey}/metadata/${name}-${random}.avro`
}
