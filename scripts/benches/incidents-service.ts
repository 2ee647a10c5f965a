import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dgtIncidentsFeed } from '../../jobs/feeds/road/dgt-incidents.ts'
import { incidents } from '../../lake/datasets/road/incidents.ts'
import type { LiveRow } from '../../lake/live/types.ts'
import { publishLive } from '../../lake/live/write.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import { claimLake } from '../../lake/system.ts'
import { type BenchApi, startLiveApi } from './bench-api.ts'
import { benchLake } from './madrid-day.ts'
import { checkedRows, generatedDocument } from './parsing.ts'

const ROWS = 'incidents.json'

/** Writes the rows of a generated publication: made outside the process that is measured, which only ever reads them from Redis. */
export async function writePublication(folder: string): Promise<void> {
  const rows = await checkedRows(dgtIncidentsFeed, generatedDocument(dgtIncidentsFeed, 'national'))
  const mine = rows.filter((row) => 'measures' in row)
  await writeFile(join(folder, ROWS), JSON.stringify(mine))
}

/** Starts the API with its own Redis, as the service does, with the incidents of the publication in the folder; works in `home`. */
export async function startIncidentsService(folder: string, home: string): Promise<BenchApi> {
  const lake = await benchLake(home, { standBack: true })
  await claimLake(lake.store, 'simulated', Date.now())
  const published = { ...(await publication(folder)), changes: [] }
  return await startLiveApi({ lake, home, publish: async (redis) => void (await publishLive(redis, published)), path: '/api/incidents' })
}

async function publication(folder: string) {
  const now = Date.now()
  const rows = JSON.parse(await readFile(join(folder, ROWS), 'utf8')) as AnyRow[]
  const state = { status: 'ACTIVE', updated_at: now, is_stale: false } as const
  const entries = rows.map((row, at): [string, LiveRow] => [
    entityKey(incidents, row),
    { ...row, incident_id: `inc_${String(at).padStart(12, '0')}`, first_seen_at: now, observed_at: now, ...state },
  ])
  const times = { data_time: now, fetched_at: now }
  return {
    dataset: incidents.id,
    feed: dgtIncidentsFeed.id,
    seq: 1,
    fetch_id: `${dgtIncidentsFeed.id}.1`,
    ...times,
    rows: new Map(entries),
  }
}
