import { isCancelled, LONG_DISTANCE, RENFE_NETWORKS } from '../../../lake/datasets/rail/codes.ts'
import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railFleet, railPositions } from '../../../lake/datasets/rail/trains.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import { joined, pick } from '../../kernel/fields.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { currentAt } from './live-trips.ts'
import { nextStopOf, type RunningTrain, type StatedStop, type Underway } from './next-stops.ts'
import type { DayTrip } from './timetable-day.ts'
import {
  type MapRow,
  mapFields,
  type PositionRow,
  type TRAIN_STATES,
  type Train,
  type TrainStates,
  type TripUpdateRow,
  trainId,
  trainIdOf,
} from './train.ts'
import { duplicatesOf, endsOf, type Match, type MatchDay, matchDaysAt, matchTrain } from './train-match.ts'

/**
 * The running trains. `byId` has both ids of a train that two networks publish; `left_out` counts trains that are no longer
 * shown.
 */
interface RunningTrains {
  readonly byId: ReadonlyMap<string, RunningTrain>
  readonly all: readonly Train[]
  readonly left_out: number
}

/** Inputs of the trains of an instant. */
interface Making {
  /** Newest publication of an operator's positions, open data or map, ms since the epoch. */
  readonly at: (network: string) => number
  readonly days: readonly MatchDay[]
  readonly updates: Updates
  readonly mapped: ReadonlyMap<string, MapRow>
}

/** Trip updates by trip and, for long distance, by train number. */
interface Updates {
  readonly byTrip: ReadonlyMap<string, TripUpdateRow>
  readonly byNumber: ReadonlyMap<string, TripUpdateRow>
}

/** A train missing from its publication is shown this long: three publications. */
const GONE_MS = 60_000
/** The feed of networks with one feed of positions; the others are Renfe's. */
const FEEDS: Readonly<Record<string, string>> = { FGC: 'fgc_trains' }
const OWN_FEEDS: readonly string[] = Object.values(FEEDS)
const NONE: RunningTrains = Object.freeze({ byId: new Map(), all: [], left_out: 0 })

/** The running trains of the newest publications, cached per state and timetable. */
export async function runningTrains({ states, cached }: MemoryAsk<typeof TRAIN_STATES>): Promise<RunningTrains> {
  const [positions, , fleet] = states
  const at = newestOf([...positions.parts, ...fleet.parts])
  if (at === 0) return NONE
  return trainsOf(states, at, await matchDaysAt(at, cached))
}

const trainsOf = memo(makeTrains, (states, _at, days) => [...states, ...days.flatMap(({ day, idle }) => [day, idle])])

type Parts = TrainStates[0]['parts']

/** The newest publication of some feeds, ms; 0 for none. */
function newestOf(parts: Parts): number {
  return Math.max(0, ...parts.map(({ data_time }) => data_time))
}

/** Returns the newest publication by network. Each operator has its own, because they publish at different times. */
function publishedBy(parts: Parts): Making['at'] {
  const renfe = newestOf(parts.filter(({ feed }) => !OWN_FEEDS.includes(feed)))
  const own = new Map(Object.entries(FEEDS).map(([network, feed]) => [network, newestOf(parts.filter((part) => part.feed === feed))]))
  return (network) => own.get(network) ?? renfe
}

function makeTrains([positions, updates, fleet]: TrainStates, now: number, days: readonly MatchDay[]): RunningTrains {
  const publishedAt = publishedBy([...positions.parts, ...fleet.parts])
  const at = publishedAt(LONG_DISTANCE) || now
  const current = fleet.rows.filter((row) => at - fixOf(row) <= railFleet.currentFor_ms)
  const mapped = new Map(current.map((row) => [mapKey(row), row]))
  const making: Making = { at: publishedAt, days, updates: updatesOf(updates.rows.filter(currentAt(updates, at))), mapped }
  const byId = new Map<string, RunningTrain>()
  const gone = new Set<string>()
  for (const row of positions.rows) {
    const id = trainId(row)
    const before = byId.get(id)
    if (!isShown(row, publishedAt(row.network) - row.observed_at)) gone.add(id)
    else if (!before || before.train.observed_at < row.observed_at) byId.set(id, ofPosition(row, id, making))
  }
  for (const row of fleet.rows) {
    const id = trainId(row)
    if (row.network !== LONG_DISTANCE || byId.has(id)) continue
    if (isShown(row, at - fixOf(row))) byId.set(id, ofMap(row, id, making))
    else gone.add(id)
  }
  const shown = withoutDuplicates(byId)
  let left_out = 0
  for (const id of gone) if (!shown.byId.has(id)) left_out++
  return { ...shown, left_out }
}

/**
 * True if a position of this age (ms) is still shown. A published one is shown until it is too old, as is one whose whole núcleo
 * the newest publication lacks. If the publication lacks only the train, its position is shown for another minute.
 */
function isShown({ is_stale, is_held }: PositionRow | MapRow, age_ms: number): boolean {
  return age_ms <= railPositions.currentFor_ms && (!is_stale || is_held === true || age_ms <= GONE_MS)
}

function updatesOf(rows: readonly TripUpdateRow[]): Updates {
  const byTrip = new Map(rows.map((row) => [`${row.network} ${row.trip_id}`, row]))
  const numbered = rows.filter((row) => row.network === LONG_DISTANCE && !isCancelled(row))
  return { byTrip, byNumber: new Map(numbered.map((row) => [row.train_number ?? '', row])) }
}

/**
 * Trip updates about a train, the best first; those of another network come last. Long-distance trains are also found by
 * number: feeds switch to the ids of a new day at different times, and the part that an id names may be cancelled.
 */
function saidOf(row: PositionRow | MapRow, match: Match | null, { byTrip, byNumber }: Updates): TripUpdateRow[] {
  const stated = [row.trip_id, match?.trip.trip_id ?? null].flatMap((id) => byTrip.get(`${row.network} ${id}`) ?? [])
  const running = stated.find((update) => !isCancelled(update))
  const numbered = row.network === LONG_DISTANCE && row.train_number !== null ? byNumber.get(row.train_number) : undefined
  const own = running ?? numbered ?? stated[0]
  const others = duplicatesOf(match).flatMap(
    ({ network, trip_id, train_number }) =>
      byTrip.get(`${network} ${trip_id}`) ?? (network === LONG_DISTANCE ? byNumber.get(train_number ?? '') : undefined) ?? [],
  )
  const all = own ? [own, ...others] : others
  const runs = all.filter((update) => !isCancelled(update))
  return runs.length > 0 ? runs : all
}

/** The first credible delay of a train (s); 0 without one. */
function believedDelay(...stated: readonly (TripUpdateRow | MapRow | null)[]): number {
  return stated.find((one) => one?.delay_quality === 'OK')?.delay_s ?? 0
}

/** The map identifies commuter trains by trip, others by number. */
function mapKey({ network, trip_id, train_number }: MapRow | PositionRow): string {
  return `${network} ${network === LONG_DISTANCE ? train_number : trip_id}`
}

/** When the map saw a train: the time of its satellite fix, unless that is later than the map itself. */
function fixOf({ fixed_at, observed_at }: MapRow): number {
  return Math.min(fixed_at ?? observed_at, observed_at)
}

function ofPosition(row: PositionRow, id: string, making: Making): RunningTrain {
  return made(row, making, {
    id,
    map: making.mapped.get(mapKey(row)) ?? null,
    ...pick(row, 'observed_at', 'stop_id', 'position_source', 'vehicle_status', 'platform'),
    ...statedBy(row),
    ahead: aheadOf(row, nameIn(making)),
  })
}

/** Properties that only FGC states; null for other trains. */
function statedBy(row: PositionRow): Stated {
  const { direction, is_on_time, unit_type, source_stop_id, occupied_coaches, occupancies_pct, origin_stop_id, destination_stop_id } = row
  return {
    ...{ direction, is_on_time, unit_type, source_stop_id, origin_stop_id, destination_stop_id },
    unit_id: RENFE_NETWORKS.includes(row.network) ? null : row.vehicle_id,
    occupancy: (occupied_coaches ?? []).map((coach, at) => ({ coach, occupancy_pct: occupancies_pct?.[at] as number })),
  }
}

/** The stops ahead that a publisher states, beginning with the one where the train stands. */
function aheadOf({ stop_id, next_stop_ids }: PositionRow, nameOf: (stop_id: string) => string | null): StatedStop[] | null {
  if (next_stop_ids === null) return null
  const ids = stop_id === null || next_stop_ids[0] === stop_id ? next_stop_ids : [stop_id, ...next_stop_ids]
  return ids.map((id) => ({ stop_id: id, name: nameOf(id) }))
}

function nameIn({ days }: Making): (stop_id: string) => string | null {
  return (stop_id) => days[0]?.day.stops.nameOf(stop_id) ?? null
}

/** A train that only the map has: its satellite position, without the data of open feeds. */
function ofMap(row: MapRow, id: string, making: Making): RunningTrain {
  return made(row, making, {
    id,
    map: row,
    observed_at: fixOf(row),
    stop_id: null,
    position_source: row.position === null || row.fixed_at === null ? null : 'GPS',
    vehicle_status: null,
    platform: null,
    ...NOT_STATED,
  })
}

/** Map data of a train under its API names. */
const sayingOf: (row: MapRow) => NonNullable<Train['map']> = joined([railFleet], { name: 'map', fields: mapFields })

/** Properties of a train that only some publishers of positions state. */
type Stated = Pick<Train, 'direction' | 'is_on_time' | 'unit_id' | 'unit_type' | 'source_stop_id' | 'occupancy'> &
  Pick<PositionRow, 'origin_stop_id' | 'destination_stop_id'>

type Seen = Pick<Train, 'id' | 'observed_at' | 'stop_id' | 'position_source' | 'vehicle_status' | 'platform'> &
  Stated &
  Pick<RunningTrain, 'ahead'> & { readonly map: MapRow | null }

const NOT_STATED: Stated & Pick<RunningTrain, 'ahead'> = Object.freeze({
  ...{ direction: null, is_on_time: null, unit_id: null, unit_type: null, source_stop_id: null, occupancy: [] },
  ...{ origin_stop_id: null, destination_stop_id: null, ahead: null },
})

function made(row: PositionRow | MapRow, making: Making, seen: Seen): RunningTrain {
  const { days, updates } = making
  const nameOf = nameIn(making)
  const { network, trip_id, train_number } = row
  const { map, ahead, origin_stop_id, destination_stop_id, ...shown } = seen
  const { observed_at, stop_id } = shown
  const due_at = observed_at - 1000 * believedDelay(saidOf(row, null, updates)[0] ?? null, map)
  const match = matchTrain({ network, trip_id, train_number, stop_id: stop_id ?? map?.next_stop_id ?? null, due_at }, days)
  const ends = match && endsOf(match)
  const stated = (stop: string | null): StatedStop | null => (stop === null ? null : { stop_id: stop, name: nameOf(stop) })
  const origin = ends?.origin ?? stated(origin_stop_id)
  const destination = ends?.destination ?? stated(destination_stop_id)
  const said = saidOf(row, match, updates)
  const update = said[0] ?? null
  const late = said.find(({ delay_s }) => delay_s !== null)
  const delay = late ?? map
  const duplicate = match && nearestDuplicate(match, due_at)
  const otherProduct = duplicate && !isCommuter(duplicate) ? duplicate.route.short_name : null
  const train: Underway['train'] = {
    ...shown,
    ...pick(row, 'network', 'train_number', 'position', 'trip_id', 'source', 'source_id', 'updated_at', 'status', 'is_stale'),
    operator: RENFE_NETWORKS.includes(network) ? 'RENFE' : network,
    nucleo_code: row.nucleo_code ?? duplicate?.route.nucleo_code ?? null,
    line: row.line ?? (duplicate && isCommuter(duplicate) ? duplicate.route.short_name : null),
    product: network === LONG_DISTANCE ? (match?.trip.route.short_name ?? null) : otherProduct,
    stop_name: stop_id === null ? null : match ? match.day.stops.nameOf(stop_id) : nameOf(stop_id),
    delay_s: delay?.delay_s ?? null,
    delay_quality: delay?.delay_quality ?? null,
    delay_source: delay && delay.delay_s !== null ? (!late ? 'MAP' : late.is_stale ? 'LAST_KNOWN' : 'TRIP_UPDATE') : null,
    schedule_relationship: update?.schedule_relationship ?? null,
    matched_trip_id: match?.trip.trip_id ?? null,
    match: match?.by ?? 'UNMATCHED',
    other_train_id: duplicate && trainIdOf(duplicate),
    other_trip_id: duplicate && duplicate.trip_id,
    service_date: match?.day.date ?? update?.service_date ?? null,
    origin_id: origin?.stop_id ?? null,
    origin: origin?.name ?? null,
    destination_id: destination?.stop_id ?? null,
    destination: destination?.name ?? null,
    map: map && sayingOf(map),
    age_s: Math.max(0, Math.round((making.at(network) - observed_at) / 1000)),
  }
  const beside = { match, said, ahead }
  return { train: { ...train, next_stop: nextStopOf({ train, ...beside }, (match?.day ?? days[0]?.day)?.stops ?? null) }, ...beside }
}

function isCommuter({ route }: DayTrip): boolean {
  return route.nucleo_code !== null
}

/**
 * Of the same train's trips in other networks, possibly parts of it: the one under way at an instant (ms), or the nearest in
 * time.
 */
function nearestDuplicate(match: Match, at: number): DayTrip | null {
  const [first = null, ...others] = duplicatesOf(match)
  const away = (trip: DayTrip): number => match.day.awayFrom(trip, at)
  return others.reduce((best, trip) => (best && away(trip) >= away(best) ? best : trip), first)
}

/** The newer of two positions is shown if the difference exceeds this, ms: three publications. */
const NEWER_MS = 60_000
const SOURCES: readonly (string | null)[] = ['GPS', 'STATION', null]

/**
 * Removes the duplicates of trains that the timetables of two networks contain. `isPreferred` decides which record remains.
 * `byId` finds a train by each of its ids; `all` has each train once.
 */
function withoutDuplicates(trains: ReadonlyMap<string, RunningTrain>): {
  readonly byId: ReadonlyMap<string, RunningTrain>
  readonly all: readonly Train[]
} {
  const byTrip = new Map([...trains.values()].flatMap((one) => (one.match ? [[keyOf(one.match, one.match.trip), one] as const] : [])))
  const byId = new Map<string, RunningTrain>()
  const all: Train[] = []
  const others: (readonly [id: string, train: RunningTrain])[] = []
  const otherRecords = ({ match }: RunningTrain): RunningTrain[] =>
    match === null ? [] : duplicatesOf(match).flatMap((trip) => byTrip.get(keyOf(match, trip)) ?? [])
  const placed = new Set<RunningTrain>()
  for (const one of trains.values()) {
    if (placed.has(one)) continue
    // Two commuter trips may be parts of one long-distance train.
    const same = new Set([one])
    for (const each of same) for (const other of otherRecords(each)) same.add(other)
    for (const each of same) placed.add(each)
    const best = [...same].reduce((most, each) => (isPreferred(each.train, most.train) ? each : most))
    const shown = [...same].filter((each) => each !== best).reduce(withMap, best)
    byId.set(best.train.id, shown)
    all.push(shown.train)
    for (const each of same)
      for (const id of [each.train.id, ...duplicatesOf(each.match).flatMap((trip) => trainIdOf(trip) ?? [])]) others.push([id, shown])
  }
  for (const [id, train] of others) if (!byId.has(id)) byId.set(id, train)
  return { byId, all }
}

function keyOf({ day }: Match, { network, trip_id }: DayTrip): string {
  return `${day.date} ${network} ${trip_id}`
}

/**
 * True if the first record is preferred: in the newest publication, then open data, then a satellite fix, then a position newer
 * by over a minute, then commuter rail, which states stop and platform.
 */
function isPreferred(one: Train, other: Train): boolean {
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
