import pLimit from 'p-limit'
import { decoded, TableRefused } from './errors.ts'
import type { TableMetadata } from './metadata.ts'
import { movedAvro, movedMetadata } from './moved.ts'
import { newKey } from './snapshot-writer.ts'
import { pathsOf, type Table, type TableState, tableUri } from './table.ts'
import { updateTable } from './update.ts'

const REQUESTS = 16

/**
 * Rewrites the paths in a moved table's metadata, manifest lists and manifests, so that other readers find its files. Every
 * snapshot stays readable under its id; objects with old paths become orphans. Returns true if paths were rewritten.
 */
export async function relocate(table: Table): Promise<boolean> {
  const location = tableUri(table)
  let moved = false
  await updateTable({
    table,
    attempt: async (base, written) => {
      moved = base.metadata.location !== location
      if (!moved) return { kind: 'nothing' }
      return { kind: 'change', metadata: await relocated(base, { location, written }) }
    },
  })
  return moved
}

async function relocated(base: TableState, to: { readonly location: string; readonly written: string[] }): Promise<TableMetadata> {
  const { table, metadata } = base
  const { location, written } = to
  const [from, there] = [pathsOf(base), pathsOf({ table, metadata: { ...metadata, location } })]
  const limit = pLimit(REQUESTS)
  /** The new objects by their keys of before: renamed, as the old ones are still read. */
  const rewritten = new Map<string, { readonly key: string; readonly bytes: number }>()
  const move = (path: string): string => {
    const key = from.toKey(path)
    return there.toLocation(rewritten.get(key)?.key ?? key)
  }
  const sizeOf = (path: string): number => rewritten.get(from.toKey(path))?.bytes ?? 0
  const rewrite = async (key: string, name: string): Promise<void> => {
    const bytes = await table.store.get(key)
    if (!bytes) throw new TableRefused(table.key, `${key} is missing`)
    const moved = decoded(table.key, key, () => movedAvro(bytes, move, sizeOf))
    const object = newKey(table.key, name)
    written.push(object)
    await table.store.put(object, moved)
    rewritten.set(key, { key: object, bytes: moved.length })
  }
  const lists = await Promise.all(metadata.snapshots.map((snapshot) => limit(() => table.manifests(base, snapshot))))
  const manifests = new Map(lists.flat().map((manifest) => [manifest.key, manifest]))
  // The files of deletes name data files by their location.
  if ([...manifests.values()].some(({ content }) => content === 'deletes'))
    throw new TableRefused(table.key, 'a table with deletes cannot move')
  await Promise.all([...manifests.values()].map(({ key, sequenceNumber }) => limit(() => rewrite(key, `m${sequenceNumber}`))))
  await Promise.all(
    metadata.snapshots.map((snapshot) => limit(() => rewrite(from.toKey(snapshot['manifest-list']), `s${snapshot['sequence-number']}`))),
  )
  return movedMetadata(metadata, location, move)
}
