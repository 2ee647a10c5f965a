import { trafficCountsHourly } from '../../lake/datasets/road/traffic-counts-hourly.ts'
import { scan } from '../../lake/query/scan.ts'
import { join, type Sql, sql } from '../../lake/query/sql.ts'
import { type Columns, col } from '../../lake/schema/columns.ts'

const { columns } = trafficCountsHourly

/** Columns of `countDays`. */
export const COUNT_DAY_COLUMNS = {
  station_id: columns.station_id,
  direction: columns.direction,
  local_date: columns.local_date,
  vehicles: col.list([1, 2], 'Vehicles by hour of the local clock; null for what is no count.', columns.vehicles),
} as const satisfies Columns

/** The counts of a day: of a direction of a station, by hour of the local clock. */
export interface CountDay {
  readonly station_id: string
  readonly direction: string
  /** YYYY-MM-DD. */
  readonly local_date: string
  /** 24 of them; null where nothing is known or was counted: an outage, a counter that was full or wrong, an hour that the clock leaves out or repeats. */
  readonly vehicles: readonly (number | null)[]
}

/**
 * A SELECT of the counts by day from a month (YYYY-MM) on, all of them unless told, in order; directions that a street does not have are left out.
 * Days that copy others are among them: what a copy is rests on what was known when, see `boardOf`.
 */
export function countDays(from: string | null = null): Sql {
  const relation = scan(trafficCountsHourly, from === null ? {} : { month: { gte: from } })
  // A column for each hour: lists gathered in order take the memory of all rows at once.
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
