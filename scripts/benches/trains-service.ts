import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { feedById } from '../../jobs/feeds/catalog.ts'
import type { Feed } from '../../jobs/feeds/define.ts'
import { railFleet } from '../../lake/datasets/rail/fleet.ts'
import { railPositions } from '../../lake/datasets/rail/positions.ts'
import { railTripUpdates } from '../../lake/datasets/rail/trip-updates.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { openLive } from '../../lake/live/read.ts'
import type { LiveRow } from '../../lake/live/types.ts'
import { publishLive } from '../../lake/live/write.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import { claimLake } from '../../lake/system.ts'
import { startRedis } from '../redis.ts'
import { type BenchApi, startBenchApi } from './bench-api.ts'
import { benchLake } from './madrid-day.ts'
import { checkedRows, DOCUMENTS_AT, generatedDocument } from './parsing.ts'
import { landTimetable } from './rail-lake.ts'

const TIMETABLES = ['renfe_gtfs_cercanias', 'renfe_gtfs_avldmd'] as const
/** The live feeds of trains, what the stand-in calls their document, and the dataset that counts. */
const LIVE = [
  ['renfe_positions', 'json', railPositions],
  ['renfe_positions_ld', 'json', railPositions],
  ['renfe_trip_updates', 'json', railTripUpdates],
  ['renfe_trip_updates_ld', 'json', railTripUpdates],
  ['renfe_flota_ld', 'map', railFleet],
  ['renfe_flota', 'map', railFleet],
] as const

/** Lands the generated timetables, and writes the rows of every live feed of a morning: made outside the process that is measured. */
export async function writeTrains(folder: string): Promise<void> {
  const lake = await benchLake(folder)
  await claimLake(lake.store, 'simulated', DOCUMENTS_AT)
  for (const id of TIMETABLES) {
    const feed = feedById(id)
    await landTimetable(lake, feed, { bytes: generatedDocument(feed, 'timetable'), at: DOCUMENTS_AT })
  }
  await lake.close()
  for (const [id, resource, dataset] of LIVE) {
    const feed = feedById(id)
    const rows = await checkedRows(feed, generatedDocument(feed, resource))
    await writeFile(rowsPath(folder, feed), JSON.stringify(rows.filter((row) => isOf(dataset, row))))
  }
}

/** Starts the API with its own Redis, as the service does, with what `writeTrains` left in the folder; works in `home`. */
export async function startTrainsService(folder: string, home: string): Promise<BenchApi> {
  const server = await startRedis({ folder: join(home, 'redis'), appendOnly: false })
  const lake = await benchLake(folder, { standBack: true })
  const redis = openRedis(server.url)
  for (const [id, , dataset] of LIVE) await publish(redis, { folder, dataset, feed: feedById(id) })
  redis.disconnect()
  const live = openLive({ redisUrl: server.url })
  await live.ready
  const api = await startBenchApi({ lake, live, redisUrl: server.url, home })
  return {
    url: `${api.url}/api/trenes/posiciones`,
    key: api.key,
    close: async () => {
      await api.close()
      await live.close()
      await lake.close()
      await server.stop()
    },
  }
}

async function publish(
  redis: ReturnType<typeof openRedis>,
  of: { readonly folder: string; readonly dataset: Dataset; readonly feed: Feed },
) {
  const { folder, dataset, feed } = of
  const rows = JSON.parse(await readFile(rowsPath(folder, feed), 'utf8')) as AnyRow[]
  const state = { status: 'ACTIVE', updated_at: DOCUMENTS_AT, is_stale: false } as const
  const entries = rows.map((row): [string, LiveRow] => [entityKey(dataset, row), { [dataset.time]: DOCUMENTS_AT, ...row, ...state }])
  await publishLive(redis, {
    dataset: dataset.id,
    feed: feed.id,
    seq: 1,
    fetch_id: `${feed.id}.1`,
    data_time: DOCUMENTS_AT,
    fetched_at: DOCUMENTS_AT,
    rows: new Map(entries),
    changes: [],
  })
}

function rowsPath(folder: string, feed: Feed): string {
  return join(folder, `${feed.id}.json`)
}

/** True for a row of the dataset: trip updates give alerts too. Times of states are filled in when they are published. */
function isOf(dataset: Dataset, row: AnyRow): boolean {
  return Object.keys(dataset.columns).every((name) => name in row || name === dataset.time)
}
