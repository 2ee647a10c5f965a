import { type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { type Column, col, orNull } from '../../schema/columns.ts'
import { month } from '../../schema/dataset.ts'
import { BEARING, CELSIUS, COUNT, PERCENT, PRESSURE, RAIN, SNOW, WIND } from '../../schema/quantities.ts'
import { MADRID } from '../../schema/time.ts'
import { weatherDataset } from '../domains.ts'
import { PRECIPITATION_FLAGS } from './codes.ts'
import { aemet } from './sources.ts'
import { ROAD_WEATHER_SOURCES } from './weather-station-roads.ts'

/** Days are aggregated from hours. */
const PERIOD_S = 3600
const NONE = { nullable: true } as const

/**
 * Hourly observations aggregated by day in Madrid, once a day is over. No feed fills it. Days of AEMET's climatology
 * (`weather_daily`) are in UTC and never mixed with these.
 */
export const weatherDays = weatherDataset({
  id: 'weather_days',
  title: 'Weather by station and day',
  about:
    'Aggregated hourly observations of a weather station by past day in Madrid, source and observation period. ' +
    'They are not validated. Quantities that a station did not measure are null; missing hours reduce the coverage.',
  sources: [aemet],
  columns: {
    month: col.string(1, 'Month of the day in Madrid, YYYY-MM.', { example: '2025-12' }),
    source: col.string(2, 'Source of the observations.', { example: 'aemet' }),
    station_id: col.string(3, "The publisher's id of the station (indicativo climatológico).", { example: '3195' }),
    period_s: col.integer(4, 'Length of the period of each observation.', { unit: 's', example: PERIOD_S, min: 1 }),
    local_date: col.local_date(5, 'Day in Madrid.', { example: '2025-12-06' }),
    period_start: col.instant(6, 'Begin of the day.', { example: '2025-12-05T23:00:00.000Z' }),
    hours: col.integer(7, 'Hours of the day with an observation, of 24, or 23 or 25 at clock changes.', {
      unit: '1',
      example: 24,
      min: 1,
      max: 25,
    }),
    precipitation_mm: col.decimal(8, 'Precipitation, as water: the sum; null if any reported hour lacks it.', { ...RAIN, example: 3.4 }),
    temp_mean_c: col.decimal(9, 'Temperature of the air: the mean of those at the end of each hour.', { ...CELSIUS, example: 8.7 }),
    temp_min_c: col.decimal(10, 'Lowest temperature of the air.', { ...CELSIUS, example: 4.9 }),
    temp_max_c: col.decimal(11, 'Highest temperature of the air.', { ...CELSIUS, example: 13.2 }),
    humidity_mean_pct: col.decimal(12, 'Relative humidity: the mean of those at the end of each hour.', {
      ...PERCENT,
      nullable: true,
      scale: 1,
      example: 74.3,
    }),
    wind_mean_m_s: col.decimal(13, 'Mean of the wind of the last 10 minutes of each hour.', { ...WIND, example: 2.6 }),
    gust_m_s: col.decimal(14, 'Strongest gust, of 3 s.', { ...WIND, example: 9.1 }),
    gust_dir_deg: col.integer(15, 'Direction of that gust, of the first if several were equally strong.', {
      ...BEARING,
      nullable: true,
      example: 350,
    }),
    pressure_mean_hpa: col.decimal(16, 'Pressure at the station: the mean of the hours.', { ...PRESSURE, example: 937.6 }),
    visibility_min_m: col.integer(17, 'Lowest visibility of those at the end of each hour.', {
      ...NONE,
      unit: 'm',
      example: 4000,
      min: 0,
      max: 200_000,
    }),
    snow_max_cm: col.decimal(18, 'Greatest depth of snow on the ground.', { ...SNOW, example: null }),
    coverage: col.decimal(19, 'Share of the hours of the day with an observation, 0 to 1.', {
      scale: 6,
      unit: '1',
      example: 1,
    }),
  },
  entity: ['month', 'source', 'station_id', 'period_s'],
  time: 'period_start',
  version: 'month',
  order: ['source', 'station_id', 'period_start'],
})

/**
 * Rows of `weather_days` without the month, from rows of `weather_observations`: by station and day in Madrid. Their time is the
 * begin of the hour: see `rowsByStart`.
 */
export function daysOfObservations(observations: SqlPart): Sql {
  const begin = (date: Sql): Sql => sql`timezone(${MADRID}, CAST(${date} AS TIMESTAMP))`
  const tenth = (name: Sql): Sql => sql`CAST(avg(${name}) AS DECIMAL(9, 1))`
  return sql`
    SELECT
      source,
      station_id,
      period_s,
      local_date,
      ${begin(sql`local_date`)} AS period_start,
      CAST(count(*) AS INTEGER) AS hours,
      CASE WHEN count(*) = count(precipitation_mm) THEN CAST(sum(precipitation_mm) AS DECIMAL(9, 1)) END AS precipitation_mm,
      ${tenth(sql`temp_c`)} AS temp_mean_c,
      min(temp_min_c) AS temp_min_c,
      max(temp_max_c) AS temp_max_c,
      ${tenth(sql`humidity_pct`)} AS humidity_mean_pct,
      ${tenth(sql`wind_mean_m_s`)} AS wind_mean_m_s,
      max(gust_m_s) AS gust_m_s,
      first(gust_dir_deg ORDER BY gust_m_s DESC, observed_at) FILTER (WHERE gust_m_s IS NOT NULL) AS gust_dir_deg,
      ${tenth(sql`pressure_hpa`)} AS pressure_mean_hpa,
      min(visibility_m) AS visibility_min_m,
      max(snow_cm) AS snow_max_cm,
      CAST(least(1, count(*) * ${PERIOD_S} / epoch(${begin(sql`(local_date + 1)`)} - ${begin(sql`local_date`)})) AS DECIMAL(7, 6)) AS coverage
    FROM (
      SELECT *, CAST(timezone(${MADRID}, observed_at) AS DATE) AS local_date
      FROM ${observations}
      WHERE period_s = ${PERIOD_S}
    )
    GROUP BY source, station_id, period_s, local_date`
}

/** Time of a measurement, to the minute or hour as published. */
const moment = (id: number, about: string, example: string | null): Column<number | null> =>
  col.instant(id, `${about}; null if not stated, or at several times.`, orNull(example))

/** Daily climatology: AEMET's validated values, published some days later. A day is republished in full. */
export const weatherDaily = weatherDataset({
  id: 'weather_daily',
  title: 'Daily climatology',
  about:
    'Validated values of each weather station and day, published some four days later. Precipitation is from 07 to 07 UTC, everything else from 00 to 24 h UTC, so these days differ from days of hourly observations.',
  sources: [aemet],
  columns: {
    source: col.string(1, 'Source of the values.', { example: 'aemet' }),
    day: col.string(2, 'Day of the file, in UTC; it is republished in full.', { example: '2017-01-03' }),
    station_id: col.string(3, "The publisher's id of the station (indicativo climatológico).", { example: '3195' }),
    day_starts_at: col.instant(4, 'Begin of the day, 00 UTC.', { example: '2017-01-03T00:00:00.000Z' }),
    precipitation_mm: col.decimal(5, 'Precipitation from 07 to 07 UTC; 0 if too little fell to measure (precipitation_flag).', {
      ...{ ...NONE, scale: 1, unit: 'mm', example: 0, min: 0, max: 2000 },
    }),
    precipitation_flag: col.code(6, 'Special precipitation value.', PRECIPITATION_FLAGS, orNull('TRACE')),
    temp_mean_c: col.decimal(7, 'Mean temperature of the air.', { ...NONE, scale: 1, unit: 'Cel', example: 6, min: -60, max: 60 }),
    temp_min_c: col.decimal(8, 'Lowest temperature of the air.', { ...NONE, scale: 1, unit: 'Cel', example: 1.7, min: -60, max: 60 }),
    temp_min_at: moment(9, 'Time of the lowest temperature', '2017-01-03T05:50:00.000Z'),
    temp_max_c: col.decimal(10, 'Highest temperature of the air.', { ...NONE, scale: 1, unit: 'Cel', example: 10.2, min: -60, max: 60 }),
    temp_max_at: moment(11, 'Time of the highest temperature', '2017-01-03T14:20:00.000Z'),
    wind_mean_m_s: col.decimal(12, 'Mean wind.', { ...WIND, example: 0 }),
    gust_m_s: col.decimal(13, 'Strongest gust.', { ...WIND, example: 3.3 }),
    gust_dir_deg: col.integer(14, 'Direction of that gust, to ten degrees; null if it varied or is not stated.', {
      ...{ ...NONE, unit: 'deg', example: 250, min: 0, max: 360 },
    }),
    gust_at: moment(15, 'When it blew', '2017-01-03T14:10:00.000Z'),
    pressure_max_hpa: col.decimal(16, 'Highest pressure at the station.', {
      ...{ ...NONE, scale: 1, unit: 'hPa', example: 948.6, min: 500, max: 1100 },
    }),
    pressure_max_at: moment(17, 'When it was highest, to the hour', null),
    pressure_min_hpa: col.decimal(18, 'Lowest pressure at the station.', {
      ...{ ...NONE, scale: 1, unit: 'hPa', example: 943.6, min: 500, max: 1100 },
    }),
    pressure_min_at: moment(19, 'When it was lowest, to the hour', '2017-01-03T01:00:00.000Z'),
    sunshine_h: col.decimal(20, 'Sunshine.', { ...NONE, scale: 1, unit: 'h', example: null, min: 0, max: 24 }),
    humidity_mean_pct: col.integer(21, 'Mean relative humidity.', { ...PERCENT, nullable: true, example: null }),
    humidity_max_pct: col.integer(22, 'Highest relative humidity.', { ...PERCENT, nullable: true, example: null }),
    humidity_max_at: moment(23, 'When it was highest', null),
    humidity_min_pct: col.integer(24, 'Lowest relative humidity.', { ...PERCENT, nullable: true, example: null }),
    humidity_min_at: moment(25, 'When it was lowest', null),
  },
  entity: ['source', 'day', 'station_id'],
  time: 'day_starts_at',
  version: 'day',
  isObservation: true,
  partition: [month('day_starts_at')],
  order: ['source', 'station_id', 'day_starts_at'],
})

/**
 * Weather by road and day, derived from `weather_days` and `weather_station_roads`: extremes and counts of stations near a road.
 * No means, since a station says nothing about the rest of the road.
 */
export const weatherRoadDays = weatherDataset({
  id: 'weather_road_days',
  title: 'Weather by road and day',
  about:
    'Extremes measured in a day in Madrid by weather stations within 10 km of a road in a province, and the number of stations with rain or frost, by source and observation period. ' +
    'The stations are those of the newest month of `weather_station_roads`, for all days; their own values are in `weather_days`.',
  sources: ROAD_WEATHER_SOURCES,
  columns: {
    month: col.string(1, 'Month of the day in Madrid, YYYY-MM.', { example: '2025-12' }),
    source: col.string(2, 'Source of the observations.', { example: 'aemet' }),
    period_s: col.integer(3, 'Length of the period of each observation.', { unit: 's', example: 3600, min: 1 }),
    road: col.string(4, 'Road designation, in its most common spelling.', { example: 'A-6' }),
    province_code: col.string(5, 'INE code of the province of the stretch.', { example: '28' }),
    local_date: col.local_date(6, 'Day in Madrid.', { example: '2025-12-06' }),
    period_start: col.instant(7, 'Begin of the day.', { example: '2025-12-05T23:00:00.000Z' }),
    station_ids: col.list([8, 9], 'Stations near it that reported on the day.', col.string(0, 'Id of a station.', { example: '3195' }), {
      example: ['2462', '3195'],
    }),
    stations: col.integer(10, 'Number of these stations.', { unit: '1', example: 2, min: 1 }),
    wet_stations: col.integer(11, 'Stations with 0.1 mm of precipitation or more.', { ...COUNT, example: 1 }),
    frost_stations: col.integer(12, 'Stations with a temperature below 0 °C.', { ...COUNT, example: 0 }),
    precipitation_max_mm: col.decimal(13, 'Most precipitation of the day at one station.', { ...RAIN, example: 3.4 }),
    temp_min_c: col.decimal(14, 'Lowest temperature of the air at one station.', { ...CELSIUS, example: -1.2 }),
    temp_max_c: col.decimal(15, 'Highest temperature of the air at one station.', { ...CELSIUS, example: 13.2 }),
    gust_m_s: col.decimal(16, 'Strongest gust, of 3 s, at one station.', { ...WIND, example: 9.1 }),
    visibility_min_m: col.integer(17, 'Lowest visibility at one station.', { ...NONE, unit: 'm', example: 4000, min: 0, max: 200_000 }),
    snow_max_cm: col.decimal(18, 'Greatest depth of snow on the ground at one station.', { ...SNOW, example: null }),
    coverage: col.decimal(19, 'Share of the hours of the day that these stations reported, 0 to 1.', {
      scale: 6,
      unit: '1',
      example: 0.979167,
    }),
  },
  entity: ['month', 'source', 'period_s', 'road', 'province_code'],
  time: 'period_start',
  version: 'month',
  order: ['source', 'road', 'province_code', 'period_start'],
})
