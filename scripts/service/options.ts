import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig, settingsTable } from '../../lake/config.ts'
import type { SourceMode } from '../../lake/system.ts'
import { checkFolder } from './store.ts'

/** The options of `scripts/start`. */
export interface StartOptions {
  readonly mode: SourceMode
  /** Folder of recorded captures, in replay. */
  readonly captures: string | null
  readonly dataFolder: string
  readonly port: number
  /** The only kind of process to run on this machine; null for all. */
  readonly only: 'api' | 'worker' | null
  readonly config: Config
}

/** Shown for `--help`, and after a mistake. */
export const USAGE = `scripts/start [--live | --captures <dir>] [--only api|worker] [--port n] [--data <dir>] [--json]

Brings up publishers' stand-in, worker and API. Without a source option the publishers are simulated.
  --live            fetch from the publishers' own addresses
  --captures <dir>  replay recorded captures, such as ../shared/feeds
  --only <what>     run the API or the worker alone, on a Redis (REDIS_URL) and store (LAKE_URL) shared with other machines
  --port <n>        port of the API (8080)
  --data <dir>      folder of all data (.data/simulated, .data/live or .data/replay)
  --json            in a terminal, print the log of the processes as JSON lines instead of the board

Settings by environment:
${settingsTable()}`

/** Reads arguments and environment. Throws an error that names each mistake. */
export function readOptions(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): StartOptions | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      live: { type: 'boolean' },
      captures: { type: 'string' },
      only: { type: 'string' },
      port: { type: 'string' },
      data: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return 'help'
  if (values.live && values.captures !== undefined) throw new Error('--live and --captures exclude each other')
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port)) throw new Error(`--port ${values.port}: a number from 0 to 65535`)
  const mode: SourceMode = values.live ? 'live' : values.captures !== undefined ? 'replay' : 'simulated'
  const captures = values.captures === undefined ? null : absolute(values.captures)
  if (captures !== null && !statSync(captures, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`--captures ${captures}: no such folder`)
  const dataFolder = absolute(values.data ?? env.DATA_DIR ?? `.data/${mode}`)
  checkFolder(dataFolder)
  const config = readConfig({
    ...env,
    SOURCE_MODE: mode,
    DATA_DIR: dataFolder,
    ...(values.port === undefined ? {} : { PORT: values.port }),
    ...(values.json ? { LOG_FORMAT: 'json' } : {}),
  })
  const { only = null } = values
  if (only !== null && only !== 'api' && only !== 'worker') throw new Error(`--only ${only}: api or worker`)
  const shared = [config.redisUrl === null ? 'REDIS_URL' : '', config.lakeUrl === null ? 'LAKE_URL' : ''].filter(Boolean)
  if (only !== null && shared.length > 0) throw new Error(`--only ${only} shares ${shared.join(' and ')} with other machines: set it`)
  return { mode, captures, dataFolder, port: config.port, only, config }
}

const absolute = (path: string): string => (isAbsolute(path) ? path : resolve(path))
