import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { changedMembers } from '../../define/changed.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { optional, record } from '../../define/fields.ts'
import { listOf } from '../../define/params.ts'
import { provinceParam } from '../../define/params-place.ts'
import { ABOUT_CHANGES, changedBy, changeFields } from '../changes.ts'
import { fuelParam } from './station.ts'

const { columns } = fuelPrices

/** What a change may change of what an entry shows. */
const priceFields = {
  price: optional(columns.price, 'Pump price after the change, taxes included; null where the station no longer sells it.'),
  price_unit: columns.price_unit,
  province_code: columns.province_code,
} as const

const changedOf = changedMembers(fuelPrices, priceFields, { price: ['price', 'status'] })

const priceChange = record('FuelPriceChange', 'What happened to the price of a product at a station.', {
  station_id: columns.station_id,
  fuel: columns.product,
  ...changeFields(columns.observed_at),
  ...priceFields,
})

/** The feed of price changes. */
export const gasStationChanges = defineEndpoint({
  path: '/api/gas-stations/changes',
  domain: 'fuel',
  plan: 'FREE',
  summary: 'Fuel prices that appeared, changed or disappeared since a cursor',
  about: ABOUT_CHANGES,
  params: { fuel: listOf(fuelParam), province: provinceParam },
  returns: {
    kind: 'list',
    name: 'changes',
    record: priceChange,
    key: ['station_id', 'fuel', 'at'],
    sorts: [],
    order: 'at',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'changes',
    from: [fuelPrices],
    entry: (change, _states, { fuel, province }) => {
      const row = change.row as unknown as Row<typeof fuelPrices>
      const { station_id, product, price_unit, province_code } = row
      if (fuel && !fuel.includes(product)) return null
      if (province !== null && province !== province_code) return null
      const price = change.kind === 'ENDED' ? null : row.price
      const changed = changedBy(change, changedOf)
      return { station_id, fuel: product, kind: change.kind, at: change.at, changed, price, price_unit, province_code }
    },
  },
  example: { limit: '10' },
})
