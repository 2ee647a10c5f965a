import { hasLines, isCancelled, RAIL_NETWORKS, RAIL_NUCLEOS, RAIL_ROUTE_TYPES } from '../../../lake/datasets/rail/codes.ts'
import { railRoutes, railStations, railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { railPositions } from '../../../lake/datasets/rail/trains.ts'
import { firstIndex } from '../../../lake/first-index.ts'
import { field, maybe, meaning, nulls, optional, pick, type ValueOf } from '../../kernel/fields.ts'
import { withExample } from '../common-fields.ts'
import type { StopTime } from '../transit/service-day.ts'
import {
  type BoardAsk,
  believed,
  type CallStatus,
  isWaitedFor,
  LIVE_AHEAD_MS,
  type Place,
  type Spoken,
  statusOf,
  withStatus,
} from './board-status.ts'
import { BOARD_STATUSES, DELAY_SOURCES, productField } from './codes.ts'
import { isShown, sameCall } from './duplicates.ts'
import type { TripUpdate } from './live-trips.ts'
import type { DayTrip, TimetableDay } from './timetable-day.ts'
import { numberedTrainId, trainIdOf } from './train.ts'

const terminus = (about: string) => withExample(optional(railStations.columns.stop_id, about), null)
const terminusName = (about: string) => withExample(optional(railStations.columns.name, about), null)

/** The fields of a train on a board. */
export const boardFields = {
  service_date: field.date('Service day of the train; it may have begun before midnight.', '2026-08-22'),
  network: field.code(
    'Network of the trip shown. If both timetables have the train stop here: the one that continues longer or, on an arrival board, has run longer, else commuter rail.',
    RAIL_NETWORKS,
    'CERCANIAS',
  ),
  trip_id: meaning(railTrips.columns.trip_id, "The publisher's id of the trip; long-distance trips get new ones every night."),
  stop_sequence: optional(railStopTimes.columns.stop_sequence, 'Position of the stop in the trip; null for a train outside the timetable.'),
  route_id: optional(railTrips.columns.route_id, 'Route; null for a train outside the timetable.'),
  train_number: railTrips.columns.train_number,
  train_id: maybe.text('Id of the train in /api/trenes/posiciones while it runs; null without a train number.', 'CERCANIAS-19799-C1'),
  other_trip_id: withExample(
    optional(
      railTrips.columns.trip_id,
      "The trip in the other network's timetable that is the same train, with the same number: many regional trains are published in both, whole or in parts. Null for a train in one timetable only.",
    ),
    null,
  ),
  other_train_id: maybe.text(
    'The train id for that trip, which begins with the network. /api/trenes/posiciones/{id} accepts either id, whichever feed reports the train.',
    null,
  ),
  line: withExample(
    optional(
      railRoutes.columns.short_name,
      'Line of commuter rail, even if the trip of the other network is shown; null for other trains.',
    ),
    'C1',
  ),
  nucleo_code: maybe.code('Commuter network, even if the trip of the other network is shown; null for other trains.', RAIL_NUCLEOS, '10'),
  product: productField(
    'Product of non-commuter trains; null for commuter rail. A train that stops here in both timetables has both line and product.',
  ),
  route_type: maybe.code('Type of vehicle; null for a train outside the timetable.', RAIL_ROUTE_TYPES, 'RAIL'),
  service_mark: railTrips.columns.service_mark,
  origin_id: terminus('First stop of the trip; null if only one stop is published.'),
  origin: terminusName('Its name.'),
  destination_id: terminus('Last stop of the trip, its destination; null if only one stop is published.'),
  destination: terminusName('Its name.'),
  scheduled_at: field.instant(
    'Planned time of the departure or arrival; for a train outside the timetable, the expected time less the delay.',
    '2026-08-22T03:30:00.000Z',
  ),
  expected_at: maybe.instant('Planned time plus delay; an early train waits for its departure time. Null without a credible delay.', null),
  delay_s: maybe.integer(
    "Delay of the train as published, preferably for the trip shown, else for the other network's; in whole minutes, negative if early. Null without a credible delay, for stops more than 4 h ahead, and if the train does not stop here or has left.",
    's',
    null,
  ),
  delay_source: maybe.code('Source of the delay.', DELAY_SOURCES, null),
  is_live: field.boolean('True if there is live data of the train; false if only the timetable has it.', false),
  status: field.code(
    'Status of the train at this stop. A train in two feeds is cancelled if one says so and the other does not say that it runs.',
    BOARD_STATUSES,
    'SCHEDULED',
  ),
  platform: withExample(
    optional(
      railPositions.columns.platform,
      'Platform of a train that is at the station or about to arrive; null before that, and if none is published.',
    ),
    null,
  ),
  pickup_type: optional(railStopTimes.columns.pickup_type, 'Whether passengers may board here; null if not stated, which means yes.'),
  drop_off_type: optional(railStopTimes.columns.drop_off_type, 'Whether passengers may get off here; null if not stated, which means yes.'),
  ...pick(railTrips.columns, 'headway_s', 'is_wheelchair_accessible'),
  occupancy_pct: maybe.integer('Share of its seats that are taken. No source publishes it, so it is always null.', '%', null),
} as const

/** One train on a board. */
type BoardEntry = ValueOf<typeof boardFields>

const HOUR_MS = 3_600_000
/** How far a board reaches after its moment, ms. */
const REACH_MS = 24 * HOUR_MS
/** Trains planned longer ago than this are no longer expected, ms. */
const LATE_MS = 12 * HOUR_MS
/** For a train in one timetable only, without live data. */
const PLAIN: Pick<Call, 'callStatus' | 'duplicate'> = Object.freeze({ callStatus: null, duplicate: null })
const NO_PLACES: readonly Pick<Place, 'trip' | 'row'>[] = []
const PLANNED: CallStatus = Object.freeze(withStatus('SCHEDULED'))

/** A timetable train on a board before its entry is built: the sort keys, named as in entries, and where to find the rest. */
interface Call extends Place, Pick<BoardEntry, 'expected_at' | 'delay_s' | 'service_date' | 'network' | 'trip_id' | 'stop_sequence'> {
  readonly scheduled_at: number
  /** Its live data; null if only the timetable has it. */
  readonly callStatus: CallStatus | null
  /** The trip in another network that is the same train and makes the same stop. */
  readonly duplicate: DayTrip | null
}

function callOf(place: Place, scheduled_at: number, live: Pick<Call, 'callStatus' | 'duplicate'>): Call {
  const { expected_at, delay_s } = live.callStatus ?? PLANNED
  const { day, trip, row } = place
  const stop_sequence = day.stops.sequence(row)
  return {
    ...place,
    ...live,
    ...pick(trip, 'network', 'trip_id'),
    service_date: day.date,
    scheduled_at,
    expected_at,
    delay_s,
    stop_sequence,
  }
}

function isCall(draft: BoardDraft): draft is Call {
  return 'trip' in draft
}

/** A train on a board before its entry is built; for a train outside the timetable, the entry itself. */
type BoardDraft = Call | BoardEntry

/** The entry of a train on a board. */
export function boardEntry(draft: BoardDraft): BoardEntry {
  return isCall(draft) ? entryOf(draft) : draft
}

/** True if a train on a board matches the requested network, and lines or products, by either of its networks. */
export function isOf(draft: BoardDraft, asked: { readonly network: string | null; readonly line: readonly string[] | null }): boolean {
  const { network, line } = asked
  if (!isCall(draft)) return (network === null || draft.network === network) && (line === null || line.includes(draft.line ?? ''))
  const { trip, duplicate } = draft
  return (
    (network === null || trip.network === network || duplicate?.network === network) &&
    (line === null || line.includes(trip.route.short_name ?? '') || line.includes(duplicate?.route.short_name ?? ''))
  )
}

/** True if a departing train of the timetable later stops at one of some stations where passengers may get off. */
export function reaches(draft: BoardDraft, stations: ReadonlySet<string>): boolean {
  if (!isCall(draft)) return false
  const { day, trip, row, duplicate, scheduled_at } = draft
  const { stops } = day
  const isReached = (at: number): boolean => stations.has(stops.stopId(at)) && stops.dropOff(at) !== 'NONE'
  for (let at = row + 1; at < trip.end; at++) if (isReached(at)) return true
  // The duplicate may continue further; its stops have rows of their own.
  for (let at = duplicate?.first ?? 0; at < (duplicate?.end ?? 0); at++)
    if ((stops.timeOf(at, 'arrival') ?? 0) > scheduled_at && isReached(at)) return true
  return false
}

/**
 * The trains of a station from an instant on, unordered: planned within 24 h, planned earlier but not yet passed, and trains
 * outside the timetable whose next stop is here. Parts of a train, and a train of two networks, count as one.
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
  const by = timeOf(side)
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
    const duplicates = day.duplicatesOf(trip)
    if ((!update && duplicates.length === 0 && scheduled_at < at) || isOtherEnd(trip, row, side)) continue
    const stop = { day, trip, row }
    const call =
      update || duplicates.length > 0
        ? spokenCall(ask, stop, { scheduled_at, update, duplicates, updateOf })
        : callOf(stop, scheduled_at, PLAIN)
    if (call) addCall(calls, call, side)
  }
  return calls
}

/** A train with live data or in two timetables; null if it has passed or its duplicate is shown. */
function spokenCall(
  ask: BoardAsk,
  stop: Place,
  about: {
    readonly scheduled_at: number
    readonly update: TripUpdate | null
    readonly duplicates: readonly DayTrip[]
    readonly updateOf: (trip: DayTrip) => TripUpdate | null
  },
): Call | null {
  const { scheduled_at, update, duplicates, updateOf } = about
  const here = duplicates.length === 0 ? NO_PLACES : duplicatesHere(ask, stop, about)
  if (here.some((other) => isShown(stop.day.stops, ask.side, [other, stop]))) return null
  const spoken: Spoken[] = update ? [{ update, isHere: true }] : []
  for (const duplicate of duplicates) {
    const said = updateOf(duplicate)
    if (said) spoken.push({ update: said, isHere: here.some(({ trip }) => trip === duplicate) })
  }
  const callStatus = spoken.length === 0 ? null : statusOf(ask, stop, { spoken, scheduled_at })
  const isDue = scheduled_at >= ask.at || (callStatus !== null && isWaitedFor(ask, stop, { spoken, callStatus }))
  return isDue ? callOf(stop, scheduled_at, { callStatus, duplicate: here[0]?.trip ?? null }) : null
}

/** Stops that the duplicates of a trip make together with it. */
function duplicatesHere(
  { side, stop_id }: BoardAsk,
  { day }: Place,
  { duplicates, scheduled_at }: { readonly duplicates: readonly DayTrip[]; readonly scheduled_at: number },
): Pick<Place, 'trip' | 'row'>[] {
  const call = { stop_id, at: scheduled_at, by: timeOf(side) }
  return duplicates.flatMap((trip) => {
    const row = sameCall(day.stops, trip, call)
    return row === -1 || isOtherEnd(trip, row, side) ? [] : [{ trip, row }]
  })
}

/**
 * Adds a train. Parts of one train share number, stop and time (157 of 1,318 trains of 2026-08-25). If only one runs, it is
 * shown; if both run, the one that continues longer, or has run longer. Parts that separate here are two trains.
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

/** True if a train continues where another ends, or comes from where it begins. */
function covers({ day, trip, row }: Call, other: Call, side: BoardAsk['side']): boolean {
  const { stops } = day
  const [from, to] = side === 'DEPARTURES' ? [row, trip.end] : [trip.first, row + 1]
  const end = other.day.stops.stopId(side === 'DEPARTURES' ? other.trip.end - 1 : other.trip.first)
  for (let at = from; at < to; at++) if (stops.stopId(at) === end) return true
  return false
}

function isBetter(one: Call, other: Call, side: BoardAsk['side']): boolean {
  const runs = one.callStatus?.status !== 'CANCELLED'
  if (runs !== (other.callStatus?.status !== 'CANCELLED')) return runs
  return isShown(one.day.stops, side, [one, other])
}

/** The time of a stop that the board sorts by. */
function timeOf(side: BoardAsk['side']): StopTime {
  return side === 'DEPARTURES' ? 'departure' : 'arrival'
}

/** The index of the first stop of a station whose time is an instant (ms) or later. */
function firstFrom(
  { stops }: TimetableDay,
  rows: Uint32Array,
  { by, instant }: { readonly by: StopTime; readonly instant: number },
): number {
  return firstIndex(0, rows.length, (at) => (stops.timeOf(rows[at] as number, by) ?? 0) >= instant)
}

/** Nothing departs from the last stop or arrives at the first. With a single stop, it is unknown which one it is. */
function isOtherEnd({ first, end }: DayTrip, row: number, side: BoardAsk['side']): boolean {
  return end - first > 1 && row === (side === 'DEPARTURES' ? end - 1 : first)
}

function entryOf(call: Call): BoardEntry {
  const { day, trip, row } = call
  const { route } = trip
  const { stops } = day
  const trips = call.duplicate ? [trip, call.duplicate] : [trip]
  const ofLine = trips.find((one) => hasLines(one.network))?.route
  // A duplicate that does not stop here is the same train elsewhere.
  const other = call.duplicate ?? day.duplicatesOf(trip)[0] ?? null
  return {
    ...pick(call, 'service_date', 'network', 'trip_id', 'stop_sequence', 'scheduled_at'),
    ...pick(trip, 'train_number', 'service_mark', 'headway_s', 'is_wheelchair_accessible'),
    ...pick(route, 'route_id', 'route_type'),
    train_id: trainIdOf(trip),
    other_trip_id: other && other.trip_id,
    other_train_id: other && trainIdOf(other),
    line: ofLine?.short_name ?? null,
    nucleo_code: ofLine?.nucleo_code ?? null,
    product: trips.find((one) => !hasLines(one.network))?.route.short_name ?? null,
    ...day.terminiOf(trip),
    ...(call.callStatus ?? PLANNED),
    is_live: call.callStatus !== null,
    pickup_type: stops.pickup(row),
    drop_off_type: stops.dropOff(row),
    occupancy_pct: null,
  }
}

/** What only the timetable states. */
const NOT_PLANNED = nulls(boardFields)

/** A train outside the timetable whose next stop is this station; null if a timetable has it or it comes at another time. */
function addedTrain({ at, days, now, stop_id, live }: BoardAsk, update: TripUpdate): BoardEntry | null {
  const { network, trip_id, expected_arrival_at } = update
  const delay_s = believed(update)
  if (expected_arrival_at === null || expected_arrival_at < at || expected_arrival_at > now + LIVE_AHEAD_MS) return null
  if (isCancelled(update) || days.some((day) => day.tripOf(network, trip_id) !== null)) return null
  return {
    ...NOT_PLANNED,
    ...pick(update, 'service_date', 'network', 'trip_id', 'train_number', 'line', 'nucleo_code'),
    train_id: numberedTrainId(update),
    scheduled_at: expected_arrival_at - 1000 * (delay_s ?? 0),
    expected_at: expected_arrival_at,
    delay_s,
    delay_source: delay_s === null ? null : update.is_stale ? 'LAST_KNOWN' : 'TRIP_UPDATE',
    is_live: true,
    status: 'ADDED',
    platform: live.platformOf(trip_id, stop_id),
  }
}
