import pLimit from 'p-limit'
import { TableRefused } from './errors.ts'
import { encodeManifest } from './manifest.ts'
import { encodeManifestList, type ManifestFile } from './manifest-list.ts'
import { partsOf } from './manifest-schema.ts'
import { type Snapshot, schemaOf, specOf, type TableMetadata } from './metadata.ts'
import { newKey } from './snapshot-writer.ts'
import { pathsOf, type Table, type TableState } from './table.ts'
import { updateTable } from './update.ts'

const REQUESTS = 16

/**
 * Rewrites the paths in a moved table's metadata, manifest lists and manifests, so that other readers find its files. Every
 * snapshot stays readable under its id; objects with old paths become orphans. Returns true if paths were rewritten.
 */
export async function relocate(table: Table): Promise<boolean> {
  const location = table.store.location(table.key)
  let moved = false
  await updateTable({
    table,
    attempt: async (base, written) => {
      moved = base.metadata.location !== location
      if (!moved) return { kind: 'nothing' }
      const metadata = movedMetadata(base, location)
      const snapshots = await movedSnapshots({ base, moved: { table, metadata }, written })
      return { kind: 'change', metadata: { ...metadata, snapshots } }
    },
  })
  return moved
}

function movedMetadata({ metadata, table }: TableState, location: string): TableMetadata {
  const [from, to] = [pathsOf({ table, metadata }), pathsOf({ table, metadata: { ...metadata, location } })]
  const log = metadata['metadata-log'].map((entry) => ({ ...entry, 'metadata-file': to.toLocation(from.toKey(entry['metadata-file'])) }))
  return { ...metadata, location, 'metadata-log': log }
}

async function movedSnapshots(options: {
  base: TableState
  moved: { table: Table; metadata: TableMetadata }
  written: string[]
}): Promise<Snapshot[]> {
  const { base, moved, written } = options
  const { table, metadata } = base
  const paths = pathsOf(moved)
  const limit = pLimit(REQUESTS)
  const put = async (name: string, bytes: Buffer): Promise<string> => {
    const key = newKey(table.key, name)
    written.push(key)
    await table.store.put(key, bytes)
    return key
  }
  const lists = await Promise.all(metadata.snapshots.map((snapshot) => limit(() => table.manifests(base, snapshot))))
  const all = new Map(lists.flat().map((manifest) => [manifest.key, manifest]))
  // The files of deletes name data files by their location.
  if ([...all.values()].some(({ content }) => content === 'deletes')) throw new TableRefused(table.key, 'a table with deletes cannot move')
  const rewritten = new Map<string, ManifestFile>()
  await Promise.all(
    [...all.values()].map((manifest) =>
      limit(async () => {
        const entries = await table.entries(base, manifest)
        const spec = specOf(metadata, manifest.specId)
        const bytes = encodeManifest({
          schema: schemaOf(metadata),
          spec,
          parts: partsOf(metadata, spec),
          entries,
          paths,
          content: manifest.content,
        })
        rewritten.set(manifest.key, { ...manifest, key: await put(`m${manifest.sequenceNumber}`, bytes), bytes: bytes.length })
      }),
    ),
  )
  return Promise.all(
    metadata.snapshots.map((snapshot, at) =>
      limit(async () => {
        const bytes = encodeManifestList({
          manifests: (lists[at] ?? []).map((manifest) => rewritten.get(manifest.key) ?? manifest),
          snapshotId: snapshot['snapshot-id'],
          parentId: snapshot['parent-snapshot-id'] ?? null,
          sequenceNumber: snapshot['sequence-number'],
          paths,
        })
        return { ...snapshot, 'manifest-list': paths.toLocation(await put(`s${snapshot['sequence-number']}`, bytes)) }
      }),
    ),
  )
}
