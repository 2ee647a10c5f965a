import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { meaning, pick } from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { field } from '../../kernel/reply-fields.ts'
import type { Station } from './station.ts'

const { columns } = fuelDays

/** Statistics of the prices of one fuel at some stations. */
export const figureFields = {
  stations: columns.stations,
  price_mean: meaning(columns.price_mean, 'Mean price; each station has the same weight.'),
  ...pick(columns, 'price_min', 'price_p25', 'price_median', 'price_p75', 'price_max', 'price_unit'),
  coverage: field.decimal(
    'Share of the stations confirmed by the newest publication, 0 to 1; the others count with their last price.',
    '1',
    4,
    1,
  ),
} as const

/** Method of current price statistics, for `figure`. */
export const OF_STATIONS =
  'Uses pump prices with taxes from the newest publications. Each station has the same weight, however much it sells. Stations that are no longer listed or sell only to members, and implausible prices, are excluded.'

/** A price at a station. */
interface Sold {
  readonly price: number
  readonly price_unit: string
  readonly is_stale: boolean
}

/**
 * Statistics of prices, at least one. Quartiles are observed prices: the lowest that a quarter, half or three quarters do not
 * exceed.
 */
export function figuresOf(sold: readonly Sold[]) {
  const prices = sold.map(({ price }) => price).sort((one, other) => one - other)
  const at = (share: number): number => prices[Math.max(0, Math.ceil(share * prices.length) - 1)] as number
  // Thousandths are integers: a sum of doubles would depend on their order.
  const sum = prices.reduce((total, price) => total + Math.round(price * 1000), 0)
  return {
    stations: prices.length,
    price_mean: Math.round((sum * 10) / prices.length) / 10_000,
    price_min: at(0),
    price_p25: at(0.25),
    price_median: at(0.5),
    price_p75: at(0.75),
    price_max: at(1),
    price_unit: (sold[0] as Sold).price_unit,
    coverage: Math.round((10_000 * sold.filter(({ is_stale }) => !is_stale).length) / sold.length) / 10_000,
  }
}

/** The prices of included stations, by fuel and by a group of each station. Stations without a group are left out. */
export function soldBy(
  stations: readonly Station[],
  by: { readonly fuel: readonly string[] | null; readonly group: (station: Station) => string | null },
): Map<string, Map<string, Sold[]>> {
  const found = new Map<string, Map<string, Sold[]>>()
  for (const one of stations) {
    if (one.status !== 'ACTIVE' || one.sale_type === 'RESTRICTED') continue
    const group = by.group(one)
    if (group === null) continue
    for (const [fuel, { price, price_unit, price_issue }] of Object.entries(one.prices)) {
      if (price_issue || (by.fuel && !by.fuel.includes(fuel))) continue
      const groups = found.get(fuel) ?? new Map<string, Sold[]>()
      found.set(fuel, groups)
      const sold = groups.get(group) ?? []
      groups.set(group, sold)
      sold.push({ price, price_unit, is_stale: one.is_stale })
    }
  }
  return found
}

/** The page about prices of fuel. */
export const PRICES_PAGE = defineMethodPage('fuel-prices', new URL('./prices.md', import.meta.url))
