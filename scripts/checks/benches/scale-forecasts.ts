import type { Lake } from '../../../lake/open.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { Columns } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { inThread } from '../../../models/in-thread.ts'
import { FEATURES, HORIZONS_HOURS } from '../../../models/traffic/features.ts'
import { liveGrid, panelOf, type SensorHours } from '../../../models/traffic/live.ts'
import { LIVE_MODELS } from '../../../models/traffic/live-models.ts'
import { PLACES, type TrafficParameters } from '../../../models/traffic/predict.ts'
import type { ForecastRow } from '../../../models/traffic/rows.ts'
import { SENSOR_COLUMNS, sensorsOf } from '../../../models/traffic/sensors.sql.ts'
import type { TrafficTask } from '../../../models/traffic/thread.ts'
import type { Done } from './work.ts'

const THREAD = new URL('../../../models/traffic/thread.ts', import.meta.url)
const HOUR_MS = 3_600_000
/** Most months that the service reads for them. */
const MONTHS = 9
const MOST_ROWS = 1_000_000
const KINDS_OF_DAYS = 3

/**
 * Forecasts all sensors and corridors for the four hours after an afternoon, from seven months of hours in the lake and the
 * readings of the last day. The coefficients of the model do not affect the time; here there are none. Throws if a series has no
 * forecast.
 */
export async function liveForecasts(lake: Pick<Lake, 'query'>, months: readonly string[], end: number): Promise<Done> {
  const read = (query: Sql, columns: Columns): Promise<AnyRow[]> => lake.query(query, { columns, maxRows: MOST_ROWS, timeout_ms: 120_000 })
  const sensors = (await read(sensorsOf(LIVE_MODELS.traffic, months.slice(-2)), SENSOR_COLUMNS)) as unknown as readonly SensorHours[]
  const today = dayBounds(madridDate(end - HOUR_MS)).start
  const until = today + 18 * HOUR_MS
  const grid = await liveGrid(
    LIVE_MODELS.traffic,
    months.slice(-MONTHS),
    { rolled: today, recent: { from: today, to: Math.min(until, end) } },
    read,
  )
  if (grid === null) throw new Error('the lake has no hour of a live sensor')
  const bounds = Array.from({ length: HORIZONS_HOURS.length * 24 * KINDS_OF_DAYS * 2 }, (_, at) => (at % 2 === 0 ? -1.5 : 1.5))
  const parameters: TrafficParameters = {
    data_to: madridDate(today, -1),
    weights: Array.from({ length: PLACES }, () => new Array<number>(FEATURES).fill(0)),
    own: null,
    spread: { bounds, scales: null },
    panel: panelOf(sensors).map((id) => `${id} S`),
  }
  const served = { model: 'traffic', model_version: 'measured', parameters, of: {} }
  const task: TrafficTask = { task: 'predict', grid, served }
  const rows = await inThread<ForecastRow[]>(THREAD, task, new AbortController().signal)
  if (rows.length < HORIZONS_HOURS.length * sensors.length) throw new Error(`${rows.length} forecasts of ${sensors.length} sensors`)
  return { forecasts: rows.length }
}
