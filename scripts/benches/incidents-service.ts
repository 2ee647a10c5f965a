import { incidents } from '../../lake/datasets/road/incidents.ts'
import { claimLake } from '../../lake/system.ts'
import { type BenchApi, startLiveApi } from './bench-api.ts'
import { type LiveFeed, publishLiveRows, writeLiveRows } from './live-rows.ts'
import { benchLake } from './madrid-day.ts'
import { DOCUMENTS_AT } from './parsing.ts'

const LIVE: readonly LiveFeed[] = [['dgt_incidents', 'national', incidents]]

/** Writes the incidents of a generated publication. */
export function writePublication(folder: string): Promise<void> {
  return writeLiveRows(folder, LIVE)
}

/** Starts the API with its own Redis, as the service does, with what `writePublication` left in the folder; works in `home`. */
export async function startIncidentsService(folder: string, home: string): Promise<BenchApi> {
  const lake = await benchLake(home, { standBack: true })
  await claimLake(lake.store, 'simulated', DOCUMENTS_AT)
  return await startLiveApi({ lake, home, publish: (redis) => publishLiveRows(redis, folder, LIVE), path: '/api/incidents' })
}
