/** An accident on a section, as model input. */
export interface SectionAccident {
  readonly province_code: string
  /** Normalized road: without spaces and hyphens. */
  readonly road: string
  readonly km: number
  /** Local date, YYYY-MM-DD; if the source has only month and weekday, one of the four or five possible days. */
  readonly local_date: string
  /** Local hour, 0 to 23, and minute. */
  readonly hour_local: number
  readonly minute: number
  /** Kind of animal as the source's code; null if unknown, and for accidents without animals. */
  readonly animal_code: string | null
}

/** Length of a section, km. */
export const SECTION_KM = 5
/** Weeks of a year: seven days each from 1 January, the last of one day or two. */
export const WEEKS = 53
const DAY_MS = 86_400_000

/** Days since 1970-01-01. */
export const dayOf = (date: string): number => Date.parse(date) / DAY_MS

/** The week of the year of a day (days since 1970-01-01), 0 to 52. */
export function weekOf(day: number): number {
  const year = new Date(day * DAY_MS).getUTCFullYear()
  return Math.floor((day - Date.UTC(year, 0, 1) / DAY_MS) / 7)
}
