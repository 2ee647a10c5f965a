import { LRUCache } from 'lru-cache'
import type { Lake, QueryLimits } from '../../../lake/open.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'

/** Most roads of a table; the state's network has some 2,000. */
const MAX_ROADS = 20_000
/** Most tables whose roads are cached. */
const MAX_TABLES = 16

const known = new WeakMap<Lake, LRUCache<string, Promise<readonly string[]>>>()

/** Returns the roads that rows of a table name. They are read once per snapshot, also for concurrent requests. */
export function roadsOfTable(lake: Lake, dataset: Dataset, { pins, timeout_ms }: Omit<QueryLimits, 'since'>): Promise<readonly string[]> {
  const state = pins.get(dataset.id)
  if (!state?.snapshotId) return Promise.resolve([])
  const cache = known.get(lake) ?? new LRUCache<string, Promise<readonly string[]>>({ max: MAX_TABLES })
  known.set(lake, cache)
  const key = `${dataset.id} ${state.snapshotId}`
  const there = cache.get(key)
  if (there) return there
  const name = column(dataset, 'road')
  const roads = sql`SELECT DISTINCT ${name} AS value FROM ${scan(dataset, {})} WHERE ${name} IS NOT NULL ORDER BY value LIMIT ${MAX_ROADS}`
  const found = lake
    .query(roads, { pins, timeout_ms, columns: {}, maxRows: MAX_ROADS })
    .then((rows) => rows.map(({ value }) => String(value)))
  cache.set(key, found)
  found.catch(() => cache.delete(key))
  return found
}
