import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { FUEL_AREAS, FUEL_DAY_BASES, FUEL_PRODUCTS, PRICE_UNITS } from './codes.ts'
import { miteco } from './sources.ts'

const price = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 3, unitIn: 'price_unit', example, min: 0.001, max: 100 })

/**
 * Pump prices by day. No feed fills it: it is derived from the prices and stations of the register, month by month.
 *
 * A day's price at a station is the last one known when the day ends in Madrid, of days on which a publication changed a price somewhere in
 * Spain, and of days without one that of the archive, whose days are as they ended: where neither is nothing is known. Each station counts once, whatever it sells; those that sell to members only count
 * for nothing, for the register had them in some years and not in others.
 */
export const fuelDays = defineDataset({
  id: 'fuel_days',
  domain: 'fuel',
  title: 'Fuel prices by day',
  about:
    'Mean, least, greatest and quartiles of the pump prices of each product at the end of each day of Madrid: of Spain, of each province and of each sign that three stations have. ' +
    'Each station counts once, those that sell to members only not at all; the day that goes on is as of the newest publication. Days without a publication are those of the archive of the ministry, with the signs that it has today.',
  sources: [miteco],
  columns: {
    month: col.string(1, 'Month of the day in Madrid, YYYY-MM.', { example: '2025-09' }),
    date: col.local_date(2, 'Day in Madrid.', { example: '2025-09-27' }),
    period_start: col.instant(3, 'Begin of the day.', { example: '2025-09-26T22:00:00.000Z' }),
    area_kind: col.code(4, 'What the figures are of.', FUEL_AREAS, { example: 'NATION' }),
    area: col.string(5, 'ES, the INE code of the province, or the sign in small letters without accents and punctuation.', {
      example: 'ES',
    }),
    name: col.string(6, 'Sign of the stations, as most of them write it; null but for OPERATOR.', { nullable: true, example: null }),
    product: col.code(7, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price_unit: col.code(8, 'Unit of the prices.', PRICE_UNITS, { example: 'EUR/L' }),
    stations: col.integer(9, 'Stations with a price.', { unit: '1', example: 11432, min: 1 }),
    price_mean: col.decimal(10, 'Mean price of the stations.', { scale: 4, unitIn: 'price_unit', example: 1.4321, min: 0.0001, max: 100 }),
    price_min: price(11, 'Least price.', 1.159),
    price_p25: price(12, 'Price that a quarter of the stations do not exceed.', 1.389),
    price_median: price(13, 'Price that half of the stations do not exceed.', 1.439),
    price_p75: price(14, 'Price that three quarters of the stations do not exceed.', 1.489),
    price_max: price(15, 'Greatest price.', 1.899),
    basis: col.code(16, 'What the prices of the day are of.', FUEL_DAY_BASES, { nullable: true, example: 'PUBLICATIONS' }),
  },
  entity: ['month', 'date', 'area_kind', 'area', 'product'],
  time: 'period_start',
  land: 'replace',
  version: 'month',
  partition: [identity('month')],
  order: ['area_kind', 'area', 'product', 'date'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
