import { railCalendar } from '../../../lake/datasets/rail/calendar.ts'
import { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import { railStations } from '../../../lake/datasets/rail/stations.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import type { Version } from '../../../lake/query/versions.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import type { SliceReader } from '../../define/slice.ts'

/** The tables that every version of a timetable is in; shapes are only in commuter rail's. */
export const TIMETABLE_TABLES = [railStations, railRoutes, railTrips, railStopTimes, railCalendar] as const

/** The feeds that timetables come from, by network. */
const TIMETABLE_FEEDS: Readonly<Record<string, string>> = { CERCANIAS: 'renfe_gtfs_cercanias', AVLDMD: 'renfe_gtfs_avldmd' }

/** The feed that is enough for what is asked of one network; null, for all, where none is named. */
export function timetableFeeds(network: string | null): readonly string[] | null {
  return network === null ? null : [TIMETABLE_FEEDS[network] as string]
}

/** The name of a version: that of its timetable, and the first day of its calendar. */
const VERSION = /^(.+)-\d{4}-\d{2}-\d{2}$/

/** What the names of all versions of a timetable begin with. */
export function timetableName(version: string): string {
  return VERSION.exec(version)?.[1] ?? version
}

/** The whole versions of each timetable, by the name that theirs begin with, the newest first. */
export async function timetableVersions(reader: Pick<SliceReader, 'versions'>): Promise<Map<string, Version[]>> {
  const whole = await reader.versions(...TIMETABLE_TABLES)
  const newestFirst = whole.toSorted((one, other) => other.from - one.from || (one.name < other.name ? 1 : -1))
  return Map.groupBy(newestFirst, ({ name }) => timetableName(name))
}

/** The names of the versions that hold on a service date: of each timetable the newest that begins no later. */
export async function versionsOn(reader: Pick<SliceReader, 'versions'>, date: string): Promise<string[]> {
  const { start } = dayBounds(date)
  const byTimetable = await timetableVersions(reader)
  return [...byTimetable.values()].flatMap((versions) => versions.find(({ from }) => from <= start)?.name ?? [])
}

/** The names of the newest version of each timetable. */
export async function newestVersions(reader: Pick<SliceReader, 'versions'>): Promise<string[]> {
  const byTimetable = await timetableVersions(reader)
  return [...byTimetable.values()].flatMap(([newest]) => newest?.name ?? [])
}
