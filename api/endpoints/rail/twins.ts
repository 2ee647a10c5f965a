import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import type { DayStops, StopTime } from '../transit/day-stops.ts'

/** A trip of a day that may be in another network's timetable too; its stops are those of the day from `first` up to `end`, not included. */
interface Run {
  readonly network: string
  readonly train_number: string | null
  readonly first: number
  readonly end: number
}

/** Two timetables have the same stop of a train at most so far apart, ms: one counts a stand that the other does not. */
const APART_MS = 5 * 60_000
/** Stations at which they have to have it. */
const LEAST_STATIONS = 2
/** So far apart may one of the others be, ms, as the stand at an end; a train that comes again comes later. */
const SAME_CALL_MS = 30 * 60_000

/**
 * Trips that another network's timetable has too: the same number, and two or more stations within five minutes. Renfe publishes many
 * regional trains in both timetables, whole or in parts: 167 of 186 pairs with one number on Saturday 22 August 2026, 204 of 219 on Tuesday
 * 25. Other pairs are different trains, but for two (15039, 17050) that are 60 and 30 minutes apart: they stay two.
 */
export function twinsIn<R extends Run>(trips: readonly R[], stops: DayStops): ReadonlyMap<R, readonly R[]> {
  const twins = new Map<R, R[]>()
  const add = (one: R, other: R): void => {
    const known = twins.get(one)
    if (known) known.push(other)
    else twins.set(one, [other])
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
  return twins
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

/** The stop of a trip that is the same as one that its twin makes at a station at an instant (ms); -1 where it does not stop there. */
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
 * True where a trip, and not its twin, is the one to show at a stop that both make: that which goes on for longer, or on an arrival board has
 * come for longer; of equal ones that with more stops, else the commuter trip, whose id stays the same overnight.
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

/** How far away in time the end of a trip is, the later or for arrivals the earlier the more, ms. */
function farEnd(stops: DayStops, side: 'DEPARTURES' | 'ARRIVALS', { first, end }: Run): number {
  if (side === 'DEPARTURES') return stops.arrivalAt(end - 1) ?? stops.departureAt(end - 1) ?? 0
  return -(stops.departureAt(first) ?? stops.arrivalAt(first) ?? 0)
}

/** How many stops a train has from one on, or before it. */
export function reachOf(
  { trip, row }: { readonly trip: Pick<Run, 'first' | 'end'>; readonly row: number },
  side: 'DEPARTURES' | 'ARRIVALS',
): number {
  return side === 'DEPARTURES' ? trip.end - row : row - trip.first
}
