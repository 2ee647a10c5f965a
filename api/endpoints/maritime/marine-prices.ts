import { MARINE_FUELS, MARINE_USES, marinePrices, marineStations } from '../../../lake/datasets/maritime/marine-fuel.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn, type State, type StatesOf } from '../../kernel/endpoint.ts'
import { field, joined, meaning, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter, provinceFilter, searchFilter } from '../../kernel/filters.ts'
import { codeParam, listOf } from '../../kernel/params/params.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { originFields, provinceField, provinceName } from '../common-fields.ts'
import { ferryNetwork } from './ferry-network.ts'
import { ferryTimetables } from './ferry-timetables.ts'
import { type Port, type PortCatalogue, portCatalogue } from './port-catalogue.ts'

const station = marineStations.columns
const { columns } = marinePrices

/** A price of marine fuel, with its station. */
const marinePrice = record('MarineFuelPrice', 'The price of a fuel at a station that supplies vessels.', {
  id: field.text('Station and fuel.', 'mar_3f1c09a2b7de/DIESEL_A'),
  fuel: columns.product,
  price: meaning(columns.price, 'Price as published, in `price_unit`.'),
  price_unit: meaning(columns.price_unit, 'Unit as published. The register states none, but a price above 10 is per 1000 litres.'),
  ...pick(columns, 'price_eur_l', 'price_issue'),
  use: meaning(station.use, 'Vessels that the station supplies.'),
  station_id: meaning(station.station_id, 'Id of the station.'),
  port: station.port,
  port_id: optional(ports.columns.port_id, 'Nearest port within 5 km, as in /api/maritimo/puertos; null if there is none.'),
  operator: station.brand,
  address: optional(station.address, 'Street address; null while the station is not listed.'),
  ...pick(station, 'locality', 'postal_code', 'municipality', 'municipality_code'),
  province: provinceField(station.province_code),
  ...pick(station, 'province_code', 'position'),
  schedule: station.opening_hours,
  reporter: station.reporter,
  ...originFields(columns, { source_id: station.register_id }),
})

/** A price, ready for replies but for its port. */
type MarinePrice = Omit<ValueOf<typeof marinePrice.fields>, 'port_id'>

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

type MarinePlace = Pick<MarinePrice, 'port' | 'locality' | 'municipality'>

/** Filters of prices. */
const marineFilters = [columnFilter('fuel', marineFuelParam, 'fuel'), useFilter, portFilter, provinceFilter] as const

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

const { fields } = marinePrice

/** A station belongs to the nearest port within this distance: the World Port Index rounds to the minute. */
const REACH_M = 5_000

/** Fields of a fuel sold in a port. */
const fuelFields = pick(
  fields,
  'station_id',
  'operator',
  'address',
  'use',
  'fuel',
  'price',
  'price_unit',
  'price_eur_l',
  'price_issue',
  'observed_at',
)

/** The marine fuel of a port. */
export const portFuelField = nested.objects('Prices of marine fuel at stations within 5 km for which this is the nearest port.', fuelFields)

/** The prices with the port of their station; cached per input. */
const withPorts = memo(
  (prices: readonly MarinePrice[], { ports }: PortCatalogue): readonly (MarinePrice & { readonly port_id: string | null })[] => {
    const all = [...ports.values()]
    const nearest = new Map<string, string | null>()
    return prices.map((one) => {
      const { station_id, position } = one
      if (position !== null && !nearest.has(station_id)) nearest.set(station_id, nearestPort(all, position))
      return { ...one, port_id: position === null ? null : (nearest.get(station_id) ?? null) }
    })
  },
)

/** The prices of stations by port id; cached per input. */
export const fuelByPort = memo(
  (prices: readonly MarinePrice[], catalogue: PortCatalogue): ReadonlyMap<string, readonly ValueOf<typeof fuelFields>[]> => {
    const byPort = Map.groupBy(withPorts(prices, catalogue), ({ port_id }) => port_id)
    return new Map([...byPort].flatMap(([id, own]) => (id === null ? [] : [[id, own.toSorted(byFuelAndPrice)]])))
  },
)

function nearestPort(all: readonly Port[], at: Point): string | null {
  let best: string | null = null
  let least = REACH_M
  for (const { id, position } of all) {
    const away = position === null ? Number.POSITIVE_INFINITY : distanceM(position, at)
    if (away > least) continue
    best = id
    least = away
  }
  return best
}

function byFuelAndPrice(one: MarinePrice, other: MarinePrice): number {
  if (one.fuel !== other.fuel) return one.fuel < other.fuel ? -1 : 1
  return one.price - other.price || (one.station_id < other.station_id ? -1 : 1)
}

/** A fuel in the specification without published prices. */
const FUEL_OIL = 'MARINE_FUEL_OIL'
const NO_FUEL_OIL = `No source publishes prices of marine fuel oil (${FUEL_OIL}).`
/** The ferry ports of the timetables in force change with the date in Madrid. */
const DATE_CLOCK_S = 3600

/** The specification's list of marine fuel prices. */
export const marinePriceList = defineEndpoint({
  path: '/api/maritimo',
  plan: 'FREE',
  summary: 'Marine fuel prices in Spanish ports',
  summary_es: 'Precios de carburantes marinos en los puertos españoles',
  about:
    'One record per fuel that a station sells to leisure craft or fishing vessels. Diesel B and marine gasoil are published per 1000 litres; `price_eur_l` compares all fuels. ' +
    'No source publishes prices of marine fuel oil; `meta.note` says so.',
  filters: [...marineFilters, areaFilter],
  returns: listReturn('prices', marinePrice, { sorts: ['id', 'price_eur_l', 'updated_at'] }),
  read: {
    kind: 'memory',
    from: [...MARINE_DATASETS, ports],
    lake: ferryTimetables.all,
    needs: [],
    otherSources: () => ferryTimetables.all.flatMap(({ sources }) => sources),
    clockGranularity_s: DATE_CLOCK_S,
    answer: async ({ states: [prices, stations, listed], optional: extra }, { fuel }, now) => {
      const connections = (await extra(ferryNetwork, madridDate(now)))?.connections ?? []
      const records = withPorts(marinePricesOf([prices, stations]), portCatalogue(listed.rows, connections))
      const lacksFuelOil = (fuel === null || fuel.includes(FUEL_OIL)) && !records.some((one) => one.fuel === FUEL_OIL)
      return { records, counts: {}, ...(lacksFuelOil ? { note: NO_FUEL_OIL } : {}) }
    },
  },
  example: { fuel: 'DIESEL_A', province: 'Las Palmas' },
})
