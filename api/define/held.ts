import { instant, type Sql, sql } from '../../lake/query/sql.ts'
import { MADRID } from '../../lake/schema/time.ts'
import { type Bucket, bucketEnd, bucketLength, bucketStart } from './buckets.ts'

/**
 * Rows that hold from `since` to `until`, cut at the borders of steps: one row for each step that they reach into, with its begin
 * (`step_start`), when it began to hold in it (`held_from`) and for how many seconds (`held_s`).
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
 * The times without a gap between publications, as rows of `since` and `until`. What is published holds at least for the instant of its
 * publication; the newest one may have changed nothing, but is known.
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
