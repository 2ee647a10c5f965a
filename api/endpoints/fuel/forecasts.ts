import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { FORECAST_FUELS, FORECAST_UNITS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelForecasts } from '../../../lake/datasets/fuel/forecasts.ts'
import { fuelArchivePrices, fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { LEAST_DAYS } from '../../../models/fuel-daily/walk.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { booleanParam, codeParam, knownBy, listOf, oneOf, withDefault } from '../../kernel/params/params.ts'
import { wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { InvalidParam, type Problem } from '../../kernel/problems.ts'
import { defineCachedQuery, distinctValues } from '../../kernel/reads/cached-query.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { provinceField, provinceName } from '../common-fields.ts'

const { columns } = fuelForecasts
const SERIES = ['BULLETIN', 'STATION_MEAN'] as const
const DAY_MS = 86_400_000
/** Longest forecasts in days from today: of both series, and of the bulletin. */
const WEEK_DAYS = 7
const MOST_DAYS = 28
const horizonOf = (days: number): string => `P${days}D`
const horizons = (most: number): string[] => Array.from({ length: most + 1 }, (_, days) => horizonOf(days))
const WEEK = horizons(WEEK_DAYS)
const HORIZONS = horizons(MOST_DAYS)

const euros = (about: string, example: number) => col.decimal(0, about, { scale: 6, unitIn: 'price_unit', example })

const forecastFields = {
  fuel: columns.product,
  series: columns.series,
  area: columns.area,
  province: provinceField(maybe.text('INE code.', null)),
  horizon: optional(columns.horizon, 'Time from today (in Madrid) to the day, as an ISO 8601 duration; null for a past day.'),
  date: columns.date,
  is_over: field.boolean('True for a past day, see `include_past`.', false),
  period_start: columns.period_start,
  price: columns.price,
  price_unit: field.code('Unit of the price, interval ends, baseline and error.', FORECAST_UNITS, 'EUR/L'),
  price_eur_l: maybe.decimal('Price per litre; null without a price, and for fuels sold by the tonne.', 'EUR/L', 6, 1.6234),
  interval: nested.maybe('Prediction interval with a stated probability; null if there are too few past errors to estimate its width.', {
    level: columns.interval_level,
    low: euros('Lower end.', 1.6034),
    high: euros('Upper end.', 1.6434),
  }),
  ...pick(columns, 'baseline', 'baseline_date', 'forecast_kind', 'recent_error', 'absence', 'reason'),
  model_horizon: meaning(columns.horizon, 'Days from the newest known price (`baseline_date`) to the day: the horizon of `recent_error`.'),
  made_at: meaning(columns.made_at, 'End of the newest input data: later data is not included.'),
  model: columns.model,
  model_version: columns.model_version,
} as const

const forecast = record('FuelForecast', 'The forecast price of a fuel on a day.', forecastFields)

type ForecastRow = Row<typeof fuelForecasts>
type Forecast = ValueOf<typeof forecastFields>

/** All forecasts in day order, without their distance from today. */
const forecasts = defineCachedQuery<readonly Omit<Forecast, 'horizon' | 'is_over'>[]>({
  name: 'fuel forecasts',
  from: [fuelForecasts],
  read: async ({ all }) => (await all<ForecastRow>(sql`SELECT * FROM ${scan(fuelForecasts)}`)).map(toForecast),
})

/** Products with forecasts. */
const products = distinctValues({ name: 'fuels that are forecast', dataset: fuelForecasts, column: 'product' })

function toForecast(row: ForecastRow): Omit<Forecast, 'horizon' | 'is_over'> {
  const { product: fuel, horizon: model_horizon, interval_level: level, interval_low: low, interval_high: high } = row
  const interval = low === null || high === null ? null : { level, low, high }
  const price_unit = row.price_unit ?? 'EUR/L'
  const price_eur_l = price_unit === 'EUR/L' ? row.price : null
  return { ...row, model_horizon, fuel, price_unit, price_eur_l, province: row.area === 'ES' ? null : provinceName(row.area), interval }
}

/** A forecast as of a day in Madrid (YYYY-MM-DD). */
function asOf(today: string, one: Omit<Forecast, 'horizon' | 'is_over'>): Forecast {
  const days = (Date.parse(one.date) - Date.parse(today)) / DAY_MS
  return { ...one, horizon: days < 0 ? null : horizonOf(days), is_over: days < 0 }
}

/** The problem for a series or area without forecasts yet. */
function noneYet(isOfStations: boolean): Problem {
  const model = isOfStations ? 'fuel_daily' : 'fuel'
  return noDataYet(`There are no forecasts of this series and area yet (/api/prediccion/modelos?model=${model})`, {
    missing: [fuelForecasts],
    waits_for: [isOfStations ? `${LEAST_DAYS} days of prices of the area's stations` : 'the first Weekly Oil Bulletin'],
  })
}

const METHOD =
  'BULLETIN: the price that Spain reports to the Weekly Oil Bulletin, 1, 2 and 4 weeks after its newest Monday. The model is a ridge regression on the last two weekly changes in the countries of the bulletin. For the first two weeks also by day, on the straight line (of logarithms) to those forecasts. ' +
  'Intervals come from the model’s own past errors (split conformal), scaled by the volatility of the price. ' +
  'Fuel oils are forecast per tonne (`price_unit`), all other fuels per litre. ' +
  'STATION_MEAN: the mean of the stations of Spain or a province, with equal weight, on the seven days after the newest complete day. The model is a ridge regression on its changes of the last two weeks and on those of Spain. It needs 120 days of prices. ' +
  'If the model was no better than the newest price in the last scored window (two years; for STATION_MEAN 90 days, all provinces together), that price is the forecast, with the interval of its own errors (`forecast_kind` BASELINE). `/api/prediccion/modelos` has the errors.'

const EXPLAINED = defineMethodPage('fuel-forecasts', new URL('../../../models/fuel/method.md', import.meta.url))

/** Forecasts of fuel prices. */
export const fuelForecastList = defineEndpoint({
  path: '/api/prediccion/combustible',
  plan: 'PRO',
  summary: 'Forecasts of fuel prices: by day and at 1, 2 and 4 weeks, with intervals',
  summary_es: 'Predicción de precios de carburantes por día y a 1, 2 y 4 semanas',
  about:
    'National prices of the Weekly Oil Bulletin for up to four weeks. Means of the filling stations of Spain or a province for seven days. Horizons count from today. Past days are left out by default; `include_past` adds them. ' +
    'A product with too few prices has records without a price; `absence` and `reason` say why.',
  explained: EXPLAINED,
  statistic: { grain: 'One fuel, in Spain or a province, on one day.', method: METHOD },
  params: {
    fuel: knownBy(listOf(codeParam('Product.', FORECAST_FUELS, { example: 'GASOLINE_95_E5' })), {
      query: products,
      expected: 'expected a product with forecasts, or with a reason for their absence',
      isListed: true,
    }),
    province: wholeProvinceParam,
    series: oneOf('Prices that are forecast.', SERIES, { example: 'BULLETIN' }),
    horizon: listOf(oneOf(`Days from today; for STATION_MEAN at most ${WEEK.at(-1)}.`, HORIZONS, { example: 'P3D' })),
    include_past: withDefault(booleanParam('Also past days: the newest known price may be days old.'), false),
  },
  returns: keyedList('forecasts', forecast, ['date', 'area', 'fuel', 'series'], { sorts: ['date', 'fuel', 'price_eur_l'] }),
  read: {
    kind: 'memory',
    from: [],
    // Input data: once it no longer arrives, the reply is stale.
    lake: [fuelForecasts, fuelBulletin, fuelPrices, fuelArchivePrices],
    needs: [fuelForecasts],
    // A new day begins on the hour.
    clockGranularity_s: 3600,
    answer: async ({ cached: slice }, { fuel, province, series, horizon, include_past }, now) => {
      if (province !== null && series === 'BULLETIN')
        throw new InvalidParam('expected STATION_MEAN together with province: the bulletin covers all of Spain', {
          ...{ parameter: 'series', value: series },
        })
      const later = (horizon ?? []).find((one) => !WEEK.includes(one))
      if (later && (province !== null || series === 'STATION_MEAN'))
        throw new InvalidParam(`expected with STATION_MEAN one of ${WEEK.join(', ')}`, {
          ...{ parameter: 'horizon', value: later, allowed: WEEK },
        })
      const ofArea = (await slice(forecasts, '')).filter(
        (one) => (province ?? ['ES']).includes(one.area) && (series === null || one.series === series),
      )
      if (ofArea.length === 0) throw noneYet(province !== null || series === 'STATION_MEAN')
      const wanted = ofArea.filter((one) => fuel === null || fuel.includes(one.fuel))
      if (wanted.length === 0) {
        const allowed = [...new Set(ofArea.map((one) => one.fuel))].sort()
        throw new InvalidParam(`expected one of ${allowed.join(', ')}, the products with prices in this series and area`, {
          ...{ parameter: 'fuel', value: (fuel ?? []).join(), allowed },
        })
      }
      const today = madridDate(now)
      const known = wanted.map((one) => asOf(today, one))
      const records = known.filter(
        (one) => (include_past || !one.is_over) && (horizon === null || (one.horizon !== null && horizon.includes(one.horizon))),
      )
      return { records, counts: {}, isLacking: known.every(({ is_over }) => is_over) }
    },
  },
  example: { fuel: 'GASOLINE_95_E5', include_past: 'true' },
})
