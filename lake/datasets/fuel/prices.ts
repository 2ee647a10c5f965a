import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { FUEL_PRODUCTS, PRICE_ISSUES, PRICE_UNITS } from './codes.ts'
import { miteco } from './sources.ts'

/** Pump prices: a row when a price changes, appears or disappears. */
export const fuelPrices = defineDataset({
  id: 'fuel_prices',
  domain: 'fuel',
  title: 'Fuel prices by station',
  about: 'Pump price of each product at each filling station in Spain.',
  sources: [miteco],
  columns: {
    station_id: col.string(1, 'Official station code (IDEESS).', { example: '4375' }),
    product: col.code(2, 'Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' }),
    price: col.decimal(3, 'Pump price, taxes included.', { scale: 3, unitIn: 'price_unit', example: 1.419, min: 0.001, max: 100 }),
    price_unit: col.code(4, 'EUR/L, or EUR/kg for gases and hydrogen.', PRICE_UNITS, { example: 'EUR/L' }),
    observed_at: col.instant(5, 'Publication time of the price.', { example: '2025-09-27T16:05:47.000Z' }),
    province_code: col.string(6, 'INE code of the province of the station.', { example: '08' }),
    price_issue: col.code(7, 'Why the price is not plausible; null if it is. Such prices are in no mean and no ranking.', PRICE_ISSUES, {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['station_id', 'product'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
