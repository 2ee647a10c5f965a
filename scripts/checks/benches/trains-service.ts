import { feedById } from '../../../jobs/feeds/catalog.ts'
import { railFleet } from '../../../lake/datasets/rail/fleet.ts'
import { railPositions } from '../../../lake/datasets/rail/positions.ts'
import { railTripUpdates } from '../../../lake/datasets/rail/trip-updates.ts'
import { claimLake } from '../../../lake/system.ts'
import { type BenchApi, startLiveApi } from './bench-api.ts'
import { type LiveFeed, publishLiveRows, writeLiveRows } from './live-rows.ts'
import { benchLake } from './madrid-day.ts'
import { DOCUMENTS_AT, generatedDocument } from './parsing.ts'
import { landTimetable } from './rail-lake.ts'

const TIMETABLES = ['renfe_gtfs_cercanias', 'renfe_gtfs_avldmd'] as const
/** The live feeds of trains. */
const LIVE: readonly LiveFeed[] = [
  ['renfe_positions', 'json', railPositions],
  ['renfe_positions_ld', 'json', railPositions],
  ['renfe_trip_updates', 'json', railTripUpdates],
  ['renfe_trip_updates_ld', 'json', railTripUpdates],
  ['renfe_flota_ld', 'map', railFleet],
  ['renfe_flota', 'map', railFleet],
]

/** Lands the generated timetables, and writes the rows of every live feed of a morning, outside the measured process. */
export async function writeTrains(folder: string): Promise<void> {
  const lake = await benchLake(folder)
  await claimLake(lake.store, 'simulated', DOCUMENTS_AT)
  for (const id of TIMETABLES) {
    const feed = feedById(id)
    await landTimetable(lake, feed, { bytes: generatedDocument(feed, 'timetable'), at: DOCUMENTS_AT })
  }
  await lake.close()
  await writeLiveRows(folder, LIVE)
}

/**
 * Starts the API with its own Redis, as the service does, with the rows that `writeTrains` left in the folder; works in `home`.
 */
export async function startTrainsService(folder: string, home: string): Promise<BenchApi> {
  const lake = await benchLake(folder, { standBack: true })
  return await startLiveApi({ lake, home, publish: (redis) => publishLiveRows(redis, folder, LIVE), path: '/api/trenes/posiciones' })
}
