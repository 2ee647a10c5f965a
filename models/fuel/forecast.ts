import type { Panel } from './panel.ts'
import { makeRidge } from './ridge.ts'

/** Weeks ahead that are forecast. */
export const HORIZONS_WEEKS = [1, 2, 4] as const
export type HorizonWeeks = (typeof HORIZONS_WEEKS)[number]

/** Share of the outcomes that an interval is to hold. */
export const LEVEL = 0.8
/** Weeks with a price that a product needs: a year for the usual distance to Europe, and some to learn from. */
export const LEAST_WEEKS = 60

/** Changes that are looked back at. */
const LAGS = 2
/** Weeks whose mean is the usual distance to the level of Europe. */
const DISTANCE_WEEKS = 52
/** How much a change of one country weighs beside the country's own and Europe's: there are over twenty of them. */
const OTHERS_WEIGHT = 0.5
/**
 * Penalty of the coefficients, and the three numbers of the intervals below: of those tried about the least error and interval score (Winkler) of
 * the years up to the middle of 2022, before the weeks that the model is held against.
 */
const PENALTY = 0.03
/** Errors that an interval is made of: those of the last three years. */
const ERRORS = 156
/** Half-life of what tells how restless the price is, in weeks. */
const HALF_LIFE_WEEKS = 3
/** What is added to it, per square root of the weeks ahead: a price that stood for weeks can move. */
const LEAST_SCALE = 0.004
/** Fewest errors that an interval is made of. */
const LEAST_ERRORS = 50
const WEEK_DAYS = 7

/** A forecast made with what was known in one week. Prices are logarithms. */
export interface Forecast {
  /** Number of the week in the panel that it was made in, with the bulletin of that week at hand. */
  readonly origin: number
  /** Days since 1970 of the Monday that it is of. */
  readonly day: number
  readonly last: number
  readonly value: number
  /** Half the width of the interval around the value; null while there are too few errors to tell. */
  readonly half: number | null
  /** The same around the last value, by the errors of that. */
  readonly lastHalf: number | null
  /** How restless the price was, and `half` in terms of it. */
  readonly scale: number
  readonly rank: number | null
  /** Coefficients of the features that the value is made with. */
  readonly weights: Float64Array
  /** Number of the week that it is of; null where the bulletin has none (yet). */
  readonly target: number | null
}

/**
 * Forecasts of a horizon, one from each week of a panel on that has enough before it, in order. Each is made of the weeks until its own alone: the
 * regression has only learnt from outcomes that were known then, and the interval is made of the errors of forecasts that had come due by then. So
 * the last one is the forecast of today, and the others are what it would have been.
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
  /** Errors of forecasts that have come due, each by the scale of its time. */
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
      value: now + changeBy(weights, features[week] as number[]),
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

/** The change that coefficients give of a week's features. */
function changeBy(weights: ArrayLike<number>, features: readonly number[]): number {
  return features.reduce((sum, feature, nth) => sum + feature * (weights[nth] as number), 0)
}

/** The forecast that coefficients give in a week of a panel, as a logarithm; null where they are of other features than it has. */
export function valueBy(weights: ArrayLike<number>, panel: Panel, week: number): number | null {
  if (week < DISTANCE_WEEKS + LAGS) return null
  const features = featuresOf(panel, week)
  return features.length === weights.length ? (panel.own[week] as number) + changeBy(weights, features) : null
}

/** What is known in a week: the last changes of the country, of Europe and of each country, and how far from Europe the price is, beyond the usual. */
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

/** The error that a share of `LEVEL` of as many, and one more, do not exceed (split conformal prediction); null of too few. */
function rankOf(errors: readonly number[]): number | null {
  if (errors.length < LEAST_ERRORS) return null
  const sorted = errors.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length, Math.ceil(LEVEL * (sorted.length + 1))) - 1] as number
}

/** A mean in which each value counts half as much as one that came a half-life later. */
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
