import { join } from 'node:path'
import { fuelPrices } from '../../lake/datasets/fuel/prices.ts'
import { fuelStations } from '../../lake/datasets/fuel/stations.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { openLive } from '../../lake/live/read.ts'
import { claimLake } from '../../lake/system.ts'
import { startRedis } from '../redis.ts'
import { type BenchApi, startBenchApi } from './bench-api.ts'
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

/** Starts the API with its own Redis, as the service does, with what `writeStations` left in the folder; works in `home`. */
export async function startStationsService(folder: string, home: string): Promise<BenchApi> {
  const server = await startRedis({ folder: join(home, 'redis'), appendOnly: false })
  const lake = await benchLake(home, { standBack: true })
  await claimLake(lake.store, 'simulated', DOCUMENTS_AT)
  const redis = openRedis(server.url)
  await publishLiveRows(redis, folder, LIVE)
  redis.disconnect()
  const live = openLive({ redisUrl: server.url })
  await live.ready
  const api = await startBenchApi({ lake, live, redisUrl: server.url, home })
  return {
    url: `${api.url}/api/gas-stations`,
    key: api.key,
    close: async () => {
      await api.close()
      await live.close()
      await lake.close()
      await server.stop()
    },
  }
}
