import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { daysOfObservations, weatherDays, weatherRoadDays } from '../../../lake/datasets/weather/weather-days.ts'
import { observingStations, stationsNearPoints, weatherStationRoads } from '../../../lake/datasets/weather/weather-station-roads.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { type SqlPart, sql } from '../../../lake/query/sql.ts'
import { defineDerived } from '../define.ts'

/** Weather by station and day. */
export const weatherDaysDerived = defineDerived({
  by: 'months',
  into: weatherDays,
  from: [weatherObservations],
  revision: 1,
  watermark: 'day',
  rows: ({ month }, [observations]) => sql`SELECT ${month} AS month, * FROM (${daysOfObservations(observations as SqlPart)})`,
})

/** More than a year: how far back the records of a month's road points reach. */
const YEAR_MS = 366 * 86_400_000

/** Roads near weather stations: for each month in which stations were published, with the road points of that month. */
export const weatherStationRoadsDerived = defineDerived({
  by: 'months',
  into: weatherStationRoads,
  from: [weatherStations, roadPoints],
  revision: 1,
  watermark: 'day',
  countsFirstDay: true,
  reads: ({ to }) => ({ from: to - YEAR_MS, to }),
  rows: ({ month }, [stations, points]) => sql`
    WITH points AS MATERIALIZED (
      SELECT ${foldRoadSql(sql`road`)} AS key, road, province_code, km, position_lat AS lat, position_lon AS lon, observed_at
      FROM ${points as SqlPart}
      WHERE month = ${month}
    ),
    roads AS (SELECT key, mode(road ORDER BY road) AS road FROM points GROUP BY key)
    SELECT ${month} AS month, station_id, roads.road, province_code, min(km) AS km_from, max(km) AS km_to,
      arg_min(km, (distance, km)) AS km, CAST(round(min(distance)) AS INTEGER) AS distance_m,
      CAST(count(*) AS INTEGER) AS points, max(observed_at) AS observed_at
    FROM (${stationsNearPoints(sql`(${observingStations(stations as SqlPart)})`, sql`points`)})
    JOIN roads USING (key)
    GROUP BY station_id, roads.road, province_code`,
})

/** Weather by road and day: for each month of days, with the roads near stations as currently known. */
export const weatherRoadDaysDerived = defineDerived({
  by: 'versions',
  into: weatherRoadDays,
  from: [weatherDays, weatherStationRoads],
  newest: [weatherStationRoads],
  revision: 1,
  parts: (months) => months.map((version) => ({ version, from: [version] })),
  rows: ({ version }, [newest = '']) => sql`
    SELECT month, source, period_s, road, province_code, local_date, period_start,
      list(station_id ORDER BY station_id) AS station_ids,
      CAST(count(*) AS INTEGER) AS stations,
      CAST(count(*) FILTER (WHERE precipitation_mm >= 0.1) AS INTEGER) AS wet_stations,
      CAST(count(*) FILTER (WHERE temp_min_c < 0) AS INTEGER) AS frost_stations,
      max(precipitation_mm) AS precipitation_max_mm,
      min(temp_min_c) AS temp_min_c,
      max(temp_max_c) AS temp_max_c,
      max(gust_m_s) AS gust_m_s,
      min(visibility_min_m) AS visibility_min_m,
      max(snow_max_cm) AS snow_max_cm,
      CAST(avg(coverage) AS DECIMAL(7, 6)) AS coverage
    FROM ${scan(weatherDays, { month: { eq: version } })} AS days
    JOIN (SELECT station_id, road, province_code FROM ${scan(weatherStationRoads, { month: { eq: newest } })}) USING (station_id)
    GROUP BY month, source, period_s, road, province_code, local_date, period_start`,
})
