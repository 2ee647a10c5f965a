import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Version } from '../../../lake/query/versions.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { field } from '../../kernel/fields.ts'
import { InvalidParam, type Problem, problem } from '../../kernel/problems.ts'
import { type CachedQuery, defineCachedQuery, type QueryReader } from '../../kernel/reads/cached-query.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'

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

/** A time covered by the stored versions of a network's timetable: [from, to), ms since the epoch. */
interface TimetableSpan {
  readonly network: string
  readonly from: number
  readonly to: number
}

type Span = Pick<TimetableSpan, 'from' | 'to'>

/**
 * The spans of each network, in order. A version is in force from its begin to the end of its last service day, or until the
 * next version begins; if it ends before the next, there is a gap. The only key is the empty string.
 */
export function timetableSpansOf(tables: TimetableTables): CachedQuery<readonly TimetableSpan[]> {
  return defineCachedQuery({
    name: `${tables.title} timetable spans`,
    from: tables.all,
    async read(reader) {
      const versions = [...(await timetableVersions(reader, tables)).values()]
      const names = versions.flatMap((held) => held.map(({ name }) => name))
      const query = sql`
        SELECT network, timetable_version, max(service_date) AS service_date
        FROM ${scan(tables.calendar, { timetable_version: { in: names } })}
        GROUP BY network, timetable_version`
      const ends = new Map<string, { readonly network: string; readonly to: number }>()
      for (const { network, timetable_version, service_date } of await reader.all(query, LAST_DAYS))
        ends.set(timetable_version, { network, to: dayBounds(service_date).end })
      return versions.flatMap((newestFirst) => spansOf(newestFirst.toReversed(), ends))
    },
  })
}

/** The last service day of a version. */
const LAST_DAYS = {
  network: field.text('Network.'),
  timetable_version: field.text('Version.'),
  service_date: field.date('Last service day.'),
}

/** The spans of one timetable's versions, oldest first; consecutive ones are merged. */
function spansOf(
  versions: readonly Version[],
  ends: ReadonlyMap<string, { readonly network: string; readonly to: number }>,
): TimetableSpan[] {
  const spans: TimetableSpan[] = []
  for (const [at, { name, from }] of versions.entries()) {
    const held = ends.get(name)
    if (!held) continue
    const to = Math.min(held.to, versions[at + 1]?.from ?? held.to)
    const before = spans.at(-1)
    if (before?.to === from) spans[spans.length - 1] = { ...before, to }
    else spans.push({ network: held.network, from, to })
  }
  return spans
}

/**
 * The span around an instant (ms) that the timetables of all networks cover. Throws `InvalidParam` for a value
 * outside every span, `feed-unavailable` if no value was given, and `no-data-yet` if a network has no timetable.
 */
export function checkCovered(
  spans: readonly TimetableSpan[],
  asked: {
    readonly at: number
    readonly parameter: string
    readonly value: string | null
    readonly networks: readonly string[]
    readonly tables: Pick<TimetableTables, 'all'>
  },
): Span {
  const own = asked.networks.map((name) => spans.filter(({ network }) => network === name))
  const names = asked.networks.join(' and ')
  const absent = asked.networks.filter((_, at) => own[at]?.length === 0)
  if (absent.length > 0)
    throw noDataYet(`No timetable of ${absent.join(' and ')} has arrived yet`, {
      missing: asked.tables.all,
      waits_for: absent.map((name) => `the timetable of ${name}`),
    })
  const shared = own.reduce<readonly Span[]>(inBoth, [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }])
  const found = shared.find(({ from, to }) => asked.at >= from && asked.at < to)
  if (found) return found
  if (shared.length === 0) throw problem('feed-unavailable', `The timetables of ${names} that have arrived share no day.`)
  if (asked.value === null) throw outOfDate(names, shared, asked.at)
  const what =
    asked.parameter === 'date'
      ? `a date ${shared.map(({ from, to }) => `from ${madridDate(from)} to ${madridDate(to, -1)}`).join(' or ')}`
      : `an instant ${shared.map(({ from, to }) => `from ${isoInstant(from)} until before ${isoInstant(to)}`).join(' or ')}`
  throw new InvalidParam(`expected ${what}, covered by the timetables of ${names}`, { parameter: asked.parameter, value: asked.value })
}

/** The intersection of the spans of both. */
function inBoth(some: readonly Span[], others: readonly Span[]): Span[] {
  return some.flatMap((one) =>
    others.flatMap((other) => {
      const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)]
      return from < to ? [{ from, to }] : []
    }),
  )
}

/** States which days are covered, and whether they are over: publishers leave expired timetables online. */
function outOfDate(names: string, spans: readonly Span[], at: number): Problem {
  const days = spans.map(({ from, to }) => `${madridDate(from)} to ${madridDate(to, -1)}`).join(' and ')
  const expired = spans.every(({ to }) => to <= at) ? ' They have expired, and no newer ones are published.' : ''
  return problem('feed-unavailable', `The timetables of ${names} that have arrived cover ${days}.${expired}`)
}
