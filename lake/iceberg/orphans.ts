import { createLimit } from '../limit.ts'
import { deleteTableObject } from './checksums.ts'
import { STATUS } from './manifest.ts'
import { hintKey, listVersions, pathsOf, type Table, type TableState, versionKey } from './table.ts'
import { writeHint } from './update.ts'

/** How long an object that no snapshot names is kept: a commit may be about to name it, a reader may still read it. */
export const ORPHAN_GRACE_MS = 72 * 3_600_000

const REQUESTS = 16

/**
 * Deletes what lies in a table's `data/` and `metadata/` and is named by no snapshot of it, once it is older than the grace by the
 * store's clock and `inUse` does not claim it; also metadata versions that old, but for the newest and those its log names.
 * Gives the keys it deleted. Throws, and deletes nothing, where the table names a file outside its folder.
 */
export async function removeOrphans(options: { table: Table; grace_ms?: number; inUse?: (key: string) => boolean }): Promise<string[]> {
  const { table, grace_ms = ORPHAN_GRACE_MS, inUse = () => false } = options
  const before = (await table.store.now()) - grace_ms
  const old = new Set<string>()
  for (const part of ['data', 'metadata'])
    for await (const object of table.store.list(`${table.key}/${part}/`)) if (object.modified_at < before) old.add(object.key)
  // After the listing: whatever a commit named meanwhile is in this state.
  const state = await table.load()
  if (!state) throw new Error(`table ${table.key} is not created`)
  // A hint that was left behind must not point at a version that goes.
  await writeHint(table, { version: state.version, committed_at: table.clock() })

  const versions = (await listVersions(table)).filter((version) => version < state.version - state.metadata['metadata-log'].length)
  const goneVersions = versions.map((version) => versionKey(table.key, version)).filter((key) => old.has(key))
  const isVersion = /\/metadata\/v\d+\.metadata\.json$/
  const candidates = [...old].filter((key) => key !== hintKey(table.key) && !isVersion.test(key) && !inUse(key))
  const named = candidates.length > 0 ? await namedBy(state) : new Set<string>()
  const orphans = candidates.filter((key) => !named.has(key))

  const limit = createLimit(REQUESTS)
  await Promise.all(orphans.map((key) => limit(() => deleteTableObject(table.store, key))))
  // Oldest first, one by one: readers that look for the newest version rely on there being no gap.
  for (const key of goneVersions) await table.store.delete(key)
  return [...orphans, ...goneVersions]
}

/** Keys of every manifest list and manifest that a snapshot of the state names, and of every data file that is live in one. */
async function namedBy(state: TableState): Promise<Set<string>> {
  const { table, metadata } = state
  const { toKey } = pathsOf(state)
  const named = new Set<string>()
  const limit = createLimit(REQUESTS)
  const lists = metadata.snapshots.map((snapshot) =>
    limit(async () => {
      named.add(toKey(snapshot['manifest-list']))
      return table.manifests(state, snapshot)
    }),
  )
  const manifests = new Map((await Promise.all(lists)).flat().map((manifest) => [manifest.key, manifest]))
  await Promise.all(
    [...manifests.values()].map((manifest) =>
      limit(async () => {
        named.add(manifest.key)
        for (const entry of await table.entries(state, manifest)) if (entry.status !== STATUS.DELETED) named.add(entry.file.key)
      }),
    ),
  )
  return named
}
