import { MOBILITY_STUDIES } from '../../../lake/datasets/mobility/codes.ts'
import type { Scan } from '../../../lake/query/scan.ts'
import { join, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, type Param, withDefault } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { type Bucket, bucketEnd, bucketStart, dateOfStep } from '../../kernel/reads/buckets.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'

/** The page about traffic and trips. */
export const MOBILITY_PAGE = defineMethodPage('mobility', new URL('./mobility.md', import.meta.url))

/** The default study. */
export const DEFAULT_STUDY = 'V2'

/** The parameter `study`: exactly one. */
export const studyParam: Param<string> = withDefault(
  codeParam('Study; a reply never mixes two studies.', MOBILITY_STUDIES, { example: 'V2' }),
  DEFAULT_STUDY,
)

/**
 * Returns the error for a question about data that has not landed. A zone level of the default study may land any time. The
 * other study has ended and is only loaded on demand, so a retry is useless: the request is rejected.
 */
export function nothingOf(dataset: Dataset, { study, level }: { readonly study: string; readonly level?: string }): Error {
  if (study !== DEFAULT_STUDY)
    return new InvalidParam('expected a study with data', { parameter: 'study', value: study, allowed: [DEFAULT_STUDY] })
  const what = level === undefined ? `the study ${study}` : `the study ${study} at the level ${level}`
  return noDataYet(`No data of ${what} has arrived yet`, {
    missing: [dataset],
    waits_for: ['its first day from the ministry'],
  })
}

/**
 * Sums of trips by step and by some columns, over the days that are present: rows with these columns, the step, the figures, and
 * the numbers of days.
 */
export function tripSums(of: {
  readonly cells: Sql | Scan
  readonly days: Sql | Scan
  readonly by: readonly Sql[]
  readonly interval: Bucket
}): Sql {
  const { cells, days, by, interval } = of
  const begun = bucketStart(sql`day_starts_at`, interval)
  const dateOf = (at: Sql): Sql => sql`CAST(timezone(${MADRID}, ${at}) AS DATE)`
  return sql`
    WITH
      days AS (SELECT ${begun} AS begun, count(DISTINCT local_date) AS present FROM ${days} GROUP BY 1),
      summed AS (SELECT ${join(by)}, ${begun} AS begun, sum(trips) AS trips, sum(trip_km) AS trip_km FROM ${cells} GROUP BY ALL)
    SELECT
      * EXCLUDE (begun, present) REPLACE (CAST(trips AS DECIMAL(18, 3)) AS trips, CAST(trip_km AS DECIMAL(18, 3)) AS trip_km),
      begun AS period_start,
      ${interval} AS "interval",
      ${dateOfStep(sql`begun`, interval)} AS date,
      CAST(trip_km / nullif(trips, 0) AS DECIMAL(12, 3)) AS mean_distance_km,
      CAST(present AS INTEGER) AS days_present,
      CAST(${dateOf(bucketEnd(sql`begun`, interval))} - ${dateOf(sql`begun`)} AS INTEGER) AS days_expected
    FROM summed
    JOIN days USING (begun)`
}
