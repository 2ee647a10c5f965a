import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { openLake } from '../../../lake/open.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { idKey } from '../../../lake/system.ts'
import { originOf } from '../../service/parts.ts'

/** A pipeline of one process, over the store in a folder. */
export interface ChaosContext extends IngestContext {
  close(): Promise<void>
}

/**
 * Opens only the parts of the pipeline, because hundreds of processes start with it. Several processes may share folder and
 * Redis, as workers do.
 */
export async function openContext(
  options: { readonly folder: string; readonly redisUrl: string; readonly publishers: string | null } & Pick<IngestContext, 'now'> &
    Partial<Pick<IngestContext, 'onStep' | 'commit'>>,
): Promise<ChaosContext> {
  const { folder, redisUrl, publishers, now, onStep, commit } = options
  const spool = join(folder, 'spool')
  await mkdir(spool, { recursive: true })
  const store = await fileStore(join(folder, 'store'))
  const lake = await openLake({ store, spool, memory: 512 * 1024 ** 2, spill: 1024 ** 3, threads: 1, slots: 2 })
  const redis = openRedis(redisUrl)
  return {
    store,
    lake,
    redis,
    log: pino({ level: process.env.CHAOS_LOG ?? 'silent' }),
    mode: 'simulated',
    idKey: await idKey(store),
    // A process that only judges sends no requests.
    origin: publishers === null ? (url) => url : originOf(publishers),
    now,
    patience: 0.05,
    ...(onStep ? { onStep } : {}),
    ...(commit === undefined ? {} : { commit }),
    async close() {
      redis.disconnect()
      await lake.close()
      await store.close()
    },
  }
}
