import { col, orNull } from '../../schema/columns.ts'
import { fuelDataset } from '../domains.ts'
import { BULLETIN_PRODUCTS, BULLETIN_UNITS } from './codes.ts'
import { oilBulletin } from './sources.ts'

const price = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 3, unitIn: 'price_unit', nullable: true, example, min: 0.001, max: 100_000 })

/**
 * National prices by week for every country of the bulletin. Several editions can contain a week: all weeks (`history-2022`, one
 * version a year), one week (`raw-2022-08-22`), a third party's series without pre-tax prices (`series-2022`). The first edition
 * by name wins.
 */
export const fuelBulletin = fuelDataset({
  id: 'fuel_bulletin',
  title: 'National fuel prices by week',
  about:
    'Consumer prices of petroleum products in force on the Monday of each week, with and without taxes, in the countries of the European Union since 2005. ' +
    "Each country has its own method: Spain's prices are weighted by sales, not a mean of stations. Weeks over Easter and Christmas are missing. " +
    'If several editions contain a week, the first by name counts.',
  sources: [oilBulletin],
  columns: {
    edition: col.string(1, 'Edition of the row: history-YYYY, raw-YYYY-MM-DD or series-YYYY.', { example: 'history-2022' }),
    country_code: col.string(2, 'ISO 3166 code of the country; EU and EUR are the averages of the Union and of the euro area.', {
      example: 'ES',
    }),
    product: col.code(3, 'Petroleum product.', BULLETIN_PRODUCTS, { example: 'EURO_SUPER_95' }),
    date: col.local_date(4, 'Monday on which the prices are in force.', { example: '2022-08-22' }),
    period_start: col.instant(5, 'Begin of that day in Madrid.', { example: '2022-08-21T22:00:00.000Z' }),
    price_unit: col.code(6, 'Unit of the prices, as published.', BULLETIN_UNITS, { example: 'EUR/kL' }),
    price_with_tax: price(7, 'Price with all duties and taxes; in euros even if the country has another currency.', 1786.97),
    price_without_tax: price(8, 'Price without duties and taxes.', 1004.14),
    currency_code: col.string(9, 'ISO 4217 code of the currency of the country, if the edition states it.', orNull('EUR')),
    currency_in_eur: col.float(10, 'Exchange rate used: euros per unit of the currency; null if the edition states none.', {
      unit: '1',
      nullable: true,
      example: 1,
      min: 0,
    }),
  },
  entity: ['edition', 'country_code', 'product', 'date'],
  time: 'period_start',
  isObservation: true,
  version: 'edition',
  order: ['country_code', 'product', 'date'],
})
