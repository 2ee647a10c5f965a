import { networkId } from '../../../lake/datasets/rail/networks.ts'
import { railCalendar, railRoutes, railShapes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { readGtfs } from '../../formats/gtfs.ts'
import type { Zip } from '../../formats/zip.ts'
import { type Batch, batch, type Diagnostics, type FeedBody, type FeedClock, FormatError } from '../define.ts'
import { departuresOf, type FrequencyDeparture, readFrequencies, repeatedStopTimes } from '../transit/stop-times.ts'
import { accessOf, calendarRows, memberRows, openTimetable, refuse, type Timetable, type TimetableRules } from '../transit/timetable.ts'
import { colorsOf, positionOf, readShapes } from './timetable.ts'

/** How the timetable of a network is read. */
export interface NetworkRules extends TimetableRules {
  /** The station of a stop without a parent, if its id names one; only an existing one counts. */
  readonly stationOf?: (stop_id: string) => string
}

/** An archive, with the data its members share while being read. */
interface Archive extends Timetable {
  readonly stops: Stops
  readonly frequencies: ReadonlyMap<string, readonly FrequencyDeparture[]>
  readonly routes: Set<string>
  readonly trips: Map<string, number>
  /** Trips of buses and other vehicles, which are left out. */
  readonly otherTrips: Set<string>
  /** Stations and shapes that its trips use. */
  readonly used: { readonly stations: Set<string>; readonly shapes: Set<string> }
}

/**
 * Reads the GTFS archive of a network of trains, metros or trams, without routes of other vehicles and what only they use. Ids
 * of stations and routes get the network before them. Platforms become their station.
 */
export async function* readNetwork(
  rules: NetworkRules,
  given: { readonly bodies: readonly FeedBody[]; readonly clock: FeedClock; readonly diagnostics: Diagnostics },
): AsyncGenerator<Batch> {
  for (const body of given.bodies) {
    const timetable = await openTimetable(body, rules, given.diagnostics, servicesOfTrains)
    warnOfEnd(timetable, given.clock)
    const archive: Archive = {
      ...timetable,
      stops: await readStops(timetable, rules.stationOf),
      frequencies: await readFrequencies(timetable),
      routes: new Set(),
      trips: new Map(),
      otherTrips: new Set(),
      used: { stations: new Set(), shapes: new Set() },
    }
    yield* calendarRows(archive, railCalendar, (service_id, service_date) => ({
      ...archive.version,
      service_id,
      service_date,
      nucleo_code: null,
    }))
    yield* routeRows(archive)
    if (archive.routes.size === 0) throw new FormatError('routes.txt has no train, metro or tram')
    yield* tripRows(archive)
    yield* stopRows(archive)
    yield batch(railStations, stationRows(archive))
    if (archive.zip.names.includes('shapes.txt')) yield batch(railShapes, await shapeRows(archive))
  }
}

/** The kind of service of a basic or extended GTFS route type; null for a vehicle that runs on no rails. */
export function railKind(type: number): string | null {
  if (type === 0 || (type >= 900 && type <= 906)) return 'TRAM'
  if (type === 1 || (type >= 400 && type <= 404)) return 'METRO'
  if (type === 2 || (type >= 100 && type <= 117)) return 'RAIL'
  return { 5: 'CABLE_TRAM', 7: 'FUNICULAR', 12: 'MONORAIL' }[type] ?? null
}

/** Services of trips on routes of trains: an archive may be mostly of buses, whose days must not name its version. */
async function servicesOfTrains(zip: Zip): Promise<ReadonlySet<string>> {
  const routes = new Set<string>()
  for await (const records of readGtfs(zip, 'routes.txt', { requires: ['route_id', 'route_type'] }))
    while (records.next()) if (railKind(records.whole(1) ?? Number.NaN) !== null) routes.add(records.text(0) ?? '')
  const services = new Set<string>()
  for await (const records of readGtfs(zip, 'trips.txt', { requires: ['route_id', 'service_id'] }))
    while (records.next()) if (routes.has(records.text(0) ?? '')) services.add(records.text(1) ?? '')
  return services
}

/** Warns of an expired timetable: publishers leave them online. */
function warnOfEnd({ calendar, diagnostics }: Timetable, { fetched_at }: FeedClock): void {
  const last = [...calendar.days.values()].reduce((latest, days) => ((days.at(-1) ?? '') > latest ? (days.at(-1) as string) : latest), '')
  if (last < madridDate(fetched_at)) diagnostics.warn(`the timetable has expired: its last service day was ${last}`)
}

function routeRows(archive: Archive): AsyncGenerator<Batch> {
  const { version, diagnostics, routes } = archive
  return memberRows(archive, railRoutes, {
    member: 'routes.txt',
    requires: ['route_id', 'route_short_name', 'route_type'],
    takes: ['route_long_name', 'route_color', 'route_text_color'],
    row(records) {
      const [id, type] = [records.text(0), records.whole(2)]
      if (id === null || type === null || Number.isNaN(type)) return null
      const route_type = railKind(type)
      if (route_type === null) {
        diagnostics.warn(`a route runs on no rails but is of route_type ${type}`)
        return undefined
      }
      routes.add(id)
      return {
        ...version,
        route_id: networkId(version.network, id),
        nucleo_code: null,
        short_name: records.text(1),
        long_name: records.text(3),
        origin_name: null,
        destination_name: null,
        route_type,
        ...colorsOf(records.text(4), records.text(5), diagnostics),
        origin_stop_id: null,
        destination_stop_id: null,
      }
    },
  })
}

const TRIP_COLUMNS = {
  member: 'trips.txt',
  requires: ['trip_id', 'route_id', 'service_id'],
  takes: ['trip_headsign', 'direction_id', 'block_id', 'shape_id', 'wheelchair_accessible'],
}

async function* tripRows(archive: Archive): AsyncGenerator<Batch> {
  const { version, diagnostics, calendar, routes, trips, otherTrips, frequencies, used } = archive
  const frequent: FeedRow<typeof railTrips>[] = []
  yield* memberRows(archive, railTrips, {
    ...TRIP_COLUMNS,
    row(records) {
      const [trip_id, route_id, service_id] = [records.text(0), records.text(1), records.text(2)]
      if (trip_id === null || route_id === null || service_id === null) return null
      if (!routes.has(route_id)) {
        otherTrips.add(trip_id)
        return undefined
      }
      if (!calendar.days.has(service_id)) diagnostics.warn('service_id of a trip is not in the calendar')
      trips.set(trip_id, 0)
      const shape_id = records.text(6)
      if (shape_id !== null) used.shapes.add(shape_id)
      const trip = {
        ...version,
        trip_id,
        route_id: networkId(version.network, route_id),
        service_id,
        nucleo_code: null,
        train_number: null,
        variant: null,
        validity_start: null,
        headsign: records.text(3),
        service_mark: null,
        direction: records.whole(4),
        block_id: records.text(5),
        shape_id,
        is_wheelchair_accessible: accessOf(records.text(7), diagnostics),
      }
      if (!frequencies.has(trip_id)) return { ...trip, headway_s: null }
      frequent.push(...departuresOf(trip, frequencies))
      return undefined
    },
  })
  yield batch(railTrips, frequent)
}

function stopRows(archive: Archive): AsyncGenerator<Batch> {
  const { version, stops, routes, trips, otherTrips, frequencies, used } = archive
  return repeatedStopTimes(archive, {
    dataset: railStopTimes,
    batchOf: (rows) =>
      batch(
        railStopTimes,
        rows.map((row) => {
          const station = stops.stationOf(row.stop_id)
          used.stations.add(station)
          return { ...row, stop_id: networkId(version.network, station) }
        }),
      ),
    known: { stops: stops.ids, routes, shapes: null },
    trips,
    frequencies,
    leftOut: otherTrips,
  })
}

function stationRows({ version, stops, used }: Archive): FeedRow<typeof railStations>[] {
  return [...used.stations].sort().flatMap((id) => {
    const station = stops.station(id)
    return station ? [{ ...version, stop_id: networkId(version.network, id), ...station }] : []
  })
}

async function shapeRows(archive: Archive): Promise<FeedRow<typeof railShapes>[]> {
  const shapes = await readShapes(archive)
  return [...shapes].flatMap(([shape_id, geometry]) =>
    archive.used.shapes.has(shape_id)
      ? [{ ...archive.version, shape_id, nucleo_code: null, line: null, is_inverse: false, points: geometry.length, geometry }]
      : [],
  )
}

/** The columns of a station that a stop gives. */
type Station = Pick<FeedRow<typeof railStations>, 'name' | 'position' | 'has_wheelchair_boarding' | 'timezone'>

/** Stops, platforms and entrances of an archive by their published ids. */
interface Stops {
  readonly ids: ReadonlySet<string>
  /** The station of a stop or platform: the stop itself, if it has none. */
  stationOf(stop_id: string): string
  /** A station; null if no line of stops.txt describes it. */
  station(id: string): Station | null
}

const COLUMNS = {
  requires: ['stop_id', 'stop_name', 'stop_lat', 'stop_lon'],
  takes: ['parent_station', 'wheelchair_boarding', 'stop_timezone'],
}

/** Reads stops.txt. A station can be boarded in a wheelchair if one of its platforms can and the station does not state it. */
async function readStops(timetable: Timetable, stationOf: ((stop_id: string) => string) | undefined): Promise<Stops> {
  const { zip, diagnostics } = timetable
  const stops = new Map<string, Station>()
  const parents = new Map<string, string>()
  for await (const records of readGtfs(zip, 'stops.txt', COLUMNS))
    while (records.next()) {
      const [id, name, parent] = [records.text(0), records.text(1), records.text(4)]
      if (!records.isWhole || id === null) {
        refuse(timetable, railStations, records)
        continue
      }
      if (stops.has(id)) diagnostics.warn('a stop_id is twice in stops.txt: the last record counts')
      if (parent !== null) parents.set(id, parent)
      stops.set(id, {
        name: name ?? id,
        position: positionOf(records.number(2), records.number(3), diagnostics),
        has_wheelchair_boarding: accessOf(records.text(5), diagnostics),
        timezone: records.text(6),
      })
    }
  const resolved = new Map(
    [...stops.keys()].map((id) => [id, [parents.get(id), stationOf?.(id)].find((one) => one && stops.has(one)) ?? id]),
  )
  const platforms = Map.groupBy(resolved.keys(), (id) => resolved.get(id))
  return {
    ids: new Set(stops.keys()),
    stationOf: (id) => resolved.get(id) ?? id,
    station(id) {
      const own = stops.get(id)
      if (!own) return null
      const access = (platforms.get(id) ?? []).map((one) => stops.get(one)?.has_wheelchair_boarding ?? null)
      const stated = own.has_wheelchair_boarding ?? (access.includes(true) ? true : access.includes(false) ? false : null)
      return { ...own, has_wheelchair_boarding: stated }
    },
  }
}
