import { SOLD_BY_TONNE } from '../../lake/datasets/fuel/codes.ts'
import { COUNTRY, type WeekPrice } from './weeks.sql.ts'

const LITRES = 1000

/** The forecast unit of a bulletin product. */
export function unitOf(product: string): 'EUR/L' | 'EUR/t' {
  return (SOLD_BY_TONNE as readonly string[]).includes(product) ? 'EUR/t' : 'EUR/L'
}

/** The price of a product in its forecast unit, from the log of the bulletin's price (EUR/kL or EUR/t). */
export function priceOf(product: string, log: number): number {
  return Math.exp(log) / (unitOf(product) === 'EUR/t' ? 1 : LITRES)
}

const DAY_MS = 86_400_000
/** Greatest age of a product's newest price relative to the bulletin's newest week, in days. */
const MOST_BEHIND_DAYS = 28

/** The weeks in which the country has a price of a product, with the other countries' prices. */
export interface Panel {
  readonly product: string
  /** Mondays, YYYY-MM-DD, in order; weeks missing from the bulletin are absent. */
  readonly dates: readonly string[]
  /** The Mondays as days since 1970. */
  readonly days: readonly number[]
  /** Logarithm of the country's price. */
  readonly own: readonly number[]
  /** Log price changes of the other countries from the week before; 0 if either is unknown. */
  readonly others: readonly (readonly number[])[]
  /** Cumulative mean change of the other countries: the level of Europe, up to a constant. */
  readonly europe: readonly number[]
}

/** The panel of a product; empty if the country has no price of it. A country without a price in a week keeps its last one. */
export function panelOf(product: string, prices: readonly WeekPrice[]): Panel {
  const ofProduct = prices.filter((one) => one.product === product)
  const own = ofProduct.filter(({ country_code }) => country_code === COUNTRY).sort((one, other) => (one.date < other.date ? -1 : 1))
  const dates = own.map(({ date }) => date)
  const countries = [...new Set(ofProduct.map(({ country_code }) => country_code))].filter((code) => code !== COUNTRY).sort()
  const others = countries.map((code) => {
    const known = new Map(
      ofProduct.flatMap((one) => (one.country_code === code ? [[one.date, Math.log(one.price_with_tax)] as const] : [])),
    )
    let last: number | null = null
    return dates.map((date) => {
      const now: number | null = known.get(date) ?? last
      const change = last === null || now === null ? null : now - last
      last = now
      return change
    })
  })
  let level = 0
  const europe = dates.map((_, at) => {
    const changes = others.flatMap((series) => series[at] ?? [])
    if (changes.length > 0) level += changes.reduce((sum, change) => sum + change, 0) / changes.length
    return level
  })
  return {
    product,
    dates,
    days: dates.map((date) => Date.parse(date) / DAY_MS),
    own: own.map(({ price_with_tax }) => Math.log(price_with_tax)),
    others: others.map((series) => series.map((change) => change ?? 0)),
    europe,
  }
}

/** The newest day with a price in any of the panels, as days since 1970. */
export function newestOf(panels: readonly Panel[]): number {
  return Math.max(...panels.flatMap(({ days }) => days.at(-1) ?? []))
}

/**
 * True if a product is no longer reported: its newest price is over four weeks older than the newest of all (days since 1970).
 */
export function hasEnded({ days }: Panel, newest: number): boolean {
  return newest - (days.at(-1) as number) > MOST_BEHIND_DAYS
}
