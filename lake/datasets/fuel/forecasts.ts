import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { FORECAST_KINDS } from '../service/codes.ts'
import { FORECAST_FUELS, FORECAST_UNITS, FUEL_AREAS, FUEL_FORECAST_ABSENCES, FUEL_SERIES } from './codes.ts'
import { miteco, oilBulletin } from './sources.ts'

const price = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 6, unitIn: 'price_unit', nullable: true, example, min: 0.000001, max: 100_000 })

/** Forecasts of fuel prices, of what is known now. Each model is a version, made anew by each of its runs. */
export const fuelForecasts = defineDataset({
  id: 'fuel_forecasts',
  domain: 'fuel',
  title: 'Forecasts of fuel prices',
  about:
    'Prices of fuels in the days and weeks after the newest known one, with intervals: of all Spain by the Weekly Oil Bulletin, and of Spain and its provinces by the means of the stations. ' +
    'Where data are thin there is no number, and the row says why.',
  sources: [oilBulletin, miteco],
  columns: {
    model: col.string(1, 'Model that made it.', { example: 'fuel' }),
    model_version: col.string(2, 'Version of the model.', { example: 'r1-20240701-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data that it rests on.', { example: '2024-07-01T22:00:00.000Z' }),
    series: col.code(4, 'Prices that are forecast.', FUEL_SERIES, { example: 'BULLETIN' }),
    area_kind: col.code(5, 'What the price is of.', FUEL_AREAS, { example: 'NATION' }),
    area: col.string(6, 'ES, or the INE code of the province.', { example: 'ES' }),
    product: col.code(7, 'Product.', FORECAST_FUELS, { example: 'GASOLINE_95_E5' }),
    horizon: col.string(8, 'How far behind the newest known price, as an ISO 8601 duration.', { example: 'P7D' }),
    date: col.local_date(9, 'Day in Madrid that the price is of.', { example: '2024-07-08' }),
    period_start: col.instant(10, 'Begin of that day.', { example: '2024-07-07T22:00:00.000Z' }),
    price: price(11, 'Price, taxes included; null where there is none, see `reason`.', 1.6234),
    interval_level: col.decimal(12, 'Share of outcomes that the interval is to hold.', { scale: 2, unit: '1', example: 0.8 }),
    interval_low: price(13, 'Lower end of the interval.', 1.6034),
    interval_high: price(14, 'Upper end of the interval.', 1.6434),
    baseline: price(15, 'The newest known price.', 1.6199),
    baseline_date: col.local_date(16, 'Day of the newest known price.', { nullable: true, example: '2024-07-01' }),
    forecast_kind: col.code(17, 'What the price is.', FORECAST_KINDS, { nullable: true, example: 'MODEL' }),
    recent_error: price(
      18,
      'Mean absolute error in the last scored window of what is served. Of BULLETIN at 1, 2 and 4 weeks: days before a week have that of the week, for no outcome is known of them. Of STATION_MEAN of Spain, or of all provinces together.',
      0.0112,
    ),
    reason: col.string(19, 'Why there is no price, or no interval, in words.', { nullable: true, example: null }),
    price_unit: col.code(
      20,
      'Unit of the prices and of the error; null in rows of before others than EUR/L were forecast.',
      FORECAST_UNITS,
      {
        nullable: true,
        example: 'EUR/L',
      },
    ),
    absence: col.code(21, 'Why there is no price; null where there is one.', FUEL_FORECAST_ABSENCES, { nullable: true, example: null }),
  },
  entity: ['model', 'area', 'product', 'horizon'],
  time: 'period_start',
  land: 'replace',
  version: 'model',
  partition: [identity('model')],
  order: ['area_kind', 'area', 'product', 'date'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
