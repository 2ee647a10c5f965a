import { MARINE_FUELS, MARINE_USES } from '../../../lake/datasets/maritime/marine-codes.ts'
import { marinePrices } from '../../../lake/datasets/maritime/marine-prices.ts'
import { marineStations } from '../../../lake/datasets/maritime/marine-stations.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import type { State, StatesOf } from '../../kernel/endpoint.ts'
import { joined, meaning, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { provinceFilter } from '../../kernel/filters/place.ts'
import { searchFilter } from '../../kernel/filters/search.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { field } from '../../kernel/reply-fields.ts'
import { originFields, provinceField, provinceName } from '../common-fields.ts'

const station = marineStations.columns
const { columns } = marinePrices

/** A price of marine fuel, with its station. */
export const marinePrice = record('MarineFuelPrice', 'The price of a fuel at a station that supplies vessels.', {
  id: field.text('Station and fuel.', 'mar_3f1c09a2b7de/DIESEL_A'),
  fuel: columns.product,
  price: meaning(columns.price, 'Price as published, in `price_unit`.'),
  price_unit: meaning(columns.price_unit, 'Unit as published. The register states none, but a price above 10 is per 1000 litres.'),
  price_eur_l: columns.price_eur_l,
  price_issue: columns.price_issue,
  use: meaning(station.use, 'Vessels that the station supplies.'),
  station_id: meaning(station.station_id, 'Id of the station.'),
  port: station.port,
  port_id: optional(ports.columns.port_id, 'Nearest port within 5 km, as in /api/maritimo/puertos; null if there is none.'),
  operator: station.brand,
  address: optional(station.address, 'Street address; null while the station is not listed.'),
  ...pick(station, 'locality', 'postal_code', 'municipality', 'municipality_code'),
  province: provinceField(station.province_code),
  province_code: station.province_code,
  position: station.position,
  schedule: station.opening_hours,
  reporter: station.reporter,
  ...originFields(columns, { source_id: station.register_id }),
})

/** A price, ready for replies but for its port. */
export type MarinePrice = Omit<ValueOf<typeof marinePrice.fields>, 'port_id'>

/** Source datasets of prices. */
export const MARINE_DATASETS = [marinePrices, marineStations] as const

/** The filter `fuel`: one or several. */
export const marineFuelParam = listOf(codeParam('Marine fuel.', MARINE_FUELS, { example: 'DIESEL_A' }))

/** The filter `use`: stations that supply both kinds of vessels match either. */
const useFilter = defineMemoryFilter({
  name: 'use',
  param: codeParam('Vessels that the station supplies: LEISURE and FISHING include stations for both, MIXED is only those.', MARINE_USES, {
    example: 'LEISURE',
  }),
  matches: (use) => {
    const uses = usesOf(use)
    return (one: { readonly use: string | null }) => one.use !== null && uses.includes(one.use)
  },
  present: { use: ({ use }) => use },
})

/** The station uses that include a use of vessels. */
export function usesOf(use: string): readonly string[] {
  return use === 'MIXED' ? [use] : [use, 'MIXED']
}

/** The filter `port`: words of the names of the port and of its place. */
const portFilter = defineMemoryFilter({
  ...searchFilter('the port, its locality or its municipality', (one: MarinePlace) => [one.port, one.locality, one.municipality]),
  name: 'port',
  present: { port: (one: MarinePlace) => one.port },
})

interface MarinePlace {
  readonly port: string | null
  readonly locality: string | null
  readonly municipality: string | null
}

/** Filters of prices. */
export const marineFilters = [columnFilter('fuel', marineFuelParam, 'fuel'), useFilter, portFilter, provinceFilter] as const

/** The prices of a state with their stations. */
export const marinePricesOf: (states: StatesOf<typeof MARINE_DATASETS>) => readonly MarinePrice[] = memo(
  ([prices, stations]) => {
    const byId = new Map(stations.rows.map((row) => [row.station_id, row]))
    return prices.rows.filter(({ status }) => status !== 'ENDED').map((row) => toPrice(row, byId.get(row.station_id)))
  },
  (states) => states,
)

type Price = State<typeof marinePrices>['rows'][number]
type Station = State<typeof marineStations>['rows'][number]

const { port_id: _port, ...ownFields } = marinePrice.fields
const toPrice = joined<typeof ownFields, [Price, Station | undefined]>(
  [marinePrices, marineStations],
  { name: marinePrice.name, fields: ownFields },
  {
    id: (row) => `${row.station_id}/${row.product}`,
    use: (row) => row.use,
    station_id: (row) => row.station_id,
    province: (row) => provinceName(row.province_code),
    province_code: (row) => row.province_code,
  },
)
