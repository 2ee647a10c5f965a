import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import type { Lake } from '../../../lake/open.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { inThread } from '../../../models/in-thread.ts'
import { COUNT_DAY_COLUMNS, type CountDay, countDays } from '../../../models/traffic/counts.sql.ts'
import { fitTraffic, LEAST_DAYS } from '../../../models/traffic/fit.ts'
import { gridOfCounts } from '../../../models/traffic/grid.ts'
import type { ForecastRow } from '../../../models/traffic/rows.ts'
import type { TrafficTask } from '../../../models/traffic/thread.ts'
import { landRows } from '../scratch/lake.ts'

const THREAD = new URL('../../../models/traffic/thread.ts', import.meta.url)
/** Months of counts that train a version here, and months from which forecasts are made, as in the service's derivation. */
const FIT_MONTHS = 5
const RECENT_MONTHS = 8
const LIMITS = { columns: COUNT_DAY_COLUMNS, maxRows: 1_000_000, timeout_ms: 120_000 }

/**
 * The seconds from landed counts to readable forecasts, and the number of forecasts. It includes reading counts from the lake,
 * forecasting all series in a thread with a trained version, landing and reading. Null if the last months have too few days to
 * train a version.
 */
export async function forecastSeconds(lake: Lake, months: readonly string[]): Promise<{ seconds: number; rows: number } | null> {
  const lately = (await lake.query(countDays(months.at(-FIT_MONTHS) ?? null), LIMITS)) as unknown as readonly CountDay[]
  if (new Set(lately.map(({ local_date }) => local_date)).size < LEAST_DAYS) return null
  const { parameters } = fitTraffic(gridOfCounts(lately), null)
  const begun = performance.now()
  const days = (await lake.query(countDays(months.at(-RECENT_MONTHS) ?? null), LIMITS)) as unknown as readonly CountDay[]
  const served = { model: 'traffic_counts', model_version: 'measured', parameters, of: {} }
  const task: TrafficTask = { task: 'predict', grid: gridOfCounts(days), served }
  const rows = await inThread<ForecastRow[]>(THREAD, task, new AbortController().signal)
  await landRows(
    lake,
    trafficForecasts,
    rows.map((row) => ({ ...row, fetch_id: 'measured.1' })),
  )
  const { columns } = trafficForecasts
  const read = await lake.query(sql`SELECT * FROM ${scan(trafficForecasts)}`, { columns, maxRows: LIMITS.maxRows })
  return { seconds: (performance.now() - begun) / 1000, rows: read.length }
}
