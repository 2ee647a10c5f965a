/** Hours of a week in minutes from Monday 00:00, as [open, close) pairs; null if the text cannot be parsed. */
export type WeekHours = readonly (readonly [open: number, close: number])[] | null

const DAYS = 'LMXJVSD'
const DAY = 1440
const WEEK = 7 * DAY
const RULE = /^([LMXJVSD])(?:-([LMXJVSD]))?:\s*(.+)$/
const SPAN = /^(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})$/

const known = new Map<string, WeekHours>()

/**
 * Parses the ministry's opening hours: rules separated by `;`, each a day or range of days (L M X J V S D) with `24H`, a span,
 * or two spans joined by `y`. A span that ends at or before its begin passes midnight; days without a rule are closed.
 */
export function openingHours(text: string): WeekHours {
  const there = known.get(text)
  if (there !== undefined) return there
  const made = readWeek(text)
  // Some 1,300 texts are in use, but a hostile feed may contain any number.
  if (known.size >= 20_000) known.clear()
  known.set(text, made)
  return made
}

/** True if a station is open at a minute of the week (0 to 10,079, from Monday 00:00 on the clock of Madrid or the Canaries). */
export function isOpenAt(hours: NonNullable<WeekHours>, minute: number): boolean {
  return hours.some(([open, close]) => (minute >= open && minute < close) || (close > WEEK && minute < close - WEEK))
}

function readWeek(text: string): WeekHours {
  const hours: [number, number][] = []
  for (const rule of text.split(';')) {
    const [, first, last, spans] = RULE.exec(rule.trim()) ?? []
    if (!first || !spans) return null
    const from = DAYS.indexOf(first)
    const to = last ? DAYS.indexOf(last) : from
    for (const span of spans.split(/\s+y\s+/)) {
      const minutes = readSpan(span.trim())
      if (!minutes) return null
      for (let day = from; ; day = (day + 1) % 7) {
        hours.push([day * DAY + minutes[0], day * DAY + minutes[1]])
        if (day === to) break
      }
    }
  }
  return hours
}

function readSpan(text: string): readonly [number, number] | null {
  if (text === '24H') return [0, DAY]
  const [, fromHour, fromMinute, toHour, toMinute] = SPAN.exec(text) ?? []
  if (toMinute === undefined) return null
  const open = Number(fromHour) * 60 + Number(fromMinute)
  const close = Number(toHour) * 60 + Number(toMinute)
  if (open >= DAY || close > DAY || Number(fromMinute) > 59 || Number(toMinute) > 59) return null
  // Stations write 23:59 for midnight.
  const end = close === DAY - 1 ? DAY : close
  return [open, end <= open ? end + DAY : end]
}
