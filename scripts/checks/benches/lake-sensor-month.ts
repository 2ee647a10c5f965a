import { join } from 'node:path'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { Lake } from '../../../lake/open.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench } from './measure.ts'
import { fillReadings, sensorAt } from './readings-lake.ts'
import type { Work } from './work.ts'

/** A thirtieth of Madrid's sensors: a longer lake adds files, not rows per file, and a query reads one row group of a file. */
const SENSORS = 204
const MONTH = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 11, 1) }
const ROWS_OF_MONTH = 30 * 288

/** One sensor's month in a lake of one year, against the same in a lake of that month only; both compacted as by upkeep. */
export const lakeSensorMonth: Bench = {
  name: 'lake/sensor-month',
  about: 'a sensor-month over 365 days of lake, against 30 days',
  limit: 1.5,
  rounds: 21,
  async setUp(folder) {
    const common = { sensors: SENSORS, open: MONTH.from, to: MONTH.to }
    await fillReadings(join(folder, 'year'), { ...common, from: Date.UTC(2025, 11, 1) })
    await fillReadings(join(folder, 'month'), { ...common, from: MONTH.from })
  },
  async open(folder, { only }) {
    const year = await benchLake(join(folder, 'year'))
    const month = only ? null : await benchLake(join(folder, 'month'))
    return {
      measured: readings(year),
      reference: month && readings(month),
      async close() {
        await year.close()
        await month?.close()
      },
    }
  },
}

/** Reads a different sensor each time, so that only metadata can come from a cache. */
function readings(lake: Lake): Work {
  let turn = 0
  return {
    expected: { rows: ROWS_OF_MONTH },
    async run() {
      const filter = {
        source: { eq: 'madrid' },
        sensor_id: { eq: sensorAt((turn++ * 97) % SENSORS) },
        period_s: { eq: 300 },
        observed_at: { gte: MONTH.from, lt: MONTH.to },
      }
      const rows = await lake.query(
        sql`SELECT observed_at, intensity_veh_h, load_pct FROM ${scan(trafficReadings, filter)} ORDER BY observed_at`,
      )
      return { rows: rows.length }
    },
  }
}
