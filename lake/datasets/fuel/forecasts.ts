import { col, orNull } from '../../schema/columns.ts'
import { fuelDataset } from '../domains.ts'
import { FORECAST_KINDS } from '../service/codes.ts'
import { FORECAST_FUELS, FORECAST_UNITS, FUEL_AREAS, FUEL_FORECAST_ABSENCES, FUEL_SERIES } from './codes.ts'
import { miteco, oilBulletin } from './sources.ts'

const price = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 6, unitIn: 'price_unit', nullable: true, example, min: 0.000001, max: 100_000 })

/** Fuel price forecasts from currently known data. Each model is a version, which each of its runs replaces. */
export const fuelForecasts = fuelDataset({
  id: 'fuel_forecasts',
  title: 'Forecasts of fuel prices',
  about:
    'Fuel prices in the days and weeks after the newest known price, with intervals: for Spain by the Weekly Oil Bulletin, and for Spain and its provinces by station means. ' +
    'If there is too little data, the row has a reason instead of a number.',
  sources: [oilBulletin, miteco],
  columns: {
    model: col.string(1, 'Model that made it.', { example: 'fuel' }),
    model_version: col.string(2, 'Version of the model.', { example: 'r1-20240701-4be1c0d2' }),
    made_at: col.instant(3, 'End of the newest data used.', { example: '2024-07-01T22:00:00.000Z' }),
    series: col.code(4, 'Price series that is forecast.', FUEL_SERIES, { example: 'BULLETIN' }),
    area_kind: col.code(5, 'Product.', FUEL_AREAS, { example: 'NATION' }),
    area: col.string(6, 'ES, or the INE code of the province.', { example: 'ES' }),
    product: col.code(7, 'Product.', FORECAST_FUELS, { example: 'GASOLINE_95_E5' }),
    horizon: col.string(8, 'Time after the newest known price, as an ISO 8601 duration.', { example: 'P7D' }),
    date: col.local_date(9, 'Day in Madrid of the price.', { example: '2024-07-08' }),
    period_start: col.instant(10, 'Begin of that day.', { example: '2024-07-07T22:00:00.000Z' }),
    price: price(11, 'Price, taxes included; null if there is none, see `reason`.', 1.6234),
    interval_level: col.decimal(12, 'Share of outcomes that the interval should contain.', { scale: 2, unit: '1', example: 0.8 }),
    interval_low: price(13, 'Lower end of the interval.', 1.6034),
    interval_high: price(14, 'Upper end of the interval.', 1.6434),
    baseline: price(15, 'The newest known price.', 1.6199),
    baseline_date: col.local_date(16, 'Day of the newest known price.', orNull('2024-07-01')),
    forecast_kind: col.code(17, "Whether the price is the model's or the baseline.", FORECAST_KINDS, orNull('MODEL')),
    recent_error: price(
      18,
      'Mean absolute error of served values in the last scored window. BULLETIN: at 1, 2 and 4 weeks; earlier days have the error of 1 week, since their outcomes are unknown. STATION_MEAN: for Spain, or for all provinces together.',
      0.0112,
    ),
    reason: col.string(19, 'Reason text if there is no price or no interval.', orNull(null)),
    price_unit: col.code(20, 'Unit of the prices and the error; null in old rows, which are in EUR/L.', FORECAST_UNITS, orNull('EUR/L')),
    absence: col.code(21, 'Why there is no price; null if there is one.', FUEL_FORECAST_ABSENCES, orNull(null)),
  },
  entity: ['model', 'area', 'product', 'horizon'],
  time: 'period_start',
  version: 'model',
  order: ['area_kind', 'area', 'product', 'date'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
