import { dayBounds, parseInstant } from '../../lake/schema/time.ts'

/** An instant given on the command line, ms: RFC 3339 with zone, or a plain date for the start of that day in Madrid. Throws for anything else. */
export function instantOrDay(option: string, text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return dayBounds(text).start
  const instant = parseInstant(text)
  if (instant === null) throw new Error(`--${option} ${text}: an instant such as 2026-11-20T08:00:00Z, or a date such as 2026-11-20`)
  return instant
}
