import type { Board } from './board.ts'
import { calendarDay } from './calendar.ts'
import type { Target } from './features.ts'

export const HORIZONS_HOURS = [1, 2, 3, 4] as const
/** How fast the usual error of a series at an hour follows the last one, and that of the series at all hours. */
const SLOT_RATE = 0.06
const RECENT_RATE = 0.02
const RECENT_POWER = 0.7
/** Errors in scales: how they are counted, and how much of a count is left at the next fit. */
const MOST_SCALES = 8
const BINS = 800
const KEPT = 0.9
/** Errors that are taken to be there from the start: those of a normal distribution, of whose scale its mean absolute error is. */
const FIRST_ERRORS = 400
const NORMAL_SCALE = 1.2533
/** Share of the errors of a kind that bounds are put around, for intervals of 80 %: 77 to 83 % are to be held, and the widest tails cost most. */
const HELD = 0.785
/** Shares of errors that may lie below an interval. */
const BELOW = [0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13, 0.14]
const USUAL_SCALE = 0.08
/** Holidays and bridges have errors of their own kind. */
const SPECIAL = 2

/** How far outcomes lie from forecasts: a scale for each series and hour, and shares of errors in scales, both of forecasts that have come due. */
export interface Spread {
  /** Bounds of the interval of a target around its forecast, in logarithms. */
  interval(target: Target, usual: number): { readonly low: number; readonly high: number }
  /** Takes in the error of a target that has come due. */
  see(target: Target, usual: number, error: number): void
  /** Ends a week: what was seen until now shapes intervals from now on. */
  close(): void
  /** What intervals are made of now, as it can be kept. */
  state(): SpreadState
}

/** What intervals are made of: bounds by kind of day, hour and horizon, and by series its scales (null for none) and how they were lately. */
export type SpreadState = {
  readonly bounds: readonly number[]
  readonly scales: { readonly [series: string]: { readonly slots: readonly (number | null)[]; readonly recent: readonly number[] } }
}

/** Makes the spread of the errors on a board: that of a normal distribution until more is seen, or one that was kept. */
export function makeSpread(board: Board, kept: SpreadState | null = null): Spread {
  const { series, dayAt, clockAt } = board
  const horizons = HORIZONS_HOURS.length
  const slots = new Float64Array(series.length * 2 * 24 * horizons).fill(Number.NaN)
  const recent = new Float64Array(series.length * horizons).fill(1)
  const groups = horizons * 24 * 3
  const counts = new Float64Array(groups * BINS)
  for (let group = 0; group < groups; group++)
    for (let bin = 0; bin < BINS; bin++) {
      const z = (((bin + 0.5) / BINS) * 2 - 1) * MOST_SCALES
      counts[group * BINS + bin] =
        ((FIRST_ERRORS * 2 * MOST_SCALES) / BINS / NORMAL_SCALE / Math.sqrt(2 * Math.PI)) * Math.exp(-((z / NORMAL_SCALE) ** 2) / 2)
    }
  const bounds = new Float64Array(groups * 2)
  const close = (): void => {
    for (let group = 0; group < groups; group++) {
      const of = counts.subarray(group * BINS, (group + 1) * BINS)
      for (let bin = 0; bin < BINS; bin++) of[bin] = (of[bin] as number) * KEPT
      const { low, high } = shortestOf(of)
      bounds[2 * group] = low
      bounds[2 * group + 1] = high
    }
  }
  close()
  const [ofSlots, ofRecent] = [2 * 24 * horizons, horizons]
  if (kept) {
    bounds.set(kept.bounds)
    for (const [at, name] of series.entries()) {
      const theirs = kept.scales[name]
      if (!theirs) continue
      slots.set(
        theirs.slots.map((slot) => slot ?? Number.NaN),
        at * ofSlots,
      )
      recent.set(theirs.recent, at * ofRecent)
    }
  }
  const placeOf = ({ series: of, slot, horizon }: Target) => {
    const [calendar, clock] = [calendarDay(board.firstDay + (dayAt[slot] as number)), clockAt[slot] as number]
    const isOff = calendar.isOff ? 1 : 0
    const isSpecial = calendar.isHoliday || calendar.kinds.has('bridge')
    return {
      slot: ((of * 2 + isOff) * 24 + clock) * horizons + horizon - 1,
      recent: of * horizons + horizon - 1,
      group: ((isSpecial ? SPECIAL : isOff) * 24 + clock) * horizons + horizon - 1,
    }
  }
  const scaleOf = (at: { readonly slot: number; readonly recent: number }, usual: number): number => {
    const slot = slots[at.slot] as number
    return (Number.isNaN(slot) ? firstScale(usual) : slot) * (recent[at.recent] as number) ** RECENT_POWER
  }
  return {
    close,
    state() {
      const short = (value: number): number => Number(value.toPrecision(7))
      const scalesOf = (at: number) => ({
        slots: Array.from(slots.subarray(at * ofSlots, (at + 1) * ofSlots), (slot) => (Number.isNaN(slot) ? null : short(slot))),
        recent: Array.from(recent.subarray(at * ofRecent, (at + 1) * ofRecent), short),
      })
      return { bounds: Array.from(bounds, short), scales: Object.fromEntries(series.map((name, at) => [name, scalesOf(at)])) }
    },
    interval(target, usual) {
      const at = placeOf(target)
      const scale = scaleOf(at, usual)
      return { low: scale * (bounds[2 * at.group] as number), high: scale * (bounds[2 * at.group + 1] as number) }
    },
    see(target, usual, error) {
      const at = placeOf(target)
      const z = error / scaleOf(at, usual)
      const bin = Math.floor(((z / MOST_SCALES + 1) / 2) * BINS)
      const into = at.group * BINS + Math.max(0, Math.min(BINS - 1, bin))
      counts[into] = (counts[into] as number) + 1
      const slot = slots[at.slot] as number
      const before = Number.isNaN(slot) ? firstScale(usual) : slot
      const size = Math.abs(error)
      const seen = Math.min(size, before * MOST_SCALES)
      slots[at.slot] = before + SLOT_RATE * (seen - before)
      const was = recent[at.recent] as number
      recent[at.recent] = was + RECENT_RATE * (Math.min(4, size / before) - was)
    },
  }
}

/** The mean absolute error of a series that nothing is known of: chance of counting and a tenth. */
function firstScale(usual: number): number {
  return 0.8 * Math.exp(-usual / 2) + 0.07
}

/** The shortest of the intervals that leave out less on one side than on the other, as vehicles at a usual scale. */
function shortestOf(counts: Float64Array): { readonly low: number; readonly high: number } {
  let best = { low: 0, high: 0, width: Number.POSITIVE_INFINITY }
  for (const below of BELOW) {
    const [low, high] = [quantileOf(counts, below), quantileOf(counts, below + HELD)]
    const width = Math.exp(high * USUAL_SCALE) - Math.exp(low * USUAL_SCALE)
    if (width < best.width) best = { low, high, width }
  }
  return best
}

function quantileOf(counts: Float64Array, share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin] as number
    if (below + count >= share * total) return ((bin + (share * total - below) / count) / counts.length) * 2 * MOST_SCALES - MOST_SCALES
    below += count
  }
  return MOST_SCALES
}
