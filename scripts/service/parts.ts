import { join } from 'node:path'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { IngestContext } from '../../jobs/ingest/context.ts'
import { type Config, listOfSetting, secretOf, textOf } from '../../lake/config.ts'
import { EventLog } from '../../lake/events/log.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { openTableVersions } from '../../lake/live/table-versions.ts'
import { type Lake, type LakeOptions, openLake } from '../../lake/open.ts'
import type { HttpfsAccess } from '../../lake/query/httpfs.ts'
import { announceLogs } from '../../lake/raw/log-position.ts'
import { countingStore, type StoreOperation } from '../../lake/store/counting.ts'
import { noticingFull } from '../../lake/store/fullness.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { idKey, readLakeRecord, type SourceMode } from '../../lake/system.ts'
import { publishersOf } from './claim.ts'
import { dataFolder, openServiceStore } from './store.ts'

/** The kind of process that opens the lake; `cli` is any command of a person, `exports` the worker for an export job. */
export type ProcessName = 'api' | 'worker' | 'cli' | 'exports'

/** The resources of a process of the service, opened together. */
export interface Parts {
  readonly config: Config
  readonly store: ObjectStore
  readonly lake: Lake
  readonly redis: Redis
  readonly redisUrl: string
  readonly context: IngestContext
  /** True if the last write to the store found no room. */
  readonly isStoreFull: () => boolean
  close(): Promise<void>
}

/** Opens store, lake and Redis for the pipeline. An existing lake determines the mode. */
export async function openParts(
  config: Config,
  options: Pick<ServiceLakeOptions, 'process' | 'log' | 'onQuery'> & {
    readonly redisUrl: string
    readonly onRequest?: (operation: StoreOperation) => void
  },
): Promise<Parts> {
  const { process: name, redisUrl, log, onQuery, onRequest = () => undefined } = options
  const { store, isFull } = noticingFull(countingStore(await openServiceStore(config), onRequest))
  try {
    const mode = (await readLakeRecord(store))?.mode ?? config.mode
    // Landing waits its turn, however many feeds come at once; only callers are refused.
    const versions = openTableVersions(redisUrl)
    announceLogs(store, versions)
    const lake = await openServiceLake(config, store, {
      process: name,
      log,
      queue: 1000,
      cacheFiles: false,
      versions,
      ...(onQuery ? { onQuery } : {}),
    })
    const redis = openRedis(redisUrl, { commandTimeout_ms: 60_000 })
    const context: IngestContext = {
      store,
      lake,
      redis,
      log,
      mode,
      idKey: await idKey(store),
      events: new EventLog({ store, redis }),
      origin: originIn(mode, config),
      ...(mode === 'live' ? { secret: (env: string) => secretOf(config, env) } : {}),
      listed: (env) => listOfSetting(config, env),
      setting: (env: string) => textOf(config, env),
      now: Date.now,
      storeNow: () => store.now(),
    }
    const close = async (): Promise<void> => {
      redis.disconnect()
      versions.close()
      await lake.close()
      await store.close()
    }
    return { config, store, lake, redis, redisUrl, context, isStoreFull: isFull, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** How a process opens the lake: it does not share its cache of whole files. */
export interface ServiceLakeOptions
  extends Partial<Pick<LakeOptions, 'queue' | 'standBack' | 'cacheFiles' | 'onQuery' | 'memory' | 'slots' | 'versions'>> {
  readonly process: ProcessName
  /** Logs once that an S3 lake is read by whole files, and why. */
  readonly log: Logger
}

/** Opens the lake of a configuration. */
export async function openServiceLake(config: Config, store: ObjectStore, options: ServiceLakeOptions): Promise<Lake> {
  const { process: name, log, ...more } = options
  const folder = dataFolder(config)
  const lake = await openLake({
    store,
    spool: join(folder, 'spool'),
    memory: config.queryMemory,
    spill: config.querySpill,
    threads: config.queryThreads,
    slots: config.querySlots,
    queue: config.queryQueue,
    ...more,
    cache: { folder: join(folder, 'cache'), name, maxBytes: config.cacheBytes },
    httpfs: await httpfsOf(config),
  })
  if (store.url.startsWith('s3://') && !lake.engine.rangeReads) {
    log.warn({ reason: lake.engine.noRangeReads?.message }, 'no range reads by httpfs: queries fetch whole files')
  }
  return lake
}

/** Returns the access to range reads of an S3 lake, with the keys of its store. */
async function httpfsOf(config: Config): Promise<HttpfsAccess | null> {
  if (!config.lakeUrl?.startsWith('s3://')) return null
  const { s3Credentials } = await import('../../lake/store/credentials.ts')
  const { s3Region: region, s3Endpoint: endpoint, s3PathStyle: pathStyle, lakeUrl: url } = config
  return {
    extensions: config.duckdbExtensions,
    installInto: join(dataFolder(config), 'duckdb'),
    scope: url,
    region,
    endpoint,
    pathStyle,
    credentials: s3Credentials({ url, region, pathStyle, ...(endpoint === null ? {} : { endpoint }) }),
  }
}

/**
 * Returns the function from a feed's address to the address that is requested. Only a lake of live data uses the real address.
 */
function originIn(mode: SourceMode, config: Config): (url: string) => string {
  if (mode === 'live') return (url) => url
  const standIn = config.publishersUrl ?? publishersOf(dataFolder(config))
  if (standIn !== null) return originOf(standIn)
  return () => {
    throw new Error(`this lake has ${mode} data, so its service must run to provide publishers: start it on ${dataFolder(config)}`)
  }
}

/** Returns the stand-in's address for an address of a feed: `<stand-in>/<host>/<path>`. */
export function originOf(standIn: string): (url: string) => string {
  return (url) => {
    const { host, pathname, search } = new URL(url)
    return `${standIn}/${host}${pathname}${search}`
  }
}
