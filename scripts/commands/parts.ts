import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Redis } from 'ioredis'
import { type DestinationStream, type Logger, pino } from 'pino'
import { redacted } from '../../api/kernel/redact.ts'
import type { IngestContext } from '../../jobs/ingest/context.ts'
import { type Config, listOfSetting, readConfig, secretOf, textOf } from '../../lake/config.ts'
import { EventLog } from '../../lake/events/log.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { openTableVersions } from '../../lake/live/table-versions.ts'
import { type Lake, type LakeOptions, openLake } from '../../lake/open.ts'
import type { HttpfsAccess } from '../../lake/query/httpfs.ts'
import { s3Credentials } from '../../lake/store/credentials.ts'
import { noticingFull } from '../../lake/store/fullness.ts'
import { openStore, selfTest } from '../../lake/store/open.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { idKey, readLakeRecord, type SourceMode } from '../../lake/system.ts'
import { publishersOf } from './claim.ts'
import { boundedLines } from './log-lines.ts'

/** The data folder of a configuration. */
export function dataFolder(config: Config): string {
  return config.dataFolder ?? join('.data', config.mode)
}

/** Throws if a data folder cannot be created or written, and names the obstacle. */
export function checkFolder(folder: string): void {
  let there = resolve(folder)
  while (!existsSync(there)) there = dirname(there)
  if (!statSync(there).isDirectory()) throw new Error(`data folder ${folder}: ${there} is no folder`)
  // No user can create a folder in /proc and the like; Node would try for ever.
  if (/^\/(proc|sys|dev)(\/|$)/.test(there)) throw new Error(`data folder ${folder}: ${there} cannot contain data`)
  try {
    accessSync(there, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new Error(`data folder ${folder}: ${there} cannot be written`, { cause })
  }
}

/** Returns the configuration of a command on a data folder, with or without a running service. */
export function cliConfig(folder: string | undefined): Config {
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env, ...(folder === undefined ? {} : { DATA_DIR: folder }) })
  if (!existsSync(dataFolder(config)))
    throw new Error(`there is no data folder ${dataFolder(config)}: start the service first, or name another with --data`)
  checkFolder(dataFolder(config))
  return config
}

/** Opens the object store of a configuration and tests it. Throws, by name, for a store that cannot contain a lake. */
export async function openServiceStore(config: Config): Promise<ObjectStore> {
  const url = config.lakeUrl ?? join(dataFolder(config), 'store')
  const store = await openStore({
    url: /^[a-z0-9]+:\/\//.test(url) ? url : pathToFileURL(url).href,
    region: config.s3Region,
    pathStyle: config.s3PathStyle,
    ...(config.s3Endpoint === null ? {} : { endpoint: config.s3Endpoint }),
    ...(config.s3PublicEndpoint === null ? {} : { publicEndpoint: config.s3PublicEndpoint }),
  })
  await selfTest(store)
  return store
}

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
  options: Pick<ServiceLakeOptions, 'process' | 'log' | 'onQuery'> & { readonly redisUrl: string },
): Promise<Parts> {
  const { process: name, redisUrl, log, onQuery } = options
  const { store, isFull } = noticingFull(await openServiceStore(config))
  try {
    const mode = (await readLakeRecord(store))?.mode ?? config.mode
    // Landing waits its turn, however many feeds come at once; only callers are refused.
    const versions = openTableVersions(redisUrl)
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
    httpfs: httpfsOf(config),
  })
  if (store.url.startsWith('s3://') && !lake.engine.rangeReads) {
    log.warn({ reason: lake.engine.noRangeReads?.message }, 'no range reads by httpfs: queries fetch whole files')
  }
  return lake
}

/** Returns the access to range reads of an S3 lake, with the keys of its store. */
function httpfsOf(config: Config): HttpfsAccess | null {
  if (!config.lakeUrl?.startsWith('s3://')) return null
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

/** Makes a log with one JSON line per unit of work, see `boundedLines`. Keys and tokens are removed from its lines. */
export function serviceLog(config: Pick<Config, 'logLevel'>, name: string, to: DestinationStream = pino.destination(1)): Logger {
  return pino(
    { name, level: config.logLevel, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redacted } },
    boundedLines(to),
  )
}
