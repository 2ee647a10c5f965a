import { makeRidge, type Ridge } from '../fuel/ridge.ts'
import type { Board } from './board.ts'
import { COUNT_FEATURES, FEATURES, featuresOf, HORIZONS_HOURS, type Target, usualOf } from './features.ts'
import { forecastOf, hasOwnOn, type Made, ownPlaceOf, PLACES, placeOf, type Weights } from './predict.ts'
import type { Scales } from './scales.ts'
import { makeSpread, type SpreadState } from './spread.ts'
import { clipped, type Typical } from './typical.ts'

/** Days that are learnt from before the first forecast, and days between two fits. */
export const FIRST_DAYS = 60
const FIT_DAYS = 7
/** Days that have no lags: nothing is learnt from them. */
export const WARM_DAYS = 21
/** Penalty of the coefficients, in vehicles: an outcome weighs as much as vehicles are usual. */
const PENALTY = 3000
/** That of the coefficients of a series alone, in outcomes; and the greatest error that these learn from. */
const OWN_PENALTY = 400
const MOST_ERROR = 0.5
/** What days of the other kind, off or not, count for beside those of a regression's own. */
const OTHER_KIND = 0.1

/** How a walk is made. */
export interface WalkOf {
  readonly scales: Scales
  /** Whether each series has coefficients of its own beside those of all. */
  readonly hasOwn: boolean
  /** Series that are learnt of, all unless told; the others are only forecast. */
  readonly learns?: ReadonlySet<string>
}

/**
 * Walks over a board and tells of each day, in order, the forecasts that were made on it: at the end of every hour, for each series and horizon. They
 * are made of typical values and coefficients of the days before, and of the hours of that day which were over. Regressions, one for each hour of the clock,
 * horizon and whether the day is off, are of the log ratio of the count to the typical one; what they leave is that of a series' own regressions, one for each
 * horizon. They are fitted anew each week, and at the end. Gives what was learnt until there; null where the days are too few to have learnt anything.
 */
export function walk(board: Board, typical: Typical, of: WalkOf, tell: (forecasts: readonly Made[]) => void): Learnt | null {
  const model = makeModel(board, typical, of)
  let learnt = 0
  /** Forecasts that have not come due. */
  let pending: Made[] = []
  for (let day = WARM_DAYS; day < board.days; day++) {
    if (learnt >= FIRST_DAYS && (learnt - FIRST_DAYS) % FIT_DAYS === 0) model.fit()
    const slots = slotsOf(board, day)
    const made = learnt < FIRST_DAYS ? [] : slots.flatMap((origin) => model.forecastsAt(origin))
    tell(made)
    const known = [...pending, ...made]
    pending = known.filter(({ target }) => board.dayAt[target.slot] !== day)
    for (const one of known) if (board.dayAt[one.target.slot] === day) model.see(one)
    let any = false
    for (const slot of slots) any = model.learn(slot) || any
    if (any) learnt++
  }
  return learnt < FIRST_DAYS ? null : model.fit()
}

/** What was learnt: coefficients, and how far outcomes lie from forecasts. */
interface Learnt {
  readonly weights: Weights
  readonly spread: SpreadState
}

function makeModel(board: Board, typical: Typical, { scales, hasOwn, learns }: WalkOf) {
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
  /** What the coefficients of all leave of an outcome, whose features lie in `features`. */
  const learnOwn = (target: Target, ratio: number): void => {
    const shared = weights.shared[placeOf(board, target)]
    if (!hasOwn || !shared || !hasOwnOn(board, target)) return
    let left = ratio
    for (let feature = 0; feature < FEATURES; feature++) left -= (shared[feature] as number) * (features[feature] as number)
    ;(own[ownPlaceOf(target)] as Ridge).add(features, Math.max(-MOST_ERROR, Math.min(MOST_ERROR, left)))
  }
  return {
    fit(): Learnt {
      // The two kinds of days of an hour and horizon lie side by side: see `placeOf`.
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
    /** Takes in the outcomes of an hour; false where there are none. */
    learn(slot: number): boolean {
      let any = false
      for (const horizon of HORIZONS_HOURS) {
        for (let at = 0; at < series.length; at++) {
          const target = { series: at, slot, horizon }
          const usual = usualOf(board, typical, target)
          const ratio = (logs[at * hours + slot] as number) - usual
          if (!isLearnt[at] || Number.isNaN(ratio)) continue
          any = true
          featuresOf(board, typical, target, features)
          learnOwn(target, clipped(ratio))
          // Errors of logarithms count by the square, those of vehicles are meant: an outcome weighs as much as vehicles are usual.
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
