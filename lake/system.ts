import { randomBytes } from 'node:crypto'
import type { FeedListing } from './live/freshness.ts'
import type { ObjectStore } from './store/store.ts'

/** Where the data of a lake comes from: the publishers, recorded captures, or the stand-in's generated Spain. */
export const SOURCE_MODES = ['live', 'replay', 'simulated'] as const
export type SourceMode = (typeof SOURCE_MODES)[number]

/** The record of a lake about itself. */
export interface LakeRecord {
  readonly mode: SourceMode
  readonly created_at: string
}

const RECORD = 'system/lake.json'
const ID_KEY = 'system/id-key'
const FEEDS = 'system/feeds.json'

/** The record of the lake; null for a store without one. */
export async function readLakeRecord(store: ObjectStore): Promise<LakeRecord | null> {
  const bytes = await store.get(RECORD)
  return bytes ? (JSON.parse(bytes.toString()) as LakeRecord) : null
}

/** Records the mode of a new lake. Throws for a lake begun in another mode, as rows of two modes must never mix. */
export async function claimLake(store: ObjectStore, mode: SourceMode, now: number): Promise<LakeRecord> {
  const mine: LakeRecord = { mode, created_at: new Date(now).toISOString() }
  if (await store.putIfAbsent(RECORD, Buffer.from(JSON.stringify(mine)))) return mine
  const there = (await readLakeRecord(store)) as LakeRecord
  if (there.mode !== mode)
    throw new Error(
      `the lake at ${store.url} contains ${there.mode} data, it cannot take ${mode} data: choose another --data folder or LAKE_URL`,
    )
  return there
}

/** The key for hashing public ids, created on first use. Losing it changes every id, so it is stored with the data. */
export async function idKey(store: ObjectStore): Promise<Buffer> {
  if ((await store.head(ID_KEY)) === null)
    for await (const { key } of store.list('lake/'))
      throw new Error(
        `${store.url} contains tables (${key}) but not ${ID_KEY}: without it every public id would change; restore it from a backup`,
      )
  await store.putIfAbsent(ID_KEY, Buffer.from(randomBytes(32).toString('hex')))
  const text = await store.get(ID_KEY)
  if (!text) throw new Error(`${ID_KEY} cannot be read from ${store.url}`)
  return Buffer.from(text.toString(), 'hex')
}

/**
 * Announces the worker's feeds to the API. Unchanged listings are not rewritten, so the object's time is that of the last change.
 */
export async function writeFeedListings(store: ObjectStore, feeds: readonly FeedListing[]): Promise<void> {
  const text = JSON.stringify(feeds)
  const there = await store.get(FEEDS)
  if (there?.toString() !== text) await store.put(FEEDS, Buffer.from(text))
}

/** The feeds that the worker announced; empty before its first start. */
export async function readFeedListings(store: ObjectStore): Promise<FeedListing[]> {
  const bytes = await store.get(FEEDS)
  return bytes ? (JSON.parse(bytes.toString()) as FeedListing[]) : []
}
