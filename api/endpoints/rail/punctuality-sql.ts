import { CANCELLED_TRIPS, LONG_DISTANCE, RENFE_NETWORKS } from '../../../lake/datasets/rail/codes.ts'
import { railCalendar, railRoutes, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { bind, join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds, MADRID, madridDate } from '../../../lake/schema/time.ts'
import { isOneOf } from '../../kernel/reads/filter.ts'

const DAY_MS = 86_400_000
/** Days before the period in which its timetables may have begun. Most nights bring a new one, so an older one is out of date. */
const OLDEST_DAYS = 100

/** A query of the timetables (timetable_version) in force in a period. Each has up to two million rows, so no others are read. */
export function versionsInForce(asked: Pick<RunsAsked, 'period' | 'network' | 'atStations'>): Sql {
  const { from, to } = asked.period
  const routes = scan(railRoutes, { valid_from: { gte: from - OLDEST_DAYS * DAY_MS, lt: to }, ...networks(asked) })
  return sql`SELECT DISTINCT timetable_version FROM (${inForce(asked.period, routes)}) ORDER BY timetable_version`
}

/** The requested runs and properties. */
export interface RunsAsked {
  /** Counts service days that begin in it; half-open, ms since the epoch. */
  readonly period: { readonly from: number; readonly to: number }
  readonly network: readonly string[] | null
  readonly nucleo: readonly string[] | null
  readonly line: readonly string[] | null
  readonly station: readonly string[] | null
  /** The timetables in force, from `versionsInForce`. */
  readonly versions: readonly string[]
  /** True if a run counts once at each of its stations. */
  readonly atStations: boolean
  /** True if the timetable hour is needed; it reads every stop time. */
  readonly hours: boolean
}

/**
 * A query of the train runs of a period (no replacement buses) by trip updates, timetable or both. Columns: network, run,
 * service_date, nucleo_code, line, stop_id and hour (null unless requested), is_observed, is_scheduled, has_timetable (the day
 * is covered), is_cancelled, delay_s and delay_quality (if it counts).
 */
export function runsOf(asked: RunsAsked): Sql {
  const { atStations, hours } = asked
  const stop = atStations ? [sql`stop_id`] : []
  const key = join([sql`network`, sql`run`, sql`service_date`, ...stop])
  return sql`
    WITH ${timetableOf(asked)},
    ${plannedOf(asked)},
    ${statesOf(asked)},
    ${trainsOf()},
    observed AS (${atStations ? OBSERVED_AT_STATIONS : OBSERVED})
    SELECT
      network,
      run,
      service_date,
      coalesce(observed.nucleo_code, planned.nucleo_code) AS nucleo_code,
      coalesce(observed.line, planned.line) AS line,
      ${atStations ? sql`stop_id` : sql`CAST(NULL AS VARCHAR)`} AS stop_id,
      ${hours ? sql`CAST(planned.time_s // 3600 % 24 AS INTEGER)` : sql`CAST(NULL AS INTEGER)`} AS hour,
      observed.is_cancelled IS NOT NULL AS is_observed,
      planned.is_scheduled IS NOT NULL AS is_scheduled,
      covered.timetable_version IS NOT NULL AS has_timetable,
      coalesce(observed.is_cancelled, false) AS is_cancelled,
      CASE WHEN NOT observed.is_cancelled THEN observed.stated.delay_s END AS delay_s,
      CASE WHEN NOT observed.is_cancelled THEN observed.stated.delay_quality END AS delay_quality
    FROM observed
    FULL JOIN planned USING (${key})
    LEFT JOIN covered USING (network, service_date)
    WHERE ${isAmong(sql`stop_id`, asked.station)} AND ${isAmong(sql`coalesce(observed.line, planned.line)`, asked.line)}`
}

/**
 * Identifies a run: a commuter trip, or a long-distance train by its number, because it may have variants and its trip ids
 * change every night.
 */
const RUN = sql`CASE WHEN network = ${LONG_DISTANCE} AND train_number IS NOT NULL THEN train_number ELSE trip_id END`
/** A trip across timetables: a long-distance id contains its train, variant and start of validity. */
const VARIANT = sql`CASE WHEN network = ${LONG_DISTANCE} AND train_number IS NOT NULL THEN left(trip_id, 6) ELSE trip_id END`
/** Line in the id of a commuter trip. Long-distance ids have none: their product comes from the timetable. */
const LINE = sql`nullif(regexp_extract(trip_id, '^\\d{4}[A-Z]\\d{5}([A-Za-z0-9]+)$', 1), '')`

/** States of trips. The row of an end repeats the last state, which was valid until the trip was last seen. */
function statesOf(asked: RunsAsked): Sql {
  const { from, to } = asked.period
  const days = serviceDays(asked.period)
  // Updates of a train appear from the day before its service day to the day after it.
  const rows = scan(railTripUpdates, {
    observed_at: { gte: from - DAY_MS, lt: to + 3 * DAY_MS },
    service_date: { gte: days.first, lt: days.end },
    ...networks(asked),
  })
  return sql`states AS (
      SELECT
        *,
        {'delay_s': delay_s, 'delay_quality': delay_quality} AS stated,
        CASE WHEN status = 'ENDED' THEN coalesce(last_seen_at, observed_at) ELSE observed_at END AS seen_at
      FROM ${rows}
      WHERE ${isAmong(sql`nucleo_code`, asked.nucleo)} AND ${asked.line ? isOfLines(asked.line) : sql`true`}
    )`
}

/** The condition that a state belongs to a run of certain lines. Long-distance trains match by their product in the timetable. */
function isOfLines(lines: readonly string[]): Sql {
  return sql`CASE
    WHEN network = ${LONG_DISTANCE} THEN (${RUN}, service_date) IN (SELECT (run, service_date) FROM scheduled WHERE network = ${LONG_DISTANCE})
    ELSE ${isOneOf(sql`line`, lines)}
  END`
}

/** Runs by their last states. The delay of a commuter trip is that at the last stop it names, else the last stated. */
function trainsOf(): Sql {
  const hasDelay = sql`CASE WHEN network = ${LONG_DISTANCE} THEN delay_s IS NOT NULL ELSE next_stop_id IS NOT NULL END`
  const isCancelled = isOneOf(sql`relationship`, CANCELLED_TRIPS)
  return sql`trips AS (
      SELECT
        network,
        trip_id,
        service_date,
        any_value(train_number) AS train_number,
        any_value(nucleo_code) AS nucleo_code,
        any_value(line) AS line,
        arg_max(schedule_relationship, seen_at) AS relationship,
        max(seen_at) AS seen_at,
        arg_max(stated, seen_at) FILTER (WHERE ${hasDelay}) AS stated,
        max(seen_at) FILTER (WHERE ${hasDelay}) AS stated_at
      FROM states
      GROUP BY network, trip_id, service_date
    ),
    trains AS MATERIALIZED (
      SELECT
        network,
        ${RUN} AS run,
        service_date,
        any_value(nucleo_code) AS nucleo_code,
        any_value(line) AS line,
        bool_and(${isCancelled}) AS is_cancelled,
        first(stated ORDER BY stated_at DESC, trip_id DESC) FILTER (WHERE NOT ${isCancelled} AND stated IS NOT NULL) AS stated
      FROM (
        SELECT *
        FROM trips
        ANTI JOIN buses USING (network, trip_id, service_date)
        QUALIFY row_number() OVER (PARTITION BY network, ${VARIANT}, service_date ORDER BY seen_at DESC, trip_id DESC) = 1
      )
      GROUP BY ALL
    )`
}

const OBSERVED = sql`SELECT * FROM trains`

/** Runs at stations: the last state that names the station, unless skipped; cancelled runs at their timetabled stops. */
const OBSERVED_AT_STATIONS = sql`
  SELECT network, run, service_date, stop_id, nucleo_code, line, false AS is_cancelled, calls.stated
  FROM (
    SELECT
      network,
      ${RUN} AS run,
      service_date,
      next_stop_id AS stop_id,
      arg_max({'stated': stated, 'is_skipped': list_contains(skipped_stop_ids, next_stop_id)}, seen_at) AS last_state
    FROM states
    WHERE next_stop_id IS NOT NULL
    GROUP BY ALL
  )
  JOIN trains USING (network, run, service_date)
  CROSS JOIN LATERAL (SELECT last_state.stated AS stated) AS calls
  WHERE NOT is_cancelled AND NOT last_state.is_skipped
  UNION ALL BY NAME
  SELECT network, run, service_date, stop_id, trains.nucleo_code, trains.line, is_cancelled, stated
  FROM trains
  JOIN planned USING (network, run, service_date)
  WHERE is_cancelled`

/** The timetable in force on each service day of a period, per network: the newest that begins on or before that day. */
function inForce(period: RunsAsked['period'], routes: Scan): Sql {
  const { first, end } = serviceDays(period)
  const day = (date: string): ReturnType<typeof bind> => bind('service_date', railCalendar.columns.service_date, date)
  return sql`
    SELECT network, service_date, arg_max(timetable_version, first_day) AS timetable_version
    FROM (SELECT CAST(unnest(generate_series(${day(first)}, ${day(end)} - 1, INTERVAL 1 DAY)) AS DATE) AS service_date)
    JOIN (
      SELECT DISTINCT network, timetable_version, CAST(timezone(${MADRID}, valid_from) AS DATE) AS first_day
      FROM ${routes}
    ) ON first_day <= service_date
    GROUP BY network, service_date`
}

/** A query of products of long-distance trains in some timetables: network, train_number, first_day of the timetable, product. */
export function productsIn(versions: readonly string[]): Sql {
  const only = { timetable_version: { in: versions }, network: { eq: LONG_DISTANCE } }
  // A number has one product in each of the recorded timetables.
  return sql`
    SELECT network, train_number, CAST(timezone(${MADRID}, valid_from) AS DATE) AS first_day, min(short_name) AS product
    FROM ${scan(railTrips, only)}
    JOIN (SELECT timetable_version, route_id, short_name FROM ${scan(railRoutes, only)}) USING (timetable_version, route_id)
    WHERE train_number IS NOT NULL
    GROUP BY ALL`
}

/** The timetable in force on each service day, and its active services. */
function timetableOf(asked: RunsAsked): Sql {
  const { first, end } = serviceDays(asked.period)
  return sql`services AS MATERIALIZED (
      SELECT network, service_date, timetable_version, service_id
      FROM ${timetable(railCalendar, asked, { service_date: { gte: first, lt: end } })}
      JOIN (${inForce(asked.period, timetable(railRoutes, asked))}) USING (network, service_date, timetable_version)
    ),
    covered AS (SELECT DISTINCT network, service_date, timetable_version FROM services)`
}

/** Scheduled runs: a row per run, or per run and station. */
function plannedOf(asked: RunsAsked): Sql {
  const { atStations, hours, versions, station } = asked
  const scheduled = sql`
    planned_trips AS MATERIALIZED (
      SELECT network, ${RUN} AS run, service_date, timetable_version, trip_id, nucleo_code, line, route_type
      FROM (
        SELECT network, service_date, timetable_version, trip_id, train_number, trips.nucleo_code, route_type,
          CASE WHEN network = ${LONG_DISTANCE} THEN routes.short_name ELSE ${LINE} END AS line
        FROM services
        JOIN ${timetable(railTrips, asked)} AS trips USING (network, timetable_version, service_id)
        LEFT JOIN (SELECT timetable_version, route_id, short_name, route_type FROM ${timetable(railRoutes, asked)}) AS routes
          USING (timetable_version, route_id)
      )
      WHERE ${isAmong(sql`nucleo_code`, asked.nucleo)} AND ${isAmong(sql`line`, asked.line)}
    ),
    buses AS (SELECT network, trip_id, service_date FROM planned_trips WHERE route_type = 'BUS'),
    scheduled AS (SELECT * FROM planned_trips WHERE route_type IS DISTINCT FROM 'BUS')`
  if (!atStations && !hours)
    return sql`${scheduled},
    planned AS MATERIALIZED (
      SELECT network, run, service_date, any_value(nucleo_code) AS nucleo_code, any_value(line) AS line, true AS is_scheduled
      FROM scheduled
      GROUP BY network, run, service_date
    )`
  // One timetable at a time, since each looks up only a few thousand trips. For a month, all at once take twice as long.
  const calls = (versions.length > 0 ? versions : ['']).map((version) => {
    const times = scan(railStopTimes, { timetable_version: { eq: version }, ...(station ? { stop_id: { in: station } } : {}) })
    return sql`
      SELECT scheduled.network, run, service_date, nucleo_code, line, stop_id, arrival, departure
      FROM (SELECT * FROM scheduled WHERE timetable_version = ${version}) AS scheduled
      ${atStations ? sql`` : sql`LEFT`} JOIN ${times} AS times USING (trip_id)`
  })
  return sql`${scheduled},
    planned AS MATERIALIZED (
      SELECT
        network,
        run,
        service_date,
        ${atStations ? sql`stop_id,` : sql``}
        any_value(nucleo_code) AS nucleo_code,
        any_value(line) AS line,
        min(coalesce(${atStations ? sql`arrival, departure` : sql`departure, arrival`})) AS time_s,
        true AS is_scheduled
      FROM (${join(calls, sql` UNION ALL `)})
      GROUP BY network, run, service_date${atStations ? sql`, stop_id` : sql``}
    )`
}

/** Rows of the timetables in force. */
function timetable(dataset: Dataset, { versions }: RunsAsked, filter: Parameters<typeof scan>[1] = {}): Scan {
  return scan(dataset, { timetable_version: { in: versions }, ...filter })
}

/** Trip updates name the stops of commuter trains only. */
function networks({ network, atStations }: Pick<RunsAsked, 'network' | 'atStations'>): { network: { in: readonly string[] } } {
  if (atStations) return { network: { in: network && !network.includes('CERCANIAS') ? [] : ['CERCANIAS'] } }
  // Only Renfe publishes trip updates.
  return { network: { in: network ? network.filter((one) => RENFE_NETWORKS.includes(one)) : RENFE_NETWORKS } }
}

function isAmong(value: Sql, wanted: readonly string[] | null): Sql {
  return wanted ? isOneOf(value, wanted) : sql`true`
}

/** The service days that begin in a period, half-open. */
function serviceDays({ from, to }: RunsAsked['period']): { readonly first: string; readonly end: string } {
  return { first: firstDay(from), end: firstDay(to) }
}

/** The first day in Madrid that begins at or after an instant (ms), YYYY-MM-DD. */
function firstDay(instant: number): string {
  const { start, end } = dayBounds(madridDate(instant))
  return madridDate(start === instant ? start : end)
}
