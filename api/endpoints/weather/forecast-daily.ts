import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { weatherForecastDaily } from '../../../lake/datasets/weather/weather-forecast-daily.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { localDate } from '../../../lake/schema/time.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { onlyOfRows } from '../../kernel/example.ts'
import { nested, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { integerParam, oneOf, withDefault } from '../../kernel/params/params.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { field } from '../../kernel/reply-fields.ts'
import { forecastFields, forecastList, forecastPlace, ON_DEMAND } from './forecast.ts'
import { type Along, demandedOf, forecastPlaceParams, forecastsOf, NOT_ALONG, noForecast, pendingOf, placesOf } from './forecast-places.ts'
import { WEATHER_PAGE } from './station.ts'

const DAY_MS = 86_400_000
const FEED = 'aemet_forecast_daily'
const { columns } = weatherForecastDaily
const { source, municipality_code: _code, province_code: _province, issued_at, valid_from, valid_to, ...periodColumns } = columns

type Row = StateRow<typeof weatherForecastDaily>

const forecast = record('WeatherForecastDays', 'The daily forecast of a municipality.', {
  ...forecastFields,
  issued_at,
  ...{ valid_from, valid_to },
  periods: nested.objects('The days, or parts of days, oldest first.', {
    ...{ valid_from, valid_to },
    date: field.date('Local date of the day, or of the part of a day.', '2026-01-09'),
    ...periodColumns,
  }),
  source,
})

/** The daily forecast of places and along roads. */
export const weatherForecastDays = defineEndpoint({
  path: '/api/weather/forecast/daily',
  isExtra: true,
  domain: 'weather',
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
  returns: { ...forecastList, record: forecast },
  read: {
    kind: 'memory',
    from: [weatherForecastDaily],
    lake: [roadPoints],
    needs: [],
    clockGranularity_s: 60,
    demands: {
      feed: FEED,
      wanted: ({ states, cached: slice }, p, now) =>
        demandedOf({ states, slice }, p.place, { now, from: p.from ?? now, span_ms: p.days * DAY_MS }),
    },
    answer: async ({ states: [{ rows }], cached: slice, answers }, { place, from, days, period }, now) => {
      const places = await placesOf(slice, place)
      const chosen = period === 'all' ? rows : rows.filter(({ period_h }) => (period_h === 24) === (period === 'day'))
      const found = forecastsOf(chosen, { places, region: place.region, from: from ?? now, span_ms: days * DAY_MS })
      if (places !== null && found.size === 0)
        throw noForecast([...places.keys()], { dataset: weatherForecastDaily, feed: FEED, answers, now })
      return {
        records: [...found].map(([code, of]) => toForecast(of, places?.get(code) ?? NOT_ALONG)),
        counts: { pending: pendingOf(answers, found) },
      }
    },
  },
  example: { municipality: 'Madrid', from: onlyOfRows('2026-01-09T12:00:00Z'), days: '3' },
})

function toForecast(periods: readonly Row[], along: Along): ValueOf<typeof forecast.fields> {
  const first = periods[0] as Row
  return {
    ...forecastPlace(first, along),
    issued_at: first.issued_at,
    valid_from: first.valid_from,
    valid_to: Math.max(...periods.map(({ valid_to }) => valid_to)),
    periods: periods.map((one) => ({ ...one, date: localDate(one.valid_from, zoneOf(one.province_code)) })),
    source: first.source,
  }
}
