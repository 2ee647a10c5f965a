import { SOURCE_MODES, type SourceMode } from './system.ts'

type Kind = 'text' | 'url' | 'count' | 'bytes' | 'flag' | 'mode'
type Value<K extends Kind> = K extends 'count' | 'bytes' ? number : K extends 'flag' ? boolean : K extends 'mode' ? SourceMode : string

interface Setting<K extends Kind = Kind> {
  readonly env: string
  readonly kind: K
  readonly about: string
  /** Shown and used where the variable is not set; null: nothing. */
  readonly fallback: Value<K> | null
}

const setting = <K extends Kind, const F extends Value<K> | null>(
  env: string,
  kind: K,
  about: string,
  fallback: F,
): Setting<K> & { readonly fallback: F } => ({ env, kind, about, fallback })

/** Every setting of the service; the README's table and the checks come from it. */
export const SETTINGS = {
  mode: setting('SOURCE_MODE', 'mode', 'Where data comes from: `live`, `replay` or `simulated`; set by `scripts/start`.', 'simulated'),
  dataFolder: setting('DATA_DIR', 'text', 'Folder of store, Redis files, spool and cache; `.data/<mode>` unless set.', null),
  lakeUrl: setting('LAKE_URL', 'text', 'Object store: `s3://bucket/prefix`, or a folder; `<data>/store` unless set.', null),
  s3Endpoint: setting(
    'S3_ENDPOINT',
    'url',
    'Address of an S3-compatible server; AWS itself unless set. Keys come from the usual `AWS_*` variables.',
    null,
  ),
  s3Region: setting('S3_REGION', 'text', 'Region of the bucket.', 'us-east-1'),
  s3PathStyle: setting('S3_PATH_STYLE', 'flag', 'Bucket in the path instead of the host name.', false),
  redisUrl: setting('REDIS_URL', 'text', 'Redis to use; unless set, `scripts/start` runs one of its own on a private socket.', null),
  publishersUrl: setting('PUBLISHERS_URL', 'url', 'Stand-in that is asked in place of the publishers; set by `scripts/start`.', null),
  host: setting('HOST', 'text', 'Address the API listens on.', '127.0.0.1'),
  port: setting('PORT', 'count', 'Port of the API.', 8080),
  logLevel: setting('LOG_LEVEL', 'text', 'Least level of log lines: trace, debug, info, warn, error.', 'info'),
  queryMemory: setting('QUERY_MEMORY', 'bytes', 'Memory of DuckDB in one process.', 2 * 1024 ** 3),
  queryThreads: setting('QUERY_THREADS', 'count', 'Threads of DuckDB in one process.', 2),
  querySlots: setting('QUERY_SLOTS', 'count', 'Lake queries that run at once in one API process; others wait their turn.', 2),
  querySpill: setting('QUERY_SPILL', 'bytes', 'Disk that DuckDB may spill to, in one process.', 8 * 1024 ** 3),
  cacheBytes: setting('CACHE_BYTES', 'bytes', 'Disk for whole files of an S3 lake, where httpfs is not at hand.', 10 * 1024 ** 3),
  duckdbExtensions: setting('DUCKDB_EXTENSIONS', 'text', "Folder with DuckDB's `httpfs` extension, for range reads of an S3 lake.", null),
  landEvery_s: setting('LAND_EVERY_S', 'count', 'Seconds between commits of a feed to the lake; at most 600.', 300),
} as const

type Settings = typeof SETTINGS
/** The settings as read: a value, or null where neither set nor given a fallback. */
export type Config = { readonly [K in keyof Settings]: Value<Settings[K]['kind']> | (Settings[K]['fallback'] extends null ? null : never) }

/** Reads every setting from an environment. Throws one error that lists all mistakes, each with variable, value and what is allowed. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const mistakes: string[] = []
  const read: Record<string, unknown> = {}
  for (const [name, { env: variable, kind, fallback }] of Object.entries(SETTINGS)) {
    const text = env[variable]
    const parsed = text === undefined || text === '' ? { value: fallback } : parse(kind, text)
    if ('mistake' in parsed) mistakes.push(`${variable}=${text}: ${parsed.mistake}`)
    else read[name] = parsed.value
  }
  const config = read as Config
  if (mistakes.length === 0 && (config.landEvery_s < 10 || config.landEvery_s > 600))
    mistakes.push(`LAND_EVERY_S=${config.landEvery_s}: 10 to 600`)
  if (mistakes.length > 0) throw new Error(`mistakes in the configuration:\n  ${mistakes.join('\n  ')}`)
  return Object.freeze(config)
}

const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }

function parse(kind: Kind, text: string): { value: unknown } | { mistake: string } {
  if (kind === 'text') return { value: text }
  if (kind === 'url') return URL.canParse(text) ? { value: text.replace(/\/+$/, '') } : { mistake: 'no address' }
  if (kind === 'mode')
    return (SOURCE_MODES as readonly string[]).includes(text) ? { value: text } : { mistake: `one of ${SOURCE_MODES.join(', ')}` }
  if (kind === 'flag') return /^(1|0|true|false)$/i.test(text) ? { value: /^(1|true)$/i.test(text) } : { mistake: 'true or false' }
  if (kind === 'count') return /^\d{1,9}$/.test(text) ? { value: Number(text) } : { mistake: 'a whole number' }
  const size = /^(\d+) ?(KB|MB|GB)?$/i.exec(text)
  return size ? { value: Number(size[1]) * (UNITS[(size[2] ?? '').toUpperCase()] as number) } : { mistake: 'a size such as 512MB or 2GB' }
}

/** The settings as rows of the README's table, in Markdown. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map(
    ({ env, about, fallback }) => `| \`${env}\` | ${about} | ${fallback === null ? '' : `\`${String(fallback)}\``} |`,
  )
  return ['| variable | meaning | unless set |', '| --- | --- | --- |', ...rows].join('\n')
}
