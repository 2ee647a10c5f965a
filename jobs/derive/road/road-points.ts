import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { vmsDevices } from '../../../lake/datasets/road/vms.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { defineDerived, type MonthSpan } from '../define.ts'

const DAY_MS = 86_400_000
/** How old a record may be: roads are re-measured now and then. */
const YEAR_MS = 366 * DAY_MS
/** A record farther than this from the median of its point belongs to another place, m. */
const APART_M = 500
/** Points of a road farther apart than this say nothing about each other, km. */
const NEIGHBOURS_KM = 5

/** Road points, from all records located on a road. */
export const roadPointsDerived = defineDerived({
  by: 'months',
  into: roadPoints,
  from: [incidents, v16Beacons, fuelStations, vmsDevices, trafficSensors],
  // The city's sensors are on streets, which have no kilometres.
  sources: roadPoints.sources,
  revision: 4,
  watermark: 'day',
  countsFirstDay: true,
  reads: ({ to }) => ({ from: to - YEAR_MS, to }),
  rows: pointsOf,
})

/** Metres between two positions, treating the Earth as flat: distances are short. */
const metres = (lat: Sql, lon: Sql, other: { readonly lat: Sql; readonly lon: Sql }): Sql =>
  sql`(111195 * sqrt((${lat} - ${other.lat}) ** 2 + ((${lon} - ${other.lon}) * cos(radians(${lat}))) ** 2))`

/**
 * The points known by the end of a month: each place of a thing counts once; for panels and detectors only the newest.
 * Outliers and points that contradict their neighbours on the road are left out;
 * see "Road points come from published records" in jobs/derive/README.md.
 */
function pointsOf({ month }: MonthSpan, [incident, beacon, station, panel, sensor]: readonly SqlPart[]): Sql {
  return sql`
    WITH located AS (
      SELECT 1 AS rank, source, source_id AS thing, road, km, province_code, position_lat AS lat, position_lon AS lon, observed_at FROM ${incident as SqlPart}
      UNION ALL SELECT 1, source, source_id, road, km_to, province_code, to_lat, to_lon, observed_at FROM ${incident as SqlPart}
      UNION ALL SELECT 1, source, source_id, road, km, province_code, position_lat, position_lon, observed_at FROM ${beacon as SqlPart}
      UNION ALL SELECT 1, source, panel_id, road, km, province_code, position_lat, position_lon, observed_at
        FROM (SELECT * FROM ${panel as SqlPart} QUALIFY row_number() OVER (PARTITION BY source, panel_id ORDER BY observed_at DESC, fetch_id DESC) = 1)
      UNION ALL SELECT 1, source, sensor_id, road, km, province_code, position_lat, position_lon, observed_at
        FROM (SELECT * FROM ${sensor as SqlPart} WHERE road IS NOT NULL QUALIFY row_number() OVER (PARTITION BY source, sensor_id ORDER BY observed_at DESC, fetch_id DESC) = 1)
      UNION ALL SELECT 2, source, station_id, road, km, province_code, position_lat, position_lon, observed_at
        FROM (SELECT * FROM ${station as SqlPart} QUALIFY row_number() OVER (PARTITION BY station_id ORDER BY observed_at DESC, fetch_id DESC) = 1)
        WHERE position_issue IS NULL AND status = 'ACTIVE'
    ),
    placed AS (
      SELECT rank, source, thing, ${foldRoadSql(sql`road`)} AS key, road,
        CAST(round(km, 1) AS DECIMAL(9, 1)) AS km, province_code, lat, lon, max(observed_at) AS observed_at
      FROM located
      WHERE road IS NOT NULL AND km >= 0.1 AND province_code IS NOT NULL AND lat IS NOT NULL
      GROUP BY ALL
    ),
    ranked AS (
      SELECT * FROM placed
      SEMI JOIN (SELECT key, province_code, km, min(rank) AS rank FROM placed GROUP BY ALL) USING (key, province_code, km, rank)
    ),
    near AS (
      SELECT * EXCLUDE (middle_lat, middle_lon) FROM (${withMedians(sql`ranked`)})
      WHERE ${metres(sql`lat`, sql`lon`, MEDIAN)} <= ${APART_M}
    ),
    points AS MATERIALIZED (
      SELECT rank, key, province_code, km, mode(road ORDER BY road) AS road, middle_lat AS lat, middle_lon AS lon,
        mode(source ORDER BY source) AS source, CAST(count(DISTINCT (source, thing)) AS INTEGER) AS records,
        CAST(ceil(greatest(
          max(${metres(sql`lat`, sql`lon`, MEDIAN)}), CASE WHEN rank = 2 THEN 1000 WHEN bool_or(source = 'dgt') THEN 100 ELSE 600 END
        )) AS INTEGER) AS error_m,
        max(observed_at) AS observed_at
      FROM (${withMedians(sql`near`)})
      GROUP BY rank, key, province_code, km, middle_lat, middle_lon
    ),
    authority AS (
      SELECT * EXCLUDE (around) FROM (${withNeighbours(sql`(SELECT * FROM points WHERE rank = 1)`)})
      WHERE 2 * len(list_filter(around, lambda one: ${apart(sql`one`)} <= 1100 * abs(one.km - km) + one.error_m + error_m)) >= len(around)
    ),
    kept AS (
      SELECT *
      FROM (
        SELECT *, coalesce(list_min(list_transform(around, lambda one: one.rank)), 2) AS judge
        FROM (${withNeighbours(sql`(SELECT * FROM authority UNION ALL SELECT * FROM points WHERE rank = 2)`)})
      )
      WHERE rank = 1 OR (len(around) > 0 AND len(list_filter(around, lambda one: one.rank = judge AND NOT ${isAsLong()})) = 0)
    )
    SELECT ${month} AS month, road, province_code, km, lat AS position_lat, lon AS position_lon, source, records, error_m, observed_at FROM kept`
}

const MEDIAN = { lat: sql`middle_lat`, lon: sql`middle_lon` } as const

/** Records with the median position of their post. Uses a join: window medians take many times as long. */
function withMedians(records: Sql): Sql {
  return sql`
    SELECT * FROM ${records}
    JOIN (SELECT key, province_code, km, median(lat) AS middle_lat, median(lon) AS middle_lon FROM ${records} GROUP BY ALL) USING (key, province_code, km)`
}

/** Points with `around`: the four before and the four after them on the road that are near enough to compare. */
function withNeighbours(points: Sql): Sql {
  return sql`
    SELECT * EXCLUDE (list), list_filter(coalesce(list, []), lambda one: abs(one.km - km) <= ${NEIGHBOURS_KM}) AS around
    FROM (
      SELECT *, list({rank: rank, km: km, lat: lat, lon: lon, error_m: error_m})
        OVER (PARTITION BY key, province_code ORDER BY km ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING EXCLUDE CURRENT ROW) AS list
      FROM ${points}
    )`
}

/** The straight line from a point to a neighbour, m. */
const apart = (one: Sql): Sql => metres(sql`lat`, sql`lon`, { lat: sql`${one}.lat`, lon: sql`${one}.lon` })

/** True if the straight line to a neighbour `one` is about as long as the posts say. */
const isAsLong = (): Sql => sql`${apart(sql`one`)} BETWEEN 500 * abs(one.km - km) - 300 AND 1100 * abs(one.km - km) + 300`
