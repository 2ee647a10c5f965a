import { type Scan, scan } from '../../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { type Dataset, type Life, REVIVAL_MS } from '../../../lake/schema/dataset.ts'

/** A dataset of things that begin and end. */
type LivingDataset = Dataset & { readonly life: Life }

/**
 * A query of the last row before `to` of each record that was active or ended in the period (half-open, ms since the epoch),
 * with some columns and `status`. A record that ended and came back has the state of its last row.
 */
export function activeDuring(
  dataset: LivingDataset,
  period: { readonly from: number; readonly to: number },
  columns: readonly string[],
): Sql {
  const { from } = period
  const [id, time] = [column(dataset, dataset.life.id), column(dataset, dataset.time)]
  const status = column(dataset, 'status')
  const names = [...new Set([dataset.life.id, dataset.time, ...columns])].map((name) => column(dataset, name))
  return sql`
    SELECT ${join(names)}, ${status}
    FROM (
      SELECT ${join(names)}, ${status}
      FROM ${followedIn(dataset, period)}
      QUALIFY row_number() OVER (PARTITION BY ${id} ORDER BY ${time} DESC) = 1
    )
    WHERE ${status} <> 'ENDED' OR ${time} >= ${instant(from)}`
}

/**
 * Scans the rows before `to` that describe what is active from `from` on (half-open, ms since the epoch). The first row is
 * later than `from` only if the dataset was not yet recorded, or was empty.
 */
export function followedIn(dataset: LivingDataset, { from, to }: { readonly from: number; readonly to: number }): Scan {
  // Each month's partition opens with all active records, so the month of `from`, or the one before, has what is active then.
  const before = Date.UTC(new Date(from).getUTCFullYear(), new Date(from).getUTCMonth() - 1)
  return scan(dataset, { [dataset.time]: { gte: before, lt: to } })
}

/**
 * A query of the records whose last end is in the period: the last `columns`, `id`, `end_reason`, `ended_at`, `began_at`,
 * `last_seen_at`, `duration_minutes`, `versions`, `is_stale`. `wanted` filters the last row. `starts` is the source's start
 * column, used as begin unless it is after the end.
 */
export function endedDuring(
  dataset: LivingDataset,
  period: { readonly from: number; readonly to: number },
  options: { readonly wanted: Sql; readonly starts: string },
): Sql {
  const { from, to } = period
  const [id, time, since] = [dataset.life.id, dataset.time, dataset.life.since].map((name) => column(dataset, name)) as [Sql, Sql, Sql]
  const [starts, seen] = [column(dataset, options.starts), column(dataset, 'last_seen_at')]
  // A record can come back within half an hour of its end, perhaps after the period.
  const later = scan(dataset, { [dataset.time]: { gte: from, lte: to + REVIVAL_MS } })
  return sql`
    WITH ended AS MATERIALIZED (
      SELECT *, coalesce(CASE WHEN ${starts} <= seen_at THEN ${starts} END, ${since}) AS began_at
      FROM (
        SELECT *, coalesce(${seen}, ${time}) AS seen_at
        FROM ${scan(dataset, { status: { eq: 'ENDED' }, [dataset.time]: { gte: from, lt: to } })}
        WHERE ${options.wanted}
      )
    ),
    counted AS (
      SELECT ${id}, count(*) AS versions
      FROM ${scan(dataset, { is_baseline: { eq: false }, [dataset.time]: { lt: to } })}
      SEMI JOIN ended USING (${id})
      GROUP BY ${id}
    )
    SELECT
      ended.* EXCLUDE (last_seen_at),
      true AS is_stale,
      ended.${id} AS id,
      'DISAPPEARED' AS end_reason,
      ended.${time} AS ended_at,
      seen_at AS last_seen_at,
      CAST(floor(greatest(0, epoch(seen_at) - epoch(began_at)) / 60) AS INTEGER) AS duration_minutes,
      CAST(versions AS INTEGER) AS versions
    FROM ended
    JOIN counted USING (${id})
    WHERE NOT EXISTS (SELECT 1 FROM ${later} AS again WHERE again.${id} = ended.${id} AND again.${time} > ended.${time})`
}
