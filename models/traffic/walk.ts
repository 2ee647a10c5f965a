import { makeRidge, type Ridge } from '../fuel/ridge.ts'
import type { Board } from './board.ts'
import { FEATURES, featuresOf, HORIZONS_HOURS, usualOf } from './features.ts'
import { forecastOf, type Made, PLACES, placeOf } from './predict.ts'
import type { Scales } from './scales.ts'
import { makeSpread, type Spread } from './spread.ts'
import { clipped, type Typical } from './typical.ts'

/** Days that are learnt from before the first forecast, and days between two fits. */
export const FIRST_DAYS = 60
const FIT_DAYS = 7
/** Days that have no lags: nothing is learnt from them. */
export const WARM_DAYS = 21
/** Penalty of the coefficients, in vehicles: an outcome weighs as much as vehicles are usual. */
const PENALTY = 3000

/**
 * Walks over a board and tells of each day, in order, the forecasts that were made on it: at the end of every hour, for each series and horizon. They
 * are made of typical values and coefficients of the days before, and of the hours of that day which were over. Regressions, one for each hour of the clock,
 * horizon and whether the day is off, are of the log ratio of the count to the typical one; they are fitted anew each week, and at the end. Gives what was
 * learnt until there; null where the days are too few to have learnt anything. Outcomes of series that are not in `learns` are only forecast.
 */
export function walk(
  board: Board,
  typical: Typical,
  scales: Scales,
  tell: (forecasts: readonly Made[]) => void,
  learns: ReadonlySet<string> = new Set(board.series),
): Learnt | null {
  const model = makeModel(board, typical, makeSpread(board, scales), learns)
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

/** What was learnt: coefficients by `placeOf`, and how far outcomes lie from forecasts. */
interface Learnt {
  readonly weights: readonly Float64Array[]
  readonly spread: Spread
}

function makeModel(board: Board, typical: Typical, spread: Spread, learns: ReadonlySet<string>) {
  const { series, hours, logs } = board
  const isLearnt = series.map((name) => learns.has(name))
  const ridges: Ridge[] = Array.from({ length: PLACES }, () => makeRidge(FEATURES, PENALTY))
  let weights: Float64Array[] = []
  const features = new Float64Array(FEATURES)
  return {
    fit(): Learnt {
      weights = ridges.map((ridge) => ridge.fit())
      spread.close()
      return { weights, spread }
    },
    forecastsAt(origin: number): Made[] {
      return HORIZONS_HOURS.flatMap((horizon) => {
        const slot = origin + horizon
        const known = { board, typical, weights, spread }
        return slot >= hours ? [] : series.flatMap((_, at) => forecastOf(known, { series: at, slot, horizon }) ?? [])
      })
    },
    see({ target, usual, ratio }: Made): void {
      const log = logs[target.series * hours + target.slot] as number
      if (isLearnt[target.series] && !Number.isNaN(log)) spread.see(target, usual, log - usual - ratio)
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
