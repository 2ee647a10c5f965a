import { makeRidge, type Ridge } from '../fuel/ridge.ts'
import { type Board, OFFSET } from './board.ts'
import { calendarDay } from './calendar.ts'
import { FEATURES, featuresOf, type Target, usualOf } from './features.ts'
import { HORIZONS_HOURS, makeSpread, type Spread } from './spread.ts'
import { clipped, type Typical } from './typical.ts'

/** Days that are learnt from before the first forecast, and days between two fits. */
const FIRST_DAYS = 60
const FIT_DAYS = 7
/** Days that have no lags: nothing is learnt from them. */
const WARM_DAYS = 21
/** Penalty of the coefficients, in vehicles: an outcome weighs as much as vehicles are usual. */
const PENALTY = 3000

/** A forecast of the vehicles of a series in an hour. */
export interface Forecast {
  readonly target: Target
  readonly value: number
  readonly low: number
  readonly high: number
  /** The typical count, as it was known at the origin. */
  readonly typical: number
}

/**
 * Walks over a board and tells of each day, in order, the forecasts that were made on it: at the end of every hour, for each series and horizon. They
 * are made of typical values and coefficients of the days before, and of the hours of that day which were over. Regressions, one for each hour of the clock,
 * horizon and whether the day is off, are of the log ratio of the count to the typical one; they are fitted anew each week.
 */
export function walk(board: Board, typical: Typical, tell: (forecasts: readonly Forecast[]) => void): void {
  const model = makeModel(board, typical)
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
}

/** A forecast and the logarithms that it is made of. */
interface Made extends Forecast {
  readonly usual: number
  readonly ratio: number
}

function makeModel(board: Board, typical: Typical) {
  const { series, hours, dayAt, clockAt, logs, firstDay } = board
  const horizons = HORIZONS_HOURS.length
  const ridges: Ridge[] = Array.from({ length: 24 * horizons * 2 }, () => makeRidge(FEATURES, PENALTY))
  let weights: Float64Array[] = []
  const spread: Spread = makeSpread(board)
  const features = new Float64Array(FEATURES)
  const placeOf = ({ slot, horizon }: Target): number => {
    const isOff = calendarDay(firstDay + (dayAt[slot] as number)).isOff ? 1 : 0
    return ((clockAt[slot] as number) * horizons + horizon - 1) * 2 + isOff
  }
  const forecastOf = (target: Target): Made[] => {
    const usual = usualOf(board, typical, target)
    if (Number.isNaN(usual)) return []
    featuresOf(board, typical, target, features)
    const of = weights[placeOf(target)] as Float64Array
    let ratio = 0
    for (let at = 0; at < FEATURES; at++) ratio += (of[at] as number) * (features[at] as number)
    ratio = clipped(ratio)
    const { low, high } = spread.interval(target, usual)
    const count = (log: number): number => Math.max(0, Math.exp(log) - OFFSET)
    return [
      {
        ...{ target, usual, ratio, typical: count(usual), value: count(usual + ratio) },
        ...{ low: count(usual + ratio + low), high: count(usual + ratio + high) },
      },
    ]
  }
  return {
    fit(): void {
      weights = ridges.map((ridge) => ridge.fit())
      spread.close()
    },
    forecastsAt(origin: number): Made[] {
      return HORIZONS_HOURS.flatMap((horizon) => {
        const slot = origin + horizon
        return slot >= hours ? [] : series.flatMap((_, at) => forecastOf({ series: at, slot, horizon }))
      })
    },
    see({ target, usual, ratio }: Made): void {
      const log = logs[target.series * hours + target.slot] as number
      if (!Number.isNaN(log)) spread.see(target, usual, log - usual - ratio)
    },
    /** Takes in the outcomes of an hour; false where there are none. */
    learn(slot: number): boolean {
      let any = false
      for (const horizon of HORIZONS_HOURS) {
        for (let at = 0; at < series.length; at++) {
          const target = { series: at, slot, horizon }
          const usual = usualOf(board, typical, target)
          const ratio = (logs[at * hours + slot] as number) - usual
          if (Number.isNaN(ratio)) continue
          any = true
          featuresOf(board, typical, target, features)
          // Errors of logarithms count by the square, those of vehicles are meant: an outcome weighs as much as vehicles are usual.
          const root = Math.exp(usual / 2)
          for (let feature = 0; feature < FEATURES; feature++) features[feature] = (features[feature] as number) * root
          ;(ridges[placeOf(target)] as Ridge).add(features, clipped(ratio) * root)
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
