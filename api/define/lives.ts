import { type Scan, scan } from '../../lake/query/scan.ts'
import { column, instant, join, type Sql, sql } from '../../lake/query/sql.ts'
import { type Dataset, type Life, REVIVAL_MS } from '../../lake/schema/dataset.ts'

/** A dataset of things that begin and end. */
type LivingDataset = Dataset & { readonly life: Life }

/**
 * The last row before `to` of every life that the period finds or that ends in it, with some of its columns and its `status`: half-open,
 * ms since the epoch. A life that has ended and come back since counts as its last row has it.
 */
export function livesIn(dataset: LivingDataset, period: { readonly from: number; readonly to: number }, columns: readonly string[]): Sql {
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
 * The rows before `to` that tell what goes on from `from` on: half-open, ms since the epoch. The first of them is later than `from` only
 * where the lake had not begun to follow the dataset then, or there was nothing.
 */
export function followedIn(dataset: LivingDataset, { from, to }: { readonly from: number; readonly to: number }): Scan {
  // Each month's partition opens with everything that is active, so the month of the begin (or the one before it) tells what goes on then.
  const before = Date.UTC(new Date(from).getUTCFullYear(), new Date(from).getUTCMonth() - 1)
  return scan(dataset, { [dataset.time]: { gte: before, lt: to } })
}

/**
 * The lives whose last end lies in the period, with the columns that they had last and `id`, `end_reason`, `ended_at`, `began_at`,
 * `last_seen_at`, `duration_minutes`, `versions`, `is_stale`. `wanted` is a condition on the last row, `starts` the column of the start
 * that the source states: it counts as the begin unless it lies after the end.
 */
export function endedIn(
  dataset: LivingDataset,
  period: { readonly from: number; readonly to: number },
  options: { readonly wanted: Sql; readonly starts: string },
): Sql {
  const { from, to } = period
  const [id, time, since] = [dataset.life.id, dataset.time, dataset.life.since].map((name) => column(dataset, name)) as [Sql, Sql, Sql]
  const [starts, seen] = [column(dataset, options.starts), column(dataset, 'last_seen_at')]
  // What came back did so within half an hour of its end, perhaps after the period.
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
