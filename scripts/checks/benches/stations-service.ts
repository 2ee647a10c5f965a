import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../../lake/datasets/fuel/stations.ts'
import { claimLake } from '../../../lake/system.ts'
import { type BenchApi, startLiveApi } from './bench-api.ts'
import { type LiveFeed, publishLiveRows, writeLiveRows } from './live-rows.ts'
import { benchLake } from './madrid-day.ts'
import { DOCUMENTS_AT } from './parsing.ts'

const LIVE: readonly LiveFeed[] = [
  ['fuel_stations', 'national', fuelStations],
  ['fuel_stations', 'national', fuelPrices],
]

/** Writes the stations and prices of a generated national publication. */
export function writeStations(folder: string): Promise<void> {
  return writeLiveRows(folder, LIVE)
}

/**
 * Starts the API with its own Redis, as the service does, with the rows that `writeStations` left in the folder; works in `home`.
 */
export async function startStationsService(folder: string, home: string): Promise<BenchApi> {
  const lake = await benchLake(home, { standBack: true })
  await claimLake(lake.store, 'simulated', DOCUMENTS_AT)
  return await startLiveApi({ lake, home, publish: (redis) => publishLiveRows(redis, folder, LIVE), path: '/api/gas-stations?limit=20000' })
}
