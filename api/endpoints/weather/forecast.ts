import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { weatherForecastHourly } from '../../../lake/datasets/weather/weather-forecast-hourly.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { onlyOfRows } from '../../kernel/example.ts'
import { meaning, nested, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { integerParam, withDefault } from '../../kernel/params/params.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { field } from '../../kernel/reply-fields.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { DRIVING_RULES, drivingField, drivingOf, forecastConditions, hourConditions } from './forecast-driving.ts'
import {
  type Along,
  alongFields,
  demandedOf,
  forecastPlaceParams,
  forecastsOf,
  NOT_ALONG,
  noForecast,
  pendingOf,
  placesOf,
} from './forecast-places.ts'
import { WEATHER_PAGE } from './station.ts'

const HOUR_MS = 3_600_000
const FEED = 'aemet_forecast_hourly'
const { columns } = weatherForecastHourly

type Row = StateRow<typeof weatherForecastHourly>

/** Fields of a municipality with its forecast. */
export const forecastFields = {
  id: meaning(columns.municipality_code, 'INE code of the municipality, five digits.'),
  municipality: field.text('Name of the municipality.', 'Madrid'),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  ...alongFields,
} as const

/** The municipality of a forecast. */
export function forecastPlace(
  { municipality_code, province_code }: Pick<Row, 'municipality_code' | 'province_code'>,
  along: Along,
): ValueOf<typeof forecastFields> {
  const municipality = municipalityByCode(municipality_code)?.name ?? municipality_code
  return { id: municipality_code, municipality, province: provinceName(province_code), province_code, ...along }
}

/** Common settings of forecast lists. */
export const forecastList = {
  kind: 'list',
  name: 'forecasts',
  key: ['id'],
  id: 'id',
  sorts: ['id', 'km_from', 'issued_at'],
  order: 'id',
  counts: { pending: field.integer('Number of municipalities whose forecast has not arrived yet.', '1', 0) },
  limit: { default: 100, max: 20_000 },
} as const

/** How forecasts are fetched, for descriptions. */
export const ON_DEMAND =
  'Forecasts are fetched on demand and stored for an hour. A reply waits up to 2.5 s for new ones and counts those still missing as `pending`. If none has arrived, it is `no-data-yet`: retry a few seconds later. Without a place, all available forecasts.'

const { source, municipality_code: _code, province_code: _province, issued_at, ...hourColumns } = columns

const forecast = record('WeatherForecast', 'The hourly forecast of a municipality, with its driving summary.', {
  ...forecastFields,
  issued_at,
  ...pick(columns, 'valid_from', 'valid_to'),
  driving: drivingField,
  hours: nested.objects('The hours, oldest first.', { ...hourColumns, ...hourConditions }),
  source,
})

/** The hourly forecast of places and along roads. */
export const weatherForecast = defineEndpoint({
  path: '/api/weather/forecast',
  domain: 'weather',
  plan: 'PRO',
  summary: 'Hourly weather forecast for a municipality, a point or along a road',
  summary_es: 'Predicción meteorológica por horas de un municipio, un punto o una carretera',
  about: `AEMET's hourly forecast by municipality, about two days ahead. ${ON_DEMAND}`,
  explained: WEATHER_PAGE,
  statistic: { grain: 'One municipality, the newest issue.', method: DRIVING_RULES },
  params: {
    place: forecastPlaceParams,
    from: instantParam('Begin of the period; now by default.', '2026-11-26T18:00:00Z'),
    hours: withDefault(integerParam('Hours ahead; 48 by default.', { min: 1, max: 72, unit: 'h', example: '12' }), 48),
  },
  returns: { ...forecastList, record: forecast },
  read: {
    kind: 'memory',
    from: [weatherForecastHourly],
    lake: [roadPoints],
    needs: [],
    clockGranularity_s: 60,
    demands: {
      feed: FEED,
      wanted: ({ states, cached: slice }, p, now) =>
        demandedOf({ states, slice }, p.place, { now, from: p.from ?? now, span_ms: p.hours * HOUR_MS }),
    },
    answer: async ({ states: [{ rows }], cached: slice, answers }, { place, from, hours }, now) => {
      const places = await placesOf(slice, place)
      const found = forecastsOf(rows, { places, region: place.region, from: from ?? now, span_ms: hours * HOUR_MS })
      if (places !== null && found.size === 0)
        throw noForecast([...places.keys()], { dataset: weatherForecastHourly, feed: FEED, answers, now })
      const records = [...found].map(([code, of]) => toForecast(of, places?.get(code) ?? NOT_ALONG))
      return { records, counts: { pending: pendingOf(answers, found) } }
    },
  },
  example: { municipality: 'Madrid', from: onlyOfRows('2026-01-09T12:00:00Z'), hours: '12' },
})

function toForecast(hours: readonly Row[], along: Along): ValueOf<typeof forecast.fields> {
  const [first, last] = [hours[0] as Row, hours.at(-1) as Row]
  return {
    ...forecastPlace(first, along),
    issued_at: first.issued_at,
    valid_from: first.valid_from,
    valid_to: last.valid_to,
    driving: drivingOf(hours),
    hours: hours.map((hour) => ({ ...hour, conditions: forecastConditions(hour) })),
    source: first.source,
  }
}
