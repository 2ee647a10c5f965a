import { trafficCountsHourly } from '../../lake/datasets/road/traffic-counts.ts'
import { scan } from '../../lake/query/scan.ts'
import { join, type Sql, sql } from '../../lake/query/sql.ts'
import { type Columns, col } from '../../lake/schema/columns.ts'

const { columns } = trafficCountsHourly

/** Columns of `countDays`. */
export const COUNT_DAY_COLUMNS = {
  station_id: columns.station_id,
  direction: columns.direction,
  local_date: columns.local_date,
  vehicles: col.list([1, 2], 'Vehicles by hour of the local clock; null if not counted.', columns.vehicles),
} as const satisfies Columns

/** The counts of a day: for a direction of a station, by local hour. */
export interface CountDay {
  readonly station_id: string
  readonly direction: string
  /** YYYY-MM-DD. */
  readonly local_date: string
  /**
   * 24 values; null if unknown or not counted: an outage, a counter at its ceiling or wrong, an hour that the clock change skips
   * or repeats.
   */
  readonly vehicles: readonly (number | null)[]
}

/**
 * A SELECT of the counts by day from a month (YYYY-MM) on, or all by default, in order, without nonexistent directions. Copied
 * days are included: what counts as a copy depends on the time, see `boardOf`.
 */
export function countDays(from: string | null = null): Sql {
  const relation = scan(trafficCountsHourly, from === null ? {} : { month: { gte: from } })
  // A column for each hour: ordered lists would need the memory of all rows at once.
  const hours = Array.from({ length: 24 }, (_, hour) => sql`max(counted) FILTER (hour = ${hour})`)
  return sql`
    SELECT station_id, direction, local_date, list_value(${join(hours)}) AS vehicles
    FROM (
      SELECT *, CASE WHEN quality IN ('OK', 'COPIED_DAY') AND NOT is_clock_change AND vehicles < 9999 THEN vehicles END AS counted
      FROM ${relation}
      WHERE quality <> 'DEAD_DIRECTION'
    )
    GROUP BY station_id, direction, local_date
    ORDER BY station_id, direction, local_date`
}
