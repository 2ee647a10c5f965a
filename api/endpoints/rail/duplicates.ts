import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import type { DayStops, StopTime } from '../transit/service-day.ts'

/**
 * A trip that the timetable of another network may contain too. Its stops are the rows from `first` to before `end` of the day's.
 */
interface Run {
  readonly network: string
  readonly train_number: string | null
  readonly first: number
  readonly end: number
}

/** Maximum difference between two timetables for one stop of a train, ms: one includes a dwell time that the other does not. */
const APART_MS = 5 * 60_000
/** Minimum number of stations that match so. */
const LEAST_STATIONS = 2
/** Maximum difference at the other stations, ms, such as the dwell at a terminus. A second visit of a train is later. */
const SAME_CALL_MS = 30 * 60_000

/**
 * Finds trips that two networks publish: the same number, and two or more stations within five minutes. On 22 August 2026 this
 * matched 167 of 186 pairs with one number, on the 25th 204 of 219. Two of the others (15039, 17050) are the same train, 60 and
 * 30 minutes apart, and stay two trips.
 */
export function duplicatesIn<R extends Run>(trips: readonly R[], stops: DayStops): ReadonlyMap<R, readonly R[]> {
  const duplicates = new Map<R, R[]>()
  const add = (one: R, other: R): void => {
    const known = duplicates.get(one)
    if (known) known.push(other)
    else duplicates.set(one, [other])
  }
  for (const [number, numbered] of Map.groupBy(trips, ({ train_number }) => train_number)) {
    if (number === null || numbered.length < 2) continue
    for (const [at, one] of numbered.entries())
      for (const other of numbered.slice(at + 1)) {
        if (one.network === other.network || !areTogether(one, other, stops)) continue
        add(one, other)
        add(other, one)
      }
  }
  return duplicates
}

function areTogether(one: Run, other: Run, stops: DayStops): boolean {
  let together = 0
  for (let row = one.first; row < one.end && together < LEAST_STATIONS; row++)
    for (let at = other.first; at < other.end; at++) {
      if (stops.stopId(at) !== stops.stopId(row)) continue
      if (isNear(stops.arrivalAt(row), stops.arrivalAt(at), APART_MS) || isNear(stops.departureAt(row), stops.departureAt(at), APART_MS)) {
        together += 1
        break
      }
    }
  return together >= LEAST_STATIONS
}

function isNear(one: number | null, other: number | null, most: number): boolean {
  return one !== null && other !== null && Math.abs(one - other) <= most
}

/** The stop of a trip that equals its duplicate's at a station at an instant (ms); -1 if it does not stop there. */
export function sameCall(
  stops: DayStops,
  { first, end }: Run,
  call: { readonly stop_id: string; readonly at: number; readonly by: StopTime },
): number {
  let best = -1
  let least = SAME_CALL_MS
  for (let row = first; row < end; row++) {
    if (stops.stopId(row) !== call.stop_id) continue
    const away = Math.abs((stops.timeOf(row, call.by) ?? Number.POSITIVE_INFINITY) - call.at)
    if (away > least) continue
    best = row
    least = away
  }
  return best
}

/**
 * True if a trip, not the other, is the one to show at a shared stop: the one that continues longer or, on an arrival board, has
 * run longer; then the one with more stops; then the commuter trip, whose id is stable overnight.
 */
export function isShown(
  stops: DayStops,
  side: 'DEPARTURES' | 'ARRIVALS',
  [one, other]: readonly [{ readonly trip: Run; readonly row: number }, { readonly trip: Run; readonly row: number }],
): boolean {
  const [own, its] = [farEnd(stops, side, one.trip), farEnd(stops, side, other.trip)]
  if (own !== its) return own > its
  const [reach, itsReach] = [reachOf(one, side), reachOf(other, side)]
  return reach === itsReach ? one.trip.network !== LONG_DISTANCE : reach > itsReach
}

/** Distance in time of the end of a trip: larger means a later end or, for arrivals, an earlier begin; ms. */
function farEnd(stops: DayStops, side: 'DEPARTURES' | 'ARRIVALS', { first, end }: Run): number {
  if (side === 'DEPARTURES') return stops.arrivalAt(end - 1) ?? stops.departureAt(end - 1) ?? 0
  return -(stops.departureAt(first) ?? stops.arrivalAt(first) ?? 0)
}

/** Number of stops of a train after a stop, or before it. */
function reachOf({ trip, row }: { readonly trip: Run; readonly row: number }, side: 'DEPARTURES' | 'ARRIVALS'): number {
  return side === 'DEPARTURES' ? trip.end - row : row - trip.first
}
