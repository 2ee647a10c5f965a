import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renfeGtfsCercanias } from '../../jobs/feeds/rail/renfe-gtfs-cercanias.ts'
import { checkedRows, parsePublication } from '../../jobs/ingest/parse.ts'
import { MOST_SORTED } from '../../jobs/ingest/tables.ts'
import { railStopTimes } from '../../lake/datasets/rail/stop-times.ts'
import { tableKey } from '../../lake/iceberg/schema.ts'
import { orderOf, writeParquet } from '../../lake/query/parquet.ts'
import { stageRows } from '../../lake/query/rows.ts'
import { sql } from '../../lake/query/sql.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import { generatedDocument } from './parsing.ts'

const ARCHIVE = 'timetable.zip'
const CSV = 'stop_times.csv'
const AT = Date.parse('2026-11-21T08:31:00Z')
const FETCH_ID = 'renfe_gtfs_cercanias.20261121t083100000z'

/**
 * The timetable of commuter rail from its archive to sorted files: read once as it is judged, and again as its stop times land, against one
 * COPY of the same stop times from trimmed CSV.
 */
export const railGtfsLand: Bench = {
  name: 'rail-gtfs-land',
  about: 'commuter timetable of 2 M stop times from zip to files, against one COPY of the same trimmed CSV',
  limit: 2.5,
  // The larger of 30 s and 2.5 times.
  orAtMost_ms: 30_000,
  rounds: 3,
  async setUp(folder) {
    const bytes = generatedDocument(renfeGtfsCercanias, 'timetable')
    await writeFile(join(folder, ARCHIVE), bytes)
    const lake = await benchLake(folder)
    await lake.use({}, async (session) => {
      const { table } = await stageRows(session, tableColumns(railStopTimes), stopTimes(bytes))
      // In the order of the publisher's file, as it is trimmed.
      await session.copy(sql`SELECT * FROM ${table}`, { path: join(lake.engine.folder, CSV), options: 'FORMAT csv, HEADER' })
      await writeFile(join(folder, CSV), await readFile(join(lake.engine.folder, CSV)))
    })
    await lake.close()
  },
  async open(folder) {
    const lake = await benchLake(folder)
    const bytes = await readFile(join(folder, ARCHIVE))
    const csv = join(lake.engine.folder, CSV)
    await writeFile(csv, await readFile(join(folder, CSV)))
    return {
      async measured() {
        await parsePublication(renfeGtfsCercanias, [{ name: 'timetable', bytes }], AT)
        await lake.use({}, async (session) => {
          const staged = await stageRows(session, tableColumns(railStopTimes), stopTimes(bytes), { spillTo: lake.engine.folder })
          const written = await writeParquet(session, {
            dataset: railStopTimes,
            tableKey: tableKey(railStopTimes),
            from: staged.table,
            specId: 0,
            sortOrderId: 0,
            folder: lake.engine.folder,
            mostSorted: MOST_SORTED,
          })
          await staged.drop()
          for (const { path } of written) await rm(path)
        })
      },
      async reference() {
        await lake.use({}, (session) =>
          session.copy(sql`SELECT * FROM read_csv(${csv}) ORDER BY ${orderOf(railStopTimes)}`, {
            path: join(lake.engine.folder, 'reference.parquet'),
            options: 'FORMAT parquet, COMPRESSION zstd',
          }),
        )
      },
      close: () => lake.close(),
    }
  },
}

async function* stopTimes(bytes: Buffer): ReturnType<typeof checkedRows> {
  for await (const rows of checkedRows(renfeGtfsCercanias, railStopTimes, [{ name: 'timetable', bytes }], AT)) {
    for (const row of rows) row.fetch_id = FETCH_ID
    yield rows
  }
}
