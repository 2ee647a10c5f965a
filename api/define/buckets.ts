import { type Sql, sql } from '../../lake/query/sql.ts'
import { dayBounds, MADRID, offsetAt } from '../../lake/schema/time.ts'

/** An interval that has a length: all but `raw`. */
export type Bucket = '15m' | '1h' | '1d' | '1w' | '1mo' | '1y'

/** Length in SQL, and the unit of the calendar where it follows Madrid's clock instead of being a number of seconds. */
const LENGTHS: Readonly<Record<Bucket, { readonly length: Sql; readonly unit: Sql | null }>> = {
  '15m': { length: sql`INTERVAL 15 MINUTE`, unit: null },
  '1h': { length: sql`INTERVAL 1 HOUR`, unit: null },
  '1d': { length: sql`INTERVAL 1 DAY`, unit: sql`'day'` },
  '1w': { length: sql`INTERVAL 7 DAY`, unit: sql`'week'` },
  '1mo': { length: sql`INTERVAL 1 MONTH`, unit: sql`'month'` },
  '1y': { length: sql`INTERVAL 1 YEAR`, unit: sql`'year'` },
}

/**
 * The begin (TIMESTAMPTZ) of the bucket that an instant lies in. Days, weeks (from Monday), months and years are Madrid's, so that a day
 * has 23 or 25 hours where the clock changes; quarters of an hour and hours are the same there as in UTC.
 */
export function bucketStart(instant: Sql, bucket: Bucket): Sql {
  const { length, unit } = LENGTHS[bucket]
  if (unit === null) return sql`time_bucket(${length}, ${instant})`
  return sql`timezone(${MADRID}, date_trunc(${unit}, timezone(${MADRID}, ${instant})))`
}

/** The length of a bucket as an interval; of one that follows Madrid's clock by that clock. */
export const bucketLength = (bucket: Bucket): Sql => LENGTHS[bucket].length

/** The begin of the next bucket, of the begin of one. */
export function bucketEnd(start: Sql, bucket: Bucket): Sql {
  const { length, unit } = LENGTHS[bucket]
  if (unit === null) return sql`(${start} + ${length})`
  return sql`timezone(${MADRID}, timezone(${MADRID}, ${start}) + ${length})`
}

/** Seconds in a bucket, of its begin. */
export function bucketSeconds(start: Sql, bucket: Bucket): Sql {
  return sql`(epoch(${bucketEnd(start, bucket)}) - epoch(${start}))`
}

/** Begin and end of the bucket that an instant lies in, in ms since the epoch: what `bucketStart` and `bucketEnd` give. */
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

const SECONDS: Readonly<Partial<Record<Bucket, number>>> = { '15m': 900, '1h': 3600 }

type Day = readonly [year: number, month: number, day: number]

/** From the first instant of one day in Madrid to that of another. */
function madridDays(first: Day, end: Day): { start: number; end: number } {
  const begin = (day: Day): number => dayBounds(new Date(Date.UTC(...day)).toISOString().slice(0, 10)).start
  return { start: begin(first), end: begin(end) }
}
