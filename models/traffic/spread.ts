import type { Board } from './board.ts'
import { calendarDay } from './calendar.ts'
import { HORIZONS_HOURS, type Target } from './features.ts'
import { MOST_SCALES, type ScaleState, type Scales } from './scales.ts'

/** Histogram bins of errors in scales, and the share of counts kept at the next fit. */
const BINS = 800
const KEPT = 0.9
/** Number of initial pseudo-errors: from a normal distribution whose mean absolute error is the scale. */
const FIRST_ERRORS = 400
const NORMAL_SCALE = 1.2533
/**
 * Share of a group's errors between the bounds, for intervals of 80 %: the target is 77 to 83 %, and the widest tails cost most.
 */
const HELD = 0.79
/** Candidate shares of errors below an interval. */
const BELOW = [0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13, 0.14]
const USUAL_SCALE = 0.08
/** Holidays and bridges form their own group of errors. */
const SPECIAL = 2

/** Stored numbers per kind of day, hour and horizon: both bounds and the middle. */
const KEPT_OF_GROUP = 3

/** An interval of outcomes around the expectation, in logarithms. */
export interface Interval {
  readonly low: number
  /** Correction of the expectation: 0, unless the expectation is outside the middle half of the outcomes. */
  readonly middle: number
  readonly high: number
}

/** Distances of outcomes from expectations: quantiles of due errors, in scales. */
export interface Spread {
  /** The interval of a target's outcome. All three are from one distribution, so that the middle is always inside. */
  interval(target: Target, usual: number): Interval
  /** Adds the error of a due target. */
  see(target: Target, usual: number, error: number): void
  /** Ends a week: errors until now determine the intervals from now on. */
  close(): void
  /** The current bounds and middles, for storage. */
  bounds(): readonly number[]
}

/**
 * State of intervals: bounds and middle by kind of day, hour and horizon, for errors of the model and of the typical value, and
 * the scales of each series; null if not stored. Old versions have two bounds each, around the forecast, and none of the typical
 * value.
 */
export type SpreadState = {
  readonly bounds: readonly number[]
  readonly typical?: readonly number[]
  readonly scales: ScaleState | null
}

/** Creates the spread of errors on a board in given scales: normal until more is known, or with stored bounds. */
export function makeSpread({ firstDay, dayAt, clockAt }: Board, scales: Scales, kept: SpreadState['bounds'] | null = null): Spread {
  const horizons = HORIZONS_HOURS.length
  const groups = horizons * 24 * 3
  const counts = new Float64Array(groups * BINS)
  for (let group = 0; group < groups; group++)
    for (let bin = 0; bin < BINS; bin++) {
      const z = (((bin + 0.5) / BINS) * 2 - 1) * MOST_SCALES
      counts[group * BINS + bin] =
        ((FIRST_ERRORS * 2 * MOST_SCALES) / BINS / NORMAL_SCALE / Math.sqrt(2 * Math.PI)) * Math.exp(-((z / NORMAL_SCALE) ** 2) / 2)
    }
  const bounds = new Float64Array(groups * KEPT_OF_GROUP)
  const close = (): void => {
    for (let group = 0; group < groups; group++) {
      const of = counts.subarray(group * BINS, (group + 1) * BINS)
      for (let bin = 0; bin < BINS; bin++) of[bin] = (of[bin] as number) * KEPT
      const { low, high } = shortestOf(of)
      bounds.set([low, middleOf(of), high], KEPT_OF_GROUP * group)
    }
  }
  if (kept?.length === bounds.length) bounds.set(kept)
  else if (kept) for (let group = 0; group < groups; group++) bounds.set(formerBounds(kept, group), KEPT_OF_GROUP * group)
  else close()
  const groupOf = ({ slot, horizon }: Target): number => {
    const calendar = calendarDay(firstDay + (dayAt[slot] as number))
    const isSpecial = calendar.isHoliday || calendar.kinds.has('bridge')
    return ((isSpecial ? SPECIAL : calendar.isOff ? 1 : 0) * 24 + (clockAt[slot] as number)) * horizons + horizon - 1
  }
  return {
    close,
    bounds: () => Array.from(bounds, (value) => Number(value.toPrecision(7))),
    interval(target, usual) {
      const [scale, at] = [scales.of(target, usual), KEPT_OF_GROUP * groupOf(target)]
      return { low: scale * (bounds[at] as number), middle: scale * (bounds[at + 1] as number), high: scale * (bounds[at + 2] as number) }
    },
    see(target, usual, error) {
      const z = error / scales.of(target, usual)
      const bin = Math.floor(((z / MOST_SCALES + 1) / 2) * BINS)
      const into = groupOf(target) * BINS + Math.max(0, Math.min(BINS - 1, bin))
      counts[into] = (counts[into] as number) + 1
    },
  }
}

/** The stored spreads: of the model's errors, and of the typical value's, null for a version without the latter. */
export function keptSpreads(
  board: Board,
  scales: Scales,
  kept: Pick<SpreadState, 'bounds' | 'typical'>,
): { readonly spread: Spread; readonly typicalSpread: Spread | null } {
  return {
    spread: makeSpread(board, scales, kept.bounds),
    typicalSpread: kept.typical ? makeSpread(board, scales, kept.typical) : null,
  }
}

/**
 * The point nearest to zero in the middle half of the errors. Medians would make holiday forecasts worse, since holidays are few.
 */
function middleOf(counts: Float64Array): number {
  return Math.max(quantileOf(counts, 0.25), Math.min(quantileOf(counts, 0.75), 0))
}

/** Bounds of a version without a middle: the forecast is the middle, within the bounds. */
function formerBounds(kept: readonly number[], group: number): readonly number[] {
  return [Math.min(0, kept[2 * group] as number), 0, Math.max(0, kept[2 * group + 1] as number)]
}

/** The shortest interval among those with unequal tails, in vehicles at a usual scale. */
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
