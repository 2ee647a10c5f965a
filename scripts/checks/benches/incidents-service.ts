import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { claimLake } from '../../../lake/system.ts'
import { type BenchApi, startLiveApi } from './bench-api.ts'
import { type LiveFeed, publishLiveRows, writeLiveRows } from './live-rows.ts'
import { benchLake } from './madrid-day.ts'

const LIVE: readonly LiveFeed[] = [['dgt_incidents', 'national', incidents]]

/** Writes the incidents of a generated publication. */
export function writePublication(folder: string): Promise<void> {
  return writeLiveRows(folder, LIVE)
}

/**
 * Starts the API with its own Redis, as the service does. It publishes the rows that `writePublication` left in the folder, and
 * works in `home`.
 */
export async function startIncidentsService(folder: string, home: string): Promise<BenchApi> {
  const lake = await benchLake(home, { standBack: true })
  const now = Date.now()
  await claimLake(lake.store, 'simulated', now)
  // Published with the current time: the API reads a late feed from Redis for each request.
  return await startLiveApi({ lake, home, publish: (redis) => publishLiveRows(redis, folder, LIVE, now), path: '/api/incidents' })
}
