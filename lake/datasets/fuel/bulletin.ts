import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { BULLETIN_PRODUCTS, BULLETIN_UNITS } from './codes.ts'
import { oilBulletin } from './sources.ts'

const price = (id: number, about: string, example: number) =>
  col.decimal(id, about, { scale: 3, unitIn: 'price_unit', nullable: true, example, min: 0.001, max: 100_000 })

/**
 * National prices by week, of every country of the bulletin. A week may be told by several editions: the workbook of all weeks (`history-2022`, a
 * version for each year, so that a corrected workbook takes the place of the former), the table of one week (`raw-2022-08-22`) and a series that
 * others made of it, without what taxes are not in (`series-2022`). Who wants one price takes that of the first edition by name.
 */
export const fuelBulletin = defineDataset({
  id: 'fuel_bulletin',
  domain: 'fuel',
  title: 'National fuel prices by week',
  about:
    'Consumer prices of petroleum products in force on the Monday of each week, with and without taxes, in the countries of the European Union since 2005. ' +
    'Each country reports its prices in its own way: those of Spain are weighted by what is sold, and no mean of stations. Weeks over Easter and Christmas are left out. ' +
    'Of several editions that tell a week the first by name counts.',
  sources: [oilBulletin],
  columns: {
    edition: col.string(1, 'Edition that tells it: history-YYYY, raw-YYYY-MM-DD or series-YYYY.', { example: 'history-2022' }),
    country_code: col.string(2, 'ISO 3166 code of the country; EU and EUR are the averages of the Union and of the euro area.', {
      example: 'ES',
    }),
    product: col.code(3, 'Petroleum product.', BULLETIN_PRODUCTS, { example: 'EURO_SUPER_95' }),
    date: col.local_date(4, 'Day that the prices are in force on, a Monday.', { example: '2022-08-22' }),
    period_start: col.instant(5, 'Begin of that day in Madrid.', { example: '2022-08-21T22:00:00.000Z' }),
    price_unit: col.code(6, 'Unit of the prices, as published.', BULLETIN_UNITS, { example: 'EUR/kL' }),
    price_with_tax: price(7, 'Price with all duties and taxes; in euros also where the country has another currency.', 1786.97),
    price_without_tax: price(8, 'Price without duties and taxes.', 1004.14),
    currency_code: col.string(9, 'ISO 4217 code of the currency of the country, where the edition tells it.', {
      nullable: true,
      example: 'EUR',
    }),
    currency_in_eur: col.float(10, 'Euros for a unit of the currency that prices were converted by; null where the edition tells none.', {
      unit: '1',
      nullable: true,
      example: 1,
      min: 0,
    }),
  },
  entity: ['edition', 'country_code', 'product', 'date'],
  time: 'period_start',
  land: 'replace',
  isObservation: true,
  version: 'edition',
  partition: [identity('edition')],
  order: ['country_code', 'product', 'date'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
