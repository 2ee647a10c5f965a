import pLimit from 'p-limit'
import { deleteTableObject } from './checksums.ts'
import { STATUS } from './manifest.ts'
import { BASE_MAX_AGE_MS, hintKey, pathsOf, type Table, type TableState, VERSION } from './table.ts'
import { writeHint } from './update.ts'

/** Grace period of an object that no snapshot lists: a commit may be about to add it, or a reader may still read it. */
export const ORPHAN_GRACE_MS = 72 * 3_600_000

/** Grace period of versions no longer in the newest version's log: readers may use one as a base for `BASE_MAX_AGE_MS`. */
const VERSION_GRACE_MS = 2 * BASE_MAX_AGE_MS

const REQUESTS = 16

/**
 * Deletes metadata versions older than the grace period by the store's clock, except the newest and those in its log. Returns
 * their keys.
 */
export async function removeOldVersions({ table, grace_ms = VERSION_GRACE_MS }: { table: Table; grace_ms?: number }): Promise<string[]> {
  const before = (await table.store.now()) - grace_ms
  const old = new Map<number, string>()
  for await (const object of table.store.list(`${table.key}/metadata/v`)) {
    const [, version] = VERSION.exec(object.key) ?? []
    if (version && object.modified_at < before) old.set(Number(version), object.key)
  }
  const state = await table.load()
  if (!state) return []
  const first = state.version - state.metadata['metadata-log'].length
  const gone = [...old].filter(([version]) => version < first).sort(([a], [b]) => a - b)
  // A leftover hint must not point at a deleted version.
  if (gone.length > 0) await writeHint(table, { version: state.version, committed_at: table.clock() })
  // Oldest first, one by one: readers that search for the newest version rely on the absence of gaps.
  for (const [, key] of gone) await table.store.delete(key)
  return gone.map(([, key]) => key)
}

/**
 * Deletes objects in `data/` and `metadata/` that no snapshot lists, that are older than the grace period by the store's clock
 * and not `inUse`; also old metadata versions. Returns the deleted keys. Throws, deleting nothing, if the table lists a file
 * outside its folder.
 */
export async function removeOrphans(options: { table: Table; grace_ms?: number; inUse?: (key: string) => boolean }): Promise<string[]> {
  const { table, grace_ms = ORPHAN_GRACE_MS, inUse = () => false } = options
  const before = (await table.store.now()) - grace_ms
  const old = new Set<string>()
  for (const part of ['data', 'metadata'])
    for await (const object of table.store.list(`${table.key}/${part}/`)) if (object.modified_at < before) old.add(object.key)
  // After the listing, so that this state includes whatever was committed meanwhile.
  const state = await table.load({ isFresh: true })
  if (!state) throw new Error(`table ${table.key} is not created`)
  const candidates = [...old].filter((key) => key !== hintKey(table.key) && !VERSION.test(key) && !inUse(key))
  const named = candidates.length > 0 ? await namedBy(state) : new Set<string>()
  const orphans = candidates.filter((key) => !named.has(key))

  const limit = pLimit(REQUESTS)
  await Promise.all(orphans.map((key) => limit(() => deleteTableObject(table.store, key))))
  return [...orphans, ...(await removeOldVersions({ table, grace_ms: Math.min(grace_ms, VERSION_GRACE_MS) }))]
}

/** Keys of every manifest list, manifest and statistics file of the state's snapshots, and of every live data file in them. */
async function namedBy(state: TableState): Promise<Set<string>> {
  const { table, metadata } = state
  const { toKey } = pathsOf(state)
  const statistics = [...(metadata.statistics ?? []), ...(metadata['partition-statistics'] ?? [])]
  const named = new Set(statistics.map((file) => toKey(file['statistics-path'])))
  const limit = pLimit(REQUESTS)
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
