/** An accident of a section: what the model knows of it. */
export interface SectionAccident {
  readonly province_code: string
  /** Road as it is compared: without blanks and hyphens. */
  readonly road: string
  readonly km: number
  /** Day of the local clock, YYYY-MM-DD; of a source that tells month and weekday alone, one of the four or five days that it can be. */
  readonly local_date: string
  /** Hour of the local clock, 0 to 23, and minute. */
  readonly hour_local: number
  readonly minute: number
  /** Kind of the animal, by the source's code; null where it is unknown, and of accidents without one. */
  readonly animal_code: string | null
}

/** Length of a section, km. */
export const SECTION_KM = 5
/** Weeks of a year: of seven days from 1 January, the last of one day or two. */
export const WEEKS = 53
const DAY_MS = 86_400_000

/** Days since 1970-01-01. */
export const dayOf = (date: string): number => Date.parse(date) / DAY_MS

/** The week of the year of a day (days since 1970-01-01), 0 to 52. */
export function weekOf(day: number): number {
  const year = new Date(day * DAY_MS).getUTCFullYear()
  return Math.floor((day - Date.UTC(year, 0, 1) / DAY_MS) / 7)
}
