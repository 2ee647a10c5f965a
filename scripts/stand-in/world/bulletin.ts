import { chance, wander } from '../random.ts'

/** A price per 1000 litres, or per tonne. */
interface Amount {
  readonly withTax: number
  readonly withoutTax: number
}

/** The prices of a week. */
export interface BulletinWeek {
  /** The Monday as a spreadsheet's serial day number. */
  readonly serial: number
  /**
   * A country's prices: euros per unit of its currency, and each product's price in the order of the workbook, null if it is not
   * sold.
   */
  readonly prices: (country: string) => { readonly rate: number; readonly amounts: readonly (Amount | null)[] }
}

/** Days from the spreadsheets' day zero to 1970-01-01. */
const SERIAL_OF_1970 = 25_569
const DAY = 86_400_000
/** Price before taxes, its range and the duty of each product, euros. */
const PRODUCTS = [
  [700, 260, 473],
  [720, 280, 379],
  [690, 280, 97],
  [480, 180, 17],
  [430, 180, 17],
  [560, 150, 58],
] as const

/**
 * The weeks from a Monday (YYYY-MM-DD) to an instant (ms), the newest first; none is published between Christmas and New Year.
 */
export function bulletinWeeks(seed: number, { from, to }: { readonly from: string; readonly to: number }): BulletinWeek[] {
  const weeks: BulletinWeek[] = []
  const first = Date.parse(from)
  for (let at = first + Math.floor((to - first) / (7 * DAY)) * 7 * DAY; at >= first; at -= 7 * DAY) {
    const date = new Date(at)
    if (date.getUTCMonth() === 11 && date.getUTCDate() > 24) continue
    weeks.push({ serial: at / DAY + SERIAL_OF_1970, prices: (country) => pricesOf(seed, country, at / DAY / 7) })
  }
  return weeks
}

function pricesOf(seed: number, country: string, week: number): ReturnType<BulletinWeek['prices']> {
  const dear = 0.9 + 0.25 * chance(seed, 'bulletin', country)
  const vat = 1.17 + Math.round(10 * chance(seed, 'bulletin vat', country)) / 100
  const rate = Math.round(1e6 * (0.05 + 0.4 * chance(seed, 'bulletin rate', country)) * (1 + 0.02 * wander(week / 20, seed, country))) / 1e6
  const amounts = PRODUCTS.map(([base, range, duty], product) => {
    // One product in ten is not sold in a country; petrol and diesel are sold everywhere.
    if (product > 1 && country !== 'ES' && chance(seed, 'bulletin sold', country, product) < 0.1) return null
    const move = 0.8 * wander(week / 30, seed, 'bulletin world') + 0.2 * wander(week / 3, seed, 'bulletin', country, product)
    const before = dear * (base + range * move)
    return { withTax: cents((before + duty) * vat), withoutTax: cents(before) }
  })
  return { rate, amounts }
}

function cents(value: number): number {
  return Math.round(100 * value) / 100
}
