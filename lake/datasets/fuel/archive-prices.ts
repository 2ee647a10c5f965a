import { col, orNull } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { FUEL_PRODUCTS, PRICE_ISSUES, PRICE_UNITS, SALE_TYPES } from './codes.ts'
import { miteco } from './sources.ts'

/**
 * Pump prices by day from the ministry's archive: one file a day, republished in full. Separate from the change rows of
 * `fuel_prices`, because files arrive in any order and a corrected file replaces its day. Sorting makes repeated prices compress
 * well.
 */
export const fuelArchivePrices = defineDataset({
  id: 'fuel_archive_prices',
  domain: 'fuel',
  title: 'Fuel prices by station and day',
  about:
    "Pump price of each product at each filling station at the end of each day since 2007, from the ministry's archive. " +
    'For old days, brands and sale types are the current ones of the archive.',
  sources: [miteco],
  columns: {
    day: col.string(1, 'Day in Madrid; it is republished in full.', { example: '2025-09-26' }),
    day_starts_at: col.instant(2, 'Begin of the day.', { example: '2025-09-25T22:00:00.000Z' }),
    station_id: col.string(3, 'Official station code (IDEESS).', { example: '4375' }),
    product: col.code(4, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price: col.decimal(5, 'Pump price, taxes included, of the last hours of the day.', {
      scale: 3,
      unitIn: 'price_unit',
      example: 1.419,
      min: 0.001,
      max: 100,
    }),
    price_unit: col.code(6, 'EUR/L, or EUR/kg for gases and hydrogen.', PRICE_UNITS, { example: 'EUR/L' }),
    province_code: col.string(7, 'INE code of the province of the station.', { example: '08' }),
    brand: col.string(8, 'Brand of the station.', orNull('REPSOL')),
    sale_type: col.code(9, 'Who may buy.', SALE_TYPES, orNull('PUBLIC')),
    price_issue: col.code(10, 'Why the price is not plausible; null if it is. Such prices are in no mean and no ranking.', PRICE_ISSUES, {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['day', 'station_id', 'product'],
  time: 'day_starts_at',
  version: 'day',
  isObservation: true,
  partition: [month('day_starts_at')],
  order: ['station_id', 'product', 'day_starts_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
