import { makeRidge, type Ridge } from '../fuel/ridge.ts'
import type { Board } from './board.ts'
import { COUNT_FEATURES, FEATURES, featuresOf, HORIZONS_HOURS, type Target, usualOf } from './features.ts'
import { forecastOf, hasOwnOn, type Made, ownPlaceOf, PLACES, placeOf, type Weights } from './predict.ts'
import type { Scales } from './scales.ts'
import { makeSpread, type SpreadState } from './spread.ts'
import { clipped, type Typical } from './typical.ts'

/** Training days before the first forecast, and days between two fits. */
export const FIRST_DAYS = 60
const FIT_DAYS = 7
/** Days without lags, which are not used for training. */
export const WARM_DAYS = 21
/** Ridge penalty of the coefficients, in vehicles: an outcome's weight is its typical count. */
const PENALTY = 3000
/** Ridge penalty of a series' own coefficients, in outcomes; and the greatest error that they are fitted to. */
const OWN_PENALTY = 400
const MOST_ERROR = 0.5
/** Weight of days of the other kind, off or not, in a regression. */
const OTHER_KIND = 0.1

/** Options of a walk. */
export interface WalkOf {
  readonly scales: Scales
  /** Whether each series has its own additional coefficients. */
  readonly hasOwn: boolean
  /** Set if nothing is fitted: forecasts are typical values from the first day on. */
  readonly isTypical?: boolean
  /** Series used for fitting, all by default; the others are only forecast. */
  readonly learns?: ReadonlySet<string>
}

/**
 * Walks over a board and reports, day by day, the forecasts made at the end of every hour from data known then. Regressions of
 * the log ratio, by local hour, horizon and day off or not, then of each series' residuals by horizon, are fitted weekly and at
 * the end. Returns the fitted parameters; null if there are too few days.
 */
export function walk(board: Board, typical: Typical, of: WalkOf, report: (forecasts: readonly Made[]) => void): Learnt | null {
  const model = makeModel(board, typical, of)
  const first = of.isTypical ? 0 : FIRST_DAYS
  let learnt = 0
  /** Forecasts that are not due yet. */
  let pending: Made[] = []
  for (let day = WARM_DAYS; day < board.days; day++) {
    if (learnt >= first && (learnt - first) % FIT_DAYS === 0) model.fit()
    const slots = slotsOf(board, day)
    const made = learnt < first ? [] : slots.flatMap((origin) => model.forecastsAt(origin))
    report(made)
    const known = [...pending, ...made]
    pending = known.filter(({ target }) => board.dayAt[target.slot] !== day)
    for (const one of known) if (board.dayAt[one.target.slot] === day) model.see(one)
    let any = false
    for (const slot of slots) any = model.learn(slot) || any
    if (any) learnt++
  }
  return learnt < first ? null : model.fit()
}

/** Fitted parameters: coefficients, and the spread of outcomes around forecasts. */
interface Learnt {
  readonly weights: Weights
  readonly spread: SpreadState
}

function makeModel(board: Board, typical: Typical, { scales, hasOwn, isTypical, learns }: WalkOf) {
  const { series, hours, logs } = board
  const spread = makeSpread(board, scales)
  const typicalSpread = makeSpread(board, scales)
  const isLearnt = series.map((name) => learns?.has(name) ?? true)
  const ridges: Ridge[] = Array.from({ length: PLACES }, () => makeRidge(FEATURES, PENALTY))
  const own: Ridge[] = Array.from({ length: hasOwn ? series.length * HORIZONS_HOURS.length : 0 }, () =>
    makeRidge(COUNT_FEATURES, OWN_PENALTY),
  )
  let weights: Weights = { shared: [], own: [] }
  const features = new Float64Array(FEATURES)
  /** Fits the residual of an outcome after the shared coefficients; its features are in `features`. */
  const learnOwn = (target: Target, ratio: number): void => {
    const shared = weights.shared[placeOf(board, target)]
    if (!hasOwn || !shared || !hasOwnOn(board, target)) return
    let left = ratio
    for (let feature = 0; feature < FEATURES; feature++) left -= (shared[feature] as number) * (features[feature] as number)
    ;(own[ownPlaceOf(target)] as Ridge).add(features, Math.max(-MOST_ERROR, Math.min(MOST_ERROR, left)))
  }
  return {
    fit(): Learnt {
      // The two kinds of days of an hour and horizon are adjacent: see `placeOf`.
      const shared = ridges.map((ridge, place) => ridge.fit({ ridge: ridges[place ^ 1] as Ridge, share: OTHER_KIND }))
      weights = { shared, own: own.map((ridge) => ridge.fit()) }
      spread.close()
      typicalSpread.close()
      return { weights, spread: { bounds: spread.bounds(), typical: typicalSpread.bounds(), scales: scales.state() } }
    },
    forecastsAt(origin: number): Made[] {
      return HORIZONS_HOURS.flatMap((horizon) => {
        const slot = origin + horizon
        const known = { board, typical, weights, spread, typicalSpread }
        return slot >= hours ? [] : series.flatMap((_, at) => forecastOf(known, { series: at, slot, horizon }) ?? [])
      })
    },
    see({ target, usual, ratio }: Made): void {
      const log = logs[target.series * hours + target.slot] as number
      if (!isLearnt[target.series] || Number.isNaN(log)) return
      const error = log - usual - ratio
      spread.see(target, usual, error)
      typicalSpread.see(target, usual, log - usual)
      scales.see(target, usual, Math.abs(error))
    },
    /** Adds the outcomes of an hour; false if there are none. */
    learn(slot: number): boolean {
      let any = false
      for (const horizon of HORIZONS_HOURS) {
        for (let at = 0; at < series.length; at++) {
          const target = { series: at, slot, horizon }
          const usual = usualOf(board, typical, target)
          const ratio = (logs[at * hours + slot] as number) - usual
          if (!isLearnt[at] || Number.isNaN(ratio)) continue
          any = true
          if (isTypical) continue
          featuresOf(board, typical, target, features)
          learnOwn(target, clipped(ratio))
          // Squared errors of logarithms should measure vehicles: an outcome's weight is its typical count.
          const root = Math.exp(usual / 2)
          for (let feature = 0; feature < FEATURES; feature++) features[feature] = (features[feature] as number) * root
          ;(ridges[placeOf(board, target)] as Ridge).add(features, clipped(ratio) * root)
        }
      }
      return any
    },
  }
}

function slotsOf({ slots, dayAt, hours }: Board, day: number): number[] {
  const first = slots[day * 24] as number
  const of: number[] = []
  for (let slot = first; slot < hours && dayAt[slot] === day; slot++) of.push(slot)
  return of
}
