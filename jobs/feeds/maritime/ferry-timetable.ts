import { ferryCalendar, ferryRoutes, ferryStops, ferryStopTimes, ferryTrips } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { nap } from '../../../lake/datasets/maritime/sources.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { MADRID } from '../../../lake/schema/time.ts'
import { type GtfsRecords, readGtfs } from '../../formats/gtfs.ts'
import { statedPosition } from '../../formats/positions.ts'
import { type Band, type Batch, batch, type Diagnostics, defineFeed, type Feed, type FeedBody, FormatError } from '../define.ts'
import { departuresOf, type FrequencyDeparture, readFrequencies, repeatedStopTimes } from '../transit/stop-times.ts'
import {
  accessOf,
  archiveRequest,
  calendarRows,
  memberRows,
  openTimetable,
  type Timetable,
  type TimetableRules,
} from '../transit/timetable.ts'

/** An archive, with the data its members share while being read. */
interface Archive extends Timetable {
  readonly agencies: ReadonlyMap<string, Agency>
  readonly timezone: string
  readonly frequencies: ReadonlyMap<string, readonly FrequencyDeparture[]>
  readonly stops: Set<string>
  readonly routes: Set<string>
  /** Routes of buses and other vehicles. */
  readonly otherRoutes: Set<string>
  readonly trips: Map<string, number>
  /** Trips to leave out: those of `otherRoutes`. */
  readonly otherTrips: Set<string>
}

interface Agency {
  readonly name: string | null
  readonly url: string | null
}

/** Reads a ferry operator's GTFS archive, without routes and trips of other vehicles. */
export async function* readFerries(rules: TimetableRules, bodies: readonly FeedBody[], diagnostics: Diagnostics): AsyncGenerator<Batch> {
  for (const body of bodies) {
    const timetable = await openTimetable(body, rules, diagnostics)
    const archive: Archive = {
      ...timetable,
      ...(await readAgencies(timetable)),
      frequencies: await readFrequencies(timetable),
      stops: new Set(),
      routes: new Set(),
      otherRoutes: new Set(),
      trips: new Map(),
      otherTrips: new Set(),
    }
    yield* calendarRows(archive, ferryCalendar, (service_id, service_date) => ({ ...archive.version, service_id, service_date }))
    yield* stopRows(archive)
    yield* routeRows(archive)
    if (archive.routes.size === 0) throw new FormatError('routes.txt has no ferry: no route_type of 4, 1000 to 1099 or 1200')
    yield* tripRows(archive)
    yield* callRows(archive)
  }
}

const AGENCY_COLUMNS = { requires: ['agency_name', 'agency_timezone'], takes: ['agency_id', 'agency_url'] }

/** The agencies by id (possibly empty), and their time zone: GTFS requires one for all. */
async function readAgencies({ zip, diagnostics }: Timetable): Promise<Pick<Archive, 'agencies' | 'timezone'>> {
  const agencies = new Map<string, Agency>()
  let timezone: string | null = null
  for await (const records of readGtfs(zip, 'agency.txt', AGENCY_COLUMNS))
    while (records.next()) {
      agencies.set(records.text(2) ?? '', { name: records.text(0), url: records.text(3) })
      timezone ??= records.text(1)
    }
  if (timezone !== null && isZone(timezone)) return { agencies, timezone }
  diagnostics.warn('agency_timezone is no time zone; Europe/Madrid is taken')
  return { agencies, timezone: MADRID }
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function stopRows(archive: Archive): AsyncGenerator<Batch> {
  const { version, diagnostics, stops } = archive
  return memberRows(archive, ferryStops, {
    member: 'stops.txt',
    requires: ['stop_id'],
    takes: ['stop_name', 'stop_lat', 'stop_lon', 'parent_station', 'wheelchair_boarding', 'stop_timezone'],
    row(records) {
      const [stop_id, name] = [records.text(0), records.text(1)]
      if (stop_id === null) return null
      stops.add(stop_id)
      return {
        ...version,
        stop_id,
        name: name ?? stop_id,
        position: positionOf(records, diagnostics),
        parent_station: records.text(4),
        has_wheelchair_boarding: accessOf(records.text(5), diagnostics),
        timezone: records.text(6),
      }
    },
  })
}

function positionOf(records: GtfsRecords, diagnostics: Diagnostics): Point | null {
  return statedPosition({ lat: records.number(2), lon: records.number(3) }, 'a terminal', diagnostics.warn)
}

function routeRows(archive: Archive): AsyncGenerator<Batch> {
  const { version, diagnostics, agencies, timezone, routes, otherRoutes } = archive
  const [only] = agencies.size === 1 ? agencies.values() : []
  return memberRows(archive, ferryRoutes, {
    member: 'routes.txt',
    requires: ['route_id', 'route_type'],
    takes: ['agency_id', 'route_short_name', 'route_long_name'],
    row(records) {
      const [route_id, route_type] = [records.text(0), records.whole(1)]
      if (route_id === null || route_type === null || Number.isNaN(route_type)) return null
      const kind = ferryKind(route_type)
      if (kind === null) {
        otherRoutes.add(route_id)
        diagnostics.warn(`a route is no ferry but of route_type ${route_type}`)
        return undefined
      }
      routes.add(route_id)
      const agency = only ?? agencies.get(records.text(2) ?? '')
      return {
        ...version,
        route_id,
        agency_name: agency?.name ?? null,
        agency_url: agency?.url ?? null,
        short_name: records.text(3),
        long_name: records.text(4),
        route_type,
        kind,
        timezone,
      }
    },
  })
}

/** The kind of ferry of a basic or extended GTFS route type; null for another vehicle. */
function ferryKind(type: number): string | null {
  if (type === 4 || type === 1200) return 'FERRY'
  if (type < 1000 || type > 1099) return null
  if ((type >= 1001 && type <= 1004) || type === 1013) return 'CAR_FERRY'
  if ((type >= 1005 && type <= 1008) || type === 1014) return 'PASSENGER_FERRY'
  return type === 1000 || type === 1019 || type === 1020 ? 'FERRY' : 'OTHER'
}

const TRIP_COLUMNS = {
  member: 'trips.txt',
  requires: ['trip_id', 'route_id', 'service_id'],
  takes: ['trip_short_name', 'trip_headsign', 'direction_id', 'cars_allowed', 'bikes_allowed', 'wheelchair_accessible'],
}

async function* tripRows(archive: Archive): AsyncGenerator<Batch> {
  const { version, diagnostics, calendar, routes, otherRoutes, trips, otherTrips, frequencies } = archive
  const frequent: FeedRow<typeof ferryTrips>[] = []
  yield* memberRows(archive, ferryTrips, {
    ...TRIP_COLUMNS,
    row(records) {
      const [trip_id, route_id, service_id] = [records.text(0), records.text(1), records.text(2)]
      if (trip_id === null || route_id === null || service_id === null) return null
      if (otherRoutes.has(route_id)) {
        otherTrips.add(trip_id)
        return undefined
      }
      if (!routes.has(route_id)) diagnostics.warn('route_id of a trip is not in routes.txt')
      if (!calendar.days.has(service_id)) diagnostics.warn('service_id of a trip is not in the calendar')
      trips.set(trip_id, 0)
      const trip = {
        ...version,
        trip_id,
        route_id,
        service_id,
        short_name: records.text(3),
        headsign: records.text(4),
        direction: records.whole(5),
        is_car_allowed: accessOf(records.text(6), diagnostics, 'gtfs_cars_allowed'),
        is_bike_allowed: accessOf(records.text(7), diagnostics, 'gtfs_bikes_allowed'),
        is_wheelchair_accessible: accessOf(records.text(8), diagnostics),
      }
      if (!frequencies.has(trip_id)) return { ...trip, headway_s: null }
      frequent.push(...departuresOf(trip, frequencies))
      return undefined
    },
  })
  yield batch(ferryTrips, frequent)
}

function callRows(archive: Archive): AsyncGenerator<Batch> {
  const { stops, routes, trips, otherTrips, frequencies } = archive
  return repeatedStopTimes(archive, {
    dataset: ferryStopTimes,
    batchOf: (rows) => batch(ferryStopTimes, rows),
    known: { stops, routes, shapes: null },
    trips,
    frequencies,
    leftOut: otherTrips,
  })
}

/** Ports and routes are stable across seasons: an archive with far fewer is incomplete. */
const steady = (atLeast: number): Band => ({ atLeast, minRatio: 0.6, maxRatio: 1000 })
/** Sailings of summer and winter differ by more than half. */
const seasonal = (atLeast: number): Band => ({ atLeast, minRatio: 0.2, maxRatio: 1000 })

/** An operator's timetable in the Mobility Database. */
interface Operator {
  readonly id: string
  readonly network: string
  /** Its number there, and the name of its file. */
  readonly mdb: number
  readonly file: string
  /** Routes that it has at least. */
  readonly routes: number
}

/**
 * A ferry operator's timetable from the National Access Point, read from the Mobility Database's copy, which needs no key, at
 * either of its addresses.
 */
function ferryFeed({ id, network, mdb, file, routes }: Operator): Feed {
  const rules = { network, prefix: network.toLowerCase(), needsExceptions: false, needsRanges: false }
  return defineFeed({
    id,
    source: nap,
    into: [ferryStops, ferryRoutes, ferryTrips, ferryStopTimes, ferryCalendar],
    every_s: 86_400,
    get: [
      archiveRequest(`https://storage.googleapis.com/storage/v1/b/mdb-latest/o/${file}-${mdb}.zip?alt=media`),
      archiveRequest(`https://files.mobilitydatabase.org/mdb-${mdb}/latest.zip`),
    ],
    freshBy: 'fetch',
    bands: {
      ferry_stops: steady(2),
      ferry_routes: steady(routes),
      ferry_trips: seasonal(2 * routes),
      ferry_stop_times: seasonal(4 * routes),
      ferry_calendar: seasonal(7),
    },
    rows: (bodies, _clock, diagnostics) => readFerries(rules, bodies, diagnostics),
  })
}

/** Baleària: the Balearics, the Strait, Ceuta, Melilla, the Canaries and Morocco. */
export const ferriesBalearia = ferryFeed({
  ...{ id: 'ferries_balearia', network: 'BALEARIA', mdb: 2814, file: 'es-baelearic-islands-balearia-ferry-gtfs', routes: 3 },
})

/** Fred. Olsen Express: between the Canary Islands, and to Huelva. */
export const ferriesFredOlsen = ferryFeed({
  ...{ id: 'ferries_fred_olsen', network: 'FRED_OLSEN', mdb: 2722, file: 'es-tenerife-ferry-fred-olsen-gtfs', routes: 2 },
})

/** The transporter bridge between Portugalete and Getxo, published as a ferry. */
export const ferriesVizcayaBridge = ferryFeed({
  ...{ id: 'ferries_vizcaya_bridge', network: 'VIZCAYA_BRIDGE', mdb: 2789, file: 'es-biscay-bridge-ferry-gtfs', routes: 1 },
})
