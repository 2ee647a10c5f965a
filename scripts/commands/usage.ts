import { stringify } from 'csv-stringify/sync'
import type { Lake } from '../../lake/open.ts'
import { CLOSED_AFTER_MS, OUTCOMES } from '../../lake/requests/log.ts'
import { requestsIn, summed, type UsageDay, usageDaysReader } from '../../lake/requests/usage.ts'
import type { Json } from '../../lake/schema/columns.ts'
import { dateAfter, dayBounds, madridDate } from '../../lake/schema/time.ts'
import { table } from './output.ts'

const COLUMNS = ['month', 'key', 'account', 'plan', 'requests', ...OUTCOMES, 'day_units', 'is_final'] as const

/** Reads a month such as 2026-11. Throws for any other text. */
export function monthOf(text: string): string {
  if (!/^[12]\d{3}-(0[1-9]|1[0-2])$/.test(text)) throw new Error(`--month ${text}: expected a month such as 2026-11`)
  return text
}

/** Returns the month in Madrid at an instant (ms). */
export function monthAt(now: number): string {
  return madridDate(now).slice(0, 7)
}

/**
 * Returns the usage of each key in a month of Madrid, by plan, as a text table or CSV; of one key if its id is given. Numbers are
 * final once usage can no longer be added.
 */
export async function monthlyUsage(
  lake: Lake,
  asked: { readonly key: string | null; readonly month: string; readonly isCsv: boolean; readonly now: number },
): Promise<string> {
  const { key, month, isCsv, now } = asked
  const from = `${month}-01`
  const to = nextMonth(from)
  const days = await usageDaysReader(lake)({ from, to, ...(key === null ? {} : { key }) })
  const isFinal = now >= dayBounds(to).start + CLOSED_AFTER_MS
  const sums = summed(days.map((day) => ({ ...day, date: from, path: '' })))
  const rows = sums.map((sum) => lineOf(sum, { month, isFinal }))
  return isCsv ? stringify([COLUMNS, ...rows], { cast: { boolean: String } }).trimEnd() : table(COLUMNS, rows)
}

function lineOf(sum: UsageDay, { month, isFinal }: { readonly month: string; readonly isFinal: boolean }): Json[] {
  const account = sum.slot?.slice(0, 12) ?? null
  return [month, sum.key, account, sum.plan, requestsIn(sum), ...OUTCOMES.map((outcome) => sum[outcome]), sum.day_units, isFinal]
}

/** Returns the first day of the month after the one that begins with a date. */
export function nextMonth(first: string): string {
  let date = first
  while (date.slice(0, 7) === first.slice(0, 7)) date = dateAfter(date)
  return date
}
