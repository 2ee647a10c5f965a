import { instantOf, offsetAt } from '../../lake/schema/time.ts'

const HOUR_MS = 3_600_000

/** Start of an hour of a day in Madrid, ms; null if the clock skips or repeats it. */
export type HourStart = number | null

/** The 24 hours of a day (YYYY-MM-DD), as numbered by publishers of hourly figures. */
export function localHours(day: string): readonly HourStart[] {
  const shown = (instant: number): number => Math.floor((instant + offsetAt(instant)) / HOUR_MS) % 24
  return Array.from({ length: 24 }, (_, hour) => {
    const starts = instantOf(day, `${hour}:00`)
    return shown(starts) === hour && shown(starts + HOUR_MS) !== hour ? starts : null
  })
}
