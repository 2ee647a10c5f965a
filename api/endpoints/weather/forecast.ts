import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { weatherForecastDaily, weatherForecastHourly } from '../../../lake/datasets/weather/forecasts.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { localDate } from '../../../lake/schema/time.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { onlyOfRows } from '../../kernel/example.ts'
import { field, meaning, nested, pick, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { integerParam, oneOf, withDefault } from '../../kernel/params/params.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
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
const forecastFields = {
  id: meaning(columns.municipality_code, 'INE code of the municipality, five digits.'),
  municipality: field.text('Name of the municipality.', 'Madrid'),
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  ...alongFields,
} as const

/** The municipality of a forecast. */
function forecastPlace(
  { municipality_code, province_code }: Pick<Row, 'municipality_code' | 'province_code'>,
  along: Along,
): ValueOf<typeof forecastFields> {
  const municipality = municipalityByCode(municipality_code)?.name ?? municipality_code
  return { id: municipality_code, municipality, province: provinceName(province_code), province_code, ...along }
}

/** Common settings of forecast lists. */
const forecastList = {
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
const ON_DEMAND =
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

const DAY_MS = 86_400_000
const DAILY_FEED = 'aemet_forecast_daily'
const {
  source: dailySource,
  municipality_code: _town,
  province_code: _area,
  valid_from,
  valid_to,
  ...dayColumns
} = weatherForecastDaily.columns
const { issued_at: dailyIssue, ...periodColumns } = dayColumns

type DayRow = StateRow<typeof weatherForecastDaily>

const dailyForecast = record('WeatherForecastDays', 'The daily forecast of a municipality.', {
  ...forecastFields,
  issued_at: dailyIssue,
  ...{ valid_from, valid_to },
  periods: nested.objects('The days, or parts of days, oldest first.', {
    ...{ valid_from, valid_to },
    date: field.date('Local date of the day, or of the part of a day.', '2026-01-09'),
    ...periodColumns,
  }),
  source: dailySource,
})

/** The daily forecast of places and along roads. */
export const weatherForecastDays = defineEndpoint({
  path: '/api/weather/forecast/daily',
  isExtra: true,
  plan: 'PRO',
  summary: 'Weather forecast of seven days for a municipality, a point or along a road',
  summary_es: 'Predicción meteorológica a siete días de un municipio, un punto o una carretera',
  about: `AEMET's forecast by municipality for seven days. ${ON_DEMAND}`,
  explained: WEATHER_PAGE,
  statistic: {
    grain: 'One municipality, the newest issue.',
    method: "AEMET's forecast as published, with speeds converted from km/h to m/s. Past parts of today are left out.",
  },
  params: {
    place: forecastPlaceParams,
    from: instantParam('Begin of the period; now by default.', '2026-11-26T18:00:00Z'),
    days: withDefault(integerParam('Days ahead; 7 by default.', { min: 1, max: 7, unit: 'd', example: '3' }), 7),
    period: withDefault(
      oneOf(
        '`day` for whole days, the default; `part` for halves and quarters of the next four days; `all` for both.',
        ['day', 'part', 'all'],
        {
          example: 'day',
        },
      ),
      'day',
    ),
  },
  returns: { ...forecastList, record: dailyForecast },
  read: {
    kind: 'memory',
    from: [weatherForecastDaily],
    lake: [roadPoints],
    needs: [],
    clockGranularity_s: 60,
    demands: {
      feed: DAILY_FEED,
      wanted: ({ states, cached: slice }, p, now) =>
        demandedOf({ states, slice }, p.place, { now, from: p.from ?? now, span_ms: p.days * DAY_MS }),
    },
    answer: async ({ states: [{ rows }], cached: slice, answers }, { place, from, days, period }, now) => {
      const places = await placesOf(slice, place)
      const chosen = period === 'all' ? rows : rows.filter(({ period_h }) => (period_h === 24) === (period === 'day'))
      const found = forecastsOf(chosen, { places, region: place.region, from: from ?? now, span_ms: days * DAY_MS })
      if (places !== null && found.size === 0)
        throw noForecast([...places.keys()], { dataset: weatherForecastDaily, feed: DAILY_FEED, answers, now })
      return {
        records: [...found].map(([code, of]) => toDailyForecast(of, places?.get(code) ?? NOT_ALONG)),
        counts: { pending: pendingOf(answers, found) },
      }
    },
  },
  example: { municipality: 'Madrid', from: onlyOfRows('2026-01-09T12:00:00Z'), days: '3' },
})

function toDailyForecast(periods: readonly DayRow[], along: Along): ValueOf<typeof dailyForecast.fields> {
  const first = periods[0] as DayRow
  return {
    ...forecastPlace(first, along),
    issued_at: first.issued_at,
    valid_from: first.valid_from,
    valid_to: Math.max(...periods.map(({ valid_to }) => valid_to)),
    periods: periods.map((one) => ({ ...one, date: localDate(one.valid_from, zoneOf(one.province_code)) })),
    source: first.source,
  }
}
