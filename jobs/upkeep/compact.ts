import { liveFiles } from '../../lake/iceberg/files.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import type { IngestContext } from '../ingest/context.ts'
import { compactionGroups } from './groups.ts'
import { rewriteFiles } from './rewrite-files.ts'

/**
 * Merges small files of a dataset's table, as `compactionGroups` plans; files changed by others meanwhile wait for the next
 * run.
 */
export async function compactDataset(context: IngestContext, dataset: Dataset): Promise<void> {
  const state = await context.lake.table(dataset).load()
  if (!state) return
  const timeId = tableColumns(dataset)[dataset.time]?.id as number
  for (const { files, reason } of compactionGroups(dataset, await liveFiles(state), timeId)) {
    const began = performance.now()
    const made = await rewriteFiles(context, dataset, files)
    if (!made) return
    context.log.info(
      { dataset: dataset.id, reason, files: files.length, into: made.length, ms: Math.round(performance.now() - began) },
      'compacted',
    )
  }
}
