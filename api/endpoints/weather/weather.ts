import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { DRIVING_CONDITIONS } from '../../../lake/datasets/weather/codes.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { defineEndpoint, keyedList, type StatesOf } from '../../kernel/endpoint.ts'
import { field, joined, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, placeFilter } from '../../kernel/filters.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { originFields } from '../common-fields.ts'
import { ABOUT_ROADS, nearFields, nearStretch, pointsOfRoad, stretchParams } from './near-road.ts'
import { type Station, stationFields, stationKey, stationsOf, WEATHER_PAGE } from './station.ts'

const { columns } = weatherObservations

/** Maximum age (ms) of a current observation at the newest publication: nine in ten stations report within three hours. */
const NOW_MS = 3 * 3_600_000
/** Fog as the WMO defines it. */
const FOG_BELOW_M = 1000
/** Strong wind as AEMET's lowest warning of gusts (70 km/h). */
export const GUST_FROM_M_S = 19.4
/** Precipitation counts as snow at this temperature or below, where rain would freeze. */
export const SNOW_UP_TO_C = 1

const weather = record('DrivingWeather', 'The weather of the last hour at a station.', {
  id: columns.station_id,
  ...pick(stationFields, 'name', 'province', 'province_code', 'municipality_code', 'altitude_m'),
  ...nearFields,
  conditions: field.list(
    "Adverse driving conditions, from the station's measurements; empty if none.",
    field.code('A condition.', DRIVING_CONDITIONS),
    ['RAIN'],
  ),
  ...pick(columns, 'precipitation_mm', 'solid_precipitation_mm', 'snow_cm', 'visibility_m', 'wind_mean_m_s', 'wind_dir_deg'),
  ...pick(columns, 'gust_m_s', 'gust_dir_deg', 'temp_c', 'ground_temp_c', 'humidity_pct', 'period_s'),
  position: stationFields.position,
  ...originFields(columns, { source_id: columns.station_id }),
})

type Weather = ValueOf<typeof weather.fields>

const stationParts = [weatherObservations, { columns: stationFields }, { columns: nearFields }] as const
const toWeather = joined<typeof weather.fields, [StateRow<typeof weatherObservations>, Station | undefined]>(stationParts, weather, {
  name: (row, station) => station?.name ?? row.station_id,
  conditions: conditionsOf,
})

/** Adverse driving conditions of an observation, in list order. */
export function conditionsOf(
  one: Pick<
    StateRow<typeof weatherObservations>,
    'precipitation_mm' | 'solid_precipitation_mm' | 'temp_c' | 'snow_cm' | 'visibility_m' | 'gust_m_s'
  >,
): string[] {
  const falls = (one.precipitation_mm ?? 0) > 0
  const snows = (one.solid_precipitation_mm ?? 0) > 0 || (falls && one.temp_c !== null && one.temp_c <= SNOW_UP_TO_C)
  const found: Readonly<Record<keyof typeof DRIVING_CONDITIONS.codes, boolean>> = {
    RAIN: falls && !snows,
    SNOWFALL: snows,
    SNOW_ON_GROUND: (one.snow_cm ?? 0) > 0,
    FOG: one.visibility_m !== null && one.visibility_m < FOG_BELOW_M,
    STRONG_WIND: (one.gust_m_s ?? 0) >= GUST_FROM_M_S,
  }
  return Object.entries(found).flatMap(([code, is]) => (is ? [code] : []))
}

/** The newest observation of each station with its place; none that is older than three hours at the newest publication. */
export function weatherNow([observations, stations]: StatesOf<readonly [typeof weatherObservations, typeof weatherStations]>): Weather[] {
  const newest = Math.max(...observations.parts.map(({ data_time }) => data_time))
  const byKey = stationsOf(stations)
  return observations.rows.flatMap((row) => {
    return row.observed_at < newest - NOW_MS ? [] : [toWeather(row, byKey.get(stationKey(row.source, row.station_id)))]
  })
}

const METHOD =
  'The newest hour of each AEMET station that ended at most three hours before the newest publication; not validated yet. `conditions` is derived: RAIN for any precipitation; SNOWFALL for solid precipitation or any at 1 °C or less; SNOW_ON_GROUND; FOG at a visibility below 1,000 m; STRONG_WIND at gusts of 19.4 m/s (70 km/h) or more.'

const conditionFilter = defineMemoryFilter({
  name: 'condition',
  param: listOf(codeParam('Only stations with any of these conditions.', DRIVING_CONDITIONS, { example: 'RAIN' })),
  matches:
    (codes) =>
    ({ conditions }: Weather) =>
      codes.some((code) => conditions.includes(code)),
  present: { condition: ({ conditions }) => conditions },
})

/** The current weather on the roads. */
export const drivingWeather = defineEndpoint({
  path: '/api/weather',
  plan: 'FREE',
  summary: 'Current driving weather: rain, snow, fog and wind at the weather stations',
  summary_es: 'Tiempo para la conducción ahora: lluvia, nieve, niebla y viento',
  about: `The newest hour of each AEMET station that ended at most three hours before the newest publication; not validated yet. \`conditions\` is derived. Values that a station does not measure are null and give no condition. ${ABOUT_ROADS}`,
  explained: WEATHER_PAGE,
  statistic: { grain: 'One station, the newest hour that it reports.', method: METHOD },
  params: { stretch: stretchParams },
  filters: [placeFilter, areaFilter, conditionFilter],
  returns: keyedList('weather', weather, ['id', 'source', 'period_s'], {
    sorts: ['id', 'distance_m', 'precipitation_mm', 'snow_cm', 'visibility_m', 'gust_m_s', 'temp_c', 'updated_at'],
    needs: { distance_m: ['road'] },
  }),
  read: {
    kind: 'memory',
    from: [weatherObservations, weatherStations],
    lake: [roadPoints],
    needs: [],
    isOfAny: true,
    answer: async ({ states, cached: slice }, p) => {
      const points = p.stretch.road === null ? [] : await slice(pointsOfRoad, p.stretch.road)
      return nearStretch(weatherNow(states), p.stretch, points)
    },
  },
  example: { province: 'Madrid', limit: '5' },
})
