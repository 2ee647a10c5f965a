import { join } from 'node:path'
import { madridCounts } from '../../../jobs/feeds/road/madrid-counts.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts.ts'
import { trafficForecasts } from '../../../lake/datasets/road/traffic-forecasts.ts'
import type { Lake } from '../../../lake/open.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { type Figure, figureOf, type Limit, type Window } from '../../../models/figures.ts'
import { inThread } from '../../../models/in-thread.ts'
import { type Board, boardOf } from '../../../models/traffic/board.ts'
import { COUNT_DAY_COLUMNS, type CountDay, countDays } from '../../../models/traffic/counts.sql.ts'
import { evaluate, evaluateTypical, evaluateUnseen, WINDOWS } from '../../../models/traffic/evaluate.ts'
import { fitTraffic, LEAST_DAYS } from '../../../models/traffic/fit.ts'
import { type Grid, gridOfCounts, partOf } from '../../../models/traffic/grid.ts'
import type { predictTraffic } from '../../../models/traffic/rows.ts'
import { inCityOf, typicalOf } from '../../../models/traffic/typical.ts'
import { landRows } from '../scratch/lake.ts'
import { filesOf, type Given, rowsOf } from './captures.ts'

/** Counts of the permanent stations, one file per month. */
const COUNTS = {
  ...{ folder: 'madrid-historico/permanentes', file: /^DatosEstaciones.*\.csv(\.gz)?$/ },
  ...{ feed: madridCounts, into: trafficCountsHourly },
} as const
const MOST_ROWS = 1_000_000
/** Time and memory limits of a fit to all counts, including all earlier fits. */
const REFIT_S: Limit = { max: 300 }
const MEMORY_GB: Limit = { max: 2 }
/** Time limit from landed counts to readable forecasts of the next four hours. */
const PREDICT_S: Limit = { max: 2 }
const KB_A_GB = 1e6

/**
 * Reads the monthly files of a folder into a lake through their feed. Evaluates the traffic model on the table, with its run time
 * and peak memory. Windows without a forecast whose outcome is known are reported by `say` and left out.
 */
export async function evaluateTraffic(lake: Lake, given: Given): Promise<Figure[]> {
  const { data, say } = given
  let landed = 0
  for (const path of filesOf(data, COUNTS)) {
    const counts = await rowsOf(path, COUNTS, say)
    if (counts.length === 0) continue
    await landRows(lake, trafficCountsHourly, counts)
    landed++
  }
  if (landed === 0) {
    say(`${join(data, COUNTS.folder)}: no file of ${COUNTS.feed.id}`)
    return []
  }
  const days = await lake.query(countDays(), { columns: COUNT_DAY_COLUMNS, maxRows: MOST_ROWS, timeout_ms: 120_000 })
  const begun = performance.now()
  const grid = gridOfCounts(days as unknown as readonly CountDay[])
  const board = boardOf(grid)
  const windows = given.window === null ? WINDOWS : [given.window]
  // A share of zero vehicles is not a figure.
  const figures = evaluate(board, typicalOf(board), windows).filter(({ value }) => Number.isFinite(value))
  const dates = days.map((row) => row['local_date'] as string).sort()
  for (const { from, to } of windows)
    if (!figures.some(({ window }) => window === `${from}:${to}`))
      say(`counts: no forecast with a known outcome from ${from} to ${to} in the days from ${dates[0]} to ${dates.at(-1)}`)
  if (figures.length === 0) return []
  const about = { model: 'traffic', series: 'all', window: 'all', horizon: '1-4h' }
  const cost = (metric: string, value: number, limit: Limit, points = days.length): Figure =>
    figureOf(about, metric, { value, limit, points })
  const refit_s = (performance.now() - begun) / 1000
  const unseen = unseenFigures(grid, board, windows)
  const predicted = await forecastSeconds(lake, [...new Set(dates.map((date) => date.slice(0, 7)))])
  return [
    ...figures,
    ...unseen,
    ...evaluateTypical(grid, windows).filter(({ value }) => Number.isFinite(value)),
    cost('refit_s', refit_s, REFIT_S),
    ...(predicted === null ? [] : [cost('predict_s', predicted.seconds, PREDICT_S, predicted.rows)]),
    cost('memory_gb', process.resourceUsage().maxRSS / KB_A_GB, MEMORY_GB),
  ]
}

/** The errors of every second station, by a model that is fitted to the others and uses only their current counts. */
function unseenFigures(grid: Grid, board: Board, windows: readonly Window[]): Figure[] {
  const stations = [...new Set(grid.series.map(stationOf))]
  const panel = grid.series.filter((name) => stations.indexOf(stationOf(name)) % 2 === 0)
  if (panel.length === 0) return []
  const typical = inCityOf(typicalOf(board), typicalOf(boardOf(partOf(grid, panel))))
  return evaluateUnseen(board, typical, new Set(panel), windows).filter(({ value }) => Number.isFinite(value))
}

const stationOf = (series: string): string => series.split(' ')[0] as string

const PREDICT = { file: new URL('../../../models/traffic/rows.ts', import.meta.url), name: 'predictTraffic' }
/** Months of counts that train a version here, and months from which forecasts are made, as in the service's derivation. */
const FIT_MONTHS = 5
const RECENT_MONTHS = 8
const LIMITS = { columns: COUNT_DAY_COLUMNS, maxRows: 1_000_000, timeout_ms: 120_000 }

/**
 * The seconds from landed counts to readable forecasts, and the number of forecasts. It includes reading counts from the lake,
 * forecasting all series in a thread with a trained version, landing and reading. Null if the last months have too few days to
 * train a version.
 */
async function forecastSeconds(lake: Lake, months: readonly string[]): Promise<{ seconds: number; rows: number } | null> {
  const lately = (await lake.query(countDays(months.at(-FIT_MONTHS) ?? null), LIMITS)) as unknown as readonly CountDay[]
  if (new Set(lately.map(({ local_date }) => local_date)).size < LEAST_DAYS) return null
  const { parameters } = fitTraffic(gridOfCounts(lately), null)
  const begun = performance.now()
  const days = (await lake.query(countDays(months.at(-RECENT_MONTHS) ?? null), LIMITS)) as unknown as readonly CountDay[]
  const served = { model: 'traffic_counts', model_version: 'measured', parameters, of: {} }
  const { signal } = new AbortController()
  const rows = await inThread<typeof predictTraffic>({ ...PREDICT, signal }, gridOfCounts(days), served)
  await landRows(
    lake,
    trafficForecasts,
    rows.map((row) => ({ ...row, fetch_id: 'measured.1' })),
  )
  const { columns } = trafficForecasts
  const read = await lake.query(sql`SELECT * FROM ${scan(trafficForecasts)}`, { columns, maxRows: LIMITS.maxRows })
  return { seconds: (performance.now() - begun) / 1000, rows: read.length }
}
