/** A forecast with a known outcome, in the product's unit. */
export interface Outcome {
  readonly date: string
  readonly actual: number
  readonly value: number
  readonly last: number
  /** The champion's actual or reconstructed forecast; null if it has none. */
  readonly standing: number | null
  readonly low: number | null
  readonly high: number | null
}

/** Mean absolute error, in the unit of the outcomes, of the values returned by `said`. */
export function meanError(outcomes: readonly Outcome[], said: (one: Outcome) => number): number {
  return outcomes.reduce((sum, one) => sum + Math.abs(said(one) - one.actual), 0) / outcomes.length
}

/** The share of outcomes within their intervals, among those with one; null if none has one. */
export function coverageOf(outcomes: readonly Outcome[]): { readonly share: number | null; readonly points: number } {
  const held = outcomes.filter(({ low }) => low !== null)
  const inside = held.filter(({ actual, low, high }) => actual >= (low as number) && actual <= (high as number))
  return { share: held.length === 0 ? null : inside.length / held.length, points: held.length }
}
