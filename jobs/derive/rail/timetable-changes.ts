import { railCalendar, railRoutes, railStations, railTimetableChanges, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type DerivedPart, defineDerived } from '../define.ts'

/** Network and first day, which name a version: `cercanias-2026-08-22`. */
const VERSION = /^(.+)-(\d{4}-\d\d-\d\d)$/

/** Each version of a timetable compared with the previous one of the same network. */
export const timetableChanges = defineDerived({
  by: 'versions',
  into: railTimetableChanges,
  from: [railStations, railRoutes, railTrips, railCalendar],
  revision: 1,
  parts: versionPairs,
  rows: changesOf,
})

/** The versions that have one before them, by their day. */
function versionPairs(versions: readonly string[]): DerivedPart[] {
  const named = versions.flatMap((version) => {
    const [, network, day] = VERSION.exec(version) ?? []
    return network === undefined || day === undefined ? [] : [{ version, network, day }]
  })
  return [...Map.groupBy(named, ({ network }) => network).values()].flatMap((theirs) => {
    const inOrder = theirs.sort((one, other) => (one.day < other.day ? -1 : 1))
    return inOrder.slice(1).map(({ version }, at) => ({ version, from: [(inOrder[at] as (typeof inOrder)[number]).version, version] }))
  })
}

const NO_TRIP = sql`CAST(NULL AS VARCHAR) AS train_number, CAST(NULL AS VARCHAR) AS variant, CAST(NULL AS INTEGER) AS service_days, CAST(NULL AS DATE) AS first_day, CAST(NULL AS DATE) AS last_day`

/** The descriptive columns of a thing, beside its key. */
const ABOUT = sql`name, nucleo_code, line, train_number, variant, service_days, first_day, last_day`

function changesOf({ version, from }: DerivedPart): Sql {
  const [previous = ''] = from
  const things = [
    ['STATION', stationsOf(previous), stationsOf(version)],
    ['ROUTE', routesOf(previous), routesOf(version)],
    ['LINE', linesOf(previous), linesOf(version)],
  ] as const
  const changes = things.flatMap(([what, before, after]) => [
    sql`SELECT ${what} AS what, 'ADDED' AS change, subject_id, ${ABOUT} FROM (${after}) ANTI JOIN (${before}) AS other USING (subject_id)`,
    sql`SELECT ${what} AS what, 'GONE' AS change, subject_id, ${ABOUT} FROM (${before}) ANTI JOIN (${after}) AS other USING (subject_id)`,
  ])
  return sql`
    WITH before AS MATERIALIZED (${runsOf(previous)}),
    after AS MATERIALIZED (${runsOf(version)}),
    covered AS (${coveredDays()}),
    changes AS (
      ${join(changes, sql` UNION ALL `)}
      UNION ALL ${tripChanges({ within: 'ADDED', beyond: 'EXTENDED' }, sql`after`, sql`before`)}
      UNION ALL ${tripChanges({ within: 'GONE', beyond: 'SHORTENED' }, sql`before`, sql`after`)}
    )
    SELECT version.*, ${previous} AS previous_version, changes.*
    FROM changes
    CROSS JOIN (SELECT network, timetable_version, valid_from FROM ${rowsOf(railRoutes, version)} LIMIT 1) AS version`
}

const rowsOf = (dataset: Dataset, version: string): Sql => sql`${scan(dataset, { timetable_version: { eq: version } })}`

function stationsOf(version: string): Sql {
  return sql`SELECT stop_id AS subject_id, name, CAST(NULL AS VARCHAR) AS nucleo_code, CAST(NULL AS VARCHAR) AS line, ${NO_TRIP} FROM ${rowsOf(railStations, version)}`
}

function routesOf(version: string): Sql {
  return sql`SELECT route_id AS subject_id, long_name AS name, nucleo_code, short_name AS line, ${NO_TRIP} FROM ${rowsOf(railRoutes, version)}`
}

function linesOf(version: string): Sql {
  return sql`
    SELECT concat_ws('/', nucleo_code, short_name) AS subject_id, short_name AS name, nucleo_code, short_name AS line, ${NO_TRIP}
    FROM (SELECT DISTINCT nucleo_code, short_name FROM ${rowsOf(railRoutes, version)} WHERE short_name IS NOT NULL)`
}

/**
 * The days on which each train runs. A train of a line is identified by its number if it has no variant; with a variant it
 * stays the same when its product is renamed. A trip whose id has no number is identified by its id.
 */
function runsOf(version: string): Sql {
  return sql`
    SELECT
      concat_ws('/', trips.nucleo_code, CASE WHEN variant IS NULL THEN short_name END, coalesce(train_number, trip_id)) AS train_id,
      concat_ws('/', train_id, variant) AS subject_id,
      service_date, trips.nucleo_code, min(short_name) AS line, min(train_number) AS train_number, min(variant) AS variant
    FROM ${rowsOf(railTrips, version)} AS trips
    JOIN ${rowsOf(railCalendar, version)} AS calendar USING (service_id)
    LEFT JOIN ${rowsOf(railRoutes, version)} AS routes USING (route_id)
    GROUP BY ALL`
}

/** From the first to the last day on which both versions have trips, by commuter network: their horizons differ. */
function coveredDays(): Sql {
  const range = (runs: Sql): Sql =>
    sql`SELECT nucleo_code, min(service_date) AS first_day, max(service_date) AS last_day FROM ${runs} GROUP BY ALL`
  return sql`
    SELECT one.nucleo_code, greatest(one.first_day, other.first_day) AS first_day, least(one.last_day, other.last_day) AS last_day
    FROM (${range(sql`before`)}) AS one
    JOIN (${range(sql`after`)}) AS other ON one.nucleo_code IS NOT DISTINCT FROM other.nucleo_code`
}

/**
 * Trains with the days on which they run in one version and not in the other: within the train's days in the other version, or
 * after its last one. A train that the other version lacks entirely is new, or removed, whatever its days.
 */
function tripChanges(codes: { readonly within: string; readonly beyond: string }, runs: Sql, others: Sql): Sql {
  return sql`
    SELECT 'TRIP' AS what, CASE WHEN runs.service_date > ends.last_day THEN ${codes.beyond} ELSE ${codes.within} END AS change,
      subject_id, CAST(NULL AS VARCHAR) AS name, runs.nucleo_code,
      min(line) AS line, min(train_number) AS train_number, min(variant) AS variant,
      CAST(count(*) AS INTEGER) AS service_days, min(service_date) AS first_day, max(service_date) AS last_day
    FROM ${runs} AS runs
    JOIN covered ON runs.nucleo_code IS NOT DISTINCT FROM covered.nucleo_code
      AND runs.service_date BETWEEN covered.first_day AND covered.last_day
    LEFT JOIN (SELECT train_id, max(service_date) AS last_day FROM ${others} GROUP BY ALL) AS ends ON runs.train_id = ends.train_id
    ANTI JOIN ${others} AS others ON runs.subject_id = others.subject_id AND runs.service_date = others.service_date
    GROUP BY subject_id, runs.nucleo_code, change`
}
