import { type TimetableDay, timetableDay } from '../../../api/endpoints/rail/timetable-day.ts'
import { openCachedViews } from '../../../api/engine/state/cached-views.ts'
import { renfeGtfsAvldmd } from '../../../jobs/feeds/rail/renfe-gtfs-avldmd.ts'
import { renfeGtfsCercanias } from '../../../jobs/feeds/rail/renfe-gtfs-cercanias.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { openLive } from '../../../lake/live/read.ts'
import type { Lake } from '../../../lake/open.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { claimLake, writeFeedListings } from '../../../lake/system.ts'
import { startRedis } from '../../redis.ts'
import { type BenchApi, startBenchApi } from './bench-api.ts'
import { benchLake } from './madrid-day.ts'
import { generatedDocument } from './parsing.ts'
import { landTimetable } from './rail-lake.ts'
import { startPublishing } from './rail-live.ts'

/** Start of the bench: a Saturday morning, after the publication of the timetables that it lands. */
const BENCH_AT = Date.parse('2026-11-21T08:31:00Z')

/** Live trains over a landed timetable: a Redis, and feeds that publish at their interval until it is closed. */
export interface RailWorld {
  /** Arguments of a service over it, besides the folder: its Redis, and when the bench's clock started (ms since the epoch). */
  readonly service: readonly [redisUrl: string, began: string]
  /** The station of each stop of the day's trains; those of the station with the most stops first. */
  readonly calls: readonly string[]
  close(): Promise<void>
}

/** The current time of a bench that started at an instant (ms since the epoch). */
export function benchTime(began: string): number {
  return BENCH_AT + Date.now() - Number(began)
}

/** Lands the timetables of both networks in the lake of a folder. */
export async function landTimetables(home: string): Promise<void> {
  const lake = await benchLake(home)
  await claimLake(lake.store, 'simulated', Date.now())
  const feeds = [renfeGtfsCercanias, renfeGtfsAvldmd]
  for (const feed of feeds) await landTimetable(lake, feed, { bytes: generatedDocument(feed, 'timetable'), at: BENCH_AT })
  const listings = feeds.map(({ id, domain, source, into, every_s }) => {
    const datasets = into.map((dataset) => dataset.id)
    return { id, domain, source: source.id, datasets, every_s, urls: [], enabled: true }
  })
  await writeFeedListings(lake.store, listings)
  await lake.close()
}

/** Starts publishing the running trains of the timetable in the lake of a folder. */
export async function openRailWorld(home: string): Promise<RailWorld> {
  const lake = await benchLake(home)
  const day = await dayOf(lake)
  await lake.close()
  const server = await startRedis({ folder: `${home}/redis`, appendOnly: false })
  const redis = openRedis(server.url)
  const began = String(Date.now())
  const publishing = await startPublishing(redis, day, () => benchTime(began))
  return {
    service: [server.url, began],
    calls: callsOf(day),
    close: async () => {
      await publishing.close()
      redis.disconnect()
      await server.stop()
    },
  }
}

/** Starts the API over the lake of a folder and the live trains of a world. */
export async function startRailService(home: string, redisUrl: string, began: string): Promise<BenchApi> {
  const lake = await benchLake(home, { standBack: true })
  const live = openLive({ redisUrl })
  await live.ready
  const clock = (): number => benchTime(began)
  const api = await startBenchApi({ lake, live, redisUrl, home, clock })
  return {
    url: api.url,
    key: api.key,
    close: async () => {
      await api.close()
      await live.close()
      await lake.close()
    },
  }
}

async function dayOf(lake: Lake): Promise<TimetableDay> {
  const errors: Error[] = []
  const kept = openCachedViews({ lake, poll_ms: 60_000, clock: () => BENCH_AT, onError: (error) => errors.push(error) })
  try {
    return await kept.get(timetableDay, madridDate(BENCH_AT))
  } finally {
    kept.close()
  }
}

function callsOf({ stops }: TimetableDay): string[] {
  const ids = Array.from({ length: stops.length }, (_, row) => stops.stopId(row))
  const byStation = [...Map.groupBy(ids, (id) => id).values()]
  return byStation.sort((one, other) => other.length - one.length).flat()
}
