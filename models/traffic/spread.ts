import type { Board } from './board.ts'
import { calendarDay } from './calendar.ts'
import { HORIZONS_HOURS, type Target } from './features.ts'
import { MOST_SCALES, type ScaleState, type Scales } from './scales.ts'

/** Errors in scales: how they are counted, and how much of a count is left at the next fit. */
const BINS = 800
const KEPT = 0.9
/** Errors that are taken to be there from the start: those of a normal distribution, of whose scale its mean absolute error is. */
const FIRST_ERRORS = 400
const NORMAL_SCALE = 1.2533
/** Share of the errors of a kind that bounds are put around, for intervals of 80 %: 77 to 83 % are to be held, and the widest tails cost most. */
const HELD = 0.79
/** Shares of errors that may lie below an interval. */
const BELOW = [0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13, 0.14]
const USUAL_SCALE = 0.08
/** Holidays and bridges have errors of their own kind. */
const SPECIAL = 2

/** Numbers that are kept of each kind of day, hour and horizon: both bounds and the middle. */
const KEPT_OF_GROUP = 3

/** An interval of outcomes around what was expected, in logarithms. */
export interface Interval {
  readonly low: number
  /** What is to be added to what was expected: nothing, unless that lies outside the middle half of the outcomes. */
  readonly middle: number
  readonly high: number
}

/** How far outcomes lie from what was expected: shares of the errors that have come due, in scales. */
export interface Spread {
  /** The interval of a target's outcome. All three are of one distribution, so that the middle is always inside. */
  interval(target: Target, usual: number): Interval
  /** Takes in the error of a target that has come due. */
  see(target: Target, usual: number, error: number): void
  /** Ends a week: what was seen until now shapes intervals from now on. */
  close(): void
  /** Bounds and middles as they are now, as they can be kept. */
  bounds(): readonly number[]
}

/**
 * What intervals are made of: bounds and middle by kind of day, hour and horizon, of the model's errors and of the typical value's, and the scales of
 * each series; null where these are not kept. Versions from before have two bounds each, around the forecast, and none of the typical value.
 */
export type SpreadState = {
  readonly bounds: readonly number[]
  readonly typical?: readonly number[]
  readonly scales: ScaleState | null
}

/** Makes the spread of the errors on a board, in some scales: that of a normal distribution until more is seen, or within bounds that were kept. */
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

/** The spreads of what was kept: of the model's errors, and of the typical value's, null of a version that has none of these. */
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

/** What is nearest to no error in the middle half of the errors. By their median, forecasts of holidays would be worse: these are few. */
function middleOf(counts: Float64Array): number {
  return Math.max(quantileOf(counts, 0.25), Math.min(quantileOf(counts, 0.75), 0))
}

/** Bounds of a version that kept no middle: the forecast is it, and lies within. */
function formerBounds(kept: readonly number[], group: number): readonly number[] {
  return [Math.min(0, kept[2 * group] as number), 0, Math.max(0, kept[2 * group + 1] as number)]
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
