import { type ManifestEntry, STATUS } from './manifest.ts'
import { liveCount, type ManifestFile } from './manifest-list.ts'
import { pathsOf, type TableState } from './table.ts'

/** Field id of `file_path` in files of position deletes (spec, "Reserved Field IDs"). */
const FILE_PATH_ID = 2_147_483_546

/** A live file of position deletes, with its manifest's partition spec. */
export interface DeleteEntry extends ManifestEntry {
  readonly specId: number
}

/** The live files of position deletes of a state. Throws `TableRefused` for other deletes. */
export async function deleteEntries(state: TableState): Promise<DeleteEntry[]> {
  const manifests = (await state.table.manifests(state)).filter((one) => one.content === 'deletes' && liveCount(one) > 0)
  const entries = await Promise.all(
    manifests.map(async (manifest: ManifestFile) =>
      (await state.table.entries(state, manifest)).map((entry) => ({ ...entry, specId: manifest.specId })),
    ),
  )
  return entries.flat().filter(({ status }) => status !== STATUS.DELETED)
}

/**
 * True if a file of position deletes may name a data file: one of its partition, within its bounds of paths, that was in the
 * table when the deletes were written.
 */
export function mayDelete(
  state: TableState,
  deletes: DeleteEntry,
  data: { readonly entry: ManifestEntry; readonly specId: number },
): boolean {
  const { entry, specId } = data
  if (deletes.specId !== specId || entry.fileSequenceNumber > deletes.sequenceNumber) return false
  if (String(deletes.file.partition) !== String(entry.file.partition)) return false
  const path = Buffer.from(pathsOf(state).toLocation(entry.file.key))
  const [lower, upper] = [deletes.file.lower.get(FILE_PATH_ID), deletes.file.upper.get(FILE_PATH_ID)]
  return (!lower || path.compare(lower) >= 0) && (!upper || path.compare(upper) <= 0)
}
