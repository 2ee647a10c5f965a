import type { Panel } from './panel.ts'
import { conformal, makeRidge, predicted } from './ridge.ts'

/** Weeks ahead that are forecast. */
export const HORIZONS_WEEKS = [1, 2, 4] as const
export type HorizonWeeks = (typeof HORIZONS_WEEKS)[number]

/** Nominal coverage of intervals. */
export const LEVEL = 0.8
/** Minimum weeks with a price of a product: a year for the usual distance to Europe, plus some for fitting. */
export const LEAST_WEEKS = 60

/** Number of past changes used. */
const LAGS = 2
/** Weeks of the mean distance to the level of Europe. */
const DISTANCE_WEEKS = 52
/** Weight of another country's change relative to the own one and Europe's: there are over twenty countries. */
const OTHERS_WEIGHT = 0.5
/**
 * Ridge penalty and the three interval constants below. Chosen for about the least error and interval score (Winkler) over the
 * years until mid-2022, before the evaluation weeks.
 */
const PENALTY = 0.03
/** Number of errors for an interval: those of three years. */
const ERRORS = 156
/** Half-life of the volatility, in weeks. */
const HALF_LIFE_WEEKS = 3
/** Added to the volatility per square root of the weeks ahead: a price that was constant for weeks can move. */
const LEAST_SCALE = 0.004
/** Minimum number of errors for an interval. */
const LEAST_ERRORS = 50
const WEEK_DAYS = 7

/** A forecast made with the data known in one week. Prices are logarithms. */
export interface Forecast {
  /** Index of the week in which it was made, after that week's bulletin. */
  readonly origin: number
  /** The forecast Monday, in days since 1970. */
  readonly day: number
  readonly last: number
  readonly value: number
  /** Half the interval width around the value; null if there are too few errors. */
  readonly half: number | null
  /** Half the interval width around the last value, from its own errors. */
  readonly lastHalf: number | null
  /** The volatility, and `half` relative to it. */
  readonly scale: number
  readonly rank: number | null
  /** Coefficients that gave the value. */
  readonly weights: Float64Array
  /** Index of the forecast week; null if the bulletin does not have it (yet). */
  readonly target: number | null
}

/**
 * Forecasts of a horizon from each week of a panel with enough history, in order. Each uses only data up to its own week: the
 * regression was fitted to outcomes known then, the interval to errors due by then. The last is today's forecast; the others are
 * what it would have been.
 */
export function walk(panel: Panel, horizon: HorizonWeeks): Forecast[] {
  const { own, days } = panel
  const at = new Map(days.map((day, week) => [day, week]))
  const ahead = horizon * WEEK_DAYS
  const begin = DISTANCE_WEEKS + LAGS
  const features = own.map((_, week) => (week < begin ? [] : featuresOf(panel, week)))
  const ridge = makeRidge(LAGS * (2 + panel.others.length) + 1, PENALTY)
  const made: Forecast[] = []
  const byOrigin = new Map<number, Forecast>()
  /** Errors of due forecasts, relative to the volatility of their time. */
  const errors: number[] = []
  const lastErrors: number[] = []
  const [restless, astray] = [fading(), fading()]
  for (let week = 1; week < own.length; week++) {
    const now = own[week] as number
    restless.see(Math.abs(now - (own[week - 1] as number)))
    const origin = at.get((days[week] as number) - ahead)
    if (origin !== undefined && origin >= begin) ridge.add(features[origin] as number[], now - (own[origin] as number))
    const due = origin === undefined ? undefined : byOrigin.get(origin)
    if (due) {
      const error = Math.abs(due.value - now)
      errors.push(error / due.scale)
      lastErrors.push(Math.abs(due.last - now) / due.scale)
      astray.see(error)
    }
    if (week < LEAST_WEEKS - 1) continue
    const weights = ridge.fit()
    const moves = restless.value ?? 0
    const scale = LEAST_SCALE * Math.sqrt(horizon) + (moves + (astray.value ?? moves)) / 2
    const rank = rankOf(errors.slice(-ERRORS))
    const lastRank = rankOf(lastErrors.slice(-ERRORS))
    const forecast = {
      origin: week,
      day: (days[week] as number) + ahead,
      last: now,
      value: now + predicted(weights, features[week] as number[]),
      half: rank === null ? null : rank * scale,
      lastHalf: lastRank === null ? null : lastRank * scale,
      ...{ scale, rank, weights },
      target: at.get((days[week] as number) + ahead) ?? null,
    }
    made.push(forecast)
    byOrigin.set(week, forecast)
  }
  return made
}

/** The log price that coefficients forecast in a week of a panel; null if their number of features differs. */
export function valueBy(weights: ArrayLike<number>, panel: Panel, week: number): number | null {
  if (week < DISTANCE_WEEKS + LAGS) return null
  const features = featuresOf(panel, week)
  return features.length === weights.length ? (panel.own[week] as number) + predicted(weights, features) : null
}

/**
 * Features of a week: the last changes of the country, of Europe and of each country, and the price's distance from Europe minus
 * the usual one.
 */
function featuresOf({ own, europe, others }: Panel, week: number): number[] {
  const of = (series: readonly number[], back: number): number => series[week - back] as number
  const features: number[] = []
  for (let lag = 0; lag < LAGS; lag++) {
    features.push(of(own, lag) - of(own, lag + 1), of(europe, lag) - of(europe, lag + 1))
    for (const changes of others) features.push(OTHERS_WEIGHT * of(changes, lag))
  }
  let usual = 0
  for (let back = 0; back < DISTANCE_WEEKS; back++) usual += (of(own, back) - of(europe, back)) / DISTANCE_WEEKS
  return [...features, of(own, 0) - of(europe, 0) - usual]
}

/** The conformal quantile of errors at `LEVEL`; null if there are too few. */
const rankOf = (errors: readonly number[]): number | null => (errors.length < LEAST_ERRORS ? null : conformal(errors, LEVEL))

/** An exponentially weighted mean with a half-life. */
function fading(): { readonly value: number | null; see(value: number): void } {
  const share = 1 - 0.5 ** (1 / HALF_LIFE_WEEKS)
  const state = {
    value: null as number | null,
    see(value: number): void {
      state.value = state.value === null ? value : state.value + share * (value - state.value)
    },
  }
  return state
}
