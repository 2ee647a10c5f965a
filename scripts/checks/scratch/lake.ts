import { join } from 'node:path'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import type { DataFile } from '../../../lake/iceberg/types.ts'
import { type Lake, type LakeOptions, openLake } from '../../../lake/open.ts'
import { storeFiles, writeParquet } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { fileStore } from '../../../lake/store/file.ts'

/**
 * Opens a lake in a folder for a process other than the service; by default with two threads and half a gigabyte. The caller
 * closes it and removes the folder.
 */
export async function openScratchLake(folder: string, options: Partial<LakeOptions> = {}): Promise<Lake> {
  return openLake({
    store: await fileStore(join(folder, 'store')),
    spool: join(folder, 'spool'),
    memory: 500e6,
    spill: 1e9,
    threads: 2,
    slots: 2,
    ...options,
  })
}

/**
 * Writes rows as files of a dataset and commits them, unrelated to a fetch and without replacing other rows. Creates the table if
 * it does not exist.
 */
export async function landRows(
  lake: Lake,
  dataset: Dataset,
  rows: readonly AnyRow[],
  options: { readonly rowGroupRows?: number; readonly properties?: Record<string, string> } = {},
): Promise<DataFile[]> {
  const state = await createTable({ store: lake.store, dataset, properties: {} })
  const files = await lake.use({}, async (session) => {
    const { table } = await stageRows(session, tableColumns(dataset), [rows])
    const written = await writeParquet(session, {
      dataset,
      tableKey: state.table.key,
      from: table,
      specId: state.metadata['default-spec-id'],
      sortOrderId: state.metadata['default-sort-order-id'],
      folder: lake.engine.folder,
      ...options,
    })
    return storeFiles(lake.store, written)
  })
  await commit({ table: lake.table(dataset), operation: 'append', add: files, properties: () => options.properties ?? {} })
  return files
}
