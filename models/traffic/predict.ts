import { type Board, OFFSET } from './board.ts'
import { calendarDay } from './calendar.ts'
import { COUNT_FEATURES, FEATURES, featuresOf, HORIZONS_HOURS, type Target, usualOf } from './features.ts'
import type { Spread, SpreadState } from './spread.ts'
import { clipped, type Typical } from './typical.ts'

/** The series of errors over all series of a model. */
export const ALL_SERIES = 'ALL'

/** A horizon in hours as an ISO 8601 duration. */
export const horizonOf = (hours: number): string => `PT${hours}H`

/** The parameters of a version: everything forecasts need besides recent counts. */
export type TrafficParameters = {
  /** First and last day of the training data, YYYY-MM-DD; the first is missing in old versions. */
  readonly data_from?: string
  readonly data_to: string
  /** Coefficients by local hour, horizon and day off or not: see `placeOf`. */
  readonly weights: readonly (readonly number[])[]
  /** Additional coefficients of each series by horizon; null for a model of more series than it was fitted to. */
  readonly own: { readonly [series: string]: readonly (readonly number[])[] } | null
  readonly spread: SpreadState
  /** The series that give the city's level, for a model of more series than it was fitted to; null if all do. */
  readonly panel: readonly string[] | null
  /** Set for a version of too few days for regressions: all coefficients are 0, so that forecasts are typical values. */
  readonly isTypical?: true
}

/** A forecast of a series' vehicles in an hour. */
export interface Forecast {
  readonly target: Target
  readonly value: number
  readonly low: number
  readonly high: number
  /** The typical count, as known at the origin, and the interval of outcomes around it. */
  readonly typical: number
  readonly typicalLow: number
  readonly typicalHigh: number
}

/** A forecast with its logarithms. */
export interface Made extends Forecast {
  readonly usual: number
  readonly ratio: number
}

/** Inputs of forecasts: counts, typical values and fitted parameters. */
export interface Known {
  readonly board: Board
  readonly typical: Typical
  readonly weights: Weights
  /** Errors of the model, and of the typical value; null for a version without the latter, which then uses the model's. */
  readonly spread: Spread
  readonly typicalSpread: Spread | null
}

/** Coefficients shared by all series, by `placeOf`, and each series' own for the features of counts, by `ownPlaceOf`, if any. */
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

/** Number of regressions: one for each local hour, horizon, and day off or not. */
export const PLACES = 24 * HORIZONS_HOURS.length * 2

/** The regression index of a target. */
export function placeOf({ dayAt, clockAt, firstDay }: Board, { slot, horizon }: Target): number {
  const isOff = calendarDay(firstDay + (dayAt[slot] as number)).isOff ? 1 : 0
  return ((clockAt[slot] as number) * HORIZONS_HOURS.length + horizon - 1) * 2 + isOff
}

/** Whether a series has its own coefficients on the day of a target: holidays are too few to fit. */
export function hasOwnOn({ dayAt, firstDay }: Board, { slot }: Target): boolean {
  return !calendarDay(firstDay + (dayAt[slot] as number)).isHoliday
}

/** The index of a target's regression for its series alone. */
export function ownPlaceOf({ series, horizon }: Target): number {
  return series * HORIZONS_HOURS.length + horizon - 1
}

/** The forecast of a target from data known at the end of hour `slot - horizon`; null if its hour has no typical value. */
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

/** A forecast that is its typical value, with the interval of that. */
export const typically = (made: Made): Made => ({ ...made, value: made.typical, low: made.typicalLow, high: made.typicalHigh })

/** The expected log ratio of a target to its typical value, by given coefficients. */
export function ratioOf({ board, typical, weights }: Pick<Known, 'board' | 'typical' | 'weights'>, target: Target): number {
  featuresOf(board, typical, target, features)
  const shared = weights.shared[placeOf(board, target)] as ArrayLike<number>
  const own = hasOwnOn(board, target) ? weights.own[ownPlaceOf(target)] : undefined
  let sum = 0
  for (let at = 0; at < FEATURES; at++) sum += (shared[at] as number) * (features[at] as number)
  if (own) for (let at = 0; at < COUNT_FEATURES; at++) sum += (own[at] as number) * (features[at] as number)
  return clipped(sum)
}

/** Vehicles from a logarithm of vehicles + `OFFSET`; at least 0. */
export function countOf(log: number): number {
  return Math.max(0, Math.exp(log) - OFFSET)
}
