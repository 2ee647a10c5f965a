import { isCancelled, LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import type { railPositions, railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import type { State } from '../../kernel/endpoint.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { type DayTrip, runDate, type TimetableDay } from './timetable-day.ts'

/** The current trip update of a trip. */
export type TripUpdate = State<typeof railTripUpdates>['rows'][number]

/** A publication older than this is not current, ms. */
const CURRENT_FOR_MS = 15 * 60_000
/** The feed with the trips of each network. */
const FEEDS: Readonly<Record<string, string>> = { CERCANIAS: 'renfe_trip_updates', AVLDMD: 'renfe_trip_updates_ld' }
/** Position of the variant in an id of that network, after the train number. */
export const VARIANT_AT = 5
/** Statuses of a train that is at a stop or about to arrive. */
const AT_STOP: readonly (string | null)[] = ['STOPPED_AT', 'INCOMING_AT']

/** Live data of trips at an instant. */
export interface LiveTrips {
  /** Returns the update of a trip on one of some consecutive service dates; null without a recent one. */
  updatesIn(days: readonly TimetableDay[]): (trip: DayTrip) => TripUpdate | null
  /** Trips whose next stop is a station, in networks that state it. */
  comingTo(stop_id: string): readonly TripUpdate[]
  /** Platform of a trip that is at a station or about to arrive. */
  platformOf(trip_id: string, stop_id: string): string | null
}

interface Index {
  readonly rows: readonly TripUpdate[]
  readonly byNextStop: ReadonlyMap<string, readonly TripUpdate[]>
  /** Time of the newest publication by network, ms. */
  readonly published: ReadonlyMap<string, number>
}

const NONE: readonly TripUpdate[] = []

/** Trips in the current states at `now` (ms). */
export function liveTrips(states: readonly [State<typeof railTripUpdates>, State<typeof railPositions>], now: number): LiveTrips {
  const index = indexOf(states[0])
  const atStops = platformsOf(states[1])
  const isCurrent = currentAt(states[0], now)
  return {
    updatesIn: (days) => tripUpdatesIn(states[0], days, now),
    comingTo: (stop_id) => (index.byNextStop.get(stop_id) ?? NONE).filter(isCurrent),
    platformOf: (trip_id, stop_id) => atStops.get(keyOf(trip_id, stop_id)) ?? null,
  }
}

/** Returns the trip updates of a state at `now` (ms), as `LiveTrips` does. */
export function tripUpdatesIn(
  state: State<typeof railTripUpdates>,
  days: readonly TimetableDay[],
  now: number,
): (trip: DayTrip) => TripUpdate | null {
  const rows = updatesIn(indexOf(state), ...days)
  const isCurrent = currentAt(state, now)
  return (trip) => {
    const row = rows.get(trip)
    return row && isCurrent(row) ? row : null
  }
}

/** True if a trip update applies to an instant (ms): neither its publication nor the update itself is too old. */
export function currentAt(state: State<typeof railTripUpdates>, now: number): (row: TripUpdate) => boolean {
  const { published } = indexOf(state)
  return (row) => now - (published.get(row.network) ?? 0) <= CURRENT_FOR_MS && (!row.is_stale || now - row.updated_at <= CURRENT_FOR_MS)
}

/** The updates of the trips of some days, cached per state and days. */
const updatesIn = memo((index: Index, ...days: readonly TimetableDay[]): ReadonlyMap<DayTrip, TripUpdate> => {
  const updates = new Map<DayTrip, TripUpdate>()
  const byDate = Map.groupBy(index.rows, (row) => dateOf(row, index, days))
  for (const day of days) addUpdates(updates, day, byDate.get(day.date) ?? NONE)
  return updates
})

/** The service date of an update: for a cancelled trip as its feed states, for a running one by the timetable. */
function dateOf(row: TripUpdate, { published }: Index, days: readonly TimetableDay[]): string {
  if (isCancelled(row)) return row.service_date
  const seen_at = row.is_stale ? row.updated_at : (published.get(row.network) ?? row.updated_at)
  return runDate({ ...row, due_at: seen_at - 1000 * (row.delay_quality === 'OK' ? (row.delay_s ?? 0) : 0) }, days)
}

function addUpdates(updates: Map<DayTrip, TripUpdate>, day: TimetableDay, own: readonly TripUpdate[]): void {
  const renamed = Map.groupBy(
    own.filter(({ network, train_number }) => network === LONG_DISTANCE && train_number !== null),
    ({ train_number }) => train_number as string,
  )
  for (const [number, train] of renamed)
    for (const trip of day.tripsOfTrain(LONG_DISTANCE, number)) {
      const part = train.find(({ trip_id }) => trip_id[VARIANT_AT] === trip.variant)
      updates.set(trip, part ?? train.find((row) => !isCancelled(row)) ?? (train[0] as TripUpdate))
    }
  for (const row of own) {
    const trip = day.tripOf(row.network, row.trip_id)
    if (trip) updates.set(trip, row)
  }
}

const indexOf = memo((state: State<typeof railTripUpdates>): Index => {
  const { rows } = state
  const times = new Map(state.parts.map(({ feed, data_time }) => [feed, data_time]))
  return {
    rows,
    byNextStop: Map.groupBy(rows, (row) => row.next_stop_id ?? ''),
    published: new Map(Object.entries(FEEDS).map(([network, feed]) => [network, times.get(feed) ?? 0])),
  }
})

const platformsOf = memo((state: State<typeof railPositions>): ReadonlyMap<string, string> => {
  const made = new Map<string, string>()
  // A train that is only kept because its núcleo is missing may have left long ago.
  for (const { trip_id, stop_id, vehicle_status, platform, is_held } of state.rows)
    if (is_held !== true && trip_id !== null && stop_id !== null && platform !== null && AT_STOP.includes(vehicle_status))
      made.set(keyOf(trip_id, stop_id), platform)
  return made
})

function keyOf(one: string, other: string): string {
  return `${one} ${other}`
}

/**
 * True if the newest publication of a state lacks a núcleo that the reply may include, given the requested ones; null for all.
 */
export function lacksNucleo(
  states: readonly Pick<State, 'parts'>[],
  { network, nucleo }: { readonly network: readonly string[] | string | null; readonly nucleo: readonly string[] | null },
): boolean {
  const isCommuter = network === null || [network].flat().includes('CERCANIAS')
  const missing = states.flatMap(({ parts }) => parts.flatMap((part) => part.missing ?? []))
  return isCommuter && missing.some((code) => nucleo === null || nucleo.includes(code))
}
