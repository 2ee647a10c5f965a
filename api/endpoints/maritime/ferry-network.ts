import { ferryCalendar, ferryRoutes, ferryStops, ferryStopTimes, ferryTrips } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { pick } from '../../kernel/fields.ts'
import { defineCachedQuery, type QueryReader } from '../../kernel/reads/cached-query.ts'
import { keyOf } from '../transit/service-day.ts'
import { timetableVersions } from '../transit/timetable-versions.ts'
import { ferryTimetables } from './ferry-timetables.ts'

/** A terminal of the newest timetables; terminals of a station are merged into the station. */
export type FerryTerminal = Readonly<Pick<Row<typeof ferryStops>, 'network' | 'stop_id' | 'name' | 'position'>>

/** Columns of a route that connections show as they are. */
const OF_ROUTE = ['network', 'route_id', 'agency_name', 'agency_url', 'kind', 'timezone'] as const

/** A ferry route one way: the sailings of a published route between the same first and last terminals. */
export interface FerryConnection extends Pick<Row<typeof ferryRoutes>, (typeof OF_ROUTE)[number]> {
  readonly id: string
  readonly name: string | null
  /** Terminals in the call order of most sailings. */
  readonly calls: readonly FerryTerminal[]
  /** All terminals of any sailing. */
  readonly terminals: readonly FerryTerminal[]
  /** Departures by service date (YYYY-MM-DD), in seconds of the date, ascending; dates in order. */
  readonly days: ReadonlyMap<string, readonly number[]>
  /** Seconds from the first terminal to the last, over the sailings of all days; null without published times. */
  readonly duration: { readonly shortest_s: number; readonly median_s: number; readonly longest_s: number } | null
  readonly is_car_allowed: boolean | null
  readonly is_bike_allowed: boolean | null
  readonly is_wheelchair_accessible: boolean | null
  /** The shortest time between departures, if the timetable states it instead of times. */
  readonly headway_s: number | null
  /** First and last service date of the operator's timetable. */
  readonly covered: { readonly from: string; readonly to: string }
}

/** The ferry routes, and the terminal of each stop by its network and id. */
interface FerryNetwork {
  readonly connections: readonly FerryConnection[]
  readonly terminals: ReadonlyMap<string, FerryTerminal>
}

/** A version and the service dates on which it is in force: from the first, before the other; null without end. */
interface Window {
  readonly version: string
  readonly from: string
  readonly before: string | null
}

interface Trip extends Row<typeof ferryTrips> {
  /** Ids of its stops in order, joined by `CALL_MARK`. */
  readonly calls: string
  readonly departure: number | null
  readonly arrival: number | null
}

type Route = Row<typeof ferryRoutes>

const CALL_MARK = '\u001f'

/** Ferry routes as of a date in Madrid (YYYY-MM-DD): of the versions in force on it and of later ones. */
export const ferryNetwork = defineCachedQuery<FerryNetwork>({
  name: 'ferry network',
  from: ferryTimetables.all,
  maxEntries: 2,
  present: (now) => [madridDate(now)],
  async read(reader, date) {
    const windows = await windowsFrom(reader, date)
    if (windows.length === 0) return { connections: [], terminals: new Map() }
    const versions = windows.map(({ version }) => version)
    const only = { timetable_version: { in: versions } }
    const routes = await reader.all<Route>(sql`SELECT * FROM ${scan(ferryRoutes, only)} ORDER BY timetable_version, route_id`)
    const trips = await tripsOf(reader, versions)
    const terminals = await terminalsOf(reader, versions)
    const connections = connectionsOf({
      trips,
      routes: new Map(routes.map((route) => [keyOf(route.network, route.route_id), route])),
      terminals,
      dates: await datesOf(reader, windows),
    })
    return { connections, terminals }
  },
})

/** For each timetable, the version in force on a date and later ones. */
async function windowsFrom(reader: QueryReader, date: string): Promise<Window[]> {
  const { start } = dayBounds(date)
  const byTimetable = await timetableVersions(reader, ferryTimetables)
  return [...byTimetable.values()].flatMap((newestFirst) => {
    const current = newestFirst.findIndex(({ from }) => from <= start)
    const kept = newestFirst.slice(0, current < 0 ? undefined : current + 1)
    return kept.map(({ name, from }, at) => {
      const next = kept[at - 1]
      return { version: name, from: madridDate(from), before: next ? madridDate(next.from) : null }
    })
  })
}

function tripsOf({ all }: QueryReader, versions: readonly string[]): Promise<Trip[]> {
  const only = { timetable_version: { in: versions } }
  return all<Trip>(sql`
    SELECT t.*, s.calls, s.departure, s.arrival
    FROM ${scan(ferryTrips, only)} t
    JOIN (
      SELECT timetable_version, trip_id, string_agg(stop_id, ${CALL_MARK} ORDER BY stop_sequence) AS calls,
        first(coalesce(departure, arrival) ORDER BY stop_sequence) AS departure,
        last(coalesce(arrival, departure) ORDER BY stop_sequence) AS arrival
      FROM ${scan(ferryStopTimes, only)}
      GROUP BY timetable_version, trip_id
    ) s ON s.timetable_version = t.timetable_version AND s.trip_id = t.trip_id
    ORDER BY t.timetable_version, t.trip_id`)
}

/** The terminals by network and stop; a stop of a station maps to the station. */
async function terminalsOf({ rows }: QueryReader, versions: readonly string[]): Promise<Map<string, FerryTerminal>> {
  const query = sql`SELECT * FROM ${scan(ferryStops, { timetable_version: { in: versions } })} ORDER BY timetable_version, stop_id`
  const stops = new Map<string, FerryTerminal & { readonly parent_station: string | null }>()
  for await (const batch of rows(query, tableColumns(ferryStops)))
    for (const row of batch as Row<typeof ferryStops>[])
      stops.set(keyOf(row.network, row.stop_id), pick(row, 'network', 'stop_id', 'name', 'position', 'parent_station'))
  return new Map(
    [...stops].map(([key, { parent_station, ...stop }]) => {
      const station = parent_station === null ? undefined : stops.get(keyOf(stop.network, parent_station))
      if (!station) return [key, stop]
      return [key, { ...stop, stop_id: station.stop_id, name: station.name, position: station.position ?? stop.position }]
    }),
  )
}

/** Service dates by version and service, limited to those on which the version is in force. */
async function datesOf({ rows }: QueryReader, windows: readonly Window[]): Promise<Map<string, string[]>> {
  const byVersion = new Map(windows.map((window) => [window.version, window]))
  const query = sql`
    SELECT timetable_version, service_id, service_date
    FROM ${scan(ferryCalendar, { timetable_version: { in: [...byVersion.keys()] } })}
    ORDER BY timetable_version, service_id, service_date`
  const dates = new Map<string, string[]>()
  for await (const batch of rows(query, CALENDAR))
    for (const row of batch) {
      const { timetable_version, service_id, service_date } = row as Readonly<Record<keyof typeof CALENDAR, string>>
      const { from, before } = byVersion.get(timetable_version) as Window
      if (service_date < from || (before !== null && service_date >= before)) continue
      const key = `${timetable_version} ${service_id}`
      const known = dates.get(key)
      if (known) known.push(service_date)
      else dates.set(key, [service_date])
    }
  return dates
}

const CALENDAR = {
  ...pick(ferryCalendar.columns, 'timetable_version', 'service_id', 'service_date'),
}

function connectionsOf(held: {
  readonly trips: readonly Trip[]
  readonly routes: ReadonlyMap<string, Route>
  readonly terminals: ReadonlyMap<string, FerryTerminal>
  readonly dates: ReadonlyMap<string, readonly string[]>
}): readonly FerryConnection[] {
  const { trips, routes, terminals, dates } = held
  const covered = coveredBy(trips, dates)
  const callsOf = ({ network, calls }: Trip): FerryTerminal[] =>
    calls.split(CALL_MARK).map((stop_id) => terminals.get(keyOf(network, stop_id)) ?? { network, stop_id, name: stop_id, position: null })
  const groups = Map.groupBy(trips, (trip) => {
    const calls = callsOf(trip)
    return idOf(trip.network, trip.route_id, calls[0]?.stop_id ?? '', calls.at(-1)?.stop_id ?? '')
  })
  return [...groups].flatMap(([id, own]) => {
    const [first] = own as [Trip]
    const route = routes.get(keyOf(first.network, first.route_id))
    if (!route) return []
    const days = daysOf(own, dates)
    const sailings = own.map((trip) => dates.get(`${trip.timetable_version} ${trip.service_id}`)?.length ?? 0)
    return {
      id,
      ...pick(route, ...OF_ROUTE),
      name: route.long_name ?? route.short_name,
      calls: callsOf(own[sailings.indexOf(Math.max(...sailings))] as Trip),
      terminals: [...new Map(own.flatMap(callsOf).map((terminal) => [terminal.stop_id, terminal])).values()],
      days,
      duration: durationOf(own, sailings),
      is_car_allowed: anyOf(own.map((trip) => trip.is_car_allowed)),
      is_bike_allowed: anyOf(own.map((trip) => trip.is_bike_allowed)),
      is_wheelchair_accessible: anyOf(own.map((trip) => trip.is_wheelchair_accessible)),
      headway_s: own.reduce<number | null>(
        (least, { headway_s }) => (headway_s === null ? least : Math.min(headway_s, least ?? headway_s)),
        null,
      ),
      covered: covered.get(route.network) ?? { from: '', to: '' },
    }
  })
}

/** First and last service date of each network. */
function coveredBy(
  trips: readonly Trip[],
  dates: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, { readonly from: string; readonly to: string }> {
  const covered = new Map<string, { from: string; to: string }>()
  for (const { network, timetable_version, service_id } of trips) {
    const own = dates.get(`${timetable_version} ${service_id}`)
    const [from, to] = [own?.[0], own?.at(-1)]
    if (from === undefined || to === undefined) continue
    const known = covered.get(network)
    covered.set(network, { from: known && known.from < from ? known.from : from, to: known && known.to > to ? known.to : to })
  }
  return covered
}

function daysOf(trips: readonly Trip[], dates: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly number[]> {
  const days = new Map<string, number[]>()
  for (const { timetable_version, service_id, departure } of trips) {
    if (departure === null) continue
    for (const date of dates.get(`${timetable_version} ${service_id}`) ?? []) {
      const known = days.get(date)
      if (known) known.push(departure)
      else days.set(date, [departure])
    }
  }
  for (const departures of days.values()) departures.sort((one, other) => one - other)
  return new Map([...days].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** The durations of trips, each weighted by its number of sailings. */
function durationOf(trips: readonly Trip[], sailings: readonly number[]): FerryConnection['duration'] {
  const known = trips
    .flatMap(({ departure, arrival }, at) =>
      departure === null || arrival === null ? [] : [{ seconds: arrival - departure, count: sailings[at] as number }],
    )
    .sort((one, other) => one.seconds - other.seconds)
  const [shortest, longest] = [known[0], known.at(-1)]
  if (!shortest || !longest) return null
  const half = known.reduce((sum, { count }) => sum + count, 0) / 2
  let before = 0
  const median = known.find(({ count }) => (before += count) >= half) ?? shortest
  return { shortest_s: shortest.seconds, median_s: median.seconds, longest_s: longest.seconds }
}

/** True if any value is true, false if some are false and none is true, null if all are null. */
function anyOf(values: readonly (boolean | null)[]): boolean | null {
  if (values.includes(true)) return true
  return values.includes(false) ? false : null
}

/**
 * The id of a ferry route in one direction. Characters that are unsafe in a path are percent-encoded, with `~` as percent sign.
 */
function idOf(...parts: readonly string[]): string {
  return parts
    .map((part) =>
      encodeURIComponent(part)
        .replace(/[.!~*'()]/g, escaped)
        .replaceAll('%', '~'),
    )
    .join('.')
}

function escaped(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
}
