/** The time zone of the publishers' local times, and of plain dates from callers. */
export const MADRID = 'Europe/Madrid'

/** Options for parsing a local time; see `instantOf`. */
interface LocalClock {
  /** IANA time zone; Europe/Madrid by default. */
  readonly zone?: string
  /** Latest instant that the time can mean (the fetch time), in ms; resolves the repeated hour of October. */
  readonly near?: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A change of a zone's offset: from `at` on (ms), local time is `offset` ms ahead of UTC. */
interface Transition {
  readonly at: number
  readonly offset: number
}

const formatters = new Map<string, Intl.DateTimeFormat>()
const years = new Map<string, Map<number, readonly Transition[]>>()

/**
 * The instant (ms) of a local `date` (YYYY-MM-DD) and `time` (HH:MM, HH:MM:SS, fractions to the µs; one-digit hours allowed);
 * NaN if invalid. Repeated hour: the later reading unless it is after `near`, or the earlier without `near`. Skipped hour:
 * with the offset before, so 02:30 becomes 03:30.
 */
export function instantOf(date: string, time: string, options: LocalClock = {}): number {
  const local = localClock(date, time)
  if (Number.isNaN(local)) return Number.NaN
  const zone = options.zone ?? MADRID
  // A zone's clock changes are months apart, so at most one is within a day of any instant.
  const before = offsetAt(local - DAY, zone)
  const after = offsetAt(local + DAY, zone)
  const earlier = local - before
  if (before === after) return earlier
  const later = local - after
  if (offsetAt(earlier, zone) !== before) return offsetAt(later, zone) === after ? later : earlier
  if (offsetAt(later, zone) !== after) return earlier
  return options.near !== undefined && later <= options.near ? later : earlier
}

/** Offset of `zone` from UTC at an instant (ms), in ms. */
export function offsetAt(instant: number, zone: string = MADRID): number {
  const transitions = transitionsOf(new Date(instant).getUTCFullYear(), zone)
  let at = transitions.length - 1
  while (at > 0 && (transitions[at] as Transition).at > instant) at--
  return (transitions[at] as Transition).offset
}

/** True from shortly before until shortly after an hour that a zone's clock repeats, `slack` ms on either side. */
export function isHourRepeated(instant: number, slack: number, zone: string = MADRID): boolean {
  return offsetAt(instant - HOUR - slack, zone) > offsetAt(instant + slack, zone)
}

/** First instant of a local date and of the next (ms): [start, end), 23, 24 or 25 hours. Throws for an invalid date. */
export function dayBounds(date: string, zone: string = MADRID): { start: number; end: number } {
  const local = localClock(date, '00:00')
  if (Number.isNaN(local)) throw new RangeError(`${JSON.stringify(date)} is not a date; expected YYYY-MM-DD`)
  const next = new Date(local + DAY).toISOString().slice(0, 10)
  return { start: instantOf(date, '00:00', { zone }), end: instantOf(next, '00:00', { zone }) }
}

/** The date (YYYY-MM-DD) in Madrid `days` after an instant (ms); fractions of a day are local time. */
export function madridDate(instant: number, days = 0): string {
  return new Date(instant + offsetAt(instant) + days * DAY).toISOString().slice(0, 10)
}

/** The date (YYYY-MM-DD) of an instant (ms) in a time zone. */
export function localDate(instant: number, zone: string): string {
  return new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 10)
}

/** The date (YYYY-MM-DD) after a date. */
export function dateAfter(date: string): string {
  return new Date(Date.parse(date) + DAY).toISOString().slice(0, 10)
}

/** The dates (YYYY-MM-DD) from one to another, both inclusive; none if the other is earlier. */
export function datesBetween(first: string, last: string): string[] {
  const dates: string[] = []
  for (let date = first; date <= last; date = dateAfter(date)) dates.push(date)
  return dates
}

/**
 * Start of the times of a service date, ms since the epoch: noon minus 12 hours, as in GTFS. It is midnight, except for an hour's
 * difference on days with a clock change, so that times after the change equal local time.
 */
export function serviceStart(date: string, zone: string = MADRID): number {
  return instantOf(date, '12:00', { zone }) - DAY / 2
}

/** ISO 8601 in UTC of an instant (ms): YYYY-MM-DDTHH:MM:SS.mmmZ, with six decimals where the ms are fractional. */
export function isoInstant(instant: number): string {
  const whole = Math.floor(instant)
  const micros = Math.round((instant - whole) * 1000)
  if (micros === 0) return `${isoMillis(whole)}Z`
  if (micros === 1000) return `${isoMillis(whole + 1)}Z`
  return `${isoMillis(whole)}${String(micros).padStart(3, '0')}Z`
}

/**
 * The last day formatted: consecutive rows are close in time, and `toISOString` costs several times more than formatting the
 * time.
 */
let day = { at: Number.NaN, text: '' }

function isoMillis(instant: number): string {
  const at = Math.floor(instant / DAY)
  if (day.at !== at) {
    const text = new Date(at * DAY).toISOString()
    day = { at, text: text.slice(0, text.indexOf('T') + 1) }
  }
  const ms = instant - at * DAY
  const [hours, minutes, seconds] = [Math.floor(ms / HOUR), Math.floor(ms / MINUTE) % 60, Math.floor(ms / 1000) % 60]
  const clock = `${day.text}${padded(hours)}:${padded(minutes)}:${padded(seconds)}`
  return ms % 1000 === 0 ? `${clock}.000` : `${clock}.${String(ms % 1000).padStart(3, '0')}`
}

function padded(part: number): string {
  return part < 10 ? `0${part}` : String(part)
}

const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/**
 * The instant (ms, µs as a fraction) of an RFC 3339 date-time; null for other texts. A zone is required, date and time must
 * exist, and leap seconds are rejected.
 */
export function parseInstant(text: string): number | null {
  const match = RFC3339.exec(text)
  if (!match) return null
  const [, date, time, sign, hours, minutes] = match as unknown as [string, string, string, string?, string?, string?]
  const local = localClock(date, time)
  if (Number.isNaN(local)) return null
  if (!sign) return local
  const offset = Number(hours) * HOUR + Number(minutes) * MINUTE
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  return sign === '+' ? local - offset : local + offset
}

/** Local date and time as if it were UTC, in ms; NaN if invalid. Works by character, since it runs per row. */
function localClock(date: string, time: string): number {
  if (date.length !== 10 || date.charCodeAt(4) !== 45 || date.charCodeAt(7) !== 45) return Number.NaN
  const year = twoDigits(date, 0) * 100 + twoDigits(date, 2)
  const month = twoDigits(date, 5)
  const dayOfMonth = twoDigits(date, 8)
  if (!(year >= 1000 && month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= daysIn(year, month))) return Number.NaN
  const hourEnd = time.charCodeAt(1) === 58 ? 1 : 2
  const hour = hourEnd === 1 ? digit(time, 0) : twoDigits(time, 0)
  const minute = twoDigits(time, hourEnd + 1)
  if (time.charCodeAt(hourEnd) !== 58 || !(hour <= 23 && minute <= 59)) return Number.NaN
  const start = Date.UTC(year, month - 1, dayOfMonth, hour, minute)
  if (time.length === hourEnd + 3) return start
  const second = twoDigits(time, hourEnd + 4)
  if (time.charCodeAt(hourEnd + 3) !== 58 || !(second <= 59)) return Number.NaN
  if (time.length === hourEnd + 6) return start + second * SECOND
  return start + second * SECOND + fraction(time.slice(hourEnd + 6))
}

/** Milliseconds of a decimal fraction of a second such as `.123456`; digits beyond the µs are dropped. */
function fraction(text: string): number {
  return /^\.\d+$/.test(text) ? Number(text.slice(1, 7).padEnd(6, '0')) / 1000 : Number.NaN
}

function digit(text: string, at: number): number {
  const code = text.charCodeAt(at) - 48
  return code >= 0 && code <= 9 ? code : Number.NaN
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** The changes of a zone's offset in a UTC year, preceded by its initial offset; computed once with Intl and cached. */
function transitionsOf(year: number, zone: string): readonly Transition[] {
  let ofZone = years.get(zone)
  if (!ofZone) {
    ofZone = new Map()
    years.set(zone, ofZone)
  }
  const known = ofZone.get(year)
  if (known) return known
  const found = findTransitions(year, zone)
  ofZone.set(year, found)
  return found
}

function findTransitions(year: number, zone: string): Transition[] {
  const end = Date.UTC(year + 1, 0)
  let at = Date.UTC(year, 0)
  let offset = intlOffset(at, zone)
  const found: Transition[] = [{ at, offset }]
  while (at < end) {
    const next = Math.min(at + 7 * DAY, end)
    const nextOffset = intlOffset(next, zone)
    if (nextOffset !== offset) {
      // Clocks change on a whole minute: bisect to it.
      let low = at
      let high = next
      while (high - low > MINUTE) {
        const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE
        if (intlOffset(middle, zone) === offset) low = middle
        else high = middle
      }
      offset = nextOffset
      if (high < end) found.push({ at: high, offset })
    }
    at = next
  }
  return found
}

function intlOffset(instant: number, zone: string): number {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formatters.set(zone, formatter)
  }
  const parts: Record<string, number> = {}
  for (const { type, value } of formatter.formatToParts(instant)) parts[type] = Number(value)
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant
}
