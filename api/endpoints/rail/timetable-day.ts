import { railCalendar } from '../../../lake/datasets/rail/calendar.ts'
import { railRoutes } from '../../../lake/datasets/rail/routes.ts'
import { railStations } from '../../../lake/datasets/rail/stations.ts'
import { railStopTimes } from '../../../lake/datasets/rail/stop-times.ts'
import { railTrips } from '../../../lake/datasets/rail/trips.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { madridDate, serviceStart } from '../../../lake/schema/time.ts'
import { defineSlice, type SliceReader } from '../../define/slice.ts'
import { type DayStop, DayStops } from './day-stops.ts'
import { TIMETABLE_TABLES, versionsOn } from './timetable-versions.ts'
import { twinsIn } from './twins.ts'

/** The route of a trip. */
export interface DayRoute {
  readonly route_id: string
  /** Line of commuter rail, product of other trains. */
  readonly short_name: string | null
  readonly route_type: string
  readonly nucleo_code: string | null
}

/** A trip that runs on a service date; its stops are those of the day from `first` up to `end`, not included. */
export interface DayTrip {
  readonly network: string
  readonly trip_id: string
  readonly route: DayRoute
  readonly train_number: string | null
  readonly variant: string | null
  readonly service_mark: string | null
  /** Direction of travel, 0 or 1: as published, else that of its shape, whose id says which is the other way; null where neither is known. */
  readonly direction: number | null
  readonly is_wheelchair_accessible: boolean | null
  readonly first: number
  readonly end: number
}

/** Everything that is planned to run on a service date, of all timetables. */
export interface TimetableDay {
  /** Service date, YYYY-MM-DD. */
  readonly date: string
  /** What its seconds count from, ms since the epoch. */
  readonly start: number
  readonly trips: readonly DayTrip[]
  /** Stops of all trips, one trip after the other. */
  readonly stops: DayStops
  /** The trip of an id, in a network; null where none of it runs. */
  tripOf(network: string, trip_id: string): DayTrip | null
  /** The trips that run under a train number in a network: several where a train has parts. */
  tripsOfTrain(network: string, train_number: string): readonly DayTrip[]
  /** The trips of a route. */
  tripsOfRoute(network: string, route_id: string): readonly DayTrip[]
  /** The trips of other networks' timetables that are the same train as one, see `twinsIn`. */
  twinsOf(trip: DayTrip): readonly DayTrip[]
  /** The stops of a trip, in order. */
  stopsOf(trip: DayTrip): DayStop[]
}

/** The day before a moment, of which trains run past midnight, its own, and the day after, as boards reach 24 h ahead. */
export const DAYS_AROUND = [-1, 0, 1] as const
/** Days that are kept: those of the present, and of two other moments that somebody asks for. A day takes some 5 MB. */
const DAYS = 3 * DAYS_AROUND.length
const NO_TRIPS: readonly DayTrip[] = []
/** What the id of a shape ends with that is run the other way. */
const INVERSE = '_INV'

/** The timetable of one service date, by the date (YYYY-MM-DD); of each network by the version that holds on it. */
export const timetableDay = defineSlice<TimetableDay>({
  name: 'rail timetable day',
  from: TIMETABLE_TABLES,
  most: DAYS,
  present: (now) => DAYS_AROUND.map((days) => madridDate(now, days)),
  async read(reader, date) {
    const versions = await versionsOn(reader, date)
    if (versions.length === 0) return new Day(date, { trips: [], stops: new DayStops(serviceStart(date), new Map()) })
    const [trips, names] = [await tripsOn(reader, versions, date), await namesOf(reader, versions)]
    const stops = new DayStops(serviceStart(date), names)
    const bounds = await readStops(reader, { versions, date, trips, stops })
    return new Day(date, { trips: trips.map((trip, at) => boundTrip(trip, bounds, at)), stops })
  },
})

class Day implements TimetableDay {
  readonly date: string
  readonly start: number
  readonly trips: readonly DayTrip[]
  readonly stops: DayStops
  readonly #byId: ReadonlyMap<string, DayTrip>
  readonly #byTrain: ReadonlyMap<string, readonly DayTrip[]>
  #byRoute: ReadonlyMap<string, readonly DayTrip[]> | null = null
  readonly #twins: ReadonlyMap<DayTrip, readonly DayTrip[]>

  constructor(date: string, held: Pick<TimetableDay, 'trips' | 'stops'>) {
    this.date = date
    this.start = serviceStart(date)
    this.trips = held.trips
    this.stops = held.stops
    this.#byId = new Map(held.trips.map((trip) => [keyOf(trip.network, trip.trip_id), trip]))
    this.#twins = twinsIn(held.trips, held.stops)
    this.#byTrain = Map.groupBy(held.trips, (trip) => keyOf(trip.network, trip.train_number ?? ''))
  }

  tripOf(network: string, trip_id: string): DayTrip | null {
    return this.#byId.get(keyOf(network, trip_id)) ?? null
  }

  tripsOfTrain(network: string, train_number: string): readonly DayTrip[] {
    return this.#byTrain.get(keyOf(network, train_number)) ?? NO_TRIPS
  }

  tripsOfRoute(network: string, route_id: string): readonly DayTrip[] {
    this.#byRoute ??= Map.groupBy(this.trips, (trip) => keyOf(trip.network, trip.route.route_id))
    return this.#byRoute.get(keyOf(network, route_id)) ?? NO_TRIPS
  }

  twinsOf(trip: DayTrip): readonly DayTrip[] {
    return this.#twins.get(trip) ?? NO_TRIPS
  }

  stopsOf({ first, end }: DayTrip): DayStop[] {
    return Array.from({ length: end - first }, (_, at) => this.stops.stop(first + at))
  }
}

function keyOf(network: string, id: string): string {
  return `${network} ${id}`
}

type UnboundTrip = Omit<DayTrip, 'first' | 'end'>

/** The trips that run on a date, in order of version and id. */
async function tripsOn({ rows }: SliceReader, versions: readonly string[], date: string): Promise<UnboundTrip[]> {
  const only = { timetable_version: { in: versions } }
  const query = sql`
    SELECT t.network, t.trip_id, t.train_number, t.variant, t.service_mark, t.direction, t.shape_id, t.is_wheelchair_accessible,
      t.route_id, r.short_name, r.route_type, t.nucleo_code
    FROM ${scan(railTrips, only)} t
    SEMI JOIN ${scan(railCalendar, { ...only, service_date: { eq: date } })} c
      ON c.timetable_version = t.timetable_version AND c.service_id = t.service_id
    LEFT JOIN ${scan(railRoutes, only)} r ON r.timetable_version = t.timetable_version AND r.route_id = t.route_id
    ORDER BY t.timetable_version, t.trip_id`
  const routes = new Map<string, DayRoute>()
  const trips: UnboundTrip[] = []
  for await (const batch of rows(query)) for (const row of batch) trips.push(tripOfRow(row, routes))
  return trips
}

function tripOfRow(row: AnyRow, routes: Map<string, DayRoute>): UnboundTrip {
  const [network, route_id] = [row['network'] as string, row['route_id'] as string]
  const key = keyOf(network, route_id)
  const route = routes.get(key) ?? {
    route_id,
    short_name: row['short_name'] as string | null,
    route_type: (row['route_type'] as string | null) ?? 'RAIL',
    nucleo_code: row['nucleo_code'] as string | null,
  }
  routes.set(key, route)
  const shape_id = row['shape_id'] as string | null
  return {
    network,
    trip_id: row['trip_id'] as string,
    route,
    train_number: row['train_number'] as string | null,
    variant: row['variant'] as string | null,
    service_mark: row['service_mark'] as string | null,
    direction: directionOf({ direction: row['direction'] as number | null, shape_id }),
    is_wheelchair_accessible: row['is_wheelchair_accessible'] as boolean | null,
  }
}

/** The direction of travel of a trip: as published, else that of its shape; null where neither is known. */
export function directionOf({
  direction,
  shape_id,
}: {
  readonly direction: number | null
  readonly shape_id: string | null
}): number | null {
  return direction ?? (shape_id === null ? null : Number(shape_id.endsWith(INVERSE)))
}

function boundTrip(trip: UnboundTrip, bounds: Uint32Array, at: number): DayTrip {
  return {
    network: trip.network,
    trip_id: trip.trip_id,
    route: trip.route,
    train_number: trip.train_number,
    variant: trip.variant,
    service_mark: trip.service_mark,
    direction: trip.direction,
    is_wheelchair_accessible: trip.is_wheelchair_accessible,
    first: bounds[2 * at] as number,
    end: bounds[2 * at + 1] as number,
  }
}

async function namesOf({ rows }: SliceReader, versions: readonly string[]): Promise<Map<string, string>> {
  const query = sql`SELECT stop_id, min(name) AS name FROM ${scan(railStations, { timetable_version: { in: versions } })} GROUP BY stop_id`
  const names = new Map<string, string>()
  for await (const batch of rows(query)) for (const { stop_id, name } of batch) names.set(stop_id as string, name as string)
  return names
}

/** Fills the stops of all trips; the answer has two numbers a trip: its first stop and the one after its last. */
async function readStops(
  { rows }: SliceReader,
  day: { readonly versions: readonly string[]; readonly date: string; readonly trips: readonly UnboundTrip[]; readonly stops: DayStops },
): Promise<Uint32Array> {
  const { versions, date, trips, stops } = day
  const only = { timetable_version: { in: versions } }
  // Places of trips are those of `tripsOn`: numbers cost less than ids, of which there are a million to go through.
  const query = sql`
    SELECT w.place, s.stop_sequence, s.stop_id, s.arrival, s.departure, s.pickup_type, s.drop_off_type
    FROM ${scan(railStopTimes, only)} s
    JOIN (
      SELECT t.timetable_version, t.trip_id, CAST(row_number() OVER (ORDER BY t.timetable_version, t.trip_id) - 1 AS INTEGER) AS place
      FROM ${scan(railTrips, only)} t
      SEMI JOIN ${scan(railCalendar, { ...only, service_date: { eq: date } })} c
        ON c.timetable_version = t.timetable_version AND c.service_id = t.service_id
    ) w ON w.timetable_version = s.timetable_version AND w.trip_id = s.trip_id
    ORDER BY w.place, s.stop_sequence`
  const bounds = new Uint32Array(2 * trips.length)
  let last = -1
  for await (const batch of rows(query)) {
    for (const row of batch) {
      const place = row['place'] as number
      if (place !== last) bounds[2 * place] = stops.length
      last = place
      stops.add(place, row)
      bounds[2 * place + 1] = stops.length
    }
  }
  stops.close()
  return bounds
}
