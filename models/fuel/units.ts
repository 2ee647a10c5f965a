import { SOLD_BY_TONNE } from '../../lake/datasets/fuel/codes.ts'

const LITRES = 1000

/** The forecast unit of a bulletin product. */
export function unitOf(product: string): 'EUR/L' | 'EUR/t' {
  return (SOLD_BY_TONNE as readonly string[]).includes(product) ? 'EUR/t' : 'EUR/L'
}

/** The price of a product in its forecast unit, from the log of the bulletin's price (EUR/kL or EUR/t). */
export function priceOf(product: string, log: number): number {
  return Math.exp(log) / (unitOf(product) === 'EUR/t' ? 1 : LITRES)
}
