import { scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { QueryReader } from '../../kernel/reads/cached-query.ts'
import { type DayStop, DayStops } from './day-stops.ts'
import type { TimetableTables } from './timetable-versions.ts'

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
  const stops = new DayStops(query.start, await namesOf(reader, query))
  const bounds = await readStops(reader, { ...query, trips: trips.length, stops })
  return { trips: trips.map((trip, at) => ({ ...trip, first: bounds[2 * at] as number, end: bounds[2 * at + 1] as number })), stops }
}

async function tripsOn<T extends UnboundTrip>({ rows }: QueryReader, query: DayQuery<T>): Promise<T[]> {
  const { tables, versions, date, columns, tripOf } = query
  const only = { timetable_version: { in: versions } }
  const running = sql`
    SELECT ${columns}
    FROM ${scan(tables.trips, only)} t
    SEMI JOIN ${scan(tables.calendar, { ...only, service_date: { eq: date } })} c
      ON c.timetable_version = t.timetable_version AND c.service_id = t.service_id
    LEFT JOIN ${scan(tables.routes, only)} r ON r.timetable_version = t.timetable_version AND r.route_id = t.route_id
    ORDER BY t.timetable_version, t.trip_id`
  const trips: T[] = []
  for await (const batch of rows(running)) for (const row of batch) trips.push(tripOf(row))
  return trips
}

async function namesOf(
  { rows }: QueryReader,
  { tables, versions }: Pick<DayQuery<UnboundTrip>, 'tables' | 'versions'>,
): Promise<Map<string, string>> {
  const query = sql`SELECT stop_id, min(name) AS name FROM ${scan(tables.stops, { timetable_version: { in: versions } })} GROUP BY stop_id`
  const names = new Map<string, string>()
  for await (const batch of rows(query)) for (const { stop_id, name } of batch) names.set(stop_id as string, name as string)
  return names
}

/** Fills the stops of all trips. Returns two numbers per trip: the index of its first stop and the one after its last. */
async function readStops(
  { rows }: QueryReader,
  day: Pick<DayQuery<UnboundTrip>, 'tables' | 'versions' | 'date'> & { readonly trips: number; readonly stops: DayStops },
): Promise<Uint32Array> {
  const { tables, versions, date, trips, stops } = day
  const only = { timetable_version: { in: versions } }
  // Trips are joined by their index in `tripsOn`: numbers are cheaper than ids in a million rows.
  const query = sql`
    SELECT w.place, s.stop_sequence, s.stop_id, s.arrival, s.departure, s.pickup_type, s.drop_off_type
    FROM ${scan(tables.stopTimes, only)} s
    JOIN (
      SELECT t.timetable_version, t.trip_id, CAST(row_number() OVER (ORDER BY t.timetable_version, t.trip_id) - 1 AS INTEGER) AS place
      FROM ${scan(tables.trips, only)} t
      SEMI JOIN ${scan(tables.calendar, { ...only, service_date: { eq: date } })} c
        ON c.timetable_version = t.timetable_version AND c.service_id = t.service_id
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
