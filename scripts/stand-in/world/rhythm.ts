import { offsetAt } from '../../../lake/schema/time.ts'

/** Madrid's local time. */
export interface LocalTime {
  readonly year: number
  /** 1 … 12 */
  readonly month: number
  readonly day: number
  /** 0 = Sunday … 6 = Saturday */
  readonly weekday: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** Whole days since 1970-01-01 of the local date. */
  readonly dayNumber: number
}

const MINUTE = 60_000
const DAY = 86_400_000

/** Madrid's local time at an instant (ms since the epoch). */
export function localTime(instant: number): LocalTime {
  const local = new Date(instant + offsetAt(instant))
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    dayNumber: Math.floor(local.getTime() / DAY),
  }
}

/** Local time, by default of Madrid, in a pattern of `YYYY`, `MM`, `DD`, `hh`, `mm`, `ss`, and `h` without a leading zero. */
export function localText(instant: number, pattern: string, zone?: string): string {
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = new Date(instant + offsetAt(instant, zone))
    .toISOString()
    .split(/[-T:.]/)
  const parts: Readonly<Record<string, string>> = {
    YYYY: year,
    MM: month,
    DD: day,
    hh: hour,
    mm: minute,
    ss: second,
    h: String(Number(hour)),
  }
  return pattern.replace(/YYYY|MM|DD|hh|mm|ss|h/g, (part) => parts[part] as string)
}

/** ISO 8601 with milliseconds and Madrid's offset, as in DATEX II: 2026-01-02T13:23:28.413+01:00. */
export function isoLocal(instant: number): string {
  const offset = offsetAt(instant)
  const hours = offset / (60 * MINUTE)
  return `${new Date(instant + offset).toISOString().slice(0, -1)}+${String(hours).padStart(2, '0')}:00`
}

// Traffic in each hour of the day, as a percentage of the busiest hour.
const WORKDAY = [10, 6, 4, 4, 6, 16, 42, 82, 100, 78, 68, 68, 72, 80, 84, 76, 74, 84, 98, 96, 76, 52, 34, 20]
const SATURDAY = [22, 16, 12, 9, 9, 12, 20, 30, 42, 54, 64, 70, 74, 72, 62, 56, 56, 60, 66, 66, 58, 46, 38, 30]
const SUNDAY = [26, 20, 16, 13, 11, 11, 14, 20, 28, 40, 52, 60, 64, 60, 50, 48, 52, 62, 74, 78, 66, 46, 30, 18]
/** National holidays of a fixed date, as month × 100 + day. */
const HOLIDAYS = new Set([101, 106, 501, 815, 1012, 1101, 1206, 1208, 1225])

/** Traffic demand, 0 … 1 of the busiest weekday hour, by day of the week, holidays and the quiet August. */
export function demand(time: LocalTime): number {
  const day = dayKind(time)
  const table = day === 'workday' ? WORKDAY : day === 'saturday' ? SATURDAY : SUNDAY
  const from = table[time.hour] ?? 0
  const to = table[(time.hour + 1) % 24] ?? 0
  const share = (time.minute * 60 + time.second) / 3600
  const season = time.month === 8 ? 0.72 : 1
  return (season * (from + (to - from) * share)) / 100
}

/** The daily rhythm of a day. */
export function dayKind(time: LocalTime): 'workday' | 'saturday' | 'sunday' {
  if (time.weekday === 0 || HOLIDAYS.has(time.month * 100 + time.day)) return 'sunday'
  return time.weekday === 6 ? 'saturday' : 'workday'
}

/** Relative frequency of new events at a local time, 1 on a weekday at one o'clock in winter. */
export const RHYTHMS = {
  steady: (): number => 1,
  traffic: (time: LocalTime): number => 0.15 + 1.06 * demand(time),
  rush: (time: LocalTime): number => Math.max(0, (demand(time) - 0.45) * 2.86),
  office: (time: LocalTime): number => (dayKind(time) === 'workday' && time.hour >= 7 && time.hour < 19 ? 1.2 : 0.25),
  snow: (time: LocalTime): number => byMonth('987300000149', time),
  fog: (time: LocalTime): number => byMonth('962100011479', time),
  wind: (time: LocalTime): number => byMonth('998754445789', time),
  frost: (time: LocalTime): number => byMonth('975100000169', time),
} as const satisfies Readonly<Record<string, (time: LocalTime) => number>>

function byMonth(digits: string, time: LocalTime): number {
  return Number(digits.charAt(time.month - 1)) / 9
}
