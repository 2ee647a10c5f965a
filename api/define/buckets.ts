import { type Sql, sql } from '../../lake/query/sql.ts'
import { MADRID } from '../../lake/schema/time.ts'
import type { Interval } from './params-time.ts'

/** An interval that has a length: all but `raw`. */
export type Bucket = Exclude<Interval, 'raw'>

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
