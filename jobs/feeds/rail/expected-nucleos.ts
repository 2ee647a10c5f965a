import { railCalendar, railRoutes, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { dayBounds, madridDate, serviceStart } from '../../../lake/schema/time.ts'
import type { ExpectedGroups } from '../define.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** How long an answer is valid. */
const STEP_S = 300
/**
 * A train is expected from this long after departure to this long before arrival: live data gains it slightly late and loses
 * it slightly early. On short trips the share of the duration applies, otherwise they would never count (Zaragoza's).
 */
const MARGIN_S = 600
const MARGIN_SHARE = 0.25
/** Trains of a service day run until 28:00; until then the previous day counts too. */
const DAY_ENDS_MS = 28 * HOUR
/** Timetables are published nightly, with gaps; one older than this no longer describes the service. */
const OLDEST_MS = 8 * DAY

/**
 * The núcleos that live data must have, from the commuter timetable: trips under way for a whole step, well after departure
 * and before arrival. Replacement buses are in timetables but rarely in live data, so they are not expected. A núcleo without
 * any trip that day in the newest version is unknown.
 */
export const expectedNucleos: ExpectedGroups = Object.freeze({
  from: [railCalendar, railRoutes, railTrips, railStopTimes],
  every_s: STEP_S,
  query: tripsUnderWay,
})

/**
 * When a núcleo counts as missing from live data: if the timetable expects at least one train or, if that is unknown, if the
 * previous publication had two (a last train may just have arrived). Any number of núcleos may be missing.
 * See the README beside this file.
 */
export const NUCLEOS_MISSING = Object.freeze({ least: 2, leastExpected: 1, mostMissing: 1, expected: expectedNucleos })

function tripsUnderWay(at: number): Sql {
  const days = serviceDays(at)
  const dates = days.map(({ date }) => date)
  const begins = days.map(({ begin }) => begin)
  const versions = { network: { eq: 'CERCANIAS' }, valid_from: { gte: Math.min(...begins) - OLDEST_MS, lte: Math.max(...begins) } }
  const asked = days.map(({ date, begin, seconds }) => sql`(CAST(${date} AS DATE), ${instant(begin)}, ${seconds})`)
  return sql`
    WITH asked (service_date, begins_at, seconds) AS (VALUES ${join(asked)}),
    services AS (
      SELECT timetable_version, service_id, service_date, seconds
      FROM ${scan(railCalendar, { ...versions, service_date: { in: dates } })}
      JOIN asked USING (service_date)
      WHERE valid_from <= begins_at
      QUALIFY rank() OVER (PARTITION BY service_date ORDER BY valid_from DESC) = 1
    ),
    runs AS (
      SELECT
        t.nucleo_code, r.route_type, service_date, seconds, min(departure) AS leaves, max(arrival) AS arrives,
        least(${MARGIN_S}, ${MARGIN_SHARE} * (max(arrival) - min(departure))) AS margin
      FROM services
      JOIN ${scan(railTrips, versions)} AS t USING (timetable_version, service_id)
      JOIN ${scan(railStopTimes, versions)} USING (timetable_version, trip_id)
      LEFT JOIN ${scan(railRoutes, versions)} AS r USING (timetable_version, route_id)
      WHERE t.nucleo_code IS NOT NULL
      GROUP BY timetable_version, trip_id, t.nucleo_code, r.route_type, service_date, seconds
    )
    SELECT
      nucleo_code AS block,
      CAST(count(*) FILTER (
        route_type IS DISTINCT FROM 'BUS' AND leaves <= seconds - margin AND arrives >= seconds + ${STEP_S} + margin
      ) AS INTEGER) AS count
    FROM runs
    GROUP BY nucleo_code
    HAVING count(DISTINCT service_date) = ${days.length}
    ORDER BY block`
}

/** The service days possible at an instant (ms): date, start (ms), and the seconds since noon minus twelve hours. */
function serviceDays(at: number): { readonly date: string; readonly begin: number; readonly seconds: number }[] {
  return [0, 1].flatMap((before) => {
    const date = madridDate(at, -before)
    const seconds = (at - serviceStart(date)) / 1000
    return before > 0 && seconds * 1000 >= DAY_ENDS_MS ? [] : [{ date, begin: dayBounds(date).start, seconds }]
  })
}
