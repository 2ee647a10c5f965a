import { dayBounds, instantOf, MADRID, offsetAt } from '../../../lake/schema/time.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** When something happened, as exactly as its local date and time allow; instants in ms. */
export interface LocalSpan {
  readonly period_start: number
  /** Not included. */
  readonly period_end: number
  /** Null if only a day or month is known, or the clock changed in that hour. */
  readonly occurred_at: number | null
  readonly time_precision: 'MINUTE' | 'HOUR' | 'DAY' | 'MONTH'
  readonly isClockChange: boolean
}

/**
 * The span of a local date (YYYY-MM-DD) and hour or minute (`HH` or `HH:MM`), or of the whole day without a time. Null if the
 * date or time is invalid.
 */
export function spanOf(date: string, time: string | null, zone: string = MADRID): LocalSpan | null {
  if (time === null) {
    if (Number.isNaN(instantOf(date, '00:00', { zone }))) return null
    const { start, end } = dayBounds(date, zone)
    return { period_start: start, period_end: end, occurred_at: null, time_precision: 'DAY', isClockChange: false }
  }
  const isHour = !time.includes(':')
  const clock = isHour ? `${time}:00` : time
  const earlier = instantOf(date, clock, { zone })
  if (Number.isNaN(earlier)) return null
  const later = instantOf(date, clock, { zone, near: Number.POSITIVE_INFINITY })
  const long = isHour ? HOUR_MS : MINUTE_MS
  // An hour skipped in March is read as an hour later: then the clock shows another hour than the given one.
  const shown = new Date(earlier + offsetAt(earlier, zone)).toISOString().slice(11, 16)
  const isClockChange = later !== earlier || shown !== clock.padStart(5, '0')
  return {
    period_start: earlier,
    period_end: later + long,
    occurred_at: isClockChange ? null : earlier,
    time_precision: isHour ? 'HOUR' : 'MINUTE',
    isClockChange,
  }
}

/** The span of a month, 1 to 12, by the clock of a zone. */
export function monthSpan(year: number, month: number, zone: string): LocalSpan {
  const first = (y: number, m: number): number => dayBounds(new Date(Date.UTC(y, m, 1)).toISOString().slice(0, 10), zone).start
  return {
    period_start: first(year, month - 1),
    period_end: first(year, month),
    occurred_at: null,
    time_precision: 'MONTH',
    isClockChange: false,
  }
}

/** The day of the week of a date, 1 Monday to 7 Sunday. */
export function weekdayOf(date: string): number {
  return ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1
}
