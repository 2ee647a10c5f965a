import { airportDays } from '../../../lake/datasets/aviation/airport-days.ts'
import { airportTraffic, arrivalAtfmDelays } from '../../../lake/datasets/aviation/eurocontrol-days.ts'
import { flights, PUNCTUAL_MINUTES } from '../../../lake/datasets/aviation/flights.ts'
import { bind, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { MADRID, madridDate } from '../../../lake/schema/time.ts'
import { defineDerived, type MonthSpan } from '../define.ts'

/** Airports by day: flights once their day and the next are over, EUROCONTROL's figures as they come. */
export const airportDaysDerived = defineDerived({
  by: 'months',
  into: airportDays,
  from: [flights, airportTraffic, arrivalAtfmDelays],
  fallbackInputs: [airportTraffic, arrivalAtfmDelays],
  revision: 1,
  watermark: 'day',
  allowedLateness_days: 1,
  rows: daysOf,
})

function daysOf(month: MonthSpan, [shown, traffic, delays]: readonly SqlPart[]): Sql {
  const date = (instant: number): SqlPart => bind('local_date', airportDays.columns.local_date, madridDate(instant))
  const within = (day: Sql): Sql => sql`${day} BETWEEN ${date(month.from)} AND ${date(month.to - 1)}`
  const counted = (condition: Sql): Sql => sql`CAST(count(*) FILTER (WHERE ${condition}) AS INTEGER)`
  return sql`
    WITH ended AS (
      SELECT airport AS iata, flight_date AS local_date, state, delay_minutes, actual_at IS NOT NULL AS took_place
      FROM ${shown as SqlPart}
      WHERE ${within(sql`flight_date`)}
      QUALIFY row_number() OVER (PARTITION BY source, airport, direction, flight_date, flight_number ORDER BY observed_at DESC) = 1
    ),
    punctuality AS (
      SELECT iata, local_date, ${counted(sql`true`)} AS flights, ${counted(sql`took_place`)} AS movements,
        ${counted(sql`state = 'CANCELLED'`)} AS cancelled, ${counted(sql`state = 'DIVERTED'`)} AS diverted,
        ${counted(sql`took_place AND delay_minutes <= ${PUNCTUAL_MINUTES}`)} AS punctual,
        CAST(coalesce(sum(greatest(delay_minutes, 0)) FILTER (WHERE took_place), 0) AS INTEGER) AS delay_minutes
      FROM ended
      GROUP BY iata, local_date
    ),
    moved AS (
      SELECT iata, local_date, CAST(sum(movements) AS INTEGER) AS nm_movements
      FROM ${traffic as SqlPart}
      WHERE ${within(sql`local_date`)}
      GROUP BY iata, local_date
    ),
    regulated AS (
      SELECT iata, local_date, CAST(sum(arrivals) AS INTEGER) AS atfm_arrivals, CAST(sum(delay_minutes) AS INTEGER) AS atfm_delay_minutes,
        arg_max(leading_cause, delay_minutes) AS atfm_cause
      FROM ${delays as SqlPart}
      WHERE ${within(sql`local_date`)}
      GROUP BY iata, local_date
    )
    SELECT ${month.month} AS month, timezone(${MADRID}, CAST(local_date AS TIMESTAMP)) AS period_start, *
    FROM punctuality
    FULL JOIN moved USING (iata, local_date)
    FULL JOIN regulated USING (iata, local_date)`
}
