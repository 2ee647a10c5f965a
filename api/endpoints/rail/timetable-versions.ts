import { railCalendar } from '../../../lake/datasets/rail/calendar.ts'
import { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import { railStations } from '../../../lake/datasets/rail/stations.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import { timetableSpansOf } from '../transit/timetable-span.ts'
import { timetableTables } from '../transit/timetable-versions.ts'

/** The timetables of the railway. */
export const railTimetables = timetableTables({
  title: 'rail',
  stops: railStations,
  routes: railRoutes,
  trips: railTrips,
  stopTimes: railStopTimes,
  calendar: railCalendar,
})

/** The tables of every timetable version; only commuter rail has shapes. */
export const TIMETABLE_TABLES = railTimetables.all

/** The times that stored versions cover. */
export const timetableSpans = timetableSpansOf(railTimetables)

/** The timetable feed of each network. */
const TIMETABLE_FEEDS: Readonly<Record<string, string>> = { CERCANIAS: 'renfe_gtfs_cercanias', AVLDMD: 'renfe_gtfs_avldmd' }

/** The feed that suffices for requests about one network; null, for all feeds, without a network. */
export function timetableFeeds(network: string | null): readonly string[] | null {
  return network === null ? null : [TIMETABLE_FEEDS[network] as string]
}
