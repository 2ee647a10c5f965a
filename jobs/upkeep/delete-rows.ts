import { commit } from '../../lake/iceberg/commit.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import type { LiveFile } from '../../lake/iceberg/types.ts'
import { DELETED_BEFORE } from '../../lake/landed.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { keptFrom } from '../../lake/schema/partitions.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { IngestContext } from '../ingest/context.ts'

/**
 * Deletes rows past a dataset's retention, whole partitions in one commit, which records the limit; what the table names in its
 * properties stays. Files that are being compacted wait for the next run. Returns the number of deleted rows.
 */
export async function deleteOldRows(context: IngestContext, dataset: Dataset, now: number): Promise<number> {
  const state = await context.lake.table(dataset).load()
  const { keep } = dataset
  if (keep === undefined || !state) return 0
  const before = keptFrom({ ...dataset, keep }, now)
  const timeId = tableColumns(dataset)[dataset.time]?.id as number
  const isOld = ({ metrics }: LiveFile): boolean => {
    const upper = metrics.get(timeId)?.upper
    return typeof upper === 'bigint' && upper < BigInt(before) * 1000n
  }
  const files = await liveFiles(state)
  const keptPartitions = new Set(files.filter((file) => !isOld(file)).map(({ partition }) => partition.join('/')))
  const old = files.filter(({ partition }) => !keptPartitions.has(partition.join('/')))
  if (old.length === 0) return 0
  const done = await commit({
    table: state.table,
    operation: 'delete',
    remove: old,
    properties: () => ({ [DELETED_BEFORE]: isoInstant(before) }),
  })
  if (!done.committed) return 0
  const rows = old.reduce((sum, file) => sum + file.rows, 0)
  context.log.info({ dataset: dataset.id, rows, before: isoInstant(before) }, 'old rows deleted')
  return rows
}
