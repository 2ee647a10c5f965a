import { dayBounds, parseInstant } from '../../lake/schema/time.ts'

/**
 * Reads an instant (ms) of the command line: RFC 3339 with zone, or a date for the start of a day in Madrid. Throws otherwise.
 */
export function instantOrDay(option: string, text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return dayBounds(text).start
  const instant = parseInstant(text)
  if (instant === null) throw new Error(`--${option} ${text}: an instant such as 2026-11-20T08:00:00Z, or a date such as 2026-11-20`)
  return instant
}
