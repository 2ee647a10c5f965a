import type { Feed } from '../../../jobs/feeds/define.ts'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { openTable, type TableState } from '../../../lake/iceberg/table.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join, sql } from '../../../lake/query/sql.ts'
import { acceptedAfter, readBody } from '../../../lake/raw/archive.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'

/** Bodies that are read back of each feed's newest fetches. */
const NEWEST = 3

/** Damage: accepted fetches whose bytes cannot be read, and tables that cannot be read or contradict their metadata. */
export async function checkWhole(context: IngestContext, feeds: readonly Feed[]): Promise<string[]> {
  const problems: string[] = []
  for (const feed of feeds) {
    for (const accepted of (await acceptedAfter(context.store, feed.id, 0)).slice(-NEWEST))
      for (const body of accepted.bodies)
        await readBody(context.store, body).catch((error: Error) => problems.push(`${accepted.fetch_id}: ${error.message}`))
    for (const dataset of feed.into) problems.push(...(await checkTable(context, dataset)))
  }
  return problems
}

/** Damage of a dataset's table: unreadable rows, duplicate keys, wrong totals. */
export async function checkTable(context: IngestContext, dataset: Dataset): Promise<string[]> {
  try {
    // Opened again, because this process's table object remembers what it wrote.
    const state = await openTable({ store: context.store, key: context.lake.table(dataset).key }).load()
    if (!state) return [`${dataset.id} has no table`]
    const key = join([...dataset.entity, dataset.time].map((name) => column(dataset, name)))
    const found = await context.lake.query(
      sql`SELECT CAST(coalesce(sum(n), 0) AS DOUBLE) AS rows, CAST(count(*) AS DOUBLE) AS keys FROM (SELECT count(*) AS n FROM ${scan(dataset)} GROUP BY ${key})`,
      { pins: new Map([[dataset.id, state]]) },
    )
    const { rows, keys } = found[0] as { rows: number; keys: number }
    return [
      ...(rows === keys ? [] : [`${dataset.id}: ${rows} rows of ${keys} keys`]),
      ...(await totalsOf(state, rows)).map((problem) => `${dataset.id}: ${problem}`),
    ]
  } catch (error) {
    return [`${dataset.id} cannot be read: ${(error as Error).message}`]
  }
}

async function totalsOf(state: TableState, rows: number): Promise<string[]> {
  const files = await liveFiles(state)
  const summary: Readonly<Record<string, string>> = state.snapshot?.summary ?? {}
  const { 'total-records': records = '0', 'total-data-files': count = '0' } = summary
  const listed = files.reduce((sum, file) => sum + file.rows, 0)
  const problems: string[] = []
  if (listed !== rows) problems.push(`manifests list ${listed} rows, there are ${rows}`)
  if (Number(records) !== rows) problems.push(`the snapshot's summary says ${records} rows, there are ${rows}`)
  if (Number(count) !== files.length) problems.push(`the snapshot's summary says ${count} files, there are ${files.length}`)
  return problems
}
