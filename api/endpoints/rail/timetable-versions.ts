import { railCalendar } from '../../../lake/datasets/rail/calendar.ts'
import { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import { railStations } from '../../../lake/datasets/rail/stations.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import type { Version } from '../../../lake/query/versions.ts'
import { dayBounds, instantOf, offsetAt } from '../../../lake/schema/time.ts'
import type { SliceReader } from '../../define/slice.ts'

/** The tables that every version of a timetable is in; shapes are only in commuter rail's. */
export const TIMETABLE_TABLES = [railStations, railRoutes, railTrips, railStopTimes, railCalendar] as const

const DAY_MS = 86_400_000
const HALF_DAY_MS = DAY_MS / 2

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

/**
 * When the times of a service date count from, ms since the epoch: noon less 12 hours by Madrid's clock, as GTFS has it. That is midnight,
 * but an hour before or after it on the days on which the clock changes, so that all times after the change are what the clock shows.
 */
export function serviceStart(date: string): number {
  return instantOf(date, '12:00') - HALF_DAY_MS
}

/** The date in Madrid at an instant (ms), some days on. */
export function madridDate(at: number, days = 0): string {
  return new Date(at + offsetAt(at) + days * DAY_MS).toISOString().slice(0, 10)
}
