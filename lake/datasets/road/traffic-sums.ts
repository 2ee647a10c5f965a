import { type Sql, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
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
  domain: 'road',
  sources: [madrid, dgt],
  time: 'period_start',
  version: 'month',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
} as const
