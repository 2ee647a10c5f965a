import { join } from 'node:path'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { orderOf } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { benchLake, commitReadings, DAY_ROWS, madridDay } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import type { Timer } from './work.ts'

/**
 * From a day of Madrid's rows in JavaScript to a durable commit, against one COPY of the same sorted rows from a DuckDB table.
 */
export const lakeCommitRows: Bench = {
  name: 'lake/commit-rows',
  about: 'a Madrid day of 1.76 M feed rows to a commit, against one sorted COPY',
  limit: 5,
  async open(folder) {
    const lake = await benchLake(folder)
    const columns = tableColumns(trafficReadings)
    const lease = await lake.engine.lease({}, null)
    const { table } = await stageRows(lease.session, columns, madridDay())
    return {
      measured: {
        expected: { rows: DAY_ROWS },
        async run(timer) {
          const rows = await lake.use({}, async (session) => {
            const staged = await stageRows(session, columns, untimed(madridDay(), timer))
            return commitReadings(lake, session, { from: staged.table })
          })
          return { rows }
        },
      },
      reference: {
        expected: { rows: DAY_ROWS },
        async run() {
          const rows = await lease.session.copy(sql`SELECT * FROM ${table} ORDER BY ${orderOf(trafficReadings)}`, {
            path: join(lake.engine.folder, 'reference.parquet'),
            options: 'FORMAT parquet, COMPRESSION zstd',
          })
          return { rows }
        },
      },
      async close() {
        await lease.end()
        await lake.close()
      },
    }
  },
}

/** The rows, without the time of creating them: parsing is measured elsewhere. */
function* untimed(batches: Generator<AnyRow[]>, timer: Timer): Generator<AnyRow[]> {
  for (;;) {
    const { done, value } = timer.pause(() => batches.next())
    if (done) return
    yield value
  }
}
