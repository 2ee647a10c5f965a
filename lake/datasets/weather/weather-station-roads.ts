import { EARTH_M } from '../../places/distance.ts'
import { type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { roadPoints } from '../road/road-points.ts'
import { aemet } from './sources.ts'

/** How far from a located point of a road a station may be, m. */
export const NEAR_M = 10_000
/** More degrees of latitude than that. */
export const NEAR_DEG = 0.091

/** The sources of what is told of stations by roads. */
export const ROAD_WEATHER_SOURCES = [aemet, ...roadPoints.sources] as const

/**
 * The road sections within 10 km of weather stations. No feed fills it: it is derived from the stations and `road_points`; each month has the
 * roads that are known by its end, as that dataset has them.
 */
export const weatherStationRoads = defineDataset({
  id: 'weather_station_roads',
  domain: 'weather',
  title: 'Roads near weather stations',
  about:
    'Which sections of roads lie within 10 km of a weather station that has hourly observations, by the located points of roads (`road_points`), as known by the end of each month; the newest month answers alone. ' +
    'The way between points is not looked at: a road without points near a station is not near it.',
  sources: ROAD_WEATHER_SOURCES,
  columns: {
    month: col.string(
      1,
      'Month in Madrid by whose end it was known, YYYY-MM; of the current month by the begin of the day, on the first days by the hour.',
      {
        example: '2026-01',
      },
    ),
    station_id: col.string(2, "The publisher's id of the station (indicativo climatológico).", { example: '3195' }),
    road: col.string(3, 'Road designation, as most of its points have it.', { example: 'M-30' }),
    province_code: col.string(4, 'INE code of the province that the section lies in.', { example: '28' }),
    km_from: col.decimal(5, 'Least kilometre of its points that are within 10 km.', {
      scale: 1,
      unit: 'km',
      example: 2.1,
      min: 0,
      max: 2000,
    }),
    km_to: col.decimal(6, 'Greatest kilometre of its points that are within 10 km.', {
      scale: 1,
      unit: 'km',
      example: 11.7,
      min: 0,
      max: 2000,
    }),
    km: col.decimal(7, 'Kilometre of the point that is nearest to the station.', { scale: 1, unit: 'km', example: 9.4, min: 0, max: 2000 }),
    distance_m: col.integer(8, 'How far the station is from that point.', { unit: 'm', example: 1830, min: 0, max: NEAR_M }),
    points: col.integer(9, 'Points of the road in the province that are within 10 km.', { unit: '1', example: 14, min: 1 }),
    observed_at: col.instant(10, 'Newest record that its points rest on.', { example: '2026-01-02T12:23:28.413Z' }),
  },
  entity: ['month', 'station_id', 'road', 'province_code'],
  time: 'observed_at',
  land: 'replace',
  version: 'month',
  partition: [identity('month')],
  order: ['road', 'province_code', 'station_id'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})

/** Stations with hourly observations as `station_id`, `lat` and `lon`, from rows of `weather_stations`: each where its newest row with a position has it. */
export function observingStations(stations: SqlPart): Sql {
  return sql`
    SELECT station_id, last(position_lat ORDER BY observed_at) AS lat, last(position_lon ORDER BY observed_at) AS lon
    FROM ${stations}
    WHERE listing = 'OBSERVATION' AND position_lat IS NOT NULL
    GROUP BY station_id`
}

/**
 * Pairs of a station (`station_id`, `lat`, `lon`) and a point of a road (`lat`, `lon` and more) that are at most 10 km apart: `station_id`, the columns of the
 * point, and `distance` in metres, by the haversine formula as `distanceM` has it.
 */
export function stationsNearPoints(stations: Sql, points: Sql): Sql {
  const half = (one: Sql, other: Sql): Sql => sql`sin(radians(${one} - ${other}) / 2) ** 2`
  const part = sql`${half(sql`s.lat`, sql`p.lat`)} + cos(radians(s.lat)) * cos(radians(p.lat)) * ${half(sql`s.lon`, sql`p.lon`)}`
  return sql`
    SELECT *
    FROM (
      SELECT s.station_id, p.*, 2 * ${EARTH_M} * asin(sqrt(${part})) AS distance
      FROM ${stations} AS s
      JOIN ${points} AS p ON p.lat BETWEEN s.lat - ${NEAR_DEG} AND s.lat + ${NEAR_DEG}
    )
    WHERE distance <= ${NEAR_M}`
}
