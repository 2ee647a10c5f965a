import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Derived, filledBy } from '../../../jobs/derive/define.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { startRedis } from '../../redis.ts'
import { benchLake } from './lake.ts'

/** Sets the watermark of a feed in a generated table, ms. */
export async function stateCovered(folder: string, dataset: Dataset, { feed, until }: { feed: string; until: number }): Promise<void> {
  const lake = await benchLake(folder)
  try {
    const properties = () => ({ [`landed-until.${feed}`]: isoInstant(until) })
    await commit({ table: lake.table(dataset), operation: 'append', properties })
  } finally {
    await lake.close()
  }
}

/**
 * Rolls up generated tables as the worker does, with its own Redis, unless they are already. Returns seconds by derived dataset.
 */
export async function rollUp(folder: string, derivations: readonly Derived[]): Promise<Record<string, number>> {
  const redisFolder = join(folder, 'roll-up-redis')
  await mkdir(redisFolder, { recursive: true })
  const server = await startRedis({ folder: redisFolder, appendOnly: false })
  const redis = openRedis(server.url)
  const lake = await benchLake(folder)
  const log = pino({ level: 'warn' })
  const parts = { store: lake.store, lake, redis, log, mode: 'simulated', origin: (url: string) => url, now: Date.now } as const
  // Derived tables have no public ids.
  const context = { ...parts, idKey: Buffer.alloc(32) }
  const seconds: Record<string, number> = {}
  try {
    for (const derived of derivations) {
      await prepareTables(context, filledBy(derived))
      const began = performance.now()
      const { waits } = await derive(context, derived, { feeds, signal: new AbortController().signal })
      if (waits) throw new Error(`${derived.into.id} could not be built`)
      seconds[derived.into.id] = (performance.now() - began) / 1000
    }
    return seconds
  } finally {
    redis.disconnect()
    await lake.close()
    await server.stop()
  }
}
