import { SEASONS, seasonOf } from '../figures.ts'
import type { Board } from './board.ts'
import { calendarDay, dateOf } from './calendar.ts'
import { HORIZONS_HOURS } from './features.ts'

/** Days of outcomes that a fit is evaluated on (a month of counts lands at once), and days of reported errors. */
const CHECKED_DAYS = 28
const SCORED_DAYS = 365
const MORNING = 6
/** Kinds of outcomes with reported errors. */
export const SUBSETS = ['ALL', ...SEASONS, 'HOLIDAY', 'NIGHT'] as const
type Subset = (typeof SUBSETS)[number]

/** Sums over outcomes. */
export interface Sums {
  points: number
  vehicles: number
  error: number
  baseline: number
  standing: number
  inside: number
  first: number
  last: number
}

/** An outcome, with the forecast, the typical value and the champion's forecast; null if it has none. */
export interface Outcome {
  readonly day: number
  readonly clock: number
  readonly horizon: number
  readonly count: number
  readonly value: number
  readonly low: number
  readonly high: number
  readonly typical: number
  readonly standing: number | null
}

/** The errors of a board's last days, as sums. */
export interface Tally {
  /** Whether a day's outcomes are scored, and whether a fit is evaluated on them. */
  readonly isScored: (day: number) => boolean
  readonly isChecked: (day: number) => boolean
  add(outcome: Outcome): void
  /** By horizon: over the evaluation days. */
  readonly checked: readonly Sums[]
  /** By horizon and kind of outcome: over the days of reported errors. */
  readonly scored: readonly Readonly<Record<Subset, Sums>>[]
  /** By horizon and local hour: over the days of reported errors. */
  readonly byHour: readonly (readonly Sums[])[]
}

/** Creates the sums of a board's outcomes. */
export function makeTally({ days, firstDay }: Board): Tally {
  // The last day of a board is the one after the last counts.
  const isChecked = (day: number): boolean => day >= days - 1 - CHECKED_DAYS
  const isScored = (day: number): boolean => day >= days - 1 - SCORED_DAYS
  const checked = HORIZONS_HOURS.map(noSums)
  const scored = HORIZONS_HOURS.map(() => Object.fromEntries(SUBSETS.map((subset) => [subset, noSums()])) as Record<Subset, Sums>)
  const byHour = HORIZONS_HOURS.map(() => Array.from({ length: 24 }, noSums))
  return {
    ...{ isScored, isChecked, checked, scored, byHour },
    add(outcome) {
      const { day, clock, horizon } = outcome
      if (isChecked(day)) into(checked[horizon - 1] as Sums, outcome)
      if (!isScored(day)) return
      const of = scored[horizon - 1] as Record<Subset, Sums>
      into(of.ALL, outcome)
      into(of[seasonOf(dateOf(firstDay + day))], outcome)
      if (calendarDay(firstDay + day).isHoliday) into(of.HOLIDAY, outcome)
      if (clock < MORNING) into(of.NIGHT, outcome)
      into((byHour[horizon - 1] as Sums[])[clock] as Sums, outcome)
    },
  }
}

function into(sums: Sums, { day, count, value, low, high, typical, standing }: Outcome): void {
  sums.points += 1
  sums.vehicles += count
  sums.error += Math.abs(value - count)
  sums.baseline += Math.abs(typical - count)
  sums.standing += standing === null ? Number.NaN : Math.abs(standing - count)
  sums.inside += low <= count && count <= high ? 1 : 0
  sums.first = Math.min(sums.first, day)
  sums.last = Math.max(sums.last, day)
}

function noSums(): Sums {
  return {
    ...{ points: 0, vehicles: 0, error: 0, baseline: 0, standing: 0, inside: 0 },
    ...{ first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY },
  }
}
