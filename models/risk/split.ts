import { dayOf, type SectionAccident, weekOf } from './accidents.ts'
import type { RiskBasis } from './bases.ts'

const DAY_MS = 86_400_000
const YEAR = 4
const MONTH = 7
const MONTHS = 12
/** Every fourth week is held out: the fourth, the eighth, … of the year. */
const HELD_OF = 4
const HELD = 3
/** Whole years in a row that a walk forward needs: the one to predict, and two before it. */
const WALK_YEARS = 3
/** The horizon of errors of weeks that were predicted from the weeks before and after them: no time ahead. */
export const HELD_OUT_WEEKS = 'HELD_OUT_WEEKS'
/** The horizon of errors of the year after the data. */
const YEAR_AHEAD = 'P1Y'

/** Which days are predicted, and from which; days are counted since 1970-01-01. */
export interface Split {
  /** How far ahead the errors are, as `horizon` of `model_scores`. */
  readonly horizon: string
  readonly fitted: readonly number[]
  readonly held: readonly number[]
  /** First and last day of the window of outcomes, YYYY-MM-DD. */
  readonly from: string
  readonly to: string
  /** Last day of the fit if all outcomes come after it; null if the fit sees days before and after them. */
  readonly known_to: string | null
}

/** The date of a day (since 1970-01-01), YYYY-MM-DD. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
const yearOf = ({ local_date }: SectionAccident): number => Number(local_date.slice(0, YEAR))
const windowOf = (days: readonly number[]) => ({ from: dateOf(days[0] as number), to: dateOf(days.at(-1) as number) })

/** Whether a day (since 1970-01-01) is in a held-out week. */
export const isHeld = (day: number): boolean => weekOf(day) % HELD_OF === HELD

/** The days of the years of some accidents, up to the last accident. */
export function daysOf(accidents: readonly SectionAccident[]): number[] {
  const years = [...new Set(accidents.map(yearOf))].sort((one, other) => one - other)
  const last = accidents.reduce((newest, { local_date }) => Math.max(newest, dayOf(local_date)), 0)
  return years.flatMap((year) => {
    const [from, to] = [Date.UTC(year, 0, 1) / DAY_MS, Math.min(last + 1, Date.UTC(year + 1, 0, 1) / DAY_MS)]
    return Array.from({ length: to - from }, (_, at) => from + at)
  })
}

/** Every fourth week of some days from the others: for data that are too short for a walk forward. */
export function everyFourthWeek(days: readonly number[]): Split {
  const [fitted, held] = [days.filter((day) => !isHeld(day)), days.filter(isHeld)]
  return { horizon: HELD_OUT_WEEKS, fitted, held, ...windowOf(days), known_to: null }
}

/**
 * The last year of some accidents from as many years before it as a basis fits. Null if the basis fits fewer than three years, or
 * the newest three are not whole and in a row. A whole year has accidents in each month: the national table has no days.
 */
export function lastYear(accidents: readonly SectionAccident[], { years: most }: Pick<RiskBasis, 'years'>): Split | null {
  const years = Map.groupBy(accidents, yearOf)
  const newest = [...years.keys()].sort((one, other) => other - one)
  const last = newest[0] ?? 0
  const isWhole = (year: number): boolean => new Set(years.get(year)?.map(({ local_date }) => local_date.slice(0, MONTH))).size === MONTHS
  if (most < WALK_YEARS || !Array.from({ length: WALK_YEARS }, (_, ago) => last - ago).every(isWhole)) return null
  const held = daysOf(years.get(last) ?? [])
  const fitted = daysOf(newest.slice(1, most + 1).flatMap((year) => years.get(year) ?? []))
  return { horizon: YEAR_AHEAD, fitted, held, ...windowOf(held), known_to: windowOf(fitted).to }
}
