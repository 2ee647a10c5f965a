import { aircraftPositions } from '../../../lake/datasets/aviation/aircraft-positions.ts'
import {
  AIRPORT_RADIUS_M,
  airportDays,
  airportObservedDays,
  airportTraffic,
  arrivalAtfmDelays,
  MOVEMENT_GAP_MIN,
} from '../../../lake/datasets/aviation/airport-days.ts'
import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { flights, PUNCTUAL_MINUTES } from '../../../lake/datasets/aviation/flights.ts'
import { EARTH_M } from '../../../lake/places/distance.ts'
import { bind, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { MADRID, madridDate } from '../../../lake/schema/time.ts'
import { defineDerived, type MonthSpan } from '../define.ts'

/** Whole days, built once the next is over, which also covers the Canaries' time. */
const WHOLE_DAYS = { by: 'months', watermark: 'day', allowedLateness_days: 1 } as const

/** True for a local date of a month. */
function isIn({ from, to }: MonthSpan, day: Sql): Sql {
  const date = (instant: number): SqlPart => bind('local_date', airportDays.columns.local_date, madridDate(instant))
  return sql`${day} BETWEEN ${date(from)} AND ${date(to - 1)}`
}

/** Airports by day: flights once their day and the next are over, EUROCONTROL's figures as they come. */
export const airportDaysDerived = defineDerived({
  ...WHOLE_DAYS,
  into: airportDays,
  from: [flights, airportTraffic, arrivalAtfmDelays],
  fallbackInputs: [airportTraffic, arrivalAtfmDelays],
  revision: 1,
  rows: publishedDays,
})

function publishedDays(month: MonthSpan, [shown, traffic, delays]: readonly SqlPart[]): Sql {
  const counted = (condition: Sql): Sql => sql`CAST(count(*) FILTER (WHERE ${condition}) AS INTEGER)`
  return sql`
    WITH ended AS (
      SELECT airport AS iata, flight_date AS local_date, state, delay_minutes, actual_at IS NOT NULL AS took_place
      FROM ${shown as SqlPart}
      WHERE ${isIn(month, sql`flight_date`)}
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
      WHERE ${isIn(month, sql`local_date`)}
      GROUP BY iata, local_date
    ),
    regulated AS (
      SELECT iata, local_date, CAST(sum(arrivals) AS INTEGER) AS atfm_arrivals, CAST(sum(delay_minutes) AS INTEGER) AS atfm_delay_minutes,
        arg_max(leading_cause, delay_minutes) AS atfm_cause
      FROM ${delays as SqlPart}
      WHERE ${isIn(month, sql`local_date`)}
      GROUP BY iata, local_date
    )
    SELECT ${month.month} AS month, timezone(${MADRID}, CAST(local_date AS TIMESTAMP)) AS period_start, *
    FROM punctuality
    FULL JOIN moved USING (iata, local_date)
    FULL JOIN regulated USING (iata, local_date)`
}

/** Half height of the box around an airport's circle, degrees; the box is twice as wide. */
const BOX_DEG = 0.06
/** Airports and positions are joined by one-degree cells, instead of comparing every pair. */
const CELLS = 10

/** Observed movements by airport and day. */
export const airportObservedDaysDerived = defineDerived({
  ...WHOLE_DAYS,
  into: airportObservedDays,
  from: [aircraftPositions, airports],
  fallbackInputs: [airports],
  revision: 1,
  rows: observedDays,
})

function observedDays(month: MonthSpan, [positions, catalogue]: readonly SqlPart[]): Sql {
  const distance = sql`2 * ${EARTH_M} * asin(sqrt(sin(radians(ground_lat - airport.lat) / 2) ** 2
    + cos(radians(airport.lat)) * cos(radians(ground_lat)) * sin(radians(ground_lon - airport.lon) / 2) ** 2))`
  const cell = (degrees: SqlPart): Sql => sql`CAST(floor(${degrees} * ${CELLS}) AS BIGINT)`
  const touched = (name: SqlPart, half_deg: number): Sql =>
    sql`unnest(range(${cell(sql`(${name} - ${half_deg})`)}, ${cell(sql`(${name} + ${half_deg})`)} + 1))`
  return sql`
    WITH airport AS (
      SELECT iata, time_zone, position_lat AS lat, position_lon AS lon
      FROM ${catalogue as SqlPart}
      WHERE position_lat IS NOT NULL
      QUALIFY row_number() OVER (PARTITION BY iata ORDER BY observed_at DESC, source DESC) = 1
    ),
    near AS (
      SELECT airport.*, cell_lat, cell_lon
      FROM airport, ${touched(sql`airport.lat`, BOX_DEG)} AS rows_of(cell_lat), ${touched(sql`airport.lon`, 2 * BOX_DEG)} AS columns_of(cell_lon)
    ),
    seen AS (
      SELECT observed_at, is_on_ground, position_lat AS lat, position_lon AS lon,
        lag(is_on_ground) OVER track AS was_on_ground, lag(observed_at) OVER track AS was_at,
        lag(position_lat) OVER track AS was_lat, lag(position_lon) OVER track AS was_lon
      FROM ${positions as SqlPart}
      WHERE is_icao_address AND is_on_ground IS NOT NULL
      WINDOW track AS (PARTITION BY icao24 ORDER BY observed_at)
    ),
    event AS (
      SELECT 'GROUND' AS kind, observed_at AS moved_at, lat AS ground_lat, lon AS ground_lon FROM seen WHERE is_on_ground
      UNION ALL
      SELECT CASE WHEN is_on_ground THEN 'ARRIVAL' ELSE 'DEPARTURE' END AS kind, observed_at AS moved_at,
        CASE WHEN is_on_ground THEN lat ELSE was_lat END AS ground_lat, CASE WHEN is_on_ground THEN lon ELSE was_lon END AS ground_lon
      FROM seen
      WHERE is_on_ground <> was_on_ground AND observed_at - was_at <= ${MOVEMENT_GAP_MIN} * INTERVAL 1 MINUTE
    ),
    placed AS (
      SELECT iata, kind, CAST(timezone(time_zone, moved_at) AS DATE) AS local_date
      FROM event
      JOIN near AS airport ON airport.cell_lat = ${cell(sql`ground_lat`)} AND airport.cell_lon = ${cell(sql`ground_lon`)}
      WHERE ${distance} <= ${AIRPORT_RADIUS_M}
    ),
    counted AS (
      SELECT iata, local_date, CAST(count(*) FILTER (WHERE kind = 'GROUND') AS INTEGER) AS ground_positions,
        CAST(count(*) FILTER (WHERE kind = 'DEPARTURE') AS INTEGER) AS departures,
        CAST(count(*) FILTER (WHERE kind = 'ARRIVAL') AS INTEGER) AS arrivals
      FROM placed
      GROUP BY iata, local_date
    ),
    received AS (
      SELECT time_zone, CAST(timezone(time_zone, minute) AS DATE) AS local_date, count(*) AS minutes
      FROM (SELECT DISTINCT date_trunc('minute', observed_at) AS minute FROM seen), (SELECT DISTINCT time_zone FROM airport)
      GROUP BY ALL
    )
    SELECT ${month.month} AS month, airport.iata, local_date, timezone(${MADRID}, CAST(local_date AS TIMESTAMP)) AS period_start,
      counted.departures AS observed_departures, counted.arrivals AS observed_arrivals,
      coalesce(counted.ground_positions, 0) AS ground_positions,
      CAST(least(1, minutes / date_diff('minute', timezone(time_zone, CAST(local_date AS TIMESTAMP)),
        timezone(time_zone, CAST(local_date + 1 AS TIMESTAMP)))) AS DECIMAL(9, 6)) AS coverage
    FROM airport
    JOIN received USING (time_zone)
    LEFT JOIN counted USING (iata, local_date)
    WHERE ${isIn(month, sql`local_date`)}`
}
