import { DAY_DEFINITIONS } from '../../../lake/datasets/weather/codes.ts'
import { weatherDaily } from '../../../lake/datasets/weather/weather-daily.ts'
import { daysOfObservations, weatherDays } from '../../../lake/datasets/weather/weather-days.ts'
import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import type { Column } from '../../../lake/schema/columns.ts'
import { meaning } from '../../kernel/fields.ts'
import { oneOf, withDefault } from '../../kernel/params/params.ts'
import { hasAny, max, mean, min, ofGreatest, same, shareOfReadings, sum, value, weightedMean } from '../../kernel/reads/figures.ts'
import { measuresParam, omitMeasures, series, steps } from '../../kernel/reads/series.ts'
import { seriesSource } from '../../kernel/reads/series-source.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { nearFields } from './near-road.ts'

const { columns } = weatherObservations

/** A mean, to a tenth, of a column whose hourly values are tenths or whole numbers. */
const tenth = (of: Column<number | null>, about: string): Column<number | null> =>
  maybe.decimal(about, of.unit as string, 1, of.example as number | null)

/** Measures and their fields. */
const MEASURES = {
  precipitation: ['precipitation_mm', 'precipitation_trace'],
  temperature: ['temp_mean_c', 'temp_min_c', 'temp_max_c'],
  humidity: ['humidity_pct'],
  wind: ['wind_mean_m_s', 'gust_m_s', 'gust_dir_deg'],
  pressure: ['pressure_hpa'],
  visibility: ['visibility_m'],
  snow: ['snow_cm'],
} as const

/** One step of a series. */
export const weatherSeries = series({
  name: 'WeatherPoint',
  about: "One step of a weather station's series; stations are never averaged.",
  example: ['2025-12-06T08:00:00.000Z', '1h'],
  of: { station_id: columns.station_id, ...nearFields },
  fields: {
    day_definition: field.code('Hours that the step covers.', DAY_DEFINITIONS, 'HOUR'),
    precipitation_mm: meaning(columns.precipitation_mm, 'Precipitation as water, summed; null if any present hour lacks it.'),
    precipitation_trace: field.boolean(
      'True if there was a trace of precipitation, too little to measure (series=CLIMATOLOGY). Observations do not state it.',
      false,
    ),
    temp_mean_c: tenth(columns.temp_c, 'Air temperature: the mean of the values at the end of each hour.'),
    temp_min_c: meaning(columns.temp_min_c, 'Lowest temperature of the air.'),
    temp_max_c: meaning(columns.temp_max_c, 'Highest temperature of the air.'),
    humidity_pct: tenth(columns.humidity_pct, 'Relative humidity: the mean of the values at the end of each hour.'),
    wind_mean_m_s: tenth(columns.wind_mean_m_s, 'Mean of the wind in the last 10 minutes of each hour.'),
    gust_m_s: meaning(columns.gust_m_s, 'Strongest gust, of 3 s.'),
    gust_dir_deg: meaning(columns.gust_dir_deg, 'Direction of the strongest gust; the first of equals.'),
    pressure_hpa: tenth(columns.pressure_hpa, 'Pressure at the station: the mean of the hours.'),
    visibility_m: meaning(columns.visibility_m, 'Lowest visibility at the end of an hour.'),
    snow_cm: meaning(columns.snow_cm, 'Maximum depth of snow on the ground.'),
    coverage: field.decimal('Share of the hours of the step with an observation, 0 to 1.', '1', 6, 1),
  },
  measures: MEASURES,
  key: ['station_id'],
  sorts: ['station_id'],
})

/** Parameters of every series. */
export const seriesParams = {
  series: withDefault(
    oneOf('OBSERVATIONS for hourly measurements, CLIMATOLOGY for the validated days of AEMET (interval=1d only).', [
      'OBSERVATIONS',
      'CLIMATOLOGY',
    ]),
    'OBSERVATIONS',
  ),
  time: steps({ '1h': 7, '1d': 31 }, { initial: '1h' }),
  variables: measuresParam('Only these measures; with `fields`, the members that both select.', MEASURES, { example: 'precipitation' }),
}

/** Fields that are not requested. */
export const omitVariables = omitMeasures('variables', MEASURES)

/** Statistic metadata of each point; see `Endpoint.figure`. */
export const SERIES_FIGURE = {
  grain: 'One station, in one hour, one day of Madrid or one climatological day of AEMET (day_definition).',
  method:
    'HOUR: observations as published. MADRID_DAY: the sum of precipitation, if all present hours have it; means of temperature, humidity, pressure and of the wind in the last 10 minutes of each hour; lowest and highest temperature, strongest gust, lowest visibility and deepest snow of its hours. AEMET_DAY: values as AEMET publishes them, for days in UTC, precipitation from 07 to 07 UTC.',
} as const

/** Method of every series, for its description. */
export const ABOUT_SERIES =
  "`series=OBSERVATIONS` has AEMET's hourly observations, not validated, `series=CLIMATOLOGY` its validated days in UTC, some four days late. A reply never mixes them. Nothing is interpolated. `meta.covered_from` and `meta.covered_until` are the limits of the series."

/** Declarations shared by both sources. */
const common = { params: seriesParams, returns: weatherSeries, elsewhere: ['road', 'km', 'distance_m'] } as const

/** Hourly observations, each a record, and their days: past days come from the roll-up. */
const observations = seriesSource({
  ...common,
  of: weatherObservations,
  at: 'observed_at',
  where: { period_s: 3600 },
  rollup: { of: weatherDays, step: '1d', make: daysOfObservations },
  points: {
    step: '1h',
    fields: {
      station_id: same('station_id'),
      day_definition: value('HOUR'),
      precipitation_mm: sum('precipitation_mm'),
      precipitation_trace: value(false),
      temp_mean_c: mean('temp_c'),
      temp_min_c: min('temp_min_c'),
      temp_max_c: max('temp_max_c'),
      humidity_pct: mean('humidity_pct'),
      wind_mean_m_s: mean('wind_mean_m_s'),
      gust_m_s: max('gust_m_s'),
      gust_dir_deg: ofGreatest('gust_dir_deg', 'gust_m_s'),
      pressure_hpa: mean('pressure_hpa'),
      visibility_m: min('visibility_m'),
      snow_cm: max('snow_cm'),
      coverage: value(1),
    },
  },
  fields: {
    station_id: same('station_id'),
    day_definition: value('MADRID_DAY'),
    precipitation_mm: sum('precipitation_mm', { needsAll: true }),
    precipitation_trace: value(false),
    temp_mean_c: weightedMean('temp_mean_c', 'hours'),
    temp_min_c: min('temp_min_c'),
    temp_max_c: max('temp_max_c'),
    humidity_pct: weightedMean('humidity_mean_pct', 'hours'),
    wind_mean_m_s: weightedMean('wind_mean_m_s', 'hours'),
    gust_m_s: max('gust_m_s'),
    gust_dir_deg: ofGreatest('gust_dir_deg', 'gust_m_s'),
    pressure_hpa: weightedMean('pressure_mean_hpa', 'hours'),
    visibility_m: min('visibility_min_m'),
    snow_cm: max('snow_max_cm'),
    coverage: shareOfReadings({ count: 'hours', each_s: 'period_s' }),
  },
})

/** AEMET's validated days, in UTC. */
const climatology = seriesSource({
  ...common,
  of: weatherDaily,
  at: 'day_starts_at',
  closing: () => ({ daysInUtc: true }),
  lacks: { '1h': 'expected 1d: series=CLIMATOLOGY has days only' },
  points: { step: '1d' },
  fields: {
    station_id: same('station_id'),
    day_definition: value('AEMET_DAY'),
    precipitation_mm: sum('precipitation_mm'),
    precipitation_trace: hasAny('precipitation_flag', 'TRACE'),
    temp_mean_c: mean('temp_mean_c'),
    temp_min_c: min('temp_min_c'),
    temp_max_c: max('temp_max_c'),
    humidity_pct: mean('humidity_mean_pct'),
    wind_mean_m_s: mean('wind_mean_m_s'),
    gust_m_s: max('gust_m_s'),
    gust_dir_deg: ofGreatest('gust_dir_deg', 'gust_m_s'),
    pressure_hpa: value(null),
    visibility_m: value(null),
    snow_cm: value(null),
    coverage: value(1),
  },
})

/** Source datasets of both series endpoints. */
export const weatherSources = {
  by: ({ series }: { readonly series: 'OBSERVATIONS' | 'CLIMATOLOGY' }) => series,
  sources: { OBSERVATIONS: observations, CLIMATOLOGY: climatology },
  from: [weatherObservations, weatherDays, weatherDaily],
} as const
