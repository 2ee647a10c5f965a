import { DAY_DEFINITIONS } from '../../../lake/datasets/weather/codes.ts'
import { weatherDaily } from '../../../lake/datasets/weather/weather-daily.ts'
import { daysOfObservations, weatherDays } from '../../../lake/datasets/weather/weather-days.ts'
import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { column, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { type Column, col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { meaning, record } from '../../define/fields.ts'
import type { LakeView } from '../../define/lake-view.ts'
import { listOf, oneOf, withDefault } from '../../define/params.ts'
import { type Period, timeParams } from '../../define/params-time.ts'
import { Refused } from '../../define/problems.ts'
import { newestOf, rolledUntil } from '../../define/rolled.ts'
import { type NearStation, nearFields } from './near-road.ts'

const { columns } = weatherObservations
const INTERVALS = ['1h', '1d'] as const

/** A mean, to a tenth, of a column whose values of an hour are to a tenth or whole. */
const mean = (of: Column<number | null>, about: string): Column<number | null> =>
  col.decimal(0, about, { scale: 1, nullable: true, unit: of.unit as string, example: of.example as number | null })

/** One step of a series. */
export const weatherPoint = record('WeatherPoint', 'One step of the series of a weather station; stations are never averaged.', {
  station_id: columns.station_id,
  ...nearFields,
  period_start: col.instant(0, 'Begin of the step.', { example: '2025-12-06T08:00:00.000Z' }),
  interval: col.string(0, 'Length of the step.', { example: '1h' }),
  day_definition: col.code(0, 'Which hours the step is made of.', DAY_DEFINITIONS, { example: 'HOUR' }),
  precipitation_mm: meaning(columns.precipitation_mm, 'Precipitation, as water: the sum; null where any hour that is there lacks it.'),
  precipitation_trace: col.boolean(
    0,
    'True where precipitation too little to be measured fell (series=CLIMATOLOGY): observations do not tell.',
    {
      example: false,
    },
  ),
  temp_mean_c: mean(columns.temp_c, 'Temperature of the air: the mean of those at the end of each hour.'),
  temp_min_c: meaning(columns.temp_min_c, 'Lowest temperature of the air.'),
  temp_max_c: meaning(columns.temp_max_c, 'Highest temperature of the air.'),
  humidity_pct: mean(columns.humidity_pct, 'Relative humidity: the mean of those at the end of each hour.'),
  wind_mean_m_s: mean(columns.wind_mean_m_s, 'Mean of the wind of the last 10 minutes of each hour.'),
  gust_m_s: meaning(columns.gust_m_s, 'Strongest gust, of 3 s.'),
  gust_dir_deg: meaning(columns.gust_dir_deg, 'Direction of the strongest gust, the first of several.'),
  pressure_hpa: mean(columns.pressure_hpa, 'Pressure at the station: the mean of the hours.'),
  visibility_m: meaning(columns.visibility_m, 'Lowest visibility of those at the end of each hour.'),
  snow_cm: meaning(columns.snow_cm, 'Greatest depth of snow on the ground.'),
  coverage: col.decimal(0, 'Share of the hours of the step that there is an observation of, 0 to 1.', { scale: 6, unit: '1', example: 1 }),
})

type Field = keyof typeof weatherPoint.fields

/** What is measured, and the fields that go with it. */
const VARIABLES = {
  precipitation: ['precipitation_mm', 'precipitation_trace'],
  temperature: ['temp_mean_c', 'temp_min_c', 'temp_max_c'],
  humidity: ['humidity_pct'],
  wind: ['wind_mean_m_s', 'gust_m_s', 'gust_dir_deg'],
  pressure: ['pressure_hpa'],
  visibility: ['visibility_m'],
  snow: ['snow_cm'],
} as const satisfies Readonly<Record<string, readonly Field[]>>
const NAMES = Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]

/** The series that there are; an answer is of one of them. */
const SERIES = ['OBSERVATIONS', 'CLIMATOLOGY'] as const

/** Parameters of every series. */
export const seriesParams = {
  series: withDefault(
    oneOf('OBSERVATIONS for what was measured each hour, CLIMATOLOGY for the validated days of AEMET (interval=1d only).', SERIES),
    'OBSERVATIONS',
  ),
  time: timeParams(INTERVALS, { interval: '1h', span: '7 days (1h) or 31 days (1d)' }),
  variables: listOf(oneOf('Only these measures; with `fields`, the members that both leave.', NAMES, { example: 'precipitation' })),
}

/** Fields that are not asked for. */
export const omitVariables = {
  by: 'variables',
  fields: ({ variables }: { readonly variables: readonly string[] | null }): string[] =>
    variables ? NAMES.filter((name) => !variables.includes(name)).flatMap((name) => VARIABLES[name]) : [],
} as const

/** What each point stands for, and how it is made; see `Endpoint.figure`. */
export const SERIES_FIGURE = {
  grain: 'One station, in one hour, one day of Madrid or one climatological day of AEMET (day_definition).',
  method:
    'HOUR: observations as published. MADRID_DAY: the sum of precipitation, where no hour that is there lacks it; means of temperature, humidity, pressure and of the wind of the last 10 minutes of each hour; the lowest and highest temperature, the strongest gust, the lowest visibility and the deepest snow of its hours. AEMET_DAY: values as AEMET publishes them, of days in UTC, precipitation from 07 to 07 UTC.',
} as const

/** How every series is made, for its description. */
export const ABOUT_SERIES =
  "From the lake, which follows the live state by at most ten minutes: `meta.covered_from` and `meta.covered_until` say from when to when the series that is asked for has landed. `series=OBSERVATIONS` is made of AEMET's hourly observations, which are not validated: an hour is that which begins at `period_start`, days are those of Madrid, of 23 or 25 hours where the clock changes: those that are over are of the roll-up `weather_days`, later ones of the observations since. `series=CLIMATOLOGY` has AEMET's validated days, of which the newest come some four days later: in UTC, with precipitation from 07 to 07 UTC. The two are never mixed in one answer. Nothing is interpolated: an hour that a station did not report is absent and counts against the `coverage` of its day, what it did not measure is null."

const SPAN_DAYS = { '1h': 7, '1d': 31 } as const
const c = (name: keyof typeof columns): Sql => column(weatherObservations, name)

/** Datasets that series are made of. */
export const SERIES_FROM = [weatherObservations, weatherDays, weatherDaily] as const

/** What is asked of a series. */
interface Asked {
  readonly time: Period
  readonly series: string
}

/** True for days of hourly observations, which are rolled up once they are over. */
const isOfDays = ({ series, time }: Asked): boolean => series !== 'CLIMATOLOGY' && time.interval === '1d'

/** The datasets that a series is made of, the one whose landing it states first. */
export function seriesFrom(asked: Asked): readonly (typeof SERIES_FROM)[number][] {
  if (asked.series === 'CLIMATOLOGY') return [weatherDaily]
  return isOfDays(asked) ? [weatherObservations, weatherDays] : [weatherObservations]
}

/** How far the days of a series are rolled up, as a column `last` of one row; null of a series without such days. */
export function seriesRolled(asked: Asked, lake: Pick<LakeView, 'period'>, stations: readonly string[] | null): Sql | null {
  return isOfDays(asked) ? newestOf(rolledDays(periodOf(asked, lake), stations)) : null
}

/**
 * The series of some stations; `found` begins with what `seriesRolled` gave, where it gave something. Throws `Refused` for hours of what has days
 * only.
 */
export function seriesOf(
  stations: readonly NearStation[],
  asked: Asked,
  { lake, found }: { readonly lake: Pick<LakeView, 'period'>; readonly found: readonly AnyRow[] },
): Sql {
  const isDaily = asked.series === 'CLIMATOLOGY'
  if (isDaily && asked.time.interval !== '1d') throw new Refused('expected 1d: series=CLIMATOLOGY has days only', { parameter: 'interval' })
  const { from, to } = periodOf(asked, lake)
  const ids = stations.map((one) => one.station_id)
  const station_id = { in: ids }
  if (isDaily) return withRoad(climateDays(sql`${scan(weatherDaily, { station_id, day_starts_at: { gte: from, lt: to } })}`), stations)
  // An observation is of the hour before its time.
  const since = (begin: number): Scan =>
    scan(weatherObservations, { station_id, period_s: { eq: 3600 }, observed_at: { gt: begin, lte: to } })
  if (!isOfDays(asked)) return withRoad(hoursOf(sql`${since(from)}`), stations)
  const rolled = rolledUntil(found, { from, to })
  const days = sql`SELECT * FROM ${rolledDays({ from, to: rolled }, ids)} UNION ALL BY NAME ${daysOfObservations(since(rolled))}`
  return withRoad(daysOf(days), stations)
}

/** The period that is asked for, in whole steps: of climatology days of UTC. */
function periodOf({ time, series }: Asked, lake: Pick<LakeView, 'period'>): { readonly from: number; readonly to: number } {
  return lake.period(time, SPAN_DAYS[time.interval as keyof typeof SPAN_DAYS], series === 'CLIMATOLOGY' ? { daysInUtc: true } : {})
}

/** The days of a period that are rolled up, of some stations or of all. */
function rolledDays({ from, to }: { readonly from: number; readonly to: number }, stations: readonly string[] | null): Scan {
  return scan(weatherDays, { ...(stations ? { station_id: { in: stations } } : {}), period_start: { gte: from, lt: to } })
}

/** The points of some stations with what is told of these: where they lie by the road that was asked for. */
function withRoad(points: Sql, stations: readonly NearStation[]): Sql {
  const told = stations.map(
    ({ station_id, road, km, distance_m }) =>
      sql`(${station_id}, CAST(${road} AS VARCHAR), CAST(${km} AS DECIMAL(9, 1)), CAST(${distance_m} AS INTEGER))`,
  )
  if (told.length === 0) return sql`SELECT *, NULL AS road, NULL AS km, NULL AS distance_m FROM (${points}) WHERE false`
  return sql`SELECT * FROM (${points}) JOIN (VALUES ${join(told)}) AS near(station_id, road, km, distance_m) USING (station_id)`
}

const BEGIN = sql`(${c('observed_at')} - INTERVAL 1 HOUR)`

function hoursOf(rows: Sql): Sql {
  return sql`
    SELECT
      ${c('station_id')},
      ${BEGIN} AS period_start,
      '1h' AS "interval",
      'HOUR' AS day_definition,
      ${c('precipitation_mm')},
      false AS precipitation_trace,
      ${c('temp_c')} AS temp_mean_c,
      ${join((['temp_min_c', 'temp_max_c', 'humidity_pct', 'wind_mean_m_s', 'gust_m_s', 'gust_dir_deg'] as const).map(c))},
      ${join((['pressure_hpa', 'visibility_m', 'snow_cm'] as const).map(c))},
      1.0 AS coverage
    FROM ${rows}`
}

/** Steps of rows of `weather_days`. */
function daysOf(days: Sql): Sql {
  return sql`
    SELECT
      station_id,
      period_start,
      '1d' AS "interval",
      'MADRID_DAY' AS day_definition,
      precipitation_mm,
      false AS precipitation_trace,
      temp_mean_c,
      temp_min_c,
      temp_max_c,
      humidity_mean_pct AS humidity_pct,
      wind_mean_m_s,
      gust_m_s,
      gust_dir_deg,
      pressure_mean_hpa AS pressure_hpa,
      visibility_min_m AS visibility_m,
      snow_max_cm AS snow_cm,
      coverage
    FROM (${days})`
}

const d = (name: keyof typeof weatherDaily.columns): Sql => column(weatherDaily, name)

function climateDays(rows: Sql): Sql {
  return sql`
    SELECT
      ${d('station_id')},
      ${d('day_starts_at')} AS period_start,
      '1d' AS "interval",
      'AEMET_DAY' AS day_definition,
      ${d('precipitation_mm')},
      coalesce(${d('precipitation_flag')} = 'TRACE', false) AS precipitation_trace,
      ${join((['temp_mean_c', 'temp_min_c', 'temp_max_c'] as const).map(d))},
      ${d('humidity_mean_pct')} AS humidity_pct,
      ${join((['wind_mean_m_s', 'gust_m_s', 'gust_dir_deg'] as const).map(d))},
      NULL AS pressure_hpa,
      NULL AS visibility_m,
      NULL AS snow_cm,
      1.0 AS coverage
    FROM ${rows}`
}
