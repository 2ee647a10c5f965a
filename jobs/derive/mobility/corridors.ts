import { corridorHours, corridorSensorMonths } from '../../../lake/datasets/mobility/corridors.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { detectorCorridors, sensorCorridors } from '../../../lake/places/corridors.ts'
import { madridHolidays } from '../../../lake/places/holidays.ts'
import { bindList, instant, join, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { defineDerived, type MonthSpan } from '../define.ts'
import { CATALOGUE_MS, lanesOf } from './lanes.ts'

const LOCAL = sql`timezone(${MADRID}, period_start)`

/** Mean intensity by hour of each sensor of a corridor, to a tenth, with the point of a detector. */
function hoursOf({ month }: MonthSpan, [hours, sensors]: readonly SqlPart[]): Sql {
  const ofCities = sensorCorridors().map(
    ({ id, basis }) => sql`
      SELECT ${id} AS corridor_id, source, period_s, sensor_id, period_start, mean, NULL AS point_id, NULL AS point_sensors
      FROM means
      WHERE source = ${basis.source} AND sensor_type = ${basis.sensor_type}`,
  )
  const spans = detectorCorridors().flatMap(({ id, basis, roads }) =>
    roads.map(
      ({ road, km_from, km_to, province_code }) => sql`
        SELECT ${id} AS corridor_id, ${basis.source} AS source, ${road} AS road, ${km_from} AS km_from, ${km_to} AS km_to, ${province_code} AS province_code`,
    ),
  )
  // A lane without a vehicle all day has a dead detector.
  return sql`(
    WITH
      means AS (
        SELECT *, CAST(intensity_sum_veh_h / intensity_readings AS DECIMAL(9, 1)) AS mean
        FROM ${hours as SqlPart}
        WHERE month = ${month} AND intensity_readings > 0
      ),
      lanes AS (${lanesOf(sensors as SqlPart)}),
      spans AS (${join(spans, sql` UNION ALL `)}),
      members AS (
        SELECT corridor_id, source, sensor_id, point_id, point_sensors
        FROM lanes JOIN spans
          ON upper(replace(lanes.road, ' ', '')) = spans.road AND lanes.province_code = spans.province_code AND km BETWEEN km_from AND km_to
      )
    ${join(ofCities, sql` UNION ALL `)}
    UNION ALL
    SELECT corridor_id, source, period_s, sensor_id, period_start, mean, point_id, point_sensors
    FROM means JOIN members USING (source, sensor_id)
    QUALIFY sum(mean) OVER (PARTITION BY corridor_id, sensor_id, period_s, CAST(${LOCAL} AS DATE)) > 0
  )`
}

/** Whole days, once a day: the catalogue changes every few minutes, and says nothing about coverage. */
const SETTLED = {
  watermark: 'day',
  isBySource: true,
  fallbackInputs: [trafficSensors],
  reads: ({ from, to }: MonthSpan) => ({ from: from - CATALOGUE_MS, to }),
} as const

/** The hours of corridors. */
export const corridorHoursDerived = defineDerived({
  by: 'months',
  into: corridorHours,
  from: [trafficHours, trafficSensors],
  ...SETTLED,
  revision: 4,
  rows: (span, scans) => {
    const { month } = span
    const holidays = bindList('local_date', corridorHours.columns.local_date, madridHolidays(Number(month.slice(0, 4))))
    return sql`
      SELECT ${month} AS month, corridor_id, source, period_s, period_start, local_date, hour_local,
        CASE WHEN weekday = 7 OR local_date IN ${holidays} THEN 'SUNDAY_HOLIDAY' WHEN weekday = 6 THEN 'SATURDAY' ELSE 'WORKDAY' END AS day_type,
        CAST(count(*) AS INTEGER) AS sensors,
        CAST(avg(mean) AS DECIMAL(9, 1)) AS intensity_mean_veh_h
      FROM (
        SELECT *, CAST(${LOCAL} AS DATE) AS local_date, CAST(hour(${LOCAL}) AS INTEGER) AS hour_local, isodow(${LOCAL}) AS weekday
        FROM (
          SELECT corridor_id, source, period_s, period_start, sum(mean) AS mean
          FROM ${hoursOf(span, scans)}
          GROUP BY corridor_id, source, period_s, period_start, coalesce(point_id, sensor_id), point_sensors
          HAVING point_sensors IS NULL OR count(*) = point_sensors
        )
      )
      GROUP BY ALL`
  },
})

/** The months of the sensors of corridors. */
export const corridorSensorMonthsDerived = defineDerived({
  by: 'months',
  into: corridorSensorMonths,
  from: [trafficHours, trafficSensors],
  ...SETTLED,
  revision: 2,
  rows: (span, scans) => sql`
    SELECT ${span.month} AS month, ${instant(span.from)} AS period_start, corridor_id, source, period_s, sensor_id,
      CAST(count(*) AS INTEGER) AS hours, CAST(sum(mean) AS DECIMAL(15, 1)) AS intensity_sum_veh_h, point_id, point_sensors
    FROM ${hoursOf(span, scans)}
    GROUP BY corridor_id, source, period_s, sensor_id, point_id, point_sensors`,
})
