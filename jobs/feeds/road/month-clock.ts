import { type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { offsetAt } from '../../../lake/schema/time.ts'
import { FormatError } from '../define.ts'
import { localHours } from '../local-hours.ts'

const MONTH = /^\d{4}-\d{2}$/
const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * Converts a month's local times to instants: the local time minus the offset `before` (ms), or `after` from the clock change
 * on. The skipped or repeated hour [`from`, `to`) has no instant. All times are as if local time were UTC; without a change
 * that hour is after the month.
 */
export interface MonthClock {
  readonly month: string
  readonly before: number
  readonly after: number
  readonly from: number
  readonly to: number
}

/** The clock of a month, YYYY-MM. Throws `FormatError` for any other text. */
export function monthClock(month: string): MonthClock {
  if (!isMonth(month)) throw new FormatError(`${month} is no month`)
  const first = Date.parse(month)
  const days = Array.from({ length: 31 }, (_, at) => new Date(first + at * DAY).toISOString().slice(0, 10))
  for (const day of days.filter((one) => one.startsWith(month))) {
    const hour = localHours(day).indexOf(null)
    if (hour < 0) continue
    const from = Date.parse(day) + hour * HOUR
    return { month, before: offsetAt(from - DAY), after: offsetAt(from + DAY), from, to: from + HOUR }
  }
  const offset = offsetAt(first)
  const never = first + 32 * DAY
  return { month, before: offset, after: offset, from: never, to: never }
}

/** True for a month, YYYY-MM. */
function isMonth(text: string): boolean {
  return MONTH.test(text) && !Number.isNaN(Date.parse(text))
}

/** Expressions of the engine, for a local time in µs: its instant, null in the hour of the change, and the start of its day. */
export function instantsSql(clock: MonthClock, local: SqlPart): { starts_at: Sql; day_starts_at: Sql; is_clock_change: Sql } {
  const offset = (shown: SqlPart): Sql =>
    sql`CASE WHEN ${shown} < ${micros(clock.from)} THEN ${micros(clock.before)} ELSE ${micros(clock.after)} END`
  const day = sql`(${local} - ${local} % ${micros(DAY)})`
  const is_clock_change = sql`(${local} >= ${micros(clock.from)} AND ${local} < ${micros(clock.to)})`
  return {
    is_clock_change,
    starts_at: sql`CASE WHEN NOT ${is_clock_change} THEN make_timestamptz(${local} - ${offset(local)}) END`,
    day_starts_at: sql`make_timestamptz(${day} - ${offset(day)})`,
  }
}

/** Milliseconds as µs in a query. */
export function micros(ms: number): Sql {
  return sql`CAST(${ms * 1000} AS BIGINT)`
}
