import { isCancelled } from '../../../lake/datasets/rail/codes.ts'
import type { ValueOf } from '../../define/fields.ts'
import type { boardFields } from './board-fields.ts'
import type { LiveTrips, TripUpdate } from './live-trips.ts'
import type { DayTrip, TimetableDay } from './timetable-day.ts'

/** One train on a board. */
export type BoardEntry = ValueOf<typeof boardFields>

/** What a board is asked for. */
export interface BoardAsk {
  readonly side: 'DEPARTURES' | 'ARRIVALS'
  readonly stop_id: string
  /** The moment, and the present, ms since the epoch. */
  readonly at: number
  readonly now: number
  /** Service dates that trains of the board may be of, in order. */
  readonly days: readonly TimetableDay[]
  readonly live: LiveTrips
}

const HOUR_MS = 3_600_000
/** How far a board reaches beyond its moment, ms. */
const REACH_MS = 24 * HOUR_MS
/** A train that should have been here longer ago is not waited for, ms. */
const LATE_MS = 12 * HOUR_MS
/** A delay says nothing of stops that lie further ahead, ms. */
const TOLD_MS = 4 * HOUR_MS
/** Stations and sides whose trains are kept, of each service date; the busiest has some 1,000. */
const BOARDS_MOST = 40

/** What is told of a train at a stop. */
interface Told {
  readonly status: string
  readonly expected_at: number | null
  readonly delay_s: number | null
  readonly delay_source: string | null
  readonly platform: string | null
}

const PLANNED: Told = Object.freeze({ status: 'SCHEDULED', expected_at: null, delay_s: null, delay_source: null, platform: null })

/**
 * The trains of a station from a moment on, in no order: those planned within 24 h after it, those planned before it that have not been here
 * yet, and those that no timetable has and that come here next. A train whose timetable has it in several parts is one.
 */
export function boardOf(ask: BoardAsk): BoardEntry[] {
  const { at, stop_id, days, side, live } = ask
  const entries = new Trains(side)
  for (const day of days) {
    const planned = plannedBoard(day, side, stop_id)
    const updateOf = live.updatesOn(day)
    for (let place = firstFrom(planned, at - LATE_MS); place < planned.length; place++) {
      const call = planned[place] as Planned
      const { trip, row, scheduled_at } = call.at
      if (scheduled_at >= at + REACH_MS) break
      const update = updateOf(trip)
      if (!update) {
        if (scheduled_at >= at) entries.add(call.entry, call.at)
        continue
      }
      const told = toldOf(ask, { day, trip, row, update, scheduled_at })
      if (scheduled_at < at && !isWaitedFor(ask, { day, trip, row, update, told })) continue
      entries.add(entryOf(day, { trip, row, told, is_live: true, scheduled_at }), call.at)
    }
  }
  for (const update of live.comingTo(stop_id)) {
    const entry = addedTrain(ask, update)
    if (entry) entries.all.push(entry)
  }
  return entries.all
}

/**
 * The trains of a board. Trips that are parts of one train, by its number and their variants, call at the same stop at the same time (157 of
 * 1,318 trains of 2026-08-25): of these the one that runs is shown, and of several that do the one that goes furthest, or comes from furthest.
 */
class Trains {
  readonly all: BoardEntry[] = []
  readonly #side: BoardAsk['side']
  readonly #parts = new Map<string, { readonly place: number; readonly reach: number }>()

  constructor(side: BoardAsk['side']) {
    this.#side = side
  }

  add(entry: BoardEntry, { trip, row }: Planned['at']): void {
    if (trip.variant === null || trip.train_number === null) {
      this.all.push(entry)
      return
    }
    const key = `${trip.network} ${trip.train_number} ${entry.service_date} ${entry.scheduled_at}`
    const reach = this.#side === 'DEPARTURES' ? trip.end - row : row - trip.first
    const other = this.#parts.get(key)
    const before = other && (this.all[other.place] as BoardEntry)
    if (!other || !before) this.#parts.set(key, { place: this.all.push(entry) - 1, reach })
    else if (isBetter([entry, reach], [before, other.reach])) {
      this.all[other.place] = entry
      this.#parts.set(key, { place: other.place, reach })
    }
  }
}

function isBetter([one, reach]: readonly [BoardEntry, number], [other, otherReach]: readonly [BoardEntry, number]): boolean {
  const runs = one.status !== 'CANCELLED'
  return runs === (other.status !== 'CANCELLED') ? reach > otherReach : runs
}

/** A train of a station as it is planned. */
interface Planned {
  readonly at: { readonly trip: DayTrip; readonly row: number; readonly scheduled_at: number }
  readonly entry: BoardEntry
}

const boards = new WeakMap<TimetableDay, Map<string, readonly Planned[]>>()

/** The trains of a station on a service date by their planned time; kept for the stations that were asked for last. */
function plannedBoard(day: TimetableDay, side: BoardAsk['side'], stop_id: string): readonly Planned[] {
  const kept = boards.get(day) ?? new Map<string, readonly Planned[]>()
  boards.set(day, kept)
  const key = `${side} ${stop_id}`
  const board = kept.get(key) ?? makeBoard(day, side, stop_id)
  kept.delete(key)
  kept.set(key, board)
  for (const oldest of kept.keys()) {
    if (kept.size <= BOARDS_MOST) break
    kept.delete(oldest)
  }
  return board
}

function makeBoard(day: TimetableDay, side: BoardAsk['side'], stop_id: string): Planned[] {
  const planned: Planned[] = []
  for (const row of day.stops.at(stop_id)) {
    const trip = day.trips[day.stops.trip(row)] as DayTrip
    const scheduled_at = plannedAt(day, row, side)
    if (scheduled_at === null || isOtherEnd(trip, row, side)) continue
    const at = { trip, row, scheduled_at }
    planned.push({ at, entry: entryOf(day, { ...at, told: PLANNED, is_live: false }) })
  }
  return planned.sort((one, other) => one.at.scheduled_at - other.at.scheduled_at || compareIds(one.entry, other.entry))
}

/** In the order of lists of trains of one time. */
function compareIds(one: BoardEntry, other: BoardEntry): number {
  if (one.network !== other.network) return one.network < other.network ? -1 : 1
  return one.trip_id < other.trip_id ? -1 : 1
}

/** The place of the first train that is planned at an instant (ms) or later. */
function firstFrom(planned: readonly Planned[], instant: number): number {
  let [low, high] = [0, planned.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((planned[middle] as Planned).at.scheduled_at < instant) low = middle + 1
    else high = middle
  }
  return low
}

function plannedAt({ stops }: TimetableDay, row: number, side: BoardAsk['side']): number | null {
  const [arrival, departure] = [stops.arrivalAt(row), stops.departureAt(row)]
  return side === 'DEPARTURES' ? (departure ?? arrival) : (arrival ?? departure)
}

/** Nothing departs from where a trip ends or arrives where it begins; of a trip with a single stop nobody knows which it is. */
function isOtherEnd({ first, end }: DayTrip, row: number, side: BoardAsk['side']): boolean {
  return end - first > 1 && row === (side === 'DEPARTURES' ? end - 1 : first)
}

interface Stop {
  readonly day: TimetableDay
  readonly trip: DayTrip
  readonly row: number
  readonly update: TripUpdate
  readonly scheduled_at: number
}

function toldOf(ask: BoardAsk, { day, trip, row, update, scheduled_at }: Stop): Told {
  if (isCancelled(update)) return withStatus('CANCELLED')
  if (update.skipped_stop_ids.includes(ask.stop_id)) return withStatus('SKIPPED')
  if (nextRow(day, trip, update) > row) return withStatus(ask.side === 'DEPARTURES' ? 'DEPARTED' : 'ARRIVED')
  const platform = ask.live.platformOf(update.trip_id, ask.stop_id)
  const delay_s = scheduled_at > ask.now + TOLD_MS ? null : believed(update)
  if (delay_s === null) return { status: 'SCHEDULED', expected_at: null, delay_s, delay_source: null, platform }
  // A train that is early waits for its time.
  const late_s = ask.side === 'DEPARTURES' ? Math.max(0, delay_s) : delay_s
  return {
    status: 'SCHEDULED',
    expected_at: scheduled_at + late_s * 1000,
    delay_s,
    delay_source: update.is_stale ? 'LAST_KNOWN' : 'TRIP_UPDATE',
    platform,
  }
}

/** A delay that can be, s. */
function believed({ delay_s, delay_quality }: TripUpdate): number | null {
  return delay_quality === 'DOUBTFUL' ? null : delay_s
}

function withStatus(status: string): Told {
  return { status, expected_at: null, delay_s: null, delay_source: null, platform: null }
}

/** True where a train that should have been here has not: by its delay, or, as far as the present is asked for, by its next stop. */
function isWaitedFor(ask: BoardAsk, { day, trip, row, update, told }: Omit<Stop, 'scheduled_at'> & { readonly told: Told }): boolean {
  if (told.status !== 'SCHEDULED') return false
  if (told.expected_at !== null && told.expected_at >= ask.at) return true
  const next = nextRow(day, trip, update)
  return next !== -1 && next <= row && ask.at <= ask.now
}

/** The stop of a trip that it runs to or stands at; -1 where that is not told. Of two at one station, that which is nearer in time. */
function nextRow({ stops }: TimetableDay, { first, end }: DayTrip, { next_stop_id, expected_arrival_at, delay_s }: TripUpdate): number {
  if (next_stop_id === null) return -1
  const planned = expected_arrival_at === null ? null : expected_arrival_at - 1000 * (delay_s ?? 0)
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (let row = first; row < end; row++) {
    if (stops.stopId(row) !== next_stop_id) continue
    const away = planned === null ? row - first : Math.abs((stops.arrivalAt(row) ?? stops.departureAt(row) ?? 0) - planned)
    if (away >= least) continue
    best = row
    least = away
  }
  return best
}

function entryOf(
  { date, stops }: TimetableDay,
  about: {
    readonly trip: DayTrip
    readonly row: number
    readonly told: Told
    readonly is_live: boolean
    readonly scheduled_at: number
  },
): BoardEntry {
  const { trip, row, told, is_live, scheduled_at } = about
  const { route } = trip
  const isWhole = trip.end - trip.first > 1
  const [origin_id, destination_id] = isWhole ? [stops.stopId(trip.first), stops.stopId(trip.end - 1)] : [null, null]
  const isCommuter = route.nucleo_code !== null
  return {
    service_date: date,
    network: trip.network,
    trip_id: trip.trip_id,
    stop_sequence: stops.sequence(row),
    route_id: route.route_id,
    train_number: trip.train_number,
    line: isCommuter ? route.short_name : null,
    nucleo_code: route.nucleo_code,
    product: isCommuter ? null : route.short_name,
    route_type: route.route_type,
    service_mark: trip.service_mark,
    origin_id,
    origin: origin_id === null ? null : stops.nameOf(origin_id),
    destination_id,
    destination: destination_id === null ? null : stops.nameOf(destination_id),
    scheduled_at,
    expected_at: told.expected_at,
    delay_s: told.delay_s,
    delay_source: told.delay_source,
    is_live,
    status: told.status,
    platform: told.platform,
    pickup_type: stops.pickup(row),
    drop_off_type: stops.dropOff(row),
    is_wheelchair_accessible: trip.is_wheelchair_accessible,
    occupancy_pct: null,
  }
}

/** A train that no timetable has, where its next stop is this station; null for one that a timetable has, or that comes another time. */
function addedTrain({ at, days, now, stop_id, live }: BoardAsk, update: TripUpdate): BoardEntry | null {
  const { network, trip_id, expected_arrival_at } = update
  const delay_s = believed(update)
  if (expected_arrival_at === null || expected_arrival_at < at || expected_arrival_at > now + TOLD_MS) return null
  if (isCancelled(update) || days.some((day) => day.tripOf(network, trip_id) !== null)) return null
  return {
    service_date: update.service_date,
    network,
    trip_id,
    stop_sequence: null,
    route_id: null,
    train_number: update.train_number,
    line: update.line,
    nucleo_code: update.nucleo_code,
    product: null,
    route_type: null,
    service_mark: null,
    origin_id: null,
    origin: null,
    destination_id: null,
    destination: null,
    scheduled_at: expected_arrival_at - 1000 * (delay_s ?? 0),
    expected_at: expected_arrival_at,
    delay_s,
    delay_source: delay_s === null ? null : update.is_stale ? 'LAST_KNOWN' : 'TRIP_UPDATE',
    is_live: true,
    status: 'ADDED',
    platform: live.platformOf(trip_id, stop_id),
    pickup_type: null,
    drop_off_type: null,
    is_wheelchair_accessible: null,
    occupancy_pct: null,
  }
}
