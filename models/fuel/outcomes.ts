/** A forecast whose outcome is known, in the unit that its product is sold by. */
export interface Outcome {
  readonly date: string
  readonly actual: number
  readonly value: number
  readonly last: number
  /** What the standing version said or would have said; null where it cannot. */
  readonly standing: number | null
  readonly low: number | null
  readonly high: number | null
}

/** Mean absolute error, in the unit of the outcomes, of what is taken to be said. */
export function meanError(outcomes: readonly Outcome[], said: (one: Outcome) => number): number {
  return outcomes.reduce((sum, one) => sum + Math.abs(said(one) - one.actual), 0) / outcomes.length
}

/** The share of outcomes within their intervals, of those that have one; null where none has. */
export function coverageOf(outcomes: readonly Outcome[]): { readonly share: number | null; readonly points: number } {
  const held = outcomes.filter(({ low }) => low !== null)
  const inside = held.filter(({ actual, low, high }) => actual >= (low as number) && actual <= (high as number))
  return { share: held.length === 0 ? null : inside.length / held.length, points: held.length }
}
