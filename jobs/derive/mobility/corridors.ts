import { corridorHours } from '../../../lake/datasets/mobility/corridor-hours.ts'
import { corridorSensorMonths } from '../../../lake/datasets/mobility/corridor-sensor-months.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-hours.ts'
import { sensorCorridors } from '../../../lake/places/corridors.ts'
import { madridHolidays } from '../../../lake/places/holidays.ts'
import { bindList, instant, join, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { defineDerived } from '../define.ts'

/** Mean intensity of each corridor's sensors by hour, to a tenth. */
function hoursOf(hours: SqlPart): Sql {
  const ofEach = sensorCorridors().map(
    ({ id, basis }) => sql`
      SELECT ${id} AS corridor_id, source, period_s, sensor_id, period_start,
        CAST(intensity_sum_veh_h / intensity_readings AS DECIMAL(9, 1)) AS mean
      FROM ${hours}
      WHERE source = ${basis.source} AND sensor_type = ${basis.sensor_type} AND intensity_readings > 0`,
  )
  return sql`(${join(ofEach, sql` UNION ALL `)})`
}

const LOCAL = sql`timezone(${MADRID}, period_start)`

/** The hours of corridors. */
export const corridorHoursDerived = defineDerived({
  by: 'months',
  into: corridorHours,
  from: [trafficHours],
  revision: 2,
  rows: ({ month }, [hours]) => {
    const holidays = bindList('local_date', corridorHours.columns.local_date, madridHolidays(Number(month.slice(0, 4))))
    return sql`
      SELECT ${month} AS month, corridor_id, source, period_s, period_start, local_date, hour_local,
        CASE WHEN weekday = 7 OR local_date IN ${holidays} THEN 'SUNDAY_HOLIDAY' WHEN weekday = 6 THEN 'SATURDAY' ELSE 'WORKDAY' END AS day_type,
        CAST(count(*) AS INTEGER) AS sensors,
        CAST(avg(mean) AS DECIMAL(9, 1)) AS intensity_mean_veh_h
      FROM (
        SELECT *, CAST(${LOCAL} AS DATE) AS local_date, CAST(hour(${LOCAL}) AS INTEGER) AS hour_local, isodow(${LOCAL}) AS weekday
        FROM ${hoursOf(hours as SqlPart)}
      )
      GROUP BY ALL`
  },
})

/** The months of the sensors of corridors. */
export const corridorSensorMonthsDerived = defineDerived({
  by: 'months',
  into: corridorSensorMonths,
  from: [trafficHours],
  revision: 1,
  rows: ({ month, from }, [hours]) => sql`
    SELECT ${month} AS month, ${instant(from)} AS period_start, corridor_id, source, period_s, sensor_id,
      CAST(count(*) AS INTEGER) AS hours, CAST(sum(mean) AS DECIMAL(15, 1)) AS intensity_sum_veh_h
    FROM ${hoursOf(hours as SqlPart)}
    GROUP BY corridor_id, source, period_s, sensor_id`,
})
