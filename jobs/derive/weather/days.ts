import { daysOfObservations, weatherDays } from '../../../lake/datasets/weather/weather-days.ts'
import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import { type SqlPart, sql } from '../../../lake/query/sql.ts'
import { defineDerived } from '../define.ts'

/** Weather by station and day. */
export const weatherDaysDerived = defineDerived({
  by: 'months',
  into: weatherDays,
  from: [weatherObservations],
  revision: 1,
  watermark: 'day',
  rows: ({ month }, [observations]) => sql`SELECT ${month} AS month, * FROM (${daysOfObservations(observations as SqlPart)})`,
})
