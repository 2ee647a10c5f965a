import { STOP_USES } from '../../../lake/datasets/transit/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { QueryReader } from '../../kernel/reads/cached-query.ts'
import type { TimetableTables } from './timetable-versions.ts'

/** Marks a missing time in a list of seconds. */
const NO_TIME = -1
const USES: readonly (string | null)[] = [null, ...STOP_USES]
const NOWHERE = new Uint32Array()
const ROOM = 4096

/** Which time of a stop to use. */
export type StopTime = 'departure' | 'arrival'

/** A stop of a trip on a service date. */
export interface DayStop {
  readonly stop_id: string
  /** Name of the station; null if the timetable has none for its code. */
  readonly name: string | null
  readonly stop_sequence: number
  /** Planned arrival and departure, ms since the epoch. */
  readonly arrival_at: number | null
  readonly departure_at: number | null
  /** The same in seconds of the service day; 24 h or more is after midnight. */
  readonly arrival_s: number | null
  readonly departure_s: number | null
  readonly pickup_type: string | null
  readonly drop_off_type: string | null
}

/** Stations by code. */
type Stations = ReadonlyMap<string, { readonly name: string; readonly position: Point | null }>

/** The stops of a service date in columns: some 70,000, which would take ten times the memory as objects. */
export class DayStops {
  /** Start of the seconds count, ms since the epoch. */
  readonly start: number
  readonly #stations: Stations
  readonly #codes = new Map<string, number>()
  readonly #ids: string[] = []
  #length = 0
  #trip = new Uint32Array(ROOM)
  #stop = new Uint16Array(ROOM)
  #sequence = new Uint16Array(ROOM)
  #arrival = new Int32Array(ROOM)
  #departure = new Int32Array(ROOM)
  #pickup = new Uint8Array(ROOM)
  #dropOff = new Uint8Array(ROOM)
  #byDeparture: readonly Uint32Array[] = []
  readonly #byArrival: Uint32Array[] = []

  constructor(start: number, stations: Stations) {
    this.start = start
    this.#stations = stations
  }

  get length(): number {
    return this.#length
  }

  /** Adds a stop to the trip at index `trip` of the day's list. */
  add(trip: number, row: AnyRow): void {
    if (this.#length === this.#trip.length) this.#resize(2 * this.#length)
    const at = this.#length++
    this.#trip[at] = trip
    this.#stop[at] = this.#codeOf(row['stop_id'] as string)
    this.#sequence[at] = row['stop_sequence'] as number
    this.#arrival[at] = (row['arrival'] as number | null) ?? NO_TIME
    this.#departure[at] = (row['departure'] as number | null) ?? NO_TIME
    this.#pickup[at] = useOf(row['pickup_type'] as string | null)
    this.#dropOff[at] = useOf(row['drop_off_type'] as string | null)
  }

  /** Ends the adding: releases unused memory and indexes the stops of each station. */
  close(): void {
    this.#resize(this.#length)
    const counts = new Uint32Array(this.#ids.length)
    for (const code of this.#stop) counts[code] = (counts[code] as number) + 1
    const at = Array.from(counts, (count) => new Uint32Array(count))
    const filled = new Uint32Array(this.#ids.length)
    for (let row = 0; row < this.#length; row++) {
      const code = this.#stop[row] as number
      const place = filled[code] as number
      ;(at[code] as Uint32Array)[place] = row
      filled[code] = place + 1
    }
    for (const rows of at) this.#sort(rows, 'departure')
    this.#byDeparture = at
  }

  /** The stops at a station, sorted by planned departure, else arrival; or by the given time. */
  at(stop_id: string, by: StopTime): Uint32Array {
    const code = this.#codes.get(stop_id)
    const rows = code === undefined ? undefined : this.#byDeparture[code]
    if (code === undefined || rows === undefined) return NOWHERE
    if (by === 'departure') return rows
    this.#byArrival[code] ??= this.#sort(rows.slice(), by)
    return this.#byArrival[code]
  }

  /** The planned departure of a stop, else its arrival; or the given time. ms since the epoch. */
  timeOf(row: number, by: StopTime): number | null {
    return this.#instant(this.#seconds(row, by))
  }

  /** Index of its trip in the day's list. */
  trip(row: number): number {
    return this.#trip[row] as number
  }

  /** The station's code. */
  stopId(row: number): string {
    return this.#ids[this.#stop[row] as number] as string
  }

  /** The name of a station; null if the timetable has none for its code. */
  nameOf(stop_id: string): string | null {
    return this.#stations.get(stop_id)?.name ?? null
  }

  /** The place of a station; null if the timetable has none for its code. */
  positionOf(stop_id: string): Point | null {
    return this.#stations.get(stop_id)?.position ?? null
  }

  sequence(row: number): number {
    return this.#sequence[row] as number
  }

  /** Planned arrival, ms since the epoch. */
  arrivalAt(row: number): number | null {
    return this.#instant(this.#arrival[row] as number)
  }

  /** Planned departure, ms since the epoch. */
  departureAt(row: number): number | null {
    return this.#instant(this.#departure[row] as number)
  }

  pickup(row: number): string | null {
    return USES[this.#pickup[row] as number] ?? null
  }

  dropOff(row: number): string | null {
    return USES[this.#dropOff[row] as number] ?? null
  }

  /** A stop with all its data. */
  stop(row: number): DayStop {
    const stop_id = this.stopId(row)
    const [arrival, departure] = [this.#arrival[row] as number, this.#departure[row] as number]
    return {
      stop_id,
      name: this.nameOf(stop_id),
      stop_sequence: this.sequence(row),
      arrival_at: this.#instant(arrival),
      departure_at: this.#instant(departure),
      arrival_s: arrival === NO_TIME ? null : arrival,
      departure_s: departure === NO_TIME ? null : departure,
      pickup_type: this.pickup(row),
      drop_off_type: this.dropOff(row),
    }
  }

  #instant(seconds: number): number | null {
    return seconds === NO_TIME ? null : this.start + seconds * 1000
  }

  #seconds(row: number, by: StopTime): number {
    const departure = this.#departure[row] as number
    const arrival = this.#arrival[row] as number
    if (by === 'departure') return departure === NO_TIME ? arrival : departure
    return arrival === NO_TIME ? departure : arrival
  }

  #sort(rows: Uint32Array, by: StopTime): Uint32Array {
    return rows.sort((one, other) => this.#seconds(one, by) - this.#seconds(other, by) || one - other)
  }

  #codeOf(stop_id: string): number {
    const known = this.#codes.get(stop_id)
    if (known !== undefined) return known
    this.#codes.set(stop_id, this.#ids.length)
    return this.#ids.push(stop_id) - 1
  }

  #resize(length: number): void {
    this.#trip = copied(this.#trip, new Uint32Array(length))
    this.#stop = copied(this.#stop, new Uint16Array(length))
    this.#sequence = copied(this.#sequence, new Uint16Array(length))
    this.#arrival = copied(this.#arrival, new Int32Array(length))
    this.#departure = copied(this.#departure, new Int32Array(length))
    this.#pickup = copied(this.#pickup, new Uint8Array(length))
    this.#dropOff = copied(this.#dropOff, new Uint8Array(length))
  }
}

/** Codes outside the list count as not stated. */
function useOf(code: string | null): number {
  return code === null ? 0 : Math.max(0, USES.indexOf(code))
}

function copied<A extends Uint32Array | Uint16Array | Int32Array | Uint8Array>(from: A, to: A): A {
  to.set(from.subarray(0, to.length))
  return to
}

/** A trip without its stops. */
interface UnboundTrip {
  readonly network: string
  readonly trip_id: string
  readonly route: { readonly route_id: string }
}

/** A trip that runs on a service date; its stops are the day's from `first` up to, not including, `end`. */
type Bound<T extends UnboundTrip> = T & { readonly first: number; readonly end: number }

/** Query of a service date: the versions to read, and how a row becomes a trip. */
interface DayQuery<T extends UnboundTrip> {
  readonly tables: TimetableTables
  readonly versions: readonly string[]
  readonly date: string
  /** True for the trips with stops that do not run on the date, in place of those that do. */
  readonly isIdle?: boolean
  /** Start of the seconds count of the date, ms since the epoch. */
  readonly start: number
  /** Columns of a trip `t` and its route `r`. */
  readonly columns: Sql
  readonly tripOf: (row: AnyRow) => T
}

/** All planned trips of a service date. */
export class ServiceDay<T extends Bound<UnboundTrip>> {
  /** Service date, YYYY-MM-DD. */
  readonly date: string
  readonly trips: readonly T[]
  /** Stops of all trips, trip by trip. */
  readonly stops: DayStops
  readonly #byId: ReadonlyMap<string, T>
  #byRoute: ReadonlyMap<string, readonly T[]> | null = null

  constructor(date: string, { trips, stops }: { readonly trips: readonly T[]; readonly stops: DayStops }) {
    this.date = date
    this.trips = trips
    this.stops = stops
    this.#byId = new Map(trips.map((trip) => [keyOf(trip.network, trip.trip_id), trip]))
  }

  /** Start of its seconds count, ms since the epoch. */
  get start(): number {
    return this.stops.start
  }

  /** The trip with an id in a network; null if it does not run. */
  tripOf(network: string, trip_id: string): T | null {
    return this.#byId.get(keyOf(network, trip_id)) ?? null
  }

  /** The trips of a route. */
  tripsOfRoute(network: string, route_id: string): readonly T[] {
    this.#byRoute ??= Map.groupBy(this.trips, (trip) => keyOf(trip.network, trip.route.route_id))
    return this.#byRoute.get(keyOf(network, route_id)) ?? []
  }

  /** The stops of a trip, in order. */
  stopsOf({ first, end }: Pick<T, 'first' | 'end'>): DayStop[] {
    return Array.from({ length: end - first }, (_, at) => this.stops.stop(first + at))
  }
}

/** The key of an id within a network. */
export function keyOf(network: string, id: string): string {
  return `${network} ${id}`
}

/** Reads the trips that run on a date, in order of version and id, and their stops. */
export async function readServiceDay<T extends UnboundTrip>(
  reader: QueryReader,
  query: DayQuery<T>,
): Promise<{ readonly trips: readonly Bound<T>[]; readonly stops: DayStops }> {
  if (query.versions.length === 0) return { trips: [], stops: new DayStops(query.start, new Map()) }
  const trips = await tripsOn(reader, query)
  const stops = new DayStops(query.start, await stationsOf(reader, query))
  const bounds = await readStops(reader, { ...query, trips: trips.length, stops })
  return { trips: trips.map((trip, at) => ({ ...trip, first: bounds[2 * at] as number, end: bounds[2 * at + 1] as number })), stops }
}

async function tripsOn<T extends UnboundTrip>({ rows }: QueryReader, query: DayQuery<T>): Promise<T[]> {
  const { tables, versions, columns, tripOf } = query
  const only = { timetable_version: { in: versions } }
  const running = sql`
    SELECT ${columns}
    FROM ${tripsFrom(query)}
    LEFT JOIN ${scan(tables.routes, only)} r ON r.timetable_version = t.timetable_version AND r.route_id = t.route_id
    ORDER BY t.timetable_version, t.trip_id`
  const trips: T[] = []
  for await (const batch of rows(running)) for (const row of batch) trips.push(tripOf(row))
  return trips
}

/** The trips `t` of a service date in the timetables. */
function tripsFrom({ tables, versions, date, isIdle }: Omit<DayQuery<UnboundTrip>, 'tripOf'>): Sql {
  const only = { timetable_version: { in: versions } }
  const trips = scan(tables.trips, only)
  const running = sql`JOIN ${scan(tables.calendar, { ...only, service_date: { eq: date } })} c
      ON c.timetable_version = t.timetable_version AND c.service_id = t.service_id`
  if (!isIdle) return sql`${trips} t SEMI ${running}`
  return sql`${trips} t
    ANTI ${running}
    SEMI JOIN ${scan(tables.stopTimes, only)} s ON s.timetable_version = t.timetable_version AND s.trip_id = t.trip_id`
}

async function stationsOf(
  { rows }: QueryReader,
  { tables, versions }: Pick<DayQuery<UnboundTrip>, 'tables' | 'versions'>,
): Promise<Stations> {
  const query = sql`
    SELECT stop_id, min(name) AS name, arg_min(position_lat, name) AS lat, arg_min(position_lon, name) AS lon
    FROM ${scan(tables.stops, { timetable_version: { in: versions } })} GROUP BY stop_id`
  const stations = new Map<string, { readonly name: string; readonly position: Point | null }>()
  for await (const batch of rows(query))
    for (const { stop_id, name, lat, lon } of batch) {
      const position = lat === null || lon === null ? null : { lat: lat as number, lon: lon as number }
      stations.set(stop_id as string, { name: name as string, position })
    }
  return stations
}

/** Fills the stops of all trips. Returns two numbers per trip: the index of its first stop and the one after its last. */
async function readStops(
  { rows }: QueryReader,
  day: Omit<DayQuery<UnboundTrip>, 'tripOf'> & { readonly trips: number; readonly stops: DayStops },
): Promise<Uint32Array> {
  const { tables, versions, trips, stops } = day
  const only = { timetable_version: { in: versions } }
  // Trips are joined by their index in `tripsOn`: numbers are cheaper than ids in a million rows.
  const query = sql`
    SELECT w.place, s.stop_sequence, s.stop_id, s.arrival, s.departure, s.pickup_type, s.drop_off_type
    FROM ${scan(tables.stopTimes, only)} s
    JOIN (
      SELECT t.timetable_version, t.trip_id, CAST(row_number() OVER (ORDER BY t.timetable_version, t.trip_id) - 1 AS INTEGER) AS place
      FROM ${tripsFrom(day)}
    ) w ON w.timetable_version = s.timetable_version AND w.trip_id = s.trip_id
    ORDER BY w.place, s.stop_sequence`
  const bounds = new Uint32Array(2 * trips)
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
