import type { Redis } from 'ioredis'
import type { DayTrip, TimetableDay } from '../../../api/endpoints/rail/timetable-day.ts'
import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import type { LiveRow } from '../../../lake/live/types.ts'
import { publishLive } from '../../../lake/live/write.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { entityKey } from '../../../lake/schema/rows.ts'

/** A feed of trains: its datasets, its network, its interval, and its rows for a train at an instant (ms). */
interface LiveFeed {
  readonly id: string
  readonly dataset: Dataset
  readonly network: string
  readonly every_s: number
  readonly rowOf: (train: Train, at: number) => AnyRow
}

/** A running train. */
interface Train {
  readonly day: TimetableDay
  readonly trip: DayTrip
  readonly delay_s: number
  readonly next_stop_id: string
}

const FEEDS: readonly LiveFeed[] = [
  { id: 'renfe_trip_updates', dataset: railTripUpdates, network: 'CERCANIAS', every_s: 20, rowOf: updateOf },
  { id: 'renfe_trip_updates_ld', dataset: railTripUpdates, network: 'AVLDMD', every_s: 30, rowOf: updateOf },
  { id: 'renfe_positions', dataset: railPositions, network: 'CERCANIAS', every_s: 20, rowOf: positionOf },
]
/** A train is published for this long before its start and after its end, ms. */
const READY_MS = 300_000

/** Publishes the running trains of a day at the intervals of their feeds, each time with other delays. */
export async function startPublishing(redis: Redis, day: TimetableDay, clock: () => number): Promise<{ close(): Promise<void> }> {
  const running = new Set<Promise<void>>()
  let count = 0
  const publish = async ({ id, dataset, network, rowOf }: LiveFeed): Promise<void> => {
    const at = clock()
    const seq = ++count
    const rows = trainsAt(day, { network, at, seq }).map((train) => rowOf(train, at))
    const times = { data_time: at, fetched_at: at }
    const byKey = new Map(rows.map((row) => [entityKey(dataset, row), row as LiveRow]))
    await publishLive(redis, { dataset: dataset.id, feed: id, seq, fetch_id: `${id}.${seq}`, ...times, rows: byKey, changes: [] })
  }
  for (const feed of FEEDS) await publish(feed)
  const timers = FEEDS.map((feed) =>
    setInterval(() => {
      const published = publish(feed).finally(() => running.delete(published))
      running.add(published)
    }, 1000 * feed.every_s),
  )
  return {
    async close() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
    },
  }
}

function trainsAt(day: TimetableDay, asked: { readonly network: string; readonly at: number; readonly seq: number }): Train[] {
  const { network, at, seq } = asked
  const { stops } = day
  const trains: Train[] = []
  for (const [place, trip] of day.trips.entries()) {
    const { first, end } = trip
    if (trip.network !== network || end === first) continue
    if ((stops.departureAt(first) ?? 0) > at + READY_MS || (stops.arrivalAt(end - 1) ?? 0) < at - READY_MS) continue
    const delay_s = 60 * ((place + seq) % 12)
    let next = first
    while (next < end - 1 && (stops.departureAt(next) ?? 0) + 1000 * delay_s < at) next++
    trains.push({ day, trip, delay_s, next_stop_id: stops.stopId(next) })
  }
  return trains
}

function updateOf({ day, trip, delay_s, next_stop_id }: Train, at: number): AnyRow {
  return {
    source: 'renfe',
    network: trip.network,
    trip_id: trip.trip_id,
    observed_at: at,
    train_number: trip.train_number,
    line: trip.route.short_name,
    nucleo_code: trip.route.nucleo_code,
    service_date: day.date,
    schedule_relationship: trip.first % 50 === 0 ? 'CANCELED' : 'SCHEDULED',
    delay_s,
    delay_quality: 'OK',
    next_stop_id: trip.route.nucleo_code === null ? null : next_stop_id,
    expected_arrival_at: null,
    skipped_stop_ids: [],
    wheelchair_access: null,
    status: 'ACTIVE',
    updated_at: at,
    is_stale: false,
  }
}

function positionOf({ trip, next_stop_id }: Train, at: number): AnyRow {
  return {
    source: 'renfe',
    network: trip.network,
    source_id: `VP_${trip.trip_id}`,
    observed_at: at,
    vehicle_id: trip.train_number,
    trip_id: trip.trip_id,
    train_number: trip.train_number,
    line: trip.route.short_name,
    nucleo_code: trip.route.nucleo_code,
    position: null,
    position_source: null,
    vehicle_status: 'INCOMING_AT',
    stop_id: next_stop_id,
    platform: '1',
    label: null,
    status: 'ACTIVE',
    updated_at: at,
    is_stale: false,
  }
}
