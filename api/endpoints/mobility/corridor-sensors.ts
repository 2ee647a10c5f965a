import { corridorHours } from '../../../lake/datasets/mobility/corridor-hours.ts'
import { corridorSensorMonths } from '../../../lake/datasets/mobility/corridor-sensor-months.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { field } from '../../kernel/reply-fields.ts'

const HOUR_MS = 3_600_000

/** Counts of a sensor of a corridor in a year; of the lanes of a carriageway together, under the id of the first. */
export interface SensorYear {
  readonly sensor_id: string
  /** Number of hours with an intensity, and the sum of their mean intensities. */
  readonly hours: number
  readonly vehicles: number
}

interface SensorRow extends SensorYear {
  readonly corridor_id: string
  readonly year: number
  readonly source: string
  readonly period_s: number
}

/** The readings of a corridor in a year, from the one source and period with most hours. */
export interface CorridorReadings {
  readonly year: number
  readonly source: string
  readonly period_s: number
  readonly sensors: ReadonlyMap<string, SensorYear>
  /** The same sensors, source and period in the year before; empty without data. */
  readonly before: ReadonlyMap<string, SensorYear>
}

const sensorYears = defineCachedQuery<readonly SensorRow[]>({
  name: 'sensors of corridors by year',
  from: [corridorSensorMonths],
  maxEntries: 1,
  read: async (reader) => {
    const query = sql`
      WITH sensors AS (
        SELECT corridor_id, CAST(month[:4] AS INTEGER) AS year, source, period_s, coalesce(point_id, sensor_id) AS point, sensor_id,
          max(point_sensors) AS point_sensors, sum(hours) AS hours, CAST(sum(intensity_sum_veh_h) AS DOUBLE) AS vehicles
        FROM ${scan(corridorSensorMonths)}
        GROUP BY corridor_id, year, source, period_s, point, sensor_id
      )
      SELECT corridor_id, year, source, period_s, point AS sensor_id, CAST(max(hours) AS INTEGER) AS hours,
        CASE WHEN count(*) = 1 THEN max(vehicles) ELSE sum(vehicles / hours) * max(hours) END AS vehicles
      FROM sensors
      GROUP BY corridor_id, year, source, period_s, point
      HAVING max(point_sensors) IS NULL OR count(*) = max(point_sensors)
      ORDER BY ALL`
    const { corridor_id, source, period_s, sensor_id, hours } = corridorSensorMonths.columns
    const columns = { corridor_id, year: col.integer(0, ''), source, period_s, sensor_id, hours, vehicles: col.float(0, '') }
    return await reader.all(query, columns)
  },
})

/** The readings of a corridor in a year, by default the newest available; null without readings. */
export async function readingsOf(
  slice: MemoryAsk<readonly []>['cached'],
  corridor_id: string,
  asked: number | null,
): Promise<CorridorReadings | null> {
  const theirs = (await slice(sensorYears, '')).filter((row) => row.corridor_id === corridor_id)
  const year = asked ?? Math.max(...theirs.map((row) => row.year))
  const kinds = [
    ...Map.groupBy(
      theirs.filter((row) => row.year === year),
      (row) => JSON.stringify([row.source, row.period_s]),
    ).values(),
  ]
  const hoursOf = (rows: readonly SensorRow[]): number => rows.reduce((sum, { hours }) => sum + hours, 0)
  const [most] = kinds.sort((one, other) => hoursOf(other) - hoursOf(one))
  const [first] = most ?? []
  if (!most || !first) return null
  const before = theirs.filter((row) => row.year === year - 1 && row.source === first.source && row.period_s === first.period_s)
  const byId = (rows: readonly SensorRow[]): Map<string, SensorYear> => new Map(rows.map((row) => [row.sensor_id, row]))
  return { year, source: first.source, period_s: first.period_s, sensors: byId(most), before: byId(before) }
}

/** Hours of a year in Madrid. */
export function hoursOfYear(year: number): number {
  return (dayBounds(`${year + 1}-01-01`).start - dayBounds(`${year}-01-01`).start) / HOUR_MS
}

/** Vehicles per day at a sensor. */
export function dailyAt({ vehicles, hours }: SensorYear): number {
  return (24 * vehicles) / hours
}

/** Columns of a profile: usual values at an hour of a kind of day. */
export const profileFields = {
  day_type: corridorHours.columns.day_type,
  hour_local: corridorHours.columns.hour_local,
  mean_veh_h: field.decimal('Mean of the hours.', 'veh/h', 1, 2140.4),
  p10_veh_h: field.decimal('Value that a tenth of the hours do not exceed.', 'veh/h', 1, 1720.8),
  p90_veh_h: field.decimal('Value that nine tenths of the hours do not exceed.', 'veh/h', 1, 2510.2),
  days: field.integer('Days with the hour.', '1', 52),
} as const

/** A row of a profile. */
interface ProfileHour {
  readonly day_type: string
  readonly hour_local: number
  readonly mean_veh_h: number
  readonly p10_veh_h: number
  readonly p90_veh_h: number
  readonly days: number
}

const profiles = defineCachedQuery<readonly ProfileHour[]>({
  name: 'profile of a corridor',
  from: [corridorHours],
  maxEntries: 20,
  read: async (reader, key) => {
    const [corridor = '', year = 0, source = '', period_s = 0] = JSON.parse(key) as [string, number, string, number]
    const hours = scan(corridorHours, {
      corridor_id: { eq: corridor },
      source: { eq: source },
      period_s: { eq: period_s },
      period_start: { gte: dayBounds(`${year}-01-01`).start, lt: dayBounds(`${year + 1}-01-01`).start },
    })
    const query = sql`
      SELECT day_type, hour_local,
        CAST(avg(intensity_mean_veh_h) AS DECIMAL(9, 1)) AS mean_veh_h,
        quantile_disc(intensity_mean_veh_h, 0.1) AS p10_veh_h,
        quantile_disc(intensity_mean_veh_h, 0.9) AS p90_veh_h,
        CAST(count(DISTINCT local_date) AS INTEGER) AS days
      FROM ${hours}
      GROUP BY day_type, hour_local
      ORDER BY day_type = 'SUNDAY_HOLIDAY', day_type = 'SATURDAY', hour_local`
    return await reader.all(query, profileFields)
  },
})

/** The usual hourly values of a corridor in a year. */
export function profileOf(
  slice: MemoryAsk<readonly []>['cached'],
  corridor_id: string,
  { year, source, period_s }: CorridorReadings,
): Promise<readonly ProfileHour[]> {
  return slice(profiles, JSON.stringify([corridor_id, year, source, period_s]))
}
