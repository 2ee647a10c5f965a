import { between, chance } from '../random.ts'
import { type RailNetworkName, type RailTrip, runningTrips, type TripStop } from './running-trips.ts'
import type { World } from './world.ts'

/** A trip that the live feeds contain at an instant. */
export interface Train {
  readonly trip: RailTrip
  readonly isCancelled: boolean
  /** Delay at the next stop, in whole minutes, s. */
  readonly delay_s: number
  /** The stop at which it is, or that it approaches; for a cancelled train its first. */
  readonly next: TripStop
  /** The stop that it left, or at which it is. */
  readonly previous: TripStop
  /** Time of arrival at the next stop, past or future, ms. */
  readonly arrivesAt: number
  readonly status: 'STOPPED_AT' | 'INCOMING_AT' | 'IN_TRANSIT_TO'
  readonly lat: number
  readonly lon: number
  /** Later stops that it will skip. */
  readonly skipped: readonly TripStop[]
}

/** A trip's disruption: from stop `at` on it is `late_ms` late; a stuck train loses that time while it stands there. */
interface Fate {
  readonly isCancelled: boolean
  readonly isStuck: boolean
  readonly at: number
  readonly late_ms: number
  readonly skipsEnd: boolean
}

const MINUTE = 60_000
/** A train stands at its first and last stop for this long before departure and after arrival. */
const STANDS = 3 * MINUTE
/** From this share of the distance on, its status is arriving. */
const ARRIVING = 0.75
/** The delay of trains on works: at every hour one train is more than five minutes late. */
const WORKS_DELAY = 8 * MINUTE
/** Share of cancelled trains among those in both timetables. */
const REGIONALS_CANCELLED = 0.1
/** Share of long-distance trips whose stated delay is nonsense. */
const NONSENSE = 0.004

/**
 * The trains of a network at an instant (ms): running ones, and cancelled ones from an hour before departure until the feed drops
 * them.
 */
export function trainsAt(world: World, network: RailNetworkName, instant: number): Train[] {
  return runningTrips(world, network, instant).flatMap((trip) => {
    const train = trainAt(world.seed, trip, instant)
    return train ? [train] : []
  })
}

function trainAt(seed: number, trip: RailTrip, instant: number): Train | null {
  const fate = fateOf(seed, trip)
  const { stops } = trip
  if (fate.isCancelled) {
    // For trains in both timetables, only the long-distance feed states a cancellation.
    if (instant > trip.cancelledUntil || (trip.isRegional && trip.network === 'CERCANIAS')) return null
    const [next] = stops
    return {
      trip,
      isCancelled: true,
      delay_s: 0,
      next,
      previous: next,
      arrivesAt: next.arrivesAt,
      status: 'STOPPED_AT',
      lat: next.lat,
      lon: next.lon,
      skipped: [],
    }
  }
  const arrival = (at: number): number =>
    (stops[at] as TripStop).arrivesAt + (at > fate.at || (at === fate.at && !fate.isStuck) ? fate.late_ms : 0)
  const departure = (at: number): number => (stops[at] as TripStop).leavesAt + (at >= fate.at ? fate.late_ms : 0)
  if (instant < departure(0) - STANDS || instant > arrival(stops.length - 1) + STANDS) return null
  let at = 0
  while (at + 1 < stops.length && arrival(at + 1) <= instant) at += 1
  const here = stops[at] as TripStop
  const ahead = stops[at + 1]
  const skipped = fate.skipsEnd ? stops.slice(Math.max(at + 1, stops.length - 3)) : []
  if (!ahead || instant < departure(at)) {
    // A stuck train's delay grows while it stands.
    const lost = at === fate.at && fate.isStuck ? Math.max(0, instant - here.leavesAt) : arrival(at) - here.arrivesAt
    return {
      trip,
      isCancelled: false,
      delay_s: stated(seed, trip, lost),
      next: here,
      previous: here,
      arrivesAt: arrival(at),
      status: 'STOPPED_AT',
      lat: here.lat,
      lon: here.lon,
      skipped,
    }
  }
  const share = (instant - departure(at)) / (arrival(at + 1) - departure(at))
  const isArriving = share >= ARRIVING
  return {
    trip,
    isCancelled: false,
    delay_s: stated(seed, trip, arrival(at + 1) - ahead.arrivesAt),
    next: ahead,
    previous: here,
    arrivesAt: arrival(at + 1),
    status: isArriving ? 'INCOMING_AT' : 'IN_TRANSIT_TO',
    lat: isArriving ? ahead.lat : here.lat + (ahead.lat - here.lat) * share,
    lon: isArriving ? ahead.lon : here.lon + (ahead.lon - here.lon) * share,
    skipped,
  }
}

function fateOf(seed: number, { key, isOnWorks, isRegional, stops }: RailTrip): Fate {
  const at = between(1, Math.max(1, stops.length - 2), chance(seed, 'where', key))
  const u = chance(seed, 'fate', key)
  const minutes = (lowest: number, highest: number): number => between(lowest, highest, chance(seed, 'minutes', key)) * MINUTE
  const plain: Fate = {
    isCancelled: !isOnWorks && u < (isRegional ? REGIONALS_CANCELLED : 0.012),
    isStuck: false,
    at: 0,
    late_ms: isOnWorks ? WORKS_DELAY : 0,
    skipsEnd: chance(seed, 'skips', key) < 0.02,
  }
  if (plain.isCancelled || isOnWorks) return plain
  if (u < 0.02) return { ...plain, isStuck: true, at, late_ms: minutes(20, 50) }
  if (u < 0.12) return { ...plain, at, late_ms: minutes(6, 25) }
  if (u < 0.45) return { ...plain, at, late_ms: minutes(1, 5) }
  return u < 0.48 ? { ...plain, at, late_ms: -MINUTE } : plain
}

/** A delay as the source states it, in whole minutes. */
function stated(seed: number, { key, nucleo, isOnWorks }: RailTrip, lost_ms: number): number {
  if (nucleo === null && !isOnWorks && chance(seed, 'nonsense', key) < NONSENSE) return key % 2 === 0 ? 39_060 : -36_300
  return Math.trunc(lost_ms / MINUTE) * 60
}
