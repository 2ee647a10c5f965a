import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Derived, filledBy } from '../../jobs/derive/define.ts'
import { derive } from '../../jobs/derive/derive.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../jobs/upkeep/tasks.ts'
import { commit } from '../../lake/iceberg/commit.ts'
import { openRedis } from '../../lake/live/connect.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import { startRedis } from '../redis.ts'
import { benchLake } from './madrid-day.ts'

/** States until when a generated table has what its feed published, ms. */
export async function stateCovered(folder: string, dataset: Dataset, { feed, until }: { feed: string; until: number }): Promise<void> {
  const lake = await benchLake(folder)
  try {
    const properties = () => ({ [`landed-until.${feed}`]: isoInstant(until) })
    await commit({ table: lake.table(dataset), operation: 'append', properties })
  } finally {
    await lake.close()
  }
}

/** Rolls generated tables up as the worker does, with a Redis of its own. Seconds by derived dataset. */
export async function rollUp(folder: string, derivations: readonly Derived[]): Promise<Record<string, number>> {
  const redisFolder = join(folder, 'roll-up-redis')
  await mkdir(redisFolder, { recursive: true })
  const server = await startRedis({ folder: redisFolder, appendOnly: false })
  const redis = openRedis(server.url)
  const lake = await benchLake(folder)
  const log = pino({ level: 'warn' })
  const parts = { store: lake.store, lake, redis, log, mode: 'simulated', origin: (url: string) => url, now: Date.now } as const
  // Nothing that is derived has a public id.
  const context = { ...parts, idKey: Buffer.alloc(32) }
  const seconds: Record<string, number> = {}
  try {
    for (const derived of derivations) {
      await prepareTables(context, filledBy(derived))
      const began = performance.now()
      const { waits, rows } = await derive(context, derived, { feeds, signal: new AbortController().signal })
      if (waits || rows === 0) throw new Error(`${derived.into.id} could not be made`)
      seconds[derived.into.id] = (performance.now() - began) / 1000
    }
    return seconds
  } finally {
    redis.disconnect()
    await lake.close()
    await server.stop()
  }
}
