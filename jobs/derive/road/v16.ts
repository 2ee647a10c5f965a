import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import { activationsBySection, v16Hours } from '../../../lake/datasets/road/v16-hours.ts'
import { type SqlPart, sql } from '../../../lake/query/sql.ts'
import { defineDerived } from '../define.ts'

/** Activations by road section and hour. */
export const v16HoursDerived = defineDerived({
  by: 'months',
  into: v16Hours,
  from: [v16Beacons],
  revision: 1,
  watermark: 'day',
  allowedLateness_days: 1,
  rows: (span, [beacons]) => sql`SELECT ${span.month} AS month, * FROM (${activationsBySection(beacons as SqlPart, span)})`,
})
