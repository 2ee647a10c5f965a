import { join } from 'node:path'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import type { DataFile } from '../../../lake/iceberg/types.ts'
import { type Lake, type LakeOptions, openLake } from '../../../lake/open.ts'
import { storeFiles, type WriteOptions, writeParquet } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { Sql } from '../../../lake/query/sql.ts'
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
 * Writes rows (given, in batches, or of a FROM item) as files of a dataset and commits them, unrelated to a fetch and without
 * replacing other rows. Creates the table if it does not exist.
 */
export async function landRows(
  lake: Lake,
  dataset: Dataset,
  rows: readonly AnyRow[] | AsyncIterable<readonly AnyRow[]> | Sql,
  { properties, ...options }: Pick<WriteOptions, 'rowGroupRows' | 'mostSorted'> & { readonly properties?: Record<string, string> } = {},
): Promise<DataFile[]> {
  const state = await createTable({ store: lake.store, dataset, properties: {} })
  const { folder } = lake.engine
  const files = await lake.use({}, async (session) => {
    const batches = Array.isArray(rows) ? [rows] : (rows as AsyncIterable<readonly AnyRow[]>)
    const staged = rows instanceof Sql ? null : await stageRows(session, tableColumns(dataset), batches, { spillTo: folder })
    const written = await writeParquet(session, {
      dataset,
      tableKey: state.table.key,
      from: staged?.table ?? (rows as Sql),
      specId: state.metadata['default-spec-id'],
      sortOrderId: state.metadata['default-sort-order-id'],
      folder,
      ...options,
    })
    await staged?.drop()
    return storeFiles(lake.store, written)
  })
  await commit({ table: lake.table(dataset), operation: 'append', add: files, properties: () => properties ?? {} })
  return files
}
