import { ARCHIVE_SOURCE, LIVE_SOURCE, TRAFFIC_SOURCES } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings15m } from '../../../lake/datasets/road/traffic-readings-15m.ts'
import { join, outputName, type Sql, type SqlPart, sql } from '../../../lake/query/sql.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { type Bucket, bucketSeconds } from '../../define/buckets.ts'
import type { Closing, LakeView, RowsOf } from '../../define/lake-view.ts'
import { oneOf } from '../../define/params.ts'

/** The source that a series of readings is of. */
export const sourceParam = oneOf(
  'Readings that the series is of: those of every 5 minutes as they came (madrid), or those of every 15 minutes of the archive of months (madrid_archive). Unless told, the former, or where the period has none of them the latter: never both.',
  TRAFFIC_SOURCES,
  { example: LIVE_SOURCE },
)

/** What a reader must know of series of both. */
export const SOURCE_METHOD =
  'A series is of one source, which each step names with the period of its readings; those of the archive have no level of service, and lack the hour that October repeats, for they are of the local clock.'

/** Of steps of both sources those of the live readings, or of the archive where there are none of them. */
export const ofOneSource = (steps: Sql): Sql => sql`
  SELECT * FROM (${steps}) AS steps QUALIFY (source = ${LIVE_SOURCE}) = bool_or(source = ${LIVE_SOURCE}) OVER ()`

interface OfSource {
  readonly source: string | null
}

/** The rows that tell when a series of the archive begins and ends; null where another is asked for. */
export function archiveRows({ source }: OfSource): readonly RowsOf[] | null {
  return source === ARCHIVE_SOURCE ? [{ dataset: trafficReadings15m, filter: {} }] : null
}

/** The end of the archive where a series of it is asked for, which has landed long after its days: its rows are of whole days. */
export function archiveEnd({ source }: OfSource, { latest_row_at }: Pick<LakeView, 'latest_row_at'>): Closing {
  return source === ARCHIVE_SOURCE && latest_row_at !== null ? { end: dayBounds(madridDate(latest_row_at)).end } : {}
}

/** Means of the readings, from the sums that roll-ups have of them; null where no reading has a value. */
export const MEANS: Sql = join(
  (
    [
      ['intensity_veh_h', 'intensity_sum_veh_h', 'intensity_readings'],
      ['occupancy_pct', 'occupancy_sum_pct', 'occupancy_readings'],
      ['load_pct', 'load_sum_pct', 'load_readings'],
      ['speed_kmh', 'speed_sum_kmh', 'speed_readings'],
    ] as const
  ).map(([mean, sum, count]) => sql`CAST(${outputName(sum)} / nullif(${outputName(count)}, 0) AS DECIMAL(9, 1)) AS ${outputName(mean)}`),
)

/** Share of the readings that are expected in a step, of so many sensors, that are there; a step without any sensor has none. */
export function coverageOf(interval: Bucket, sensors: SqlPart): Sql {
  const expected = sql`(${sensors} * ${bucketSeconds(sql`period_start`, interval)})`
  return sql`CAST(coalesce(least(1, readings * period_s / nullif(${expected}, 0)), 0) AS DECIMAL(7, 6))`
}
