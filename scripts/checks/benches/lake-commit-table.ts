import { join } from 'node:path'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { orderOf } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { sql } from '../../../lake/query/sql.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { benchLake, commitReadings, DAY_ROWS, madridDay } from './madrid-day.ts'
import type { Bench } from './measure.ts'

/** From a day of Madrid in a DuckDB table to a durable commit with metrics, against one COPY of the same sorted rows. */
export const lakeCommitTable: Bench = {
  name: 'lake/commit-table',
  about: 'a Madrid day in a DuckDB table to a commit, against one sorted COPY',
  limit: 1.5,
  async open(folder) {
    const lake = await benchLake(folder)
    const lease = await lake.engine.lease({}, null)
    const { table } = await stageRows(lease.session, tableColumns(trafficReadings), madridDay())
    return {
      measured: { expected: { rows: DAY_ROWS }, run: async () => ({ rows: await commitReadings(lake, lease.session, { from: table }) }) },
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
