import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type DestinationStream, type Logger, pino } from 'pino'
import { redacted } from '../../api/kernel/redact.ts'
import { type Config, readConfig } from '../../lake/config.ts'
import { openStore, selfTest } from '../../lake/store/open.ts'
import type { ReaderAccess } from '../../lake/store/reader-access.ts'
import type { S3Options } from '../../lake/store/s3-client.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
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

/** The store of a configuration: its URL, and how to reach it if it is a bucket. */
function storeOptions(config: Config): S3Options & { readonly region: string } {
  const url = config.lakeUrl ?? join(dataFolder(config), 'store')
  return {
    url: /^[a-z0-9]+:\/\//.test(url) ? url : pathToFileURL(url).href,
    region: config.s3Region,
    pathStyle: config.s3PathStyle,
    ...(config.s3Endpoint === null ? {} : { endpoint: config.s3Endpoint }),
    ...(config.s3PublicEndpoint === null ? {} : { publicEndpoint: config.s3PublicEndpoint }),
  }
}

/** Opens the object store of a configuration and tests it. Throws, by name, for a store that cannot contain a lake. */
export async function openServiceStore(config: Config): Promise<ObjectStore> {
  const store = await openStore(storeOptions(config))
  await selfTest(store)
  return store
}

/** How engines read the bucket of a configuration themselves; null if the lake is in a folder. */
export async function bucketAccess(config: Config): Promise<ReaderAccess | null> {
  const options = storeOptions(config)
  if (!options.url.startsWith('s3://')) return null
  // The SDK takes 30 MB of memory, which a process with a folder does not need.
  return (await import('../../lake/store/reader-access.ts')).readerAccess(options, {
    keys: config.lakeReaderKeys,
    role: config.lakeReaderRole,
  })
}

/** Makes a log with one JSON line per unit of work, see `boundedLines`. Keys and tokens are removed from its lines. */
export function serviceLog(config: Pick<Config, 'logLevel'>, name: string, to: DestinationStream = pino.destination(1)): Logger {
  return pino(
    { name, level: config.logLevel, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redacted } },
    boundedLines(to),
  )
}
