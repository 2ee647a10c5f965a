import { pino } from 'pino'
import { type DayTrip, type TimetableDay, timetableDay } from '../../api/endpoints/rail/timetable-day.ts'
import { openKeptLake } from '../../api/http/kept-lake.ts'
import { startApi } from '../../api/server.ts'
import { renfeGtfsAvldmd } from '../../jobs/feeds/rail/renfe-gtfs-avldmd.ts'
import { renfeGtfsCercanias } from '../../jobs/feeds/rail/renfe-gtfs-cercanias.ts'
import { railTripUpdates } from '../../lake/datasets/rail/trip-updates.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { openLive } from '../../lake/live/read.ts'
import type { LiveRow } from '../../lake/live/types.ts'
import { publishLive } from '../../lake/live/write.ts'
import type { Lake } from '../../lake/open.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import { madridDate } from '../../lake/schema/time.ts'
import { claimLake, writeFeedListings } from '../../lake/system.ts'
import { startRedis } from '../redis.ts'
import { benchLake } from './madrid-day.ts'
import { generatedDocument } from './parsing.ts'
import { landTimetable } from './rail-lake.ts'

/** When the bench is: a Saturday morning, after the publication of the timetables that it lands. */
export const RAIL_BENCH_AT = Date.parse('2026-11-21T08:31:00Z')

/** An API over the whole generated timetable with its trains under way. */
export interface RailService {
  /** Departures of the station where most trains stop. */
  readonly url: string
  close(): Promise<void>
}

/** Lands the timetables of both networks in the lake of a folder. */
export async function landTimetables(home: string): Promise<void> {
  const lake = await benchLake(home)
  await claimLake(lake.store, 'simulated', Date.now())
  const feeds = [renfeGtfsCercanias, renfeGtfsAvldmd]
  for (const feed of feeds) await landTimetable(lake, feed, { bytes: generatedDocument(feed, 'timetable'), at: RAIL_BENCH_AT })
  const listings = feeds.map(({ id, domain, source, into, every_s }) => {
    const datasets = into.map((dataset) => dataset.id)
    return { id, domain, source: source.id, datasets, every_s, urls: [], enabled: true }
  })
  await writeFeedListings(lake.store, listings)
  await lake.close()
}

/** Starts the API over the lake of a folder, with its own Redis, in which every train that the timetable has under way is said to be so. */
export async function startRailService(home: string): Promise<RailService> {
  const server = await startRedis({ folder: `${home}/redis`, appendOnly: false })
  const lake = await benchLake(home, { standBack: true })
  const day = await dayOf(lake)
  const redis = openRedis(server.url)
  const feed = 'renfe_trip_updates'
  const times = { data_time: RAIL_BENCH_AT, fetched_at: RAIL_BENCH_AT }
  await publishLive(redis, {
    dataset: railTripUpdates.id,
    feed,
    seq: 1,
    fetch_id: `${feed}.1`,
    ...times,
    rows: updatesOf(day),
    changes: [],
  })
  redis.disconnect()
  const live = openLive({ redisUrl: server.url })
  await live.ready
  const clock = (): number => RAIL_BENCH_AT
  const api = await startApi({ store: lake.store, lake, live, log: pino({ level: 'warn' }), host: '127.0.0.1', port: 0, clock })
  return {
    url: `${api.url}/api/trenes/estaciones/${busiestOf(day)}/salidas`,
    close: async () => {
      await api.close()
      await live.close()
      await lake.close()
      await server.stop()
    },
  }
}

async function dayOf(lake: Lake): Promise<TimetableDay> {
  const errors: Error[] = []
  const kept = openKeptLake({ lake, poll_ms: 60_000, onError: (error) => errors.push(error) })
  try {
    return await kept.get(timetableDay, madridDate(RAIL_BENCH_AT))
  } finally {
    kept.close()
  }
}

function busiestOf({ stops }: TimetableDay): string {
  const calls = new Map<string, number>()
  for (let row = 0; row < stops.length; row++) calls.set(stops.stopId(row), (calls.get(stops.stopId(row)) ?? 0) + 1)
  const [busiest] = [...calls].sort(([, one], [, other]) => other - one)
  return busiest?.[0] as string
}

/** Every commuter train that is under way or stands ready, each some minutes late. */
function updatesOf(day: TimetableDay): Map<string, LiveRow> {
  const under = day.trips.filter((trip) => trip.network === 'CERCANIAS' && trip.end > trip.first && isUnderWay(day, trip))
  return new Map(
    under.map((trip, at) => {
      const row = {
        source: 'renfe',
        network: trip.network,
        trip_id: trip.trip_id,
        observed_at: RAIL_BENCH_AT,
        train_number: trip.train_number,
        line: trip.route.short_name,
        nucleo_code: trip.route.nucleo_code,
        service_date: day.date,
        schedule_relationship: at % 50 === 0 ? 'CANCELED' : 'SCHEDULED',
        delay_s: 60 * (at % 12),
        delay_quality: 'OK',
        next_stop_id: day.stops.stopId(trip.end - 1),
        expected_arrival_at: null,
        skipped_stop_ids: [],
        wheelchair_access: null,
        status: 'ACTIVE',
        updated_at: RAIL_BENCH_AT,
        is_stale: false,
      } as const
      return [entityKey(railTripUpdates, row), row as unknown as LiveRow]
    }),
  )
}

function isUnderWay({ stops }: TimetableDay, { first, end }: DayTrip): boolean {
  return (stops.departureAt(first) ?? 0) <= RAIL_BENCH_AT + 300_000 && (stops.arrivalAt(end - 1) ?? 0) >= RAIL_BENCH_AT - 300_000
}
