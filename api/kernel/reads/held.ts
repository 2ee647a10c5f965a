import { instant, type Sql, sql } from '../../../lake/query/sql.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { type Bucket, bucketEnd, bucketLength, bucketStart } from './buckets.ts'

/**
 * Splits rows valid from `since` to `until` at the borders of steps. Adds the begin of the step (`step_start`), the begin of
 * the row in it (`held_from`) and the seconds in it (`held_s`).
 */
export function cutAtSteps(rows: Sql, step: Bucket): Sql {
  return sql`(
    SELECT * FROM (
      SELECT *, greatest(since, step_start) AS held_from,
        epoch(least(until, ${bucketEnd(sql`step_start`, step)})) - epoch(greatest(since, step_start)) AS held_s
      FROM (
        SELECT *, timezone(${MADRID}, unnest(generate_series(
          timezone(${MADRID}, ${bucketStart(sql`since`, step)}), timezone(${MADRID}, until), ${bucketLength(step)}
        ))) AS step_start
        FROM (${rows}) AS held
        WHERE since < until
      ) AS begun
    ) AS pieces
    WHERE held_s > 0
  )`
}

/**
 * The periods without a gap between publications, as rows of `since` and `until`. A publication counts for at least its own
 * instant. The newest one may have changed no row, so it is added.
 */
export function publicationRuns(published: Sql, options: { readonly gap_ms: number; readonly covered_until: number }): Sql {
  return sql`
    SELECT min(published) AS since, max(published) + INTERVAL 1 MILLISECOND AS until
    FROM (
      SELECT published, count(*) FILTER (WHERE is_first) OVER (ORDER BY published) AS run
      FROM (
        SELECT published, coalesce(published - lag(published) OVER (ORDER BY published) > to_milliseconds(${options.gap_ms}), true) AS is_first
        FROM (SELECT published FROM (${published}) UNION SELECT ${instant(options.covered_until)})
      )
    )
    GROUP BY run`
}
