import { join } from 'node:path'
import { trafficReadings } from '../../lake/datasets/road/traffic-readings.ts'
import { orderOf } from '../../lake/query/parquet.ts'
import { stageRows } from '../../lake/query/rows.ts'
import { sql } from '../../lake/query/sql.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { tableColumns } from '../../lake/schema/physical.ts'
import { benchLake, commitReadings, madridDay } from './madrid-day.ts'
import type { Bench } from './measure.ts'

/** A day of Madrid from rows in JavaScript to a durable commit, against one COPY of the same rows, sorted, from a DuckDB table. */
export const lakeCommitRows: Bench = {
  name: 'lake-commit-rows',
  about: 'a Madrid day of 1.76 M feed rows to a commit, against one sorted COPY',
  limit: 5,
  async open(folder, { only }) {
    const lake = await benchLake(folder)
    const columns = tableColumns(trafficReadings)
    const lease = only ? null : await lake.engine.lease({}, null)
    const table = lease && (await stageRows(lease.session, columns, madridDay())).table
    return {
      async measured() {
        const began = performance.now()
        const making = { ms: 0 }
        await lake.use({}, async (session) => {
          const staged = await stageRows(session, columns, uncounted(madridDay(), making))
          await commitReadings(lake, session, { from: staged.table })
        })
        return performance.now() - began - making.ms
      },
      async reference() {
        if (!lease || !table) throw new Error('no reference in this process')
        const path = join(lake.engine.folder, 'reference.parquet')
        await lease.session.copy(sql`SELECT * FROM ${table} ORDER BY ${orderOf(trafficReadings)}`, {
          path,
          options: 'FORMAT parquet, COMPRESSION zstd',
        })
      },
      async close() {
        await lease?.end()
        await lake.close()
      },
    }
  },
}

/** Rows as they come, the time of making them added up apart: a parser's work is measured elsewhere. */
function* uncounted(batches: Generator<AnyRow[]>, making: { ms: number }): Generator<AnyRow[]> {
  for (;;) {
    const began = performance.now()
    const { done, value } = batches.next()
    making.ms += performance.now() - began
    if (done) return
    yield value
  }
}
