import { isCancelled } from '../../../lake/datasets/rail/codes.ts'
import type { ValueOf } from '../../define/fields.ts'
import type { boardFields } from './board-fields.ts'
import type { StopTime } from './day-stops.ts'
import type { LiveTrips, TripUpdate } from './live-trips.ts'
import type { DayTrip, TimetableDay } from './timetable-day.ts'
import { numberedTrainId } from './train-id.ts'

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
 * A train of the timetable on a board: what boards are ordered by, under the names that entries have it under, and where the rest of its
 * entry is. A board of 24 h has up to a thousand, of which a page shows a few.
 */
class Call {
  readonly day: TimetableDay
  readonly trip: DayTrip
  readonly row: number
  readonly scheduled_at: number
  /** What is said of it now; null for what is only in the timetable. */
  readonly told: Told | null

  constructor(at: Place, scheduled_at: number, told: Told | null) {
    this.day = at.day
    this.trip = at.trip
    this.row = at.row
    this.scheduled_at = scheduled_at
    this.told = told
  }

  get expected_at(): number | null {
    return this.told && this.told.expected_at
  }

  get delay_s(): number | null {
    return this.told && this.told.delay_s
  }

  get service_date(): string {
    return this.day.date
  }

  get network(): string {
    return this.trip.network
  }

  get trip_id(): string {
    return this.trip.trip_id
  }

  get stop_sequence(): number {
    return this.day.stops.sequence(this.row)
  }
}

/** A stop of a trip on a service date. */
interface Place {
  readonly day: TimetableDay
  readonly trip: DayTrip
  readonly row: number
}

/** A train on a board before its entry is made; one that no timetable has is its entry already. */
export type BoardDraft = Call | BoardEntry

/** The entry of a train on a board. */
export function boardEntry(draft: BoardDraft): BoardEntry {
  return draft instanceof Call ? entryOf(draft) : draft
}

/** The line, or product, of a train on a board; null where nobody tells. */
export function lineOf(draft: BoardDraft): string | null {
  return draft instanceof Call ? draft.trip.route.short_name : draft.line
}

/**
 * The trains of a station from a moment on, in no order: those planned within 24 h after it, those planned before it that have not been here
 * yet, and those that no timetable has and that come here next. A train whose timetable has it in several parts is one.
 */
export function boardOf(ask: BoardAsk): BoardDraft[] {
  const drafts: BoardDraft[] = []
  for (const day of ask.days) for (const call of callsOf(ask, day)) drafts.push(call)
  for (const update of ask.live.comingTo(ask.stop_id)) {
    const entry = addedTrain(ask, update)
    if (entry) drafts.push(entry)
  }
  return drafts
}

/** The trains of a service date on a board, by their planned time. */
function callsOf(ask: BoardAsk, day: TimetableDay): Call[] {
  const { at, side, live } = ask
  const { stops, trips } = day
  const by: StopTime = side === 'DEPARTURES' ? 'departure' : 'arrival'
  const rows = stops.at(ask.stop_id, by)
  const updateOf = live.updatesIn(ask.days)
  const calls: Call[] = []
  for (let place = firstFrom(day, rows, { by, instant: at - LATE_MS }); place < rows.length; place++) {
    const row = rows[place] as number
    const scheduled_at = stops.timeOf(row, by)
    if (scheduled_at === null) continue
    if (scheduled_at >= at + REACH_MS) break
    const trip = trips[stops.trip(row)] as DayTrip
    const update = updateOf(trip)
    if ((!update && scheduled_at < at) || isOtherEnd(trip, row, side)) continue
    const stop = { day, trip, row }
    if (!update) {
      addCall(calls, new Call(stop, scheduled_at, null), side)
      continue
    }
    const told = toldOf(ask, stop, { update, scheduled_at })
    if (scheduled_at >= at || isWaitedFor(ask, stop, { update, told })) addCall(calls, new Call(stop, scheduled_at, told), side)
  }
  return calls
}

/**
 * Adds a train. Trips that are parts of one train, by its number and their variants, call at the same stop at the same time (157 of 1,318
 * trains of 2026-08-25): of two of which one goes where the other ends, or comes from where it begins, the one that runs is shown, and where
 * both do the one that goes on for longer, or has come for longer. Parts that go their own ways from there are two trains.
 */
function addCall(calls: Call[], call: Call, side: BoardAsk['side']): void {
  const { trip, scheduled_at } = call
  if (trip.variant !== null && trip.train_number !== null)
    for (let place = calls.length - 1; place >= 0; place--) {
      const other = calls[place] as Call
      if (other.scheduled_at !== scheduled_at) break
      if (!isSameTrain(other.trip, trip) || !(covers(call, other, side) || covers(other, call, side))) continue
      if (isBetter(call, other, side)) calls[place] = call
      return
    }
  calls.push(call)
}

function isSameTrain(one: DayTrip, other: DayTrip): boolean {
  return one.variant !== null && one.train_number === other.train_number && one.network === other.network
}

/** True where a train goes where another ends, or comes from where it begins. */
function covers({ day, trip, row }: Call, other: Call, side: BoardAsk['side']): boolean {
  const { stops } = day
  const [from, to] = side === 'DEPARTURES' ? [row, trip.end] : [trip.first, row + 1]
  const end = other.day.stops.stopId(side === 'DEPARTURES' ? other.trip.end - 1 : other.trip.first)
  for (let at = from; at < to; at++) if (stops.stopId(at) === end) return true
  return false
}

function isBetter(one: Call, other: Call, side: BoardAsk['side']): boolean {
  const runs = one.told?.status !== 'CANCELLED'
  if (runs !== (other.told?.status !== 'CANCELLED')) return runs
  const [own, its] = [lengthOf(one, side), lengthOf(other, side)]
  return own === its ? reachOf(one, side) > reachOf(other, side) : own > its
}

/** For how long a train goes on from here, or has come, ms. */
function lengthOf({ day, trip, scheduled_at }: Call, side: BoardAsk['side']): number {
  const { stops } = day
  const end = side === 'DEPARTURES' ? stops.arrivalAt(trip.end - 1) : stops.departureAt(trip.first)
  return end === null ? 0 : Math.abs(end - scheduled_at)
}

/** How many stops a train has from here on, or before. */
function reachOf({ trip, row }: Call, side: BoardAsk['side']): number {
  return side === 'DEPARTURES' ? trip.end - row : row - trip.first
}

/** The place of the first of a station's stops whose time is an instant (ms) or later. */
function firstFrom(
  { stops }: TimetableDay,
  rows: Uint32Array,
  { by, instant }: { readonly by: StopTime; readonly instant: number },
): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((stops.timeOf(rows[middle] as number, by) ?? 0) < instant) low = middle + 1
    else high = middle
  }
  return low
}

/** Nothing departs from where a trip ends or arrives where it begins; of a trip with a single stop nobody knows which it is. */
function isOtherEnd({ first, end }: DayTrip, row: number, side: BoardAsk['side']): boolean {
  return end - first > 1 && row === (side === 'DEPARTURES' ? end - 1 : first)
}

function toldOf(
  ask: BoardAsk,
  place: Place,
  { update, scheduled_at }: { readonly update: TripUpdate; readonly scheduled_at: number },
): Told {
  if (isCancelled(update)) return withStatus('CANCELLED')
  if (update.skipped_stop_ids.includes(ask.stop_id)) return withStatus('SKIPPED')
  if (nextRow(place, update) > place.row) return withStatus(ask.side === 'DEPARTURES' ? 'DEPARTED' : 'ARRIVED')
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
function isWaitedFor(ask: BoardAsk, place: Place, { update, told }: { readonly update: TripUpdate; readonly told: Told }): boolean {
  if (told.status !== 'SCHEDULED') return false
  if (told.expected_at !== null && told.expected_at >= ask.at) return true
  const next = nextRow(place, update)
  return next !== -1 && next <= place.row && ask.at <= ask.now
}

/** The stop of a trip that it runs to or stands at; -1 where that is not told. Of two at one station, that which is nearer in time. */
function nextRow({ day, trip }: Place, { next_stop_id, expected_arrival_at, delay_s }: TripUpdate): number {
  if (next_stop_id === null) return -1
  const { first, end } = trip
  const { stops } = day
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

function entryOf(call: Call): BoardEntry {
  const { day, trip, row, scheduled_at } = call
  const { route } = trip
  const { stops } = day
  const told = call.told ?? PLANNED
  const isWhole = trip.end - trip.first > 1
  const [origin_id, destination_id] = isWhole ? [stops.stopId(trip.first), stops.stopId(trip.end - 1)] : [null, null]
  const isCommuter = route.nucleo_code !== null
  const { network, train_number } = trip
  const line = isCommuter ? route.short_name : null
  return {
    service_date: day.date,
    network,
    trip_id: trip.trip_id,
    stop_sequence: stops.sequence(row),
    route_id: route.route_id,
    train_number,
    train_id: numberedTrainId({ network, train_number, line }),
    line,
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
    is_live: call.told !== null,
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
    train_id: numberedTrainId(update),
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
