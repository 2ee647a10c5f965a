import { LONG_DISTANCE, RENFE_NETWORKS } from '../../../lake/datasets/rail/codes.ts'
import { versionPrefix } from '../../../lake/datasets/rail/networks.ts'
import type { railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { madridDate, serviceStart } from '../../../lake/schema/time.ts'
import { pick } from '../../kernel/fields.ts'
import { defineCachedQuery, type QueryReader } from '../../kernel/reads/cached-query.ts'
import { type DayStops, keyOf, readServiceDay, ServiceDay } from '../transit/service-day.ts'
import { timetableName, versionsOn } from '../transit/timetable-versions.ts'
import { duplicatesIn } from './duplicates.ts'
import { railTimetables, TIMETABLE_TABLES } from './timetable-versions.ts'

/** The route of a trip. */
interface DayRoute {
  readonly route_id: string
  /** Line for commuter rail, product for other trains. */
  readonly short_name: string | null
  readonly route_type: string
  readonly nucleo_code: string | null
}

/** Columns of a trip that replies show as they are. */
const OWN = ['network', 'trip_id', 'train_number', 'variant', 'service_mark', 'is_wheelchair_accessible', 'headway_s'] as const

/** A trip that runs on a service date; its stops are the day's from `first` up to, not including, `end`. */
export interface DayTrip extends Pick<Row<typeof railTrips>, (typeof OWN)[number]> {
  readonly route: DayRoute
  /** Direction of travel, 0 or 1: as published, else from its shape, whose id names the reverse one; null if neither is known. */
  readonly direction: number | null
  readonly first: number
  readonly end: number
}

/** The days around a moment: the day before (trains past midnight), its own, and the next (boards reach 24 h ahead). */
export const DAYS_AROUND = [-1, 0, 1] as const
/** Maximum days in memory: those around the present and two other requested moments. A day takes some 5 MB. */
const DAYS = 3 * DAYS_AROUND.length
const NO_TRIPS: readonly DayTrip[] = []
/** Suffix of the id of a reversed shape. */
const INVERSE = '_INV'

/** All planned trips of a service date, of all timetables. */
export class TimetableDay extends ServiceDay<DayTrip> {
  readonly #byTrain: ReadonlyMap<string, readonly DayTrip[]>
  readonly #duplicates: ReadonlyMap<DayTrip, readonly DayTrip[]>

  constructor(date: string, held: { readonly trips: readonly DayTrip[]; readonly stops: DayStops }) {
    super(date, held)
    this.#duplicates = duplicatesIn(held.trips, held.stops)
    this.#byTrain = Map.groupBy(held.trips, (trip) => keyOf(trip.network, trip.train_number ?? ''))
  }

  /** The trips of a train number in a network: several if the train has parts. */
  tripsOfTrain(network: string, train_number: string): readonly DayTrip[] {
    return this.#byTrain.get(keyOf(network, train_number)) ?? NO_TRIPS
  }

  /** The trips of other networks that are the same train, see `duplicatesIn`. */
  duplicatesOf(trip: DayTrip): readonly DayTrip[] {
    return this.#duplicates.get(trip) ?? NO_TRIPS
  }

  /** How far an instant (ms) is outside the planned time of a trip, ms. */
  awayFrom({ first, end }: DayTrip, at: number): number {
    if (end === first) return Number.MAX_SAFE_INTEGER
    const begin = this.stops.departureAt(first) ?? this.stops.arrivalAt(first) ?? at
    const over = this.stops.arrivalAt(end - 1) ?? this.stops.departureAt(end - 1) ?? at
    return Math.max(0, begin - at, at - over)
  }

  /** The first and last stop of a trip, with names; null for a single stop, because it is unknown which end it is. */
  terminiOf({ first, end }: DayTrip): Record<'origin_id' | 'origin' | 'destination_id' | 'destination', string | null> {
    const [origin_id, destination_id] = end - first > 1 ? [this.stops.stopId(first), this.stops.stopId(end - 1)] : [null, null]
    const nameOf = (stop_id: string | null): string | null => (stop_id === null ? null : this.stops.nameOf(stop_id))
    return { origin_id, origin: nameOf(origin_id), destination_id, destination: nameOf(destination_id) }
  }
}

const TRIP_COLUMNS = sql`t.network, t.trip_id, t.train_number, t.variant, t.service_mark, t.direction, t.shape_id,
      t.is_wheelchair_accessible, t.headway_s, t.route_id, r.short_name, r.route_type, t.nucleo_code`

/**
 * The key of a day's timetable: Renfe's networks, whose trains may be the same, are read together, and every other one alone,
 * so that no board waits for networks that it does not show.
 */
export function dayKey(date: string, network: string): string {
  return RENFE_NETWORKS.includes(network) ? date : `${date} ${network}`
}

/** The timetable of one service date, each network by the version in force; by `dayKey`, or by date for Renfe's. */
export const timetableDay = defineCachedQuery<TimetableDay>({
  name: 'rail timetable day',
  from: TIMETABLE_TABLES,
  maxEntries: DAYS,
  present: (now) => DAYS_AROUND.map((days) => madridDate(now, days)),
  async read(reader, key) {
    const [date = '', network] = key.split(' ')
    return readDay(reader, date, { networks: network === undefined ? RENFE_NETWORKS : [network], isIdle: false })
  },
})

/**
 * By service date (YYYY-MM-DD), long-distance trips of the version in force that do not run on it. Live feeds may still name
 * them: of 1,038 trips of 2026-03-28, that day's timetable has 1,004, and 129 of these do not run by its calendar.
 */
export const idleTrips = defineCachedQuery<TimetableDay>({
  name: 'rail idle trips',
  from: TIMETABLE_TABLES,
  maxEntries: DAYS_AROUND.length,
  read: (reader, date) => readDay(reader, date, { networks: [LONG_DISTANCE], isIdle: true }),
})

async function readDay(
  reader: QueryReader,
  date: string,
  { networks, isIdle }: { readonly networks: readonly string[]; readonly isIdle: boolean },
): Promise<TimetableDay> {
  const only = networks.map(versionPrefix)
  const versions = await versionsOn(reader, railTimetables, date)
  const routes = new Map<string, DayRoute>()
  const held = await readServiceDay(reader, {
    tables: railTimetables,
    versions: versions.filter((version) => only.includes(timetableName(version))),
    ...{ date, start: serviceStart(date), isIdle },
    columns: TRIP_COLUMNS,
    tripOf: (row) => tripOfRow(row as unknown as TripRow, routes),
  })
  return new TimetableDay(date, held)
}

type TripRow = Row<typeof railTrips> & { readonly short_name: string | null; readonly route_type: string | null }

function tripOfRow(row: TripRow, routes: Map<string, DayRoute>): Omit<DayTrip, 'first' | 'end'> {
  const { route_id, short_name, nucleo_code } = row
  const key = keyOf(row.network, route_id)
  const route = routes.get(key) ?? { route_id, short_name, route_type: row.route_type ?? 'RAIL', nucleo_code }
  routes.set(key, route)
  return { ...pick(row, ...OWN), route, direction: directionOf(row) }
}

/** The direction of a trip: as published, else of Renfe's trips from their shape; null if neither is known. */
export function directionOf({
  network,
  direction,
  shape_id,
}: Pick<Row<typeof railTrips>, 'network' | 'direction' | 'shape_id'>): number | null {
  return direction ?? (shape_id === null || !RENFE_NETWORKS.includes(network) ? null : Number(shape_id.endsWith(INVERSE)))
}

const DAY_MS = 86_400_000
/** A run that is planned to end this long before, or to begin this long after, is a different one, ms. */
export const LATEST_MS = DAY_MS / 4

/** A running train in live data. */
interface Said {
  readonly network: string
  readonly train_number: string | null
  /** The service date (YYYY-MM-DD) that its feed derives from the clock. */
  readonly service_date: string
  /** Its due time at the current place, ms since the epoch: the time of the update less the delay. */
  readonly due_at: number
}

/**
 * The service date of a train's run. Long-distance ids do not state it. By the clock, a train due in the morning may be of
 * either day: of the timetabled runs of its number on adjacent days, the one under way at that time is taken.
 */
export function runDate({ network, train_number, service_date, due_at }: Said, days: readonly TimetableDay[]): string {
  if (network !== LONG_DISTANCE || train_number === null) return service_date
  let found = service_date
  let least = Number.POSITIVE_INFINITY
  for (const day of days) {
    if (Math.abs(Date.parse(day.date) - Date.parse(service_date)) > DAY_MS) continue
    for (const trip of day.tripsOfTrain(network, train_number)) {
      const away = day.awayFrom(trip, due_at)
      if (away > least || (away === least && day.date !== service_date)) continue
      found = day.date
      least = away
    }
  }
  return least <= LATEST_MS ? found : service_date
}
