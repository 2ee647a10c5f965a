import { corridorSensorMonths } from '../../lake/datasets/mobility/corridors.ts'
import { readingsOfArchive } from '../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings, trafficReadings15m } from '../../lake/datasets/road/traffic-readings.ts'
import { sumsOfReadings, trafficHours } from '../../lake/datasets/road/traffic-roll-ups.ts'
import { detectorCorridors, sensorCorridors } from '../../lake/places/corridors.ts'
import { rowsByStart, timesOfSpan } from '../../lake/query/intervals.ts'
import { scan } from '../../lake/query/scan.ts'
import { bindList, instant, join, outputName, type Sql, type SqlPart, sql } from '../../lake/query/sql.ts'
import { type Columns, col } from '../../lake/schema/columns.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { offsetAt } from '../../lake/schema/time.ts'
import type { GridDay } from './grid.ts'
import type { LiveModel } from './live-models.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Minimum measured seconds of an hour with a meaningful mean. */
const LEAST_MEASURED_S = 1800
/** Minimum sensors of a corridor in an hour, as a share of the best hour's. */
const LEAST_SENSORS = 0.5

/** Half-open, ms since the epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

const hourName = (hour: number): string => `h${String(hour).padStart(2, '0')}`
const HOURS = Array.from({ length: 24 }, (_, hour) => hourName(hour))

/** Columns of the days of series: a column per local hour, which is read many times faster than lists. */
export const SERIES_DAY_COLUMNS: Columns = {
  name: col.string(1, 'Id of the series and the letter of its kind.'),
  day: col.integer(2, 'Days since 1970.'),
  ...Object.fromEntries(
    HOURS.map((name, hour) => [name, col.float(3 + hour, 'Mean intensity in the hour.', { unit: 'veh/h', nullable: true })]),
  ),
}

/** Columns of `sensorsOf`. */
export const SENSOR_COLUMNS = {
  sensor_id: trafficHours.columns.sensor_id,
  hours: col.integer(1, 'Hours with an intensity.', { unit: '1' }),
  until: col.instant(2, 'End of the newest hour with data.'),
} as const satisfies Columns

/** Amount of data of each sensor of a model in some months, live or archived. */
export function sensorsOf({ source: live, archive }: LiveModel, months: readonly string[]): Sql {
  const sources = [live, ...(archive === null ? [] : [archive])]
  const hoursOf = (source: string): Sql =>
    sql`count(*) FILTER (WHERE source = ${source} AND intensity_readings * period_s >= ${LEAST_MEASURED_S})`
  return sql`
    SELECT sensor_id, CAST(greatest(${join(sources.map(hoursOf))}) AS INTEGER) AS hours,
      max(period_start) + INTERVAL 1 HOUR AS until
    FROM ${scan(trafficHours, { month: { in: months }, source: { in: sources } })}
    GROUP BY sensor_id
    ORDER BY sensor_id`
}

/** The days of all or some sensors of a model and of its corridors, from the roll-up's hours in a part of a month. */
export function seriesOfMonth(of: LiveModel, month: string, span: Span, sensors: readonly string[] | null = null): Sql {
  const hoursOf = (source: string): SqlPart => scan(trafficHours, { month: { eq: month }, source: { eq: source } })
  const archive = of.archive === null ? null : hoursOf(of.archive)
  return daysOf({ source: of.source, live: hoursOf(of.source), archive, months: [month] }, span, sensors)
}

/** The same from readings that are not rolled up yet, including the archive in `months`. */
export function seriesOfReadings(of: LiveModel, span: Span, months: readonly string[]): Sql {
  const hoursOf = (readings: SqlPart): Sql => sql`(
    SELECT sensor_id, period_s, time_bucket(INTERVAL 1 HOUR, observed_at) AS period_start, arg_max(sensor_type, observed_at) AS sensor_type,
      ${sumsOfReadings}
    FROM ${readings}
    GROUP BY ALL
  )`
  const live = scan(trafficReadings, { source: { eq: of.source }, observed_at: timesOfSpan(trafficReadings, span) })
  const past = scan(trafficReadings15m, { month: { in: months }, starts_at: { gte: span.from, lt: span.to } })
  const archive = of.archive === null ? null : hoursOf(sql`(${readingsOfArchive(past)})`)
  return daysOf(
    { source: of.source, live: hoursOf(rowsByStart(trafficReadings, live, span)), archive, months: months.slice(-2) },
    span,
    null,
  )
}

/** Converts a row of `SERIES_DAY_COLUMNS` for a grid. */
export function gridDay(row: AnyRow): GridDay {
  return { name: row['name'] as string, day: row['day'] as number, vehicles: HOURS.map((name) => row[name] as number | null) }
}

/** The hours of a source, live and archived; the lanes of its corridors are those of the newest of some months. */
interface SourceHours {
  readonly source: string
  readonly live: SqlPart
  readonly archive: SqlPart | null
  readonly months: readonly string[]
}

/**
 * Days by local hour in Madrid: from the live feed, and from the archive for missing hours of a sensor. The hour that October
 * repeats is the first one. A corridor is the mean of its sensors, or carriageways, in hours with enough of them.
 */
function daysOf({ source, live, archive, months }: SourceHours, span: Span, sensors: readonly string[] | null): Sql {
  const meansOf = (hours: SqlPart): Sql => sql`
    SELECT sensor_id, sensor_type, CAST(epoch_us(period_start) // 3600000000 AS INTEGER) AS nth,
      intensity_sum_veh_h / intensity_readings AS mean
    FROM ${hours}
    WHERE intensity_readings * period_s >= ${LEAST_MEASURED_S} AND period_start >= ${instant(span.from)} AND period_start < ${instant(span.to)}`
  const wanted = sensors === null ? sql`true` : sql`sensor_id IN ${bindList('sensor_id', trafficHours.columns.sensor_id, sensors)}`
  const ofCity = sensorCorridors().filter(({ basis }) => basis.source === source)
  const hasDetectors = detectorCorridors().some(({ basis }) => basis.source === source)
  const corridors = [
    ...ofCity.map(
      ({ id, basis }) =>
        sql`SELECT ${`${id} C`} AS name, nth, avg(mean) AS mean, count(*) AS sensors FROM means WHERE sensor_type = ${basis.sensor_type} GROUP BY nth`,
    ),
    ...(hasDetectors ? [carriageways(source, months)] : []),
  ]
  return sql`
    WITH
      means AS (
        ${meansOf(live)}
        ${archive === null ? sql`` : sql`UNION ALL SELECT * FROM (${meansOf(archive)}) ANTI JOIN (${meansOf(live)}) USING (sensor_id, nth)`}
      ),
      corridors AS (${join(corridors, sql` UNION ALL `)}),
      series AS (
        SELECT sensor_id || ' S' AS name, nth, mean FROM means WHERE ${wanted}
        UNION ALL
        SELECT name, nth, mean FROM corridors
        QUALIFY sensors >= ${LEAST_SENSORS} * max(sensors) OVER (PARTITION BY name)
      ),
      local AS (SELECT name, mean, nth + ${offsetHours(span)} AS hour FROM series WHERE ${isFirstPassing(span)})
    SELECT name, CAST(hour // 24 AS INTEGER) AS day,
      ${join(HOURS.map((column, hour) => sql`max(mean) FILTER (hour % 24 = ${hour}) AS ${outputName(column)}`))}
    FROM local
    GROUP BY ALL`
}

/** Corridors with detectors: means over carriageways whose lanes all have the hour, from the `means` of lanes. */
function carriageways(source: string, months: readonly string[]): Sql {
  // A lane without a vehicle in the month has a dead detector.
  return sql`
    SELECT corridor_id || ' C' AS name, nth, avg(mean) AS mean, count(*) AS sensors
    FROM (
      SELECT corridor_id, nth, sum(mean) AS mean
      FROM means JOIN (
        SELECT corridor_id, sensor_id, point_id, point_sensors
        FROM ${scan(corridorSensorMonths, { month: { in: months }, source: { eq: source } })}
        WHERE point_id IS NOT NULL AND intensity_sum_veh_h > 0
        QUALIFY month = max(month) OVER (PARTITION BY corridor_id)
      ) USING (sensor_id)
      GROUP BY corridor_id, nth, point_id, point_sensors
      HAVING count(*) = point_sensors
    )
    GROUP BY corridor_id, nth`
}

/** Instants within a span at which Madrid's offset changes. */
function changesOf({ from, to }: Span): number[] {
  const changes: number[] = []
  for (let at = Math.floor(from / HOUR_MS) * HOUR_MS; at < to; at += DAY_MS)
    if (offsetAt(at) !== offsetAt(at + DAY_MS)) {
      let instant = at
      while (offsetAt(instant) === offsetAt(at)) instant += HOUR_MS
      changes.push(instant)
    }
  return changes
}

/** Local hours since 1970 minus UTC hours, for hour `nth`. */
function offsetHours(span: Span): Sql {
  const before = changesOf(span).map((instant) => sql`WHEN nth < ${instant / HOUR_MS} THEN ${offsetAt(instant - 1) / HOUR_MS}`)
  const last = offsetAt(span.to) / HOUR_MS
  return before.length === 0 ? sql`${last}` : sql`CASE ${join(before, sql` `)} ELSE ${last} END`
}

function isFirstPassing(span: Span): Sql {
  const repeated = changesOf(span).filter((instant) => offsetAt(instant) < offsetAt(instant - 1))
  return repeated.length === 0 ? sql`true` : sql`nth NOT IN (${join(repeated.map((instant) => sql`${instant / HOUR_MS}`))})`
}
