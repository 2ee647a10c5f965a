import { type Sql, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { SENSOR_TYPES } from './codes.ts'
import { dgt, madrid } from './sources.ts'

const count = (id: number, about: string, example: number) => col.integer(id, about, { ...COUNT, example })

/**
 * Aggregate columns of readings; field ids start at `first`. Counts and sums add up to longer steps exactly, with means over the
 * readings. Readings that the publisher marks as wrong (quality ERROR) are excluded.
 */
export function trafficSums(first: number) {
  const sum = (at: number, what: string, unit: string, example: number) =>
    col.integer(first + at, `Sum of ${what}.`, { unit, long: true, example, min: 0 })
  const dgtCount = (at: number, about: string) => col.integer(first + at, about, { ...COUNT, nullable: true, example: 0 })
  const dgtSum = (at: number, about: string, unit: string) =>
    col.integer(first + at, about, { unit, long: true, nullable: true, example: 0, min: 0 })
  return {
    readings: count(first, 'Readings, without those that the publisher marks as wrong.', 12),
    intensity_readings: count(first + 1, 'Readings with an intensity.', 12),
    intensity_sum_veh_h: sum(2, 'the intensities; divide by the readings with an intensity for their mean', 'veh/h', 1086),
    intensity_max_veh_h: col.integer(first + 3, 'Greatest intensity.', { unit: 'veh/h', nullable: true, example: 240, min: 0 }),
    occupancy_readings: count(first + 4, 'Readings with an occupancy.', 12),
    occupancy_sum_pct: sum(5, 'the occupancies', '%', 18),
    load_readings: count(first + 6, 'Readings with a load.', 12),
    load_sum_pct: sum(7, 'the loads', '%', 38),
    speed_readings: count(first + 8, 'Readings with a speed: M-30 and interurban sensors only.', 0),
    speed_sum_kmh: sum(9, 'the speeds', 'km/h', 0),
    level_readings: count(first + 10, 'Readings with a level of service.', 12),
    slow_readings: count(first + 11, 'Those readings with level SLOW.', 2),
    queues_readings: count(first + 12, 'Those readings with level QUEUES.', 1),
    congestion_readings: count(first + 13, 'Those readings with level CONGESTION.', 0),
    headway_readings: dgtCount(14, 'Readings with a headway: DGT only.'),
    headway_sum_m: dgtSum(15, 'Sum of the headways.', 'm'),
    long_vehicles_readings: dgtCount(16, 'Readings with a share of long vehicles: DGT only.'),
    long_vehicles_sum_pct: dgtSum(17, 'Sum of the shares of long vehicles.', '%'),
  }
}

const R = sql`FILTER (WHERE quality <> 'ERROR')`

/** The columns of `trafficSums`, for a grouped SELECT from rows of `traffic_readings`. */
export const sumsOfReadings: Sql = sql`
  CAST(count(*) ${R} AS INTEGER) AS readings,
  CAST(count(intensity_veh_h) ${R} AS INTEGER) AS intensity_readings,
  CAST(coalesce(sum(intensity_veh_h) ${R}, 0) AS BIGINT) AS intensity_sum_veh_h,
  max(intensity_veh_h) ${R} AS intensity_max_veh_h,
  CAST(count(occupancy_pct) ${R} AS INTEGER) AS occupancy_readings,
  CAST(coalesce(sum(occupancy_pct) ${R}, 0) AS BIGINT) AS occupancy_sum_pct,
  CAST(count(load_pct) ${R} AS INTEGER) AS load_readings,
  CAST(coalesce(sum(load_pct) ${R}, 0) AS BIGINT) AS load_sum_pct,
  CAST(count(speed_kmh) ${R} AS INTEGER) AS speed_readings,
  CAST(coalesce(sum(speed_kmh) ${R}, 0) AS BIGINT) AS speed_sum_kmh,
  CAST(count(level_of_service) ${R} AS INTEGER) AS level_readings,
  CAST(count(*) FILTER (WHERE quality <> 'ERROR' AND level_of_service = 'SLOW') AS INTEGER) AS slow_readings,
  CAST(count(*) FILTER (WHERE quality <> 'ERROR' AND level_of_service = 'QUEUES') AS INTEGER) AS queues_readings,
  CAST(count(*) FILTER (WHERE quality <> 'ERROR' AND level_of_service = 'CONGESTION') AS INTEGER) AS congestion_readings,
  CAST(count(headway_m) ${R} AS INTEGER) AS headway_readings,
  CAST(coalesce(sum(headway_m) ${R}, 0) AS BIGINT) AS headway_sum_m,
  CAST(count(long_vehicles_pct) ${R} AS INTEGER) AS long_vehicles_readings,
  CAST(coalesce(sum(long_vehicles_pct) ${R}, 0) AS BIGINT) AS long_vehicles_sum_pct`

/** The columns of `trafficSums` from rows that already have them, of shorter steps. */
export const sumsOfSums: Sql = sql`
  CAST(sum(readings) AS INTEGER) AS readings,
  CAST(sum(intensity_readings) AS INTEGER) AS intensity_readings,
  CAST(sum(intensity_sum_veh_h) AS BIGINT) AS intensity_sum_veh_h,
  max(intensity_max_veh_h) AS intensity_max_veh_h,
  CAST(sum(occupancy_readings) AS INTEGER) AS occupancy_readings,
  CAST(sum(occupancy_sum_pct) AS BIGINT) AS occupancy_sum_pct,
  CAST(sum(load_readings) AS INTEGER) AS load_readings,
  CAST(sum(load_sum_pct) AS BIGINT) AS load_sum_pct,
  CAST(sum(speed_readings) AS INTEGER) AS speed_readings,
  CAST(sum(speed_sum_kmh) AS BIGINT) AS speed_sum_kmh,
  CAST(sum(level_readings) AS INTEGER) AS level_readings,
  CAST(sum(slow_readings) AS INTEGER) AS slow_readings,
  CAST(sum(queues_readings) AS INTEGER) AS queues_readings,
  CAST(sum(congestion_readings) AS INTEGER) AS congestion_readings,
  CAST(sum(headway_readings) AS INTEGER) AS headway_readings,
  CAST(sum(headway_sum_m) AS BIGINT) AS headway_sum_m,
  CAST(sum(long_vehicles_readings) AS INTEGER) AS long_vehicles_readings,
  CAST(sum(long_vehicles_sum_pct) AS BIGINT) AS long_vehicles_sum_pct`

/** Common settings of traffic roll-ups. */
export const TRAFFIC_ROLL_UP = {
  sources: [madrid, dgt],
  time: 'period_start',
  version: 'month',
} as const

/** Readings by sensor and hour, derived from the readings once a day is over in Madrid. No feed fills it. */
export const trafficHours = roadDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_hours',
  title: 'Traffic by sensor and hour',
  about:
    'Aggregated readings of a traffic sensor by hour, source and reading period, which are never combined: counts, sums and maximum values. Only past days in Madrid.',
  columns: {
    month: col.string(1, 'Month of the hour in Madrid, YYYY-MM.', { example: '2024-02' }),
    source: col.string(2, 'Source of the readings.', { example: 'madrid' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(4, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(5, 'Begin of the hour.', { example: '2024-02-25T11:00:00.000Z' }),
    sensor_type: col.code(6, 'Kind of sensor, from its last reading.', SENSOR_TYPES, { example: 'URBAN' }),
    ...trafficSums(7),
  },
  entity: ['month', 'source', 'sensor_id', 'period_s'],
  order: ['source', 'sensor_id', 'period_s', 'period_start'],
})

/** Readings by sensor and day in Madrid, derived from the hourly ones. */
export const trafficDays = roadDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_days',
  title: 'Traffic by sensor and day',
  about:
    'Aggregated readings of a traffic sensor by day in Madrid (23 or 25 hours at clock changes), source and reading period, which are never combined. Only past days.',
  columns: {
    month: col.string(1, 'Month of the day, YYYY-MM.', { example: '2024-02' }),
    source: col.string(2, 'Source of the readings.', { example: 'madrid' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(4, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(5, 'Begin of the day.', { example: '2024-02-24T23:00:00.000Z' }),
    date: col.local_date(6, 'The day.', { example: '2024-02-25' }),
    sensor_type: col.code(7, 'Kind of sensor, from its last reading.', SENSOR_TYPES, { example: 'URBAN' }),
    ...trafficSums(8),
  },
  entity: ['month', 'source', 'sensor_id', 'period_s', 'date'],
  order: ['source', 'sensor_id', 'period_s', 'date'],
})

/** Readings of all sensors of a traffic centre by hour, derived from the readings by sensor. */
export const trafficCityHours = roadDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_city_hours',
  title: 'Traffic of a city by hour',
  about:
    'Aggregated readings of all sensors of a traffic centre by hour, source and reading period, which are never combined. Only past days in Madrid.',
  columns: {
    month: col.string(1, 'Month of the hour in Madrid, YYYY-MM.', { example: '2024-02' }),
    source: col.string(2, 'Source of the readings: the traffic centre of a city.', { example: 'madrid' }),
    period_s: col.integer(3, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(4, 'Begin of the hour.', { example: '2024-02-25T11:00:00.000Z' }),
    sensors: col.integer(5, 'Sensors with a valid reading.', { ...COUNT, example: 4871 }),
    ...trafficSums(6),
  },
  entity: ['month', 'source', 'period_s'],
  order: ['source', 'period_s', 'period_start'],
})

const intensity = (id: number, about: string, example: number) => col.decimal(id, about, { scale: 1, unit: 'veh/h', example, min: 0 })

/** Typical values of a sensor by hour of the week and month, derived from the hours. */
export const trafficTypicalWeeks = roadDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_typical_weeks',
  title: 'Typical week of traffic sensors',
  about:
    'Typical intensity at a traffic sensor by hour of the week (Madrid time) and month: mean, median and the middle 80 % of the hourly mean intensities, by source and reading period. ' +
    'Holidays are included; an hour that the clock change repeats counts twice.',
  columns: {
    month: col.string(1, 'Month of the hours in Madrid, YYYY-MM.', { example: '2024-02' }),
    period_start: col.instant(2, 'Begin of the month.', { example: '2024-01-31T23:00:00.000Z' }),
    source: col.string(3, 'Source of the readings.', { example: 'madrid' }),
    sensor_id: col.string(4, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(5, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    weekday_iso: col.integer(6, 'Day of the week, 1 for Monday.', { unit: '1', example: 7, min: 1, max: 7 }),
    hour_local: col.integer(7, 'Hour by the clock of Madrid.', { unit: 'h', example: 12, min: 0, max: 23 }),
    hours: col.integer(8, 'Hours of the month with an intensity.', { unit: '1', example: 4, min: 1 }),
    intensity_mean_veh_h: intensity(9, 'Mean of the mean intensities of these hours.', 101.3),
    intensity_p10_veh_h: intensity(10, 'Mean intensity that a tenth of these hours do not exceed.', 88.1),
    intensity_median_veh_h: intensity(11, 'Mean intensity that half of these hours do not exceed.', 99.5),
    intensity_p90_veh_h: intensity(12, 'Mean intensity that nine tenths of these hours do not exceed.', 120.4),
  },
  entity: ['month', 'source', 'sensor_id', 'period_s', 'weekday_iso', 'hour_local'],
  order: ['source', 'sensor_id', 'period_s', 'weekday_iso', 'hour_local'],
})
