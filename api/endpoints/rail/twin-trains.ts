import { LONG_DISTANCE } from '../../../lake/datasets/rail/codes.ts'
import { renfe } from '../../../lake/datasets/rail/sources.ts'
import type { Train, TripUpdateRow } from './train.ts'
import { trainIdOf } from './train-id.ts'
import type { Match } from './train-match.ts'

/** A train and what it was made of. */
export interface RunningTrain {
  readonly train: Train
  readonly match: Match | null
  /** What is said of its trip, and by another network's feed of the same train, the former first. */
  readonly said: readonly TripUpdateRow[]
}

/** Of two positions of a train the newer is shown where it is newer by more than this, ms: three publications. */
const NEWER_MS = 60_000
const SOURCES: readonly (string | null)[] = ['GPS', 'STATION', null]

/**
 * Trains by their ids, each once: of those that two networks have, which the timetables know to be one, that which is published rather than
 * kept, that of open data rather than the map's, that with a satellite fix, else that whose position is newer by more than a minute, else
 * that of commuter rail, which tells its stop and platform. It is found under the ids of the others, too, and so is one that only one feed
 * has.
 */
export function withoutTwins(trains: ReadonlyMap<string, RunningTrain>): {
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
    // Two commuter trips may be parts of one train of long distance.
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

/** What is published goes before what is kept although it is missing, and open data before the map's. */
function isShown(one: Train, other: Train): boolean {
  if (one.is_stale !== other.is_stale) return !one.is_stale
  if (one.source !== other.source) return one.source === renfe.id
  const [own, its] = [SOURCES.indexOf(one.position_source), SOURCES.indexOf(other.position_source)]
  if (own !== its) return own < its
  const newer_ms = one.observed_at - other.observed_at
  return Math.abs(newer_ms) > NEWER_MS ? newer_ms > 0 : one.network !== LONG_DISTANCE
}

/** A train with what the map says of it under the id of another network. */
function withMap(one: RunningTrain, { train: other }: RunningTrain): RunningTrain {
  const { train } = one
  if (train.map !== null || other.map === null) return one
  const late = train.delay_s === null ? other : train
  const { delay_s, delay_quality, delay_source } = late
  return { ...one, train: { ...train, map: other.map, delay_s, delay_quality, delay_source } }
}
