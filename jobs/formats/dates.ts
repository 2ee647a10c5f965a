import { instantOf, parseInstant } from '../../lake/schema/time.ts'

const MIDNIGHT = /T24:00:00(?:\.0+)?(?=Z|[+-]\d)/
const DAY_MS = 86_400_000

/**
 * The instant (ms) of an xs:dateTime with a zone: like `parseInstant`, `24:00:00` is midnight of the next day, and the offset may
 * lack its colon (`+0100`, ISO 8601 basic). Null for any other text. Source: XML Schema part 2, 3.2.7.
 */
export function xmlInstant(text: string): number | null {
  const at = parseInstant(text.replace(MIDNIGHT, 'T00:00:00').replace(BASIC_OFFSET, ':'))
  return at !== null && MIDNIGHT.test(text) ? at + DAY_MS : at
}

/** An offset without its colon, after a time of day. */
const BASIC_OFFSET = /(?<=T.*[+-]\d{2})(?=\d{2}$)/

/** True for a day (YYYY-MM-DD) that the calendar has. */
export function isDate(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}

const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{1,2}:\d{2}(?::\d{2})?)$/

/**
 * The instant (ms) of a Spanish date and time, `dd/mm/yyyy H:MM[:SS]`, in Madrid time. `near` (the fetch time) decides the
 * repeated hour of October. NaN for any other text.
 */
export function dayFirstInstant(text: string, near: number): number {
  const match = DAY_FIRST.exec(text.trim())
  if (!match) return Number.NaN
  return instantOf(`${match[3]}-${match[2]}-${match[1]}`, match[4] as string, { near })
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const INTERNET = /^(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}(?::\d{2})?) (?:GMT|UTC?|\+0000)$/

/**
 * The instant (ms) of an RFC 822 date with a four-digit year, in GMT: `Tue, 03 Feb 2026 19:35:57 GMT`. NaN for any other text.
 */
export function httpDate(text: string): number {
  const [, day = '', month = '', year = '', time = ''] = INTERNET.exec(text.trim()) ?? []
  const number = MONTHS.indexOf(month) + 1
  if (number === 0) return Number.NaN
  return instantOf(`${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`, time, { zone: 'UTC' })
}

const TWELVE_HOURS = /^(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap])\.?\s*m\.?$/i

/** `HH:MM` of a time on a 12-hour clock: `1:15:00 p. m.` is 13:15, `12:05 AM` is 00:05. Null for any other text. */
export function twelveHourTime(text: string): string | null {
  const [, hour = '', minute = '', half = ''] = TWELVE_HOURS.exec(text.trim()) ?? []
  if (!(Number(hour) >= 1 && Number(hour) <= 12)) return null
  return `${String((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)).padStart(2, '0')}:${minute}`
}

/** The months in Spanish, in small letters. */
export const SPANISH_MONTHS: readonly string[] = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'septiembre',
  'octubre',
  'noviembre',
  'diciembre',
]
