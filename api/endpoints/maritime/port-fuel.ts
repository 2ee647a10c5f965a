import { distanceM } from '../../../lake/places/distance.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { nested, pick, type ValueOf } from '../../kernel/fields.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { type MarinePrice, marinePrice } from './marine-price.ts'
import type { Port, PortCatalogue } from './port-catalogue.ts'

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
export const withPorts = memo(
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
