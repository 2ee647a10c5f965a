import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { optional, pick, record } from '../../kernel/fields.ts'
import { wholeProvinceFilter } from '../../kernel/filters.ts'
import { listOf } from '../../kernel/params/params.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { columnFilter } from '../../kernel/reads/filter.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelPrices

/** Members of an entry that a change may change. */
const priceFields = {
  price: optional(columns.price, 'Pump price after the change, taxes included; null if the station no longer sells it.'),
  ...pick(columns, 'price_unit', 'province_code', 'price_issue'),
} as const

const changedOf = changedMembers(fuelPrices, priceFields, { price: ['price', 'status'] })

const priceChange = record('FuelPriceChange', 'What happened to the price of a product at a station.', {
  station_id: columns.station_id,
  fuel: columns.product,
  ...changeFields(columns.observed_at),
  ...priceFields,
})

/** The change feed of prices. */
export const gasStationChanges = defineEndpoint({
  path: '/api/gas-stations/changes',
  plan: 'FREE',
  summary: 'Fuel prices that appeared, changed or disappeared since a cursor',
  summary_es: 'Precios que aparecieron, cambiaron o desaparecieron desde un cursor',
  about: ABOUT_CHANGES,
  explained: CHANGES_PAGE,
  filters: [columnFilter('fuel', listOf(fuelParam), 'product'), wholeProvinceFilter],
  returns: changesReturn(priceChange, ['station_id', 'fuel', 'at']),
  read: {
    kind: 'changes',
    from: [fuelPrices],
    thing: ({ row }) => row,
    entry: ({ station_id, product, price, price_unit, province_code, price_issue }, change) => ({
      ...{ station_id, fuel: product, kind: change.kind, at: change.at, changed: changedBy(change, changedOf) },
      price: change.kind === 'ENDED' ? null : price,
      ...{ price_unit, province_code, price_issue: change.kind === 'ENDED' ? null : price_issue },
    }),
  },
  example: { limit: '10' },
})
