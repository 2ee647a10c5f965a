import { ferryCalendar, ferryRoutes, ferryStops, ferryStopTimes, ferryTrips } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { MADRID, serviceStart } from '../../../lake/schema/time.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { readServiceDay, ServiceDay } from '../transit/service-day.ts'
import { timetableName, timetableSpansOf, timetableTables, versionsOn } from '../transit/timetable-versions.ts'

/** The timetables of ferries. */
export const ferryTimetables = timetableTables({
  title: 'ferry',
  stops: ferryStops,
  routes: ferryRoutes,
  trips: ferryTrips,
  stopTimes: ferryStopTimes,
  calendar: ferryCalendar,
})

/** The times that stored versions cover. */
export const ferrySpans = timetableSpansOf(ferryTimetables)

/** The timetable feed of an operator; null, for all feeds, without an operator. */
export function ferryFeeds(operator: string | null): readonly string[] | null {
  return operator === null ? null : [`ferries_${operator.toLowerCase()}`]
}

/** A sailing on a service date; its calls are the day's from `first` up to, not including, `end`. */
export interface Sailing extends Row<typeof ferryTrips> {
  readonly route: { readonly route_id: string }
  readonly first: number
  readonly end: number
}

/** Maximum operator days in memory: most requests are for the next days. */
const DAYS = 24

/** The sailings of an operator on a service date, by `operator date`, from the version in force on it. */
export const ferryDay = defineCachedQuery<ServiceDay<Sailing>>({
  name: 'ferry day',
  from: ferryTimetables.all,
  maxEntries: DAYS,
  async read(reader, key) {
    const [network = '', date = ''] = key.split(' ')
    const versions = (await versionsOn(reader, ferryTimetables, date)).filter((name) => timetableName(name) === network.toLowerCase())
    const zones = await reader.all<{ readonly timezone: string }>(
      sql`SELECT DISTINCT timezone FROM ${scan(ferryRoutes, { timetable_version: { in: versions } })} ORDER BY timezone`,
    )
    const held = await readServiceDay<Omit<Sailing, 'first' | 'end'>>(reader, {
      tables: ferryTimetables,
      versions,
      date,
      start: serviceStart(date, zones[0]?.timezone ?? MADRID),
      columns: sql`t.*`,
      tripOf: (row) => ({ ...(row as Row<typeof ferryTrips>), route: { route_id: row['route_id'] as string } }),
    })
    return new ServiceDay<Sailing>(date, held)
  },
})
