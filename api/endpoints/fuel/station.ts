import { FUEL_PRODUCTS } from '../../../lake/datasets/fuel/codes.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { offsetAt } from '../../../lake/schema/time.ts'
import type { State, StatesOf } from '../../kernel/endpoint.ts'
import { nested, pick, projection, record, type ValueOf } from '../../kernel/fields.ts'
import { codeParam, type Param } from '../../kernel/params/params.ts'
import { defineMemoryFilter, type MemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { field } from '../../kernel/reply-fields.ts'
import { originFields, provinceField } from '../common-fields.ts'
import { isOpenAt, openingHours } from './opening-hours.ts'

const { columns } = fuelStations
const p = fuelPrices.columns

/** A price in a station's list. */
const priceFields = {
  price: p.price,
  price_unit: p.price_unit,
  price_issue: p.price_issue,
  updated_at: field.instant('Publication that last changed the price.', '2025-09-27T16:05:47.000Z'),
} as const

/** Fields of a station. */
export const stationFields = {
  id: columns.station_id,
  operator: columns.brand,
  ...pick(columns, 'address', 'road', 'km', 'locality', 'postal_code', 'municipality', 'municipality_code'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'position', 'position_issue', 'side'),
  schedule: columns.opening_hours,
  ...pick(columns, 'sale_type', 'reporter', 'bioethanol_pct', 'methyl_ester_pct'),
  prices: nested.map('Pump prices, taxes included, by product; products that are not sold are absent.', FUEL_PRODUCTS, priceFields),
  ...originFields(columns, { source_id: columns.station_id }),
} as const

/** Description of stations along a road. */
export const ABOUT_ROAD =
  'Road and kilometre of a station come from its address. One kilometre in ten uses an older count than the road has today; add bbox, or lat, lon and radius, to be sure of a stretch.'

/** Description of stations around a point or in a box. */
export const ABOUT_POSITION = 'A position that contradicts the address (`position_issue`) is shown but not used in searches.'

/** A filling station with its prices. */
export const station = record('GasStation', 'A filling station with its prices.', stationFields)

export type Station = ValueOf<typeof stationFields>

/** Source datasets of a station. */
export const STATION_DATASETS = [fuelStations, fuelPrices] as const

/** The parameter `fuel`: a product. */
export const fuelParam = codeParam('Fuel product.', FUEL_PRODUCTS, { example: 'DIESEL_A' })

/** The filter `fuel`: stations that sell the product, or one of several. */
export function sellsFilter<T extends string | readonly string[] | null>(fuel: Param<T>): MemoryFilter<'fuel', T, Station> {
  return defineMemoryFilter({
    name: 'fuel',
    param: fuel,
    matches: (products) => (one) => [products].flat().some((product) => Object.hasOwn(one.prices, product)),
    present: { fuel: ({ prices }) => Object.keys(prices) },
  })
}

const toStation = projection(fuelStations, station, {
  prices: () => ({}),
})

/** The stations of a state with their prices, cached per state. */
export const stationsOf: (states: StatesOf<typeof STATION_DATASETS>) => readonly Station[] = memo(
  ([stations, prices]) => joined(stations, prices),
  (states) => states,
)

function joined(stations: State<typeof fuelStations>, prices: State<typeof fuelPrices>): Station[] {
  const byStation = Map.groupBy(
    prices.rows.filter((row) => row.status !== 'ENDED'),
    (row) => row.station_id,
  )
  const rank = new Map(Object.keys(FUEL_PRODUCTS.codes).map((product, at) => [product, at]))
  return stations.rows.map((row) => {
    const made = toStation(row)
    const own = (byStation.get(row.station_id) ?? []).toSorted(
      (one, other) => (rank.get(one.product) ?? 99) - (rank.get(other.product) ?? 99),
    )
    return {
      ...made,
      prices: Object.fromEntries(
        own.map(({ product, price, price_unit, price_issue, updated_at }) => [
          product,
          { price, price_unit, price_issue: price_issue ?? null, updated_at },
        ]),
      ),
      // A price change counts as a change of its station.
      updated_at: own.reduce((latest, one) => Math.max(latest, one.updated_at), made.updated_at),
    }
  })
}

const WEEK_MIN = 10_080
/** 1970-01-01 was a Thursday. */
const THURSDAY_MIN = 3 * 1440

/** True if a station is open at an instant (ms), by its published hours and its local clock; false if the hours are unknown. */
export function isOpen(one: Station, now: number): boolean {
  const hours = one.schedule === null ? null : openingHours(one.schedule)
  if (!hours) return false
  const minute = Math.floor((now + offsetAt(now, zoneOf(one.province_code))) / 60_000) + THURSDAY_MIN
  return isOpenAt(hours, minute % WEEK_MIN)
}
