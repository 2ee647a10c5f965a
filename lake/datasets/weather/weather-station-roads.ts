import { EARTH_M } from '../../places/distance.ts'
import { type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { weatherDataset } from '../domains.ts'
import { roadPoints } from '../road/road-network.ts'
import { aemet } from './sources.ts'

/** Greatest distance between a station and a located point of a road, m. */
export const NEAR_M = 10_000
/** `NEAR_M` as degrees of latitude, rounded up. */
export const NEAR_DEG = 0.091

/** The sources of weather by road. */
export const ROAD_WEATHER_SOURCES = [aemet, ...roadPoints.sources] as const

/**
 * Road sections within 10 km of weather stations, derived from the stations and `road_points`. Each month has the roads that
 * `road_points` knows at its end. No feed fills it.
 */
export const weatherStationRoads = weatherDataset({
  id: 'weather_station_roads',
  title: 'Roads near weather stations',
  about:
    'Road sections within 10 km of a weather station with hourly observations, by the located points of roads (`road_points`) known at the end of each month; only the newest month is used. ' +
    'The road between points is ignored: a road without points near a station does not count as near.',
  sources: ROAD_WEATHER_SOURCES,
  columns: {
    month: col.string(
      1,
      'Month in Madrid, YYYY-MM. Rows are as known at its end; in the current month, at the start of the day, or of the hour on its first days.',
      {
        example: '2026-01',
      },
    ),
    station_id: col.string(2, "The publisher's id of the station (indicativo climatológico).", { example: '3195' }),
    road: col.string(3, 'Road designation, in its most common spelling.', { example: 'M-30' }),
    province_code: col.string(4, 'INE code of the province of the section.', { example: '28' }),
    km_from: col.decimal(5, 'Lowest kilometre of its points within 10 km.', {
      scale: 1,
      unit: 'km',
      example: 2.1,
      min: 0,
      max: 2000,
    }),
    km_to: col.decimal(6, 'Highest kilometre of its points within 10 km.', {
      scale: 1,
      unit: 'km',
      example: 11.7,
      min: 0,
      max: 2000,
    }),
    km: col.decimal(7, 'Kilometre of the point nearest to the station.', { scale: 1, unit: 'km', example: 9.4, min: 0, max: 2000 }),
    distance_m: col.integer(8, 'Distance from the station to that point.', { unit: 'm', example: 1830, min: 0, max: NEAR_M }),
    points: col.integer(9, 'Number of points of the road in the province within 10 km.', { unit: '1', example: 14, min: 1 }),
    observed_at: col.instant(10, 'Newest record of its points.', { example: '2026-01-02T12:23:28.413Z' }),
  },
  entity: ['month', 'station_id', 'road', 'province_code'],
  time: 'observed_at',
  version: 'month',
  order: ['road', 'province_code', 'station_id'],
})

/**
 * Stations with hourly observations as `station_id`, `lat` and `lon`, from rows of `weather_stations`: at the position of the
 * newest row that has one.
 */
export function observingStations(stations: SqlPart): Sql {
  return sql`
    SELECT station_id, last(position_lat ORDER BY observed_at) AS lat, last(position_lon ORDER BY observed_at) AS lon
    FROM ${stations}
    WHERE listing = 'OBSERVATION' AND position_lat IS NOT NULL
    GROUP BY station_id`
}

/**
 * Pairs of a station (`station_id`, `lat`, `lon`) and a road point (`lat`, `lon` and more) at most 10 km apart: `station_id`, the
 * point's columns, and `distance` in metres by the haversine formula, as in `distanceM`.
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
