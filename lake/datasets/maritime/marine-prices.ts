import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { PRICE_ISSUES } from '../fuel/codes.ts'
import { miteco } from '../fuel/sources.ts'
import { MARINE_FUELS, MARINE_PRICE_UNITS, MARINE_USES } from './marine-codes.ts'

/** Prices of marine fuel: a row when a price changes, appears or disappears. */
export const marinePrices = defineDataset({
  id: 'marine_prices',
  domain: 'maritime',
  title: 'Marine fuel prices by station',
  about: 'Price of each fuel at each marine fuel station in Spain.',
  sources: [miteco],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'miteco' }),
    station_id: col.string(2, 'Id of the station, as in the catalogue of marine fuel stations.', { example: 'mar_3f1c09a2b7de' }),
    product: col.code(3, 'Fuel.', MARINE_FUELS, { example: 'DIESEL_A' }),
    price: col.decimal(4, 'Price as published.', { scale: 3, unitIn: 'price_unit', example: 1.459, min: 0.001, max: 10_000 }),
    price_unit: col.code(
      5,
      'EUR/L, or EUR/kL: the register states no unit; a price above 10 is for 1000 litres. Biogas is sold by weight (EUR/kg).',
      MARINE_PRICE_UNITS,
      { example: 'EUR/L' },
    ),
    price_eur_l: col.decimal(6, 'The same price per litre; null if sold by weight or not plausible.', {
      scale: 6,
      unit: 'EUR/L',
      nullable: true,
      example: 1.459,
    }),
    observed_at: col.instant(7, 'Publication time of the price.', { example: '2026-06-20T08:02:54.000Z' }),
    province_code: col.string(8, 'INE code of the province of the station.', orNull('35')),
    use: col.code(9, 'Which vessels the station supplies.', MARINE_USES, { example: 'LEISURE' }),
    price_issue: col.code(10, 'Why the price is not plausible; null if it is. Such prices are in no mean and no ranking.', PRICE_ISSUES, {
      ...{ nullable: true, example: null },
    }),
  },
  entity: ['station_id', 'product'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
