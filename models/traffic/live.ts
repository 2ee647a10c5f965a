import { createHash } from 'node:crypto'
import type { Sql } from '../../lake/query/sql.ts'
import type { Columns, RowOf } from '../../lake/schema/columns.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { dayBounds, madridDate } from '../../lake/schema/time.ts'
import { dateOf } from './calendar.ts'
import { type Grid, makeGrid } from './grid.ts'
import type { LiveModel } from './live-models.ts'
import { gridDay, type SENSOR_COLUMNS, SERIES_DAY_COLUMNS, type Span, seriesOfMonth, seriesOfReadings } from './sensors.sql.ts'
import { LOOKED_BACK_DAYS } from './typical.ts'

const DAY_MS = 86_400_000
/** Number of sensors in a fit, and their minimum share of the best one's hours. */
const PANEL = 240
const LEAST_HOURS = 0.8

/** Amount of data of a sensor: see `sensorsOf`. */
export type SensorHours = Readonly<RowOf<typeof SENSOR_COLUMNS>>

type Read = (query: Sql, columns: Columns) => Promise<AnyRow[]>

/**
 * The sensors that represent all of them in a fit: chosen at random, but deterministically, by id among those that measure most
 * of the time.
 */
export function panelOf(sensors: readonly SensorHours[]): string[] {
  const most = sensors.reduce((max, { hours }) => Math.max(max, hours), 0)
  const chance = (id: string): string => createHash('sha256').update(id).digest('hex')
  return sensors
    .filter(({ hours }) => hours > 0 && hours >= LEAST_HOURS * most)
    .map(({ sensor_id }) => ({ sensor_id, by: chance(sensor_id) }))
    .sort((one, other) => (one.by < other.by ? -1 : 1))
    .slice(0, PANEL)
    .map(({ sensor_id }) => sensor_id)
}

/** The hours of a model's panel and corridors in some months; null if there are none. */
export async function panelGrid(of: LiveModel, months: readonly string[], panel: readonly string[], read: Read): Promise<Grid | null> {
  if (panel.length === 0) return null
  const rows: AnyRow[] = []
  for (const month of months) rows.push(...(await read(seriesOfMonth(of, month, monthOf(month), panel), SERIES_DAY_COLUMNS)))
  if (rows.length === 0) return null
  const days = rows.map(gridDay)
  const [first, last] = days.reduce(([least, most], { day }) => [Math.min(least, day), Math.max(most, day)], [Infinity, -Infinity])
  const grid = makeGrid(first, last)
  for (const day of days) grid.add(day)
  return grid.end()
}

/**
 * The recent hours of all sensors and corridors of a model that forecasts need: from the roll-up up to its watermark
 * (`rolled`, ms), then from readings, live or archived. Null if there are none.
 */
export async function liveGrid(
  of: LiveModel,
  months: readonly string[],
  { rolled, recent }: { readonly rolled: number; readonly recent: Span },
  read: Read,
): Promise<Grid | null> {
  const lastDay = Date.parse(madridDate(recent.to - 1)) / DAY_MS
  const firstDay = lastDay - LOOKED_BACK_DAYS
  const from = dayBounds(dateOf(firstDay)).start
  const grid = makeGrid(firstDay, lastDay)
  const take = async (query: Sql): Promise<void> => {
    for (const row of await read(query, SERIES_DAY_COLUMNS)) grid.add(gridDay(row))
  }
  for (const month of months) {
    const whole = monthOf(month)
    const span = { from: Math.max(from, whole.from), to: Math.min(recent.to, whole.to) }
    if (span.from < span.to) await take(seriesOfMonth(of, month, span))
  }
  const since = Math.max(rolled, recent.from)
  if (since < recent.to) await take(seriesOfReadings(of, { from: since, to: recent.to }, months))
  const found = grid.end()
  return found.series.length === 0 ? null : found
}

function monthOf(month: string): Span {
  const { start } = dayBounds(`${month}-01`)
  return { from: start, to: dayBounds(`${madridDate(start, 32).slice(0, 7)}-01`).start }
}
