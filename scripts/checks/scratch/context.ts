import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import type { IngestContext } from '../../../jobs/ingest/context.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import type { LakeOptions } from '../../../lake/open.ts'
import { openStore } from '../../../lake/store/open.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'
import { idKey } from '../../../lake/system.ts'
import { originOf } from '../../service/parts.ts'
import { openScratchLake } from './lake.ts'

/** A pipeline of one process, over the store in a folder or a bucket. */
export interface ScratchContext extends IngestContext {
  close(): Promise<void>
}

/** Where a pipeline works, the address of its publishers if it sends requests, and what differs from the context of a worker. */
interface ScratchOptions extends Partial<Pick<IngestContext, 'now' | 'onStep' | 'commit' | 'idKey'>> {
  readonly folder: string
  /** The store, if it is not in the folder. */
  readonly s3?: S3Options
  readonly redisUrl: string
  readonly publishers?: string
  readonly engine?: Partial<LakeOptions>
  readonly logLevel?: string
}

/**
 * Opens only the parts of the pipeline, because hundreds of processes start with it. Several processes may share folder and
 * Redis, as workers do.
 */
export async function openContext(options: ScratchOptions): Promise<ScratchContext> {
  const { folder, s3, redisUrl, publishers, now = Date.now, onStep, commit } = options
  const { engine = { threads: 1 }, logLevel = process.env.CHAOS_LOG ?? 'silent' } = options
  await mkdir(join(folder, 'spool'), { recursive: true })
  const cache = { folder: join(folder, 'cache'), name: `process-${process.pid}`, maxBytes: 1024 ** 3 }
  const lake = await openScratchLake(folder, { ...engine, ...(s3 ? { store: await openStore(s3), cache } : {}) })
  const { store } = lake
  const redis = openRedis(redisUrl)
  return {
    ...{
      store,
      lake,
      redis,
      log: pino({ level: logLevel }),
      mode: 'simulated',
      idKey: options.idKey ?? (await idKey(store)),
      patience: 0.05,
    },
    origin: publishers === undefined ? (url) => url : originOf(publishers),
    now,
    ...(onStep ? { onStep } : {}),
    ...(commit === undefined ? {} : { commit }),
    async close() {
      redis.disconnect()
      await lake.close()
      await store.close()
    },
  }
}
