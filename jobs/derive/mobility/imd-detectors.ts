import { imdDetectorMonths } from '../../../lake/datasets/mobility/imd-detector-months.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { DETECTOR_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficDays } from '../../../lake/datasets/road/traffic-days.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { instant, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { defineDerived } from '../define.ts'
import { CATALOGUE_MS, lanesOf } from './lanes.ts'

/** Share of a day that has to be measured for it to be whole. */
const LEAST_OF_DAY = 0.9

/**
 * Whole days of roads by direction. A point counts on a day if all its lanes report; slip roads and bus lanes are not lanes of
 * the road. A lane's vehicles are its mean reading times the hours of the day (23 or 25 at clock changes).
 */
export const imdDetectorMonthsDerived = defineDerived({
  by: 'months',
  into: imdDetectorMonths,
  from: [trafficDays, trafficSensors],
  sources: [dgt],
  revision: 1,
  reads: ({ from, to }) => ({ from: from - CATALOGUE_MS, to }),
  rows: ({ month, from }, [days, sensors]) => sql`
    WITH
      lanes AS (${lanesOf(sensors as SqlPart)}),
      measured AS (
        SELECT *, epoch(timezone(${MADRID}, CAST(date + INTERVAL 1 DAY AS TIMESTAMP)) - timezone(${MADRID}, CAST(date AS TIMESTAMP))) AS day_s
        FROM ${days as SqlPart}
        WHERE source = ${DETECTOR_SOURCE} AND month = ${month}
      ),
      whole AS (
        SELECT lanes.*, date, CAST(intensity_sum_veh_h AS DOUBLE) / intensity_readings * day_s / 3600 AS vehicles,
          coalesce(long_vehicles_readings, 0) AS long_readings, coalesce(long_vehicles_sum_pct, 0) AS long_sum
        FROM measured JOIN lanes USING (sensor_id)
        WHERE intensity_readings * period_s >= ${LEAST_OF_DAY} * day_s AND intensity_sum_veh_h > 0
      ),
      points AS (
        SELECT road, province_code, direction, km, date, count(*) AS lane_days, sum(vehicles) AS vehicles,
          sum(long_readings) AS long_readings, sum(long_sum) AS long_sum
        FROM whole
        GROUP BY road, province_code, direction, km, date, point_sensors
        HAVING count(*) = point_sensors
      ),
      listed AS (SELECT road, province_code, direction, CAST(count(*) AS INTEGER) AS lanes FROM lanes GROUP BY ALL)
    SELECT ${month} AS month, ${instant(from)} AS period_start, road, province_code, direction,
      CAST(count(DISTINCT km) AS INTEGER) AS points, any_value(lanes) AS lanes,
      min(km) AS km_from, max(km) AS km_to,
      CAST(count(DISTINCT date) AS INTEGER) AS days, min(date) AS first_date, max(date) AS last_date,
      CAST(sum(lane_days) AS INTEGER) AS lane_days, CAST(count(*) AS INTEGER) AS point_days,
      CAST(sum(vehicles) AS DECIMAL(15, 1)) AS vehicles,
      CAST(sum(long_readings) AS BIGINT) AS long_vehicles_readings, CAST(sum(long_sum) AS BIGINT) AS long_vehicles_sum_pct
    FROM points JOIN listed USING (road, province_code, direction)
    GROUP BY road, province_code, direction`,
})
