import { COUNTRY, type WeekPrice } from './weeks.sql.ts'

const DAY_MS = 86_400_000
/** How long the newest price of a product may lie behind the bulletin's newest week, in days. */
const MOST_BEHIND_DAYS = 28

/** The weeks of a product in which the country has a price, and what the other countries' prices were then. */
export interface Panel {
  readonly product: string
  /** Mondays, YYYY-MM-DD, in order; weeks that the bulletin leaves out are not there. */
  readonly dates: readonly string[]
  /** The same as days since 1970. */
  readonly days: readonly number[]
  /** Logarithm of the country's price. */
  readonly own: readonly number[]
  /** Changes of the logarithms of the other countries' prices from the week before; 0 where one of both is not known. */
  readonly others: readonly (readonly number[])[]
  /** Sum of the mean changes of the other countries: the level of Europe, but for its begin. */
  readonly europe: readonly number[]
}

/** The panel of a product; empty where the country has no price of it. A country's price that a week lacks is taken to stand as it was. */
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

/** The newest day that any of the panels has a price of, as days since 1970. */
export function newestOf(panels: readonly Panel[]): number {
  return Math.max(...panels.flatMap(({ days }) => days.at(-1) ?? []))
}

/** True where a product is no longer reported: its newest price lies more than four weeks behind the newest of all (days since 1970). */
export function hasEnded({ days }: Panel, newest: number): boolean {
  return newest - (days.at(-1) as number) > MOST_BEHIND_DAYS
}
