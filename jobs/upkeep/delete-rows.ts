import { commit } from '../../lake/iceberg/commit.ts'
import { liveFiles } from '../../lake/iceberg/files.ts'
import { DELETED_BEFORE } from '../../lake/landed.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import type { IngestContext } from '../ingest/context.ts'

const DAY_MS = 86_400_000

/**
 * Deletes rows past a dataset's retention, whole UTC days in one commit, which records the limit. Files that are being
 * compacted wait for the next run. Returns the number of deleted rows.
 */
export async function deleteOldRows(context: IngestContext, dataset: Dataset, now: number): Promise<number> {
  const state = await context.lake.table(dataset).load()
  if (dataset.keepsDays === undefined || !state) return 0
  const before = Math.floor(now / DAY_MS - dataset.keepsDays) * DAY_MS
  const timeId = tableColumns(dataset)[dataset.time]?.id as number
  const old = (await liveFiles(state, { [dataset.time]: { lt: before } })).filter(({ metrics }) => {
    const upper = metrics.get(timeId)?.upper
    return typeof upper === 'bigint' && upper < BigInt(before) * 1000n
  })
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
