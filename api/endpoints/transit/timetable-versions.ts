import type { Version } from '../../../lake/query/versions.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import type { QueryReader } from '../../kernel/reads/cached-query.ts'

/** The tables of timetables of one kind of vehicle. */
interface TablesByRole<C extends Dataset> {
  /** Prefix of the names of cached queries. */
  readonly title: string
  readonly stops: Dataset
  readonly routes: Dataset
  readonly trips: Dataset
  readonly stopTimes: Dataset
  readonly calendar: C
}

/** The tables of timetables: by role, and all tables of every version. */
export interface TimetableTables<C extends Dataset = Dataset> extends TablesByRole<C> {
  readonly all: readonly Dataset[]
}

/** Declares the tables of timetables. */
export function timetableTables<C extends Dataset>(tables: TablesByRole<C>): TimetableTables<C> {
  const { stops, routes, trips, stopTimes, calendar } = tables
  return Object.freeze({ ...tables, all: Object.freeze([stops, routes, trips, stopTimes, calendar]) })
}

/** The name of a version: its timetable's name, and the first day of its calendar. */
const VERSION = /^(.+)-\d{4}-\d{2}-\d{2}$/

/** The common name of all versions of a timetable. */
export function timetableName(version: string): string {
  return VERSION.exec(version)?.[1] ?? version
}

type Versions = Pick<QueryReader, 'versions'>

/** The complete versions of each timetable by its name, newest first. */
export async function timetableVersions(reader: Versions, { all }: Pick<TimetableTables, 'all'>): Promise<Map<string, Version[]>> {
  const whole = await reader.versions(...all)
  const newestFirst = whole.toSorted((one, other) => other.from - one.from || (one.name < other.name ? 1 : -1))
  return Map.groupBy(newestFirst, ({ name }) => timetableName(name))
}

/** The names of the versions in force on a service date: per timetable, the newest that begins no later. */
export async function versionsOn(reader: Versions, tables: Pick<TimetableTables, 'all'>, date: string): Promise<string[]> {
  const { start } = dayBounds(date)
  const byTimetable = await timetableVersions(reader, tables)
  return [...byTimetable.values()].flatMap((versions) => versions.find(({ from }) => from <= start)?.name ?? [])
}

/** The names of the newest version of each timetable. */
export async function newestVersions(reader: Versions, tables: Pick<TimetableTables, 'all'>): Promise<string[]> {
  const byTimetable = await timetableVersions(reader, tables)
  return [...byTimetable.values()].flatMap(([newest]) => newest?.name ?? [])
}
