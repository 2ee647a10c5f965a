import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import type { openRedis } from '../../../lake/live/connect.ts'
import type { LiveRow } from '../../../lake/live/types.ts'
import { publishLive } from '../../../lake/live/write.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { entityKey } from '../../../lake/schema/rows.ts'
import { checkedRows, DOCUMENTS_AT, generatedDocument } from './parsing.ts'

/** A live feed, the stand-in's name of its document, and a dataset that it fills. */
export type LiveFeed = readonly [id: string, resource: string, dataset: Dataset]

/** Writes the rows of each feed's generated document, outside the measured process, which only reads them from Redis. */
export async function writeLiveRows(folder: string, feeds: readonly LiveFeed[]): Promise<void> {
  for (const [id, resource, dataset] of feeds) {
    const feed = feedById(id)
    const rows = await checkedRows(feed, [generatedDocument(feed, resource)])
    const own = rows.filter((row) => isOf(dataset, row))
    if (own.length === 0) throw new Error(`${id} has no rows of ${dataset.id}`)
    await writeFile(rowsPath(folder, id, dataset), JSON.stringify(own))
  }
}

/** Publishes the rows that `writeLiveRows` left in the folder, as of an instant (ms); the default is the documents' time. */
export async function publishLiveRows(
  redis: ReturnType<typeof openRedis>,
  folder: string,
  feeds: readonly LiveFeed[],
  published_at: number = DOCUMENTS_AT,
): Promise<void> {
  const state = { status: 'ACTIVE', updated_at: published_at, is_stale: false } as const
  for (const [id, , dataset] of feeds) {
    const rows = JSON.parse(await readFile(rowsPath(folder, id, dataset), 'utf8')) as AnyRow[]
    const entries = rows.map((row, at): [string, LiveRow] => [
      entityKey(dataset, row),
      { [dataset.time]: published_at, ...lifeOf(dataset, at, published_at), ...row, ...state },
    ])
    await publishLive(redis, {
      dataset: dataset.id,
      feed: id,
      seq: 1,
      fetch_id: `${id}.1`,
      data_time: published_at,
      fetched_at: published_at,
      rows: new Map(entries),
      changes: [],
    })
  }
}

function rowsPath(folder: string, feed: string, dataset: Dataset): string {
  return join(folder, `${feed}.${dataset.id}.json`)
}

/** The engine's lifecycle fields of a thing, if the dataset has them. */
function lifeOf({ life }: Dataset, at: number, since: number): AnyRow {
  return life ? { [life.id]: `${life.prefix}_${String(at).padStart(12, '0')}`, [life.since]: since } : {}
}

/** True for a row of the dataset: a feed may fill several. The engine's columns are filled in at publication. */
function isOf(dataset: Dataset, row: AnyRow): boolean {
  const filled = [dataset.time, ...Object.keys(lifeOf(dataset, 0, 0))]
  return Object.keys(dataset.columns).every((name) => name in row || filled.includes(name))
}
