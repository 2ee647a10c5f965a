import { type Sql, type SqlPart, sql } from '../../query/sql.ts'
import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { BEARING, CELSIUS, PERCENT, PRESSURE, RAIN, SNOW, WIND } from '../../schema/quantities.ts'
import { MADRID } from '../../schema/time.ts'
import { aemet } from './sources.ts'

/** Days are aggregated from hours. */
const PERIOD_S = 3600
const NONE = { nullable: true } as const

/**
 * Hourly observations aggregated by day in Madrid, once a day is over. No feed fills it. Days of AEMET's climatology
 * (`weather_daily`) are in UTC and never mixed with these.
 */
export const weatherDays = defineDataset({
  id: 'weather_days',
  domain: 'weather',
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
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
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
