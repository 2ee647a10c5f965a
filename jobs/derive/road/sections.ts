import { archivedStates, sectionStates, sumsOfStates, trafficSectionHours } from '../../../lake/datasets/road/traffic-section-hours.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { trafficSectionStatesArchive } from '../../../lake/datasets/road/traffic-section-states-archive.ts'
import { type SqlPart, sql } from '../../../lake/query/sql.ts'
import { defineDerived } from '../define.ts'

/** States of a city's street sections by hour, live and archived, each under its source. */
export const trafficSectionHoursDerived = defineDerived({
  by: 'months',
  into: trafficSectionHours,
  from: [trafficSectionStates, trafficSectionStatesArchive],
  fallbackInputs: [trafficSectionStatesArchive],
  revision: 2,
  watermark: 'day',
  isBySource: true,
  rows: ({ month }, [live, archive]) => sql`
    SELECT ${month} AS month, source, period_s, time_bucket(INTERVAL 1 HOUR, observed_at) AS period_start, ${sumsOfStates}
    FROM (${sectionStates(live as SqlPart)} UNION ALL BY NAME ${archivedStates(archive as SqlPart)})
    GROUP BY source, period_s, period_start`,
})
