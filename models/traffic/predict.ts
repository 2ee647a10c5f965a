import { type Board, OFFSET } from './board.ts'
import { calendarDay } from './calendar.ts'
import { COUNT_FEATURES, FEATURES, featuresOf, HORIZONS_HOURS, type Target, usualOf } from './features.ts'
import type { Spread, SpreadState } from './spread.ts'
import { clipped, type Typical } from './typical.ts'

/** What errors are of: all series of a model together. */
export const ALL_SERIES = 'ALL'

/** The horizon of some hours as an ISO 8601 duration. */
export const horizonOf = (hours: number): string => `PT${hours}H`

/** What a version of the model is: all that forecasts are made of beside recent counts. */
export type TrafficParameters = {
  /** First and last day of the counts that it has learnt from, YYYY-MM-DD; the first is not known of versions from before it was told. */
  readonly data_from?: string
  readonly data_to: string
  /** Coefficients by the hour of the clock, horizon and whether the day is off: see `placeOf`. */
  readonly weights: readonly (readonly number[])[]
  /** By series what its own counts add to them, by horizon; null of a model of more series than it was fitted to. */
  readonly own: { readonly [series: string]: readonly (readonly number[])[] } | null
  readonly spread: SpreadState
  /** The series that tell how the city is, of a model of more series than it was fitted to; null where all of them tell it. */
  readonly panel: readonly string[] | null
}

/** A forecast of the vehicles of a series in an hour. */
export interface Forecast {
  readonly target: Target
  readonly value: number
  readonly low: number
  readonly high: number
  /** The typical count, as it was known at the origin, and the interval of outcomes around it. */
  readonly typical: number
  readonly typicalLow: number
  readonly typicalHigh: number
}

/** A forecast and the logarithms that it is made of. */
export interface Made extends Forecast {
  readonly usual: number
  readonly ratio: number
}

/** What forecasts are made of: counts, what is usual, and what was learnt. */
export interface Known {
  readonly board: Board
  readonly typical: Typical
  readonly weights: Weights
  /** Errors of the model, and of the typical value; null of a version that has none of these: it is then told by the model's. */
  readonly spread: Spread
  readonly typicalSpread: Spread | null
}

/** Coefficients of all series, by `placeOf`, and those of each for the features of counts, by `ownPlaceOf`; none where a series has none of its own. */
export interface Weights {
  readonly shared: readonly ArrayLike<number>[]
  readonly own: readonly (ArrayLike<number> | undefined)[]
}

/** The coefficients of a version for the series of a board. */
export function weightsOf({ weights, own }: Pick<TrafficParameters, 'weights' | 'own'>, { series }: Board): Weights {
  const ofSeries = (name: string): readonly (ArrayLike<number> | undefined)[] => own?.[name] ?? HORIZONS_HOURS.map(() => undefined)
  return { shared: weights, own: series.flatMap(ofSeries) }
}

const features = new Float64Array(FEATURES)

/** How many regressions there are: of each hour of the clock, horizon, and days off or not. */
export const PLACES = 24 * HORIZONS_HOURS.length * 2

/** The number of the regression that a target is of. */
export function placeOf({ dayAt, clockAt, firstDay }: Board, { slot, horizon }: Target): number {
  const isOff = calendarDay(firstDay + (dayAt[slot] as number)).isOff ? 1 : 0
  return ((clockAt[slot] as number) * HORIZONS_HOURS.length + horizon - 1) * 2 + isOff
}

/** Whether a series has coefficients of its own on the day of a target: on holidays it has too few to learn from. */
export function hasOwnOn({ dayAt, firstDay }: Board, { slot }: Target): boolean {
  return !calendarDay(firstDay + (dayAt[slot] as number)).isHoliday
}

/** The number of the regression of a series alone that a target is of. */
export function ownPlaceOf({ series, horizon }: Target): number {
  return series * HORIZONS_HOURS.length + horizon - 1
}

/** The forecast of a target, made of what was known at the end of the hour `slot - horizon`; null where nothing is usual at its hour. */
export function forecastOf(known: Known, target: Target): Made | null {
  const usual = usualOf(known.board, known.typical, target)
  if (Number.isNaN(usual)) return null
  const ratio = ratioOf(known, target)
  const { low, middle, high } = known.spread.interval(target, usual)
  const around = known.typicalSpread?.interval(target, usual) ?? { low: ratio + low, high: ratio + high }
  return {
    ...{ target, usual, ratio, typical: countOf(usual), value: countOf(usual + ratio + middle) },
    ...{ low: countOf(usual + ratio + low), high: countOf(usual + ratio + high) },
    ...{ typicalLow: countOf(usual + around.low), typicalHigh: countOf(usual + around.high) },
  }
}

/** The logarithm of what is to be expected of a target to what is usual, by some coefficients. */
export function ratioOf({ board, typical, weights }: Pick<Known, 'board' | 'typical' | 'weights'>, target: Target): number {
  featuresOf(board, typical, target, features)
  const shared = weights.shared[placeOf(board, target)] as ArrayLike<number>
  const own = hasOwnOn(board, target) ? weights.own[ownPlaceOf(target)] : undefined
  let sum = 0
  for (let at = 0; at < FEATURES; at++) sum += (shared[at] as number) * (features[at] as number)
  if (own) for (let at = 0; at < COUNT_FEATURES; at++) sum += (own[at] as number) * (features[at] as number)
  return clipped(sum)
}

/** Vehicles of a logarithm of vehicles + `OFFSET`; none below none. */
export function countOf(log: number): number {
  return Math.max(0, Math.exp(log) - OFFSET)
}
