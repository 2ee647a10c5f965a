import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FUEL_AREAS, FUEL_DAY_BASES, FUEL_PRODUCTS, PRICE_UNITS } from './codes.ts'
import { miteco } from './sources.ts'

const price = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 3, unitIn: 'price_unit', example, min: 0.001, max: 100 })

/**
 * Pump prices by day, derived month by month from the register's prices and stations. A day's price is the last one known at its
 * end in Madrid, from the archive if no price in Spain changed that day. Each open station counts once; members-only ones do not.
 */
export const fuelDays = defineDataset({
  id: 'fuel_days',
  domain: 'fuel',
  title: 'Fuel prices by day',
  about:
    'Mean, minimum, maximum and quartiles of pump prices by product at the end of each day in Madrid: for Spain, each province and each brand with three stations. ' +
    "Each station counts once; members-only stations and implausible prices are excluded. The current day reflects the newest publication. Days without a publication come from the ministry's archive, with its current brands.",
  sources: [miteco],
  columns: {
    month: col.string(1, 'Month of the day in Madrid, YYYY-MM.', { example: '2025-09' }),
    date: col.local_date(2, 'Day in Madrid.', { example: '2025-09-27' }),
    period_start: col.instant(3, 'Begin of the day.', { example: '2025-09-26T22:00:00.000Z' }),
    area_kind: col.code(4, 'What the statistics cover.', FUEL_AREAS, { example: 'NATION' }),
    area: col.string(5, 'ES, the INE code of the province, or the brand in lower case without accents and punctuation.', {
      example: 'ES',
    }),
    name: col.string(6, 'Brand, in its most common spelling; null except for OPERATOR.', orNull(null)),
    product: col.code(7, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price_unit: col.code(8, 'Unit of the prices.', PRICE_UNITS, { example: 'EUR/L' }),
    stations: col.integer(9, 'Stations with a price.', { unit: '1', example: 11432, min: 1 }),
    price_mean: col.decimal(10, 'Mean price of the stations.', { scale: 4, unitIn: 'price_unit', example: 1.4321, min: 0.0001, max: 100 }),
    price_min: price(11, 'Least price.', 1.159),
    price_p25: price(12, 'Price that a quarter of the stations do not exceed.', 1.389),
    price_median: price(13, 'Price that half of the stations do not exceed.', 1.439),
    price_p75: price(14, 'Price that three quarters of the stations do not exceed.', 1.489),
    price_max: price(15, 'Greatest price.', 1.899),
    basis: col.code(16, "Basis of the day's prices.", FUEL_DAY_BASES, orNull('PUBLICATIONS')),
  },
  entity: ['month', 'date', 'area_kind', 'area', 'product'],
  time: 'period_start',
  version: 'month',
  order: ['area_kind', 'area', 'product', 'date'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
