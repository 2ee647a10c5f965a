import type { Redis } from 'ioredis'
import { LIVE_KEYS } from './keys.ts'

/** What a worker found about a dataset's table. */
export interface TableNotice {
  /** Why the table cannot be used; null if it can. */
  readonly refused: string | null
  /** Which other engine changed it last, and when; null if no kept snapshot comes from another. */
  readonly writer: string | null
}

/** Sets the notice of a dataset's table; removes one that says nothing. */
export async function writeTableNotice(redis: Redis, dataset: string, notice: TableNotice): Promise<void> {
  if (Object.values(notice).every((one) => one === null)) await redis.hdel(LIVE_KEYS.notices, dataset)
  else await redis.hset(LIVE_KEYS.notices, dataset, JSON.stringify(notice))
}

/** The notices by dataset id. */
export async function readTableNotices(redis: Redis): Promise<ReadonlyMap<string, TableNotice>> {
  const values = Object.entries(await redis.hgetall(LIVE_KEYS.notices))
  return new Map(values.map(([dataset, text]) => [dataset, JSON.parse(text) as TableNotice]))
}
