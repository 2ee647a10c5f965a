import { chance } from '../random.ts'
import type { Gazetteer } from './municipalities.ts'
import type { RailPlan } from './rail-plan.ts'
import { REAL_CODES, type RealStation } from './rail-stations.ts'

/** A station or stop. */
export interface RailStation {
  /** Five digits. */
  readonly code: string
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly hasAccess: boolean
}

/** A route; most commuter routes have no trips. */
export interface RailRoute {
  readonly id: string
  /** Line of commuter rail, product of other trains. */
  readonly name: string
  readonly isBus: boolean
  readonly color: string
  readonly origin: RailStation
  readonly destination: RailStation
}

/** The stop times of a route's trips: seconds since the start at each stop. */
export interface RailPattern {
  readonly route: RailRoute
  readonly stops: readonly { readonly station: RailStation; readonly arrival: number; readonly departure: number }[]
  /** `stop_sequence` of the first stop: short runs begin in the middle of their line. */
  readonly firstSequence: number
  readonly shapeId: string | null
}

/** A line of a commuter network: its two directions, each as complete and as short trips. */
export interface CommuterLine {
  /** Code of its network. */
  readonly nucleo: string
  readonly name: string
  /** Its routes, those without trips included. */
  readonly routeIds: readonly string[]
  readonly stations: readonly RailStation[]
  readonly patterns: readonly RailPattern[]
  readonly shapeId: string | null
  /** Stations along its shape; trains run beyond the last one. */
  readonly shaped: readonly RailStation[]
  /** Trips on a workday, both directions together. */
  readonly trips: number
  /** Its index among the lines of its network. */
  readonly index: number
  /** Number of its first train of a day; the others follow, and no other line uses them. */
  readonly firstNumber: number
  /** True if works delay its trains, which run all night. */
  readonly isOnWorks: boolean
  /** True for metre gauge, whose platforms have separate numbers. */
  readonly isMetreGauge: boolean
}

/** A commuter network. */
export interface Nucleo {
  readonly code: string
  readonly lines: readonly CommuterLine[]
}

/** A long-distance train with its own number. */
export interface LongDistanceTrain {
  /** Five digits. */
  readonly number: string
  readonly pattern: RailPattern
  /** Departure time in seconds of the day. */
  readonly startsAt: number
  /** Weekdays, 0 for Sunday, on which it does not run. */
  readonly restDays: readonly number[]
  readonly isAccessible: boolean
  /** True for trains of the works line, which run all night and are late. */
  readonly isOnWorks: boolean
  /** True for a train that is also in the commuter timetable, for all or a part of its route. */
  readonly isRegional: boolean
}

/** The input of lines. */
export interface Builder {
  readonly gazetteer: Gazetteer
  readonly seed: number
  readonly plan: RailPlan
  /** By a key of their position. */
  readonly stations: Map<string, RailStation>
}

/** Kilometres of a degree of latitude. */
export const KM_A_DEGREE = 111.2

/** A real station. */
export function realStation(builder: Builder, station: RealStation): RailStation {
  return stationAt(builder, { key: realKey(station), ...station })
}

/** The key of a real station. */
export function realKey({ code }: RealStation): string {
  return `real/${code}`
}

/** A code that no real station has; codes start at 04040, so that some begin with a zero. */
function freeCode(nth: number): string {
  for (let number = 4040 + 41 * nth; ; number++) {
    const code = String(number).padStart(5, '0')
    if (!REAL_CODES.has(code)) return code
  }
}

/** The station of a key; a new one gets its given code or a free one. */
export function stationAt(
  { stations, seed }: Builder,
  place: { readonly key: string; readonly code?: string; readonly name: string; readonly lat: number; readonly lon: number },
): RailStation {
  const known = stations.get(place.key)
  if (known) return known
  const { code = freeCode(stations.size) } = place
  const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7
  const station = { code, name: place.name, lat: round(place.lat), lon: round(place.lon), hasAccess: chance(seed, 'access', code) < 0.1 }
  stations.set(place.key, station)
  return station
}

/** Stop times by distance in a straight line, in whole minutes. */
export function timed(
  run: readonly RailStation[],
  how: { readonly speed_kmh: number; readonly stand: number; readonly round: number },
): RailPattern['stops'] {
  let clock = 0
  return run.map((station, at) => {
    const before = run[at - 1]
    if (before) clock += Math.max(how.round, Math.round((metres(before, station) * 3.6) / how.speed_kmh / how.round) * how.round)
    const arrival = clock
    // Trains stop for a minute at every sixth stop.
    if (at > 0 && at < run.length - 1 && at % 6 === 3) clock += how.stand < 60 ? 60 : how.stand
    return { station, arrival, departure: clock }
  })
}

function metres(one: RailStation, other: RailStation): number {
  return kmBetween(one, other) * 1000
}

/** Straight-line distance between two places, km. */
export function kmBetween(one: Place, other: Place): number {
  const dy = (one.lat - other.lat) * KM_A_DEGREE
  const dx = (one.lon - other.lon) * KM_A_DEGREE * Math.cos((one.lat * Math.PI) / 180)
  return Math.hypot(dx, dy)
}

interface Place {
  readonly lat: number
  readonly lon: number
}
