import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { DAY_DEFINITIONS } from '../../../lake/datasets/weather/codes.ts'
import { daysOfObservations, weatherDaily, weatherDays } from '../../../lake/datasets/weather/weather-days.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Column } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { field, maybe, meaning } from '../../kernel/fields.ts'
import { group, listOf, oneOf, withDefault } from '../../kernel/params/params.ts'
import { roadParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import {
  hasAny,
  max,
  mean,
  min,
  ofGreatest,
  parameter,
  same,
  shareOfReadings,
  sum,
  value,
  weightedMean,
} from '../../kernel/reads/figures.ts'
import { measuresParam, omitMeasures, series, steps } from '../../kernel/reads/series.ts'
import { seriesBy } from '../../kernel/reads/series-of.ts'
import { seriesSource } from '../../kernel/reads/series-source.ts'
import { type NearStation, NOWHERE, nearFields, stationsFound, stationsNearSql } from './near-road.ts'
import { stationId, WEATHER_PAGE } from './station.ts'

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
const weatherSeries = series({
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
const seriesParams = {
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
const omitVariables = omitMeasures('variables', MEASURES)

/** Statistic metadata of each point; see `Endpoint.figure`. */
const SERIES_FIGURE = {
  grain: 'One station, in one hour, one day of Madrid or one climatological day of AEMET (day_definition).',
  method:
    'HOUR: observations as published. MADRID_DAY: the sum of precipitation, if all present hours have it; means of temperature, humidity, pressure and of the wind in the last 10 minutes of each hour; lowest and highest temperature, strongest gust, lowest visibility and deepest snow of its hours. AEMET_DAY: values as AEMET publishes them, for days in UTC, precipitation from 07 to 07 UTC.',
} as const

/** Method of every series, for its description. */
const ABOUT_SERIES =
  "`series=OBSERVATIONS` has AEMET's hourly observations, not validated, `series=CLIMATOLOGY` its validated days in UTC, some four days late. A reply never mixes them. Nothing is interpolated. `meta.covered_from` and `meta.covered_until` are the limits of the series."

/** Declarations shared by both sources. */
const common = { params: seriesParams, returns: weatherSeries, elsewhere: ['road', 'km', 'distance_m'] } as const

/** Figures of columns that all of the tables have. */
const everywhere = {
  station_id: same('station_id'),
  temp_min_c: min('temp_min_c'),
  temp_max_c: max('temp_max_c'),
  gust_m_s: max('gust_m_s'),
  gust_dir_deg: ofGreatest('gust_dir_deg', 'gust_m_s'),
} as const

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
      ...everywhere,
      day_definition: value('HOUR'),
      precipitation_mm: sum('precipitation_mm'),
      precipitation_trace: value(false),
      temp_mean_c: mean('temp_c'),
      humidity_pct: mean('humidity_pct'),
      wind_mean_m_s: mean('wind_mean_m_s'),
      pressure_hpa: mean('pressure_hpa'),
      visibility_m: min('visibility_m'),
      snow_cm: max('snow_cm'),
      coverage: value(1),
    },
  },
  fields: {
    ...everywhere,
    day_definition: value('MADRID_DAY'),
    precipitation_mm: sum('precipitation_mm', { needsAll: true }),
    precipitation_trace: value(false),
    temp_mean_c: weightedMean('temp_mean_c', 'hours'),
    humidity_pct: weightedMean('humidity_mean_pct', 'hours'),
    wind_mean_m_s: weightedMean('wind_mean_m_s', 'hours'),
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
    ...everywhere,
    day_definition: value('AEMET_DAY'),
    precipitation_mm: sum('precipitation_mm'),
    precipitation_trace: hasAny('precipitation_flag', 'TRACE'),
    temp_mean_c: mean('temp_mean_c'),
    humidity_pct: mean('humidity_mean_pct'),
    wind_mean_m_s: mean('wind_mean_m_s'),
    pressure_hpa: value(null),
    visibility_m: value(null),
    snow_cm: value(null),
    coverage: value(1),
  },
})

/** Source datasets of both series endpoints. */
const weatherSources = {
  by: ({ series }: { readonly series: 'OBSERVATIONS' | 'CLIMATOLOGY' }) => series,
  sources: { OBSERVATIONS: observations, CLIMATOLOGY: climatology },
  from: [weatherObservations, weatherDays, weatherDaily],
} as const

const EXAMPLE = { from: dayFromToday(-1, '2025-12-06'), to: dayFromToday(1, '2025-12-07'), interval: '1h' }
const read = { returns: weatherSeries, ...weatherSources, omit: omitVariables } as const
const stationParams = { id: stationId, ...seriesParams }

/** The series of one station. */
export const weatherStationHistory = defineEndpoint({
  path: '/api/clima/estaciones/{id}/historico',
  plan: 'PRO',
  summary: 'Series of one weather station, by hour or day',
  summary_es: 'Serie de una estación meteorológica, por hora o día',
  about: ABOUT_SERIES,
  explained: WEATHER_PAGE,
  statistic: SERIES_FIGURE,
  params: stationParams,
  returns: weatherSeries,
  read: seriesBy({
    ...read,
    params: stationParams,
    among: { key: 'station_id', fields: nearFields, known: (p) => [p.id], things: (p) => [{ station_id: p.id, ...NOWHERE }] },
    subject: { of: weatherStations, where: { station_id: parameter('id') } },
  }),
  example: { id: '3195', ...EXAMPLE },
})

/** The parameters `station` or `road`. */
const stationsParams = group(
  { station: listOf({ ...stationId, required: false, fallback: null }), road: roadParam },
  ({ station, road }) => {
    if (station !== null && road !== null)
      throw new InvalidParam('cannot be combined with road; allowed: either station or road', { parameter: 'station' })
    if (station === null && road === null) throw new InvalidParam('is required; allowed: station or road', { parameter: 'station' })
    return { stations: [...new Set(station)], road }
  },
)

const s = (name: keyof typeof weatherStations.columns): Sql => column(weatherStations, name)

/** A query of the existing ones of some stations. */
function knownStations(stations: readonly string[]): Sql {
  return sql`SELECT DISTINCT ${s('station_id')} FROM ${scan(weatherStations, { station_id: { in: stations } })}`
}

/** The requested stations. Throws `InvalidParam` for the first that does not exist. */
function stationsKnown(stations: readonly string[], found: readonly AnyRow[]): NearStation[] {
  const known = new Set(found.map(({ station_id }) => station_id))
  const lacking = stations.find((id) => !known.has(id))
  if (lacking !== undefined)
    throw new InvalidParam('expected the id of a weather station, as in /api/clima/estaciones', { parameter: 'station', value: lacking })
  return stations.map((station_id) => ({ station_id, ...NOWHERE }))
}

const severalParams = { of: stationsParams, ...seriesParams }

/** The series of stations. */
export const weatherHistory = defineEndpoint({
  path: '/api/clima/historico',
  plan: 'PRO',
  summary: 'Series of weather stations, by their ids or near a road, listed separately',
  summary_es: 'Series de estaciones meteorológicas, por identificador o junto a una carretera',
  about: `Several stations, or those within 10 km of a road, never averaged. ${ABOUT_SERIES}`,
  explained: WEATHER_PAGE,
  statistic: SERIES_FIGURE,
  params: severalParams,
  returns: weatherSeries,
  read: seriesBy({
    ...read,
    params: severalParams,
    from: [...weatherSources.from, weatherStations, roadPoints],
    also: (p) => [weatherStations, ...(p.of.road === null ? [] : [roadPoints])],
    among: {
      key: 'station_id',
      fields: nearFields,
      known: (p) => (p.of.road === null ? p.of.stations : null),
      query: (p) => (p.of.road === null ? knownStations(p.of.stations) : stationsNearSql(p.of.road)),
      things: (p, found) => (p.of.road === null ? stationsKnown(p.of.stations, found) : stationsFound(found)),
    },
  }),
  example: { station: '3195', ...EXAMPLE },
})
