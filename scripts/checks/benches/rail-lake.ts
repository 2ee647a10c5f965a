import type { Feed } from '../../../jobs/feeds/define.ts'
import { checkedRows } from '../../../jobs/ingest/parse.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { tableKey } from '../../../lake/iceberg/schema.ts'
import type { Lake } from '../../../lake/open.ts'
import { storeFiles, writeParquet } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'

/** Rows of a version that the pipeline sorts at once. */
const MOST_SORTED = 100_000

/** Lands the timetable of an archive as the pipeline does, fetched at `at` (ms): each of its tables in a separate commit. */
export async function landTimetable(lake: Lake, feed: Feed, options: { readonly bytes: Buffer; readonly at: number }): Promise<void> {
  for (const dataset of feed.into) await landTable(lake, { feed, dataset, ...options })
}

async function landTable(
  lake: Lake,
  options: { readonly feed: Feed; readonly dataset: Dataset; readonly bytes: Buffer; readonly at: number },
): Promise<void> {
  const { feed, dataset, at } = options
  const { metadata } = await createTable({ store: lake.store, dataset, properties: {} })
  const add = await lake.use({}, async (session) => {
    const staged = await stageRows(session, tableColumns(dataset), rowsOf(options), { spillTo: lake.engine.folder })
    const written = await writeParquet(session, {
      dataset,
      tableKey: tableKey(dataset),
      from: staged.table,
      specId: metadata['default-spec-id'],
      sortOrderId: metadata['default-sort-order-id'],
      folder: lake.engine.folder,
      mostSorted: MOST_SORTED,
    })
    await staged.drop()
    if (!written.some(({ file }) => file.rows > 0)) throw new Error(`no rows of ${dataset.id} were generated`)
    return storeFiles(lake.store, written)
  })
  const properties = { [`landed-until.${feed.id}`]: new Date(at).toISOString() }
  await commit({ table: lake.table(dataset), operation: 'append', add, properties: () => properties })
}

async function* rowsOf({
  feed,
  dataset,
  bytes,
  at,
}: {
  readonly feed: Feed
  readonly dataset: Dataset
  readonly bytes: Buffer
  readonly at: number
}): ReturnType<typeof checkedRows> {
  for await (const rows of checkedRows(feed, dataset, [{ name: 'timetable', bytes }], { fetched_at: at })) {
    for (const row of rows) row.fetch_id = `${feed.id}.1`
    yield rows
  }
}
