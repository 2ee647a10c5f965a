import { type Sql, sql } from '../../../lake/query/sql.ts'
import { type Column, col } from '../../../lake/schema/columns.ts'
import { dayBounds, MADRID, madridDate, offsetAt } from '../../../lake/schema/time.ts'

/** An interval that has a length: all but `raw`. */
export type Bucket = '15m' | '1h' | '1d' | '1w' | '1mo' | '1y'

/** Length in SQL, and the calendar unit of lengths that follow Madrid's clock instead of a fixed number of seconds. */
const LENGTHS: Readonly<Record<Bucket, { readonly length: Sql; readonly unit: Sql | null }>> = {
  '15m': { length: sql`INTERVAL 15 MINUTE`, unit: null },
  '1h': { length: sql`INTERVAL 1 HOUR`, unit: null },
  '1d': { length: sql`INTERVAL 1 DAY`, unit: sql`'day'` },
  '1w': { length: sql`INTERVAL 7 DAY`, unit: sql`'week'` },
  '1mo': { length: sql`INTERVAL 1 MONTH`, unit: sql`'month'` },
  '1y': { length: sql`INTERVAL 1 YEAR`, unit: sql`'year'` },
}

/**
 * Returns the begin (TIMESTAMPTZ) of the bucket that contains an instant. Days, weeks (from Monday), months and years follow
 * Madrid's clock: a day may have 23 or 25 hours. Hours and quarters of an hour are the same as in UTC.
 */
export function bucketStart(instant: Sql, bucket: Bucket): Sql {
  const { length, unit } = LENGTHS[bucket]
  if (unit === null) return sql`time_bucket(${length}, ${instant})`
  return sql`timezone(${MADRID}, date_trunc(${unit}, timezone(${MADRID}, ${instant})))`
}

/** The length of a bucket as an interval. Buckets of a day and longer follow Madrid's clock. */
export const bucketLength = (bucket: Bucket): Sql => LENGTHS[bucket].length

/** Returns the begin of the next bucket from the begin of one. */
export function bucketEnd(start: Sql, bucket: Bucket): Sql {
  const { length, unit } = LENGTHS[bucket]
  if (unit === null) return sql`(${start} + ${length})`
  return sql`timezone(${MADRID}, timezone(${MADRID}, ${start}) + ${length})`
}

/** Returns the number of seconds in a bucket from its begin. */
export function bucketSeconds(start: Sql, bucket: Bucket): Sql {
  return sql`(epoch(${bucketEnd(start, bucket)}) - epoch(${start}))`
}

/**
 * Returns the begin and end of the bucket that contains an instant, in ms since the epoch, as `bucketStart` and `bucketEnd` do.
 */
export function bucketBounds(instant: number, bucket: Bucket): { readonly start: number; readonly end: number } {
  const seconds = SECONDS[bucket]
  if (seconds !== undefined) {
    const start = Math.floor(instant / (1000 * seconds)) * 1000 * seconds
    return { start, end: start + 1000 * seconds }
  }
  const local = new Date(instant + offsetAt(instant))
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  const monday = day - ((local.getUTCDay() + 6) % 7)
  if (bucket === '1d') return madridDays([year, month, day], [year, month, day + 1])
  if (bucket === '1w') return madridDays([year, month, monday], [year, month, monday + 7])
  return bucket === '1mo' ? madridDays([year, month, 1], [year, month + 1, 1]) : madridDays([year, 0, 1], [year + 1, 0, 1])
}

/** The parts of a local date that name a bucket; null for those shorter than a day. */
const DATES: Readonly<Record<string, readonly [format: string, length: number]>> = {
  ...{ '1d': ['%Y-%m-%d', 10], '1w': ['%Y-%m-%d', 10], '1mo': ['%Y-%m', 7], '1y': ['%Y', 4] },
}

/** The field `date` of a record of a step, from the begin and length of its example. */
export function dateField(start: string, interval: string): Column<string | null> {
  const [, length = 0] = DATES[interval] ?? []
  return col.string(0, 'Local date of the step: day, or Monday of a week (YYYY-MM-DD), month (YYYY-MM) or year; null if shorter.', {
    ...{ nullable: true, example: length === 0 ? null : madridDate(Date.parse(start)).slice(0, length) },
  })
}

/** The value of `dateField` from the begin (TIMESTAMPTZ) of a step. */
export function dateOfStep(start: Sql, interval: string): Sql {
  const [format] = DATES[interval] ?? []
  return format === undefined ? sql`CAST(NULL AS VARCHAR)` : sql`strftime(timezone(${MADRID}, ${start}), ${format})`
}

const SECONDS: Readonly<Partial<Record<Bucket, number>>> = { '15m': 900, '1h': 3600 }

type Day = readonly [year: number, month: number, day: number]

/** From the first instant of one day in Madrid to that of another. */
function madridDays(first: Day, end: Day): { start: number; end: number } {
  const begin = (day: Day): number => dayBounds(new Date(Date.UTC(...day)).toISOString().slice(0, 10)).start
  return { start: begin(first), end: begin(end) }
}
