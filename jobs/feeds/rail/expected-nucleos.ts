import { railCalendar } from '../../../lake/datasets/rail/calendar.ts'
import { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, join, type Sql, sql } from '../../../lake/query/sql.ts'
import { dayBounds, madridDate, serviceStart } from '../../../lake/schema/time.ts'
import type { ExpectedBlocks } from '../define.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** An answer holds for so long. */
const STEP_S = 300
/**
 * A train counts from so long after its departure to so long before its arrival, live data having it a little late and losing it a little
 * early; of a short trip this share of its duration, which else would never count (Zaragoza's).
 */
const MARGIN_S = 600
const MARGIN_SHARE = 0.25
/** Trains of a service day run on until 28:00; until then the day before counts too. */
const DAY_ENDS_MS = 28 * HOUR
/** A timetable is published every night, but some nights have none; an older one than this is no more what runs. */
const OLDEST_MS = 8 * DAY

/**
 * The núcleos that live data must have, by the commuter timetable of their time: how many of its trips are on their way for the whole of a
 * step, well after their departure and before their arrival. Buses, which timetables have where there are works and live data hardly ever, are
 * not expected. A núcleo of which the newest version has no trip that day, of trains or buses, is not known.
 */
export const expectedNucleos: ExpectedBlocks = Object.freeze({
  from: [railCalendar, railRoutes, railTrips, railStopTimes],
  every_s: STEP_S,
  query: tripsUnderWay,
})

/**
 * When a núcleo counts as missing from live data: where the timetable expects one train of it at least, or, where that is not known, where it
 * had two in the publication before, for a last train may just have arrived. On the map of 2026-04-05, held against the timetable of a Sunday
 * in August (without Bilbao and Valencia, which had another), núcleos were absent 23 of the 204 times that one train was expected of them,
 * 16 of 223 with two and 53 of 782 with more, when they cannot have been empty: one train is nearly as sure. With two expected Zaragoza (70)
 * would be guarded for five minutes of a workday, and Murcia (41), which has four trains or more in each of four captures of positions,
 * for 45; with one they are for four hours and for ten. Any number of núcleos may be away, for what is not there takes nothing from what is.
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

/** The service days that trains of an instant (ms) can belong to: date, its begin (ms), and the seconds since noon less twelve hours. */
function serviceDays(at: number): { readonly date: string; readonly begin: number; readonly seconds: number }[] {
  return [0, 1].flatMap((before) => {
    const date = madridDate(at, -before)
    const seconds = (at - serviceStart(date)) / 1000
    return before > 0 && seconds * 1000 >= DAY_ENDS_MS ? [] : [{ date, begin: dayBounds(date).start, seconds }]
  })
}
