import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { railCalendar, railRoutes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { serviceStart } from '../../../lake/schema/time.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { DayStops } from '../transit/service-day.ts'
import { versionsOn } from '../transit/timetable-versions.ts'
import { railTimetables, TIMETABLE_TABLES } from './timetable-versions.ts'

/**
 * A trip in the timetable that does not run on the day; its stops are those of the day from `first` up to, not including,
 * `end`.
 */
export interface IdleTrip {
  readonly trip_id: string
  readonly train_number: string | null
  readonly product: string | null
  readonly first: number
  readonly end: number
}

/** The long-distance trips of a timetable that do not run on a date by its calendar. */
export interface IdleTrips {
  /** Their stops on that date. */
  readonly stops: DayStops
  readonly byId: ReadonlyMap<string, IdleTrip>
  readonly byTrain: ReadonlyMap<string, readonly IdleTrip[]>
}

/** Yesterday, today and tomorrow. */
const DAYS = 3

/**
 * By service date (YYYY-MM-DD), trips of the version in force that do not run on it. Live feeds may still name them: of 1,038
 * trips of 2026-03-28, that day's timetable has 1,004, and 129 of these do not run by its calendar. All are long-distance.
 */
export const idleTrips = defineCachedQuery<IdleTrips>({
  name: 'rail idle trips',
  from: TIMETABLE_TABLES,
  maxEntries: DAYS,
  async read(reader, date) {
    const only = { timetable_version: { in: await versionsOn(reader, railTimetables, date) }, network: { eq: LONG_DISTANCE } }
    const names = new Map<string, string>()
    const stations = await reader.all<{ readonly stop_id: string; readonly name: string }>(
      sql`SELECT stop_id, name FROM ${scan(railStations, only)}`,
    )
    for (const { stop_id, name } of stations) names.set(stop_id, name)
    const query = sql`
      SELECT t.trip_id, t.train_number, r.short_name AS product,
        s.stop_sequence, s.stop_id, s.arrival, s.departure, s.pickup_type, s.drop_off_type
      FROM ${scan(railTrips, only)} t
      ANTI JOIN ${scan(railCalendar, { ...only, service_date: { eq: date } })} c
        ON c.timetable_version = t.timetable_version AND c.service_id = t.service_id
      JOIN ${scan(railStopTimes, only)} s ON s.timetable_version = t.timetable_version AND s.trip_id = t.trip_id
      LEFT JOIN ${scan(railRoutes, only)} r ON r.timetable_version = t.timetable_version AND r.route_id = t.route_id
      ORDER BY t.trip_id, s.stop_sequence`
    const stops = new DayStops(serviceStart(date), names)
    const begun: Omit<IdleTrip, 'end'>[] = []
    for await (const batch of reader.rows(query)) {
      for (const row of batch) {
        const { trip_id, train_number, product } = row as unknown as IdleTrip
        if (begun.at(-1)?.trip_id !== trip_id) begun.push({ trip_id, train_number, product, first: stops.length })
        stops.add(begun.length - 1, row)
      }
    }
    stops.close()
    const trips = begun.map(({ trip_id, train_number, product, first }, at): IdleTrip => {
      const end = begun[at + 1]?.first ?? stops.length
      return { trip_id, train_number, product, first, end }
    })
    return {
      stops,
      byId: new Map(trips.map((trip) => [trip.trip_id, trip])),
      byTrain: Map.groupBy(trips, ({ train_number }) => train_number ?? ''),
    }
  },
})
