import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { renfe } from '../../../lake/datasets/rail/sources.ts'
import type { Train, TripUpdateRow } from './train.ts'
import { trainIdOf } from './train-id.ts'
import type { Match } from './train-match.ts'

/** A train and its inputs. */
export interface RunningTrain {
  readonly train: Train
  readonly match: Match | null
  /** Trip updates of its own trip, then those of its duplicate in another network. */
  readonly said: readonly TripUpdateRow[]
  /** Stops ahead by the publisher of the position, without times; null if it states none. */
  readonly ahead: readonly StatedStop[] | null
}

/** A stop that a publisher names. */
export interface StatedStop {
  readonly stop_id: string
  /** By the timetable of the day. */
  readonly name: string | null
}

/** The newer of two positions is shown if the difference exceeds this, ms: three publications. */
const NEWER_MS = 60_000
const SOURCES: readonly (string | null)[] = ['GPS', 'STATION', null]

/**
 * Removes the duplicates of trains that the timetables of two networks contain. `isShown` decides which record remains.
 * `byId` finds a train by each of its ids; `all` has each train once.
 */
export function withoutDuplicates(trains: ReadonlyMap<string, RunningTrain>): {
  readonly byId: ReadonlyMap<string, RunningTrain>
  readonly all: readonly Train[]
} {
  const byTrip = new Map(
    [...trains.values()].flatMap((one) => (one.match ? [[keyOf(one.match, one.train.network, one.match.trip_id), one] as const] : [])),
  )
  const byId = new Map<string, RunningTrain>()
  const all: Train[] = []
  const others: (readonly [id: string, train: RunningTrain])[] = []
  const twinsOf = ({ match }: RunningTrain): RunningTrain[] =>
    match === null ? [] : match.twins.flatMap(({ network, trip_id }) => byTrip.get(keyOf(match, network, trip_id)) ?? [])
  const placed = new Set<RunningTrain>()
  for (const one of trains.values()) {
    if (placed.has(one)) continue
    // Two commuter trips may be parts of one long-distance train.
    const same = new Set([one])
    for (const each of same) for (const other of twinsOf(each)) same.add(other)
    for (const each of same) placed.add(each)
    const best = [...same].reduce((most, each) => (isShown(each.train, most.train) ? each : most))
    const shown = [...same].filter((each) => each !== best).reduce(withMap, best)
    byId.set(best.train.id, shown)
    all.push(shown.train)
    for (const each of same)
      for (const id of [each.train.id, ...(each.match?.twins ?? []).flatMap((trip) => trainIdOf(trip) ?? [])]) others.push([id, shown])
  }
  for (const [id, train] of others) if (!byId.has(id)) byId.set(id, train)
  return { byId, all }
}

function keyOf({ service_date }: Match, network: string, trip_id: string): string {
  return `${service_date} ${network} ${trip_id}`
}

/**
 * True if the first record is preferred: in the newest publication, then open data, then a satellite fix, then a position newer
 * by over a minute, then commuter rail, which states stop and platform.
 */
function isShown(one: Train, other: Train): boolean {
  if (one.is_stale !== other.is_stale) return !one.is_stale
  if (one.source !== other.source) return one.source === renfe.id
  const [own, its] = [SOURCES.indexOf(one.position_source), SOURCES.indexOf(other.position_source)]
  if (own !== its) return own < its
  const newer_ms = one.observed_at - other.observed_at
  return Math.abs(newer_ms) > NEWER_MS ? newer_ms > 0 : one.network !== LONG_DISTANCE
}

/** Adds the map data that the duplicate of a train has. */
function withMap(one: RunningTrain, { train: other }: RunningTrain): RunningTrain {
  const { train } = one
  if (train.map !== null || other.map === null) return one
  const late = train.delay_s === null ? other : train
  const { delay_s, delay_quality, delay_source } = late
  return { ...one, train: { ...train, map: other.map, delay_s, delay_quality, delay_source } }
}
