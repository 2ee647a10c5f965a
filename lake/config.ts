import { SOURCE_MODES, type SourceMode } from './system.ts'

type Kind = 'text' | 'url' | 'count' | 'bytes' | 'flag' | 'mode'
type Value<K extends Kind> = K extends 'count' | 'bytes' ? number : K extends 'flag' ? boolean : K extends 'mode' ? SourceMode : string

/** Limits of a setting's value, beyond its kind. */
interface Allowed {
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly string[]
  /** Pattern of a text, and its description for messages. */
  readonly like?: { readonly pattern: RegExp; readonly words: string }
}

interface Setting<K extends Kind = Kind> {
  readonly env: string
  readonly kind: K
  readonly about: string
  /** The default if the variable is not set; null: none. */
  readonly fallback: Value<K> | null
  readonly allowed: Allowed
  /** Another variable, used if this one is not set. */
  readonly or?: string
  /** True if the value is a password or similar: error messages do not repeat it. */
  readonly secret?: true
}

type More = Allowed & Pick<Setting, 'or' | 'secret'>

const setting = <K extends Kind, const F extends Value<K> | null>(
  env: string,
  kind: K,
  about: string,
  fallback: F,
  { or, secret, ...allowed }: More = {},
): Setting<K> & { readonly fallback: F } => ({
  ...{ env, kind, about, fallback, allowed },
  ...(or === undefined ? {} : { or }),
  ...(secret === undefined ? {} : { secret }),
})

const KB = 1024
const MB = 1024 ** 2
const GB = 1024 ** 3
const STORE_URL = { pattern: /^(s3:\/\/|file:\/\/\/|(?![A-Za-z][A-Za-z0-9+.-]*:\/\/))/, words: '`s3://bucket/prefix` or a folder' }
const REDIS_PLACE = { pattern: /^(rediss?:\/\/|unix:\/\/|\/)/, words: '`redis://…`, `rediss://…` or the path of a socket' }
const PEPPERS = {
  pattern: /^[1-9]\d{0,3}:[0-9a-f]{64}(,[1-9]\d{0,3}:[0-9a-f]{64})*$/,
  words: '`<version>:<64 hexadecimal digits>`, separated by commas',
}
const JSON_WEB_TOKEN = { pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/, words: 'a JSON Web Token: three parts separated by dots' }
const JSON_OBJECT = { pattern: /^\s*\{[^]*\}\s*$/, words: 'JSON such as `{"PRO": {"price_eur_month": 59}}`' }
const NETWORKS = { pattern: /^[\da-fA-F.:/,\s]+$/, words: 'addresses or CIDR ranges, separated by commas' }
const SMTP_PLACE = { pattern: /^smtps?:\/\/./, words: '`smtp://…` or `smtps://…`' }
const CONTACT = { pattern: /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+\d[\d-]*)$/, words: '`mailto:…`, `https://…` or `tel:+…`' }
const FEED_IDS = { pattern: /^[a-z0-9_]+(,[a-z0-9_]+)*$/, words: 'feed ids (see `scripts/feeds list`), separated by commas' }
const AIRCRAFT = {
  pattern: /^[0-9A-Za-z~-]{2,10}(,[0-9A-Za-z~-]{2,10})*$/,
  words: 'addresses of 24 bits or registrations, separated by commas',
}
const CLIENT = { pattern: /^[^:\s]+:\S+$/, words: '`<client id>:<client secret>`' }
const RECEIVERS = {
  pattern: /^(tcp|udp):\/\/[^\s,/]+:\d{1,5}(,(tcp|udp):\/\/[^\s,/]+:\d{1,5})*$/,
  words: '`tcp://host:port` to connect to or `udp://address:port` to listen on, separated by commas',
}
const MMSI_LIST = { pattern: /^\d{9}(,\d{9})*$/, words: 'MMSI of nine digits, separated by commas' }
const MAILBOX = { pattern: /^[^\r\n]*[^\s<]@[^\r\n]+$/, words: '`name@example.org` or `Name <name@example.org>`' }

/** Every setting of the service: the source of the checks and of the table in scripts/README.md. */
export const SETTINGS = {
  mode: setting('SOURCE_MODE', 'mode', 'Where data comes from. Set by `scripts/start`.', 'simulated'),
  liveFeeds: setting('LIVE_FEEDS', 'text', 'Optional feeds that `--live` runs as well.', null, {
    like: FEED_IDS,
  }),
  dataFolder: setting('DATA_DIR', 'text', 'Folder for the store, Redis files, spool and cache. Default: `.data/<mode>`.', null),
  lakeUrl: setting('LAKE_URL', 'text', 'Object store. Default: `<data>/store`.', null, {
    like: STORE_URL,
  }),
  s3Endpoint: setting(
    'S3_ENDPOINT',
    'url',
    'Address of an S3-compatible server. Default: AWS. Credentials come from the usual `AWS_*` variables.',
    null,
  ),
  s3PublicEndpoint: setting(
    'S3_PUBLIC_ENDPOINT',
    'url',
    'Address of the S3 server for customers, in signed URLs of exports. Default: `S3_ENDPOINT`.',
    null,
  ),
  s3Region: setting('S3_REGION', 'text', 'Region of the bucket. `AWS_REGION` is used if this is not set.', 'us-east-1', {
    or: 'AWS_REGION',
  }),
  s3PathStyle: setting('S3_PATH_STYLE', 'flag', 'Puts the bucket in the path instead of the host name.', false),
  redisUrl: setting('REDIS_URL', 'text', 'Redis server to use. By default `scripts/start` runs its own on a private socket.', null, {
    like: REDIS_PLACE,
  }),
  publishersUrl: setting('PUBLISHERS_URL', 'url', 'Stand-in server that replaces the publishers. Set by `scripts/start`.', null),
  host: setting('HOST', 'text', 'Address the API listens on.', '127.0.0.1'),
  port: setting('PORT', 'count', 'Port of the API. 0 picks a free port.', 8080, { min: 0, max: 65_535 }),
  apiWorkers: setting('API_WORKERS', 'count', 'API processes on this machine. They share one port.', 1, { min: 1, max: 64 }),
  metricsHost: setting('METRICS_HOST', 'text', 'Address that metrics listen on. Keep it private: metrics need no key.', '127.0.0.1'),
  metricsPort: setting(
    'METRICS_PORT',
    'count',
    'Port of `GET /metrics` (Prometheus) of the worker. API processes use the next ports. 0 picks free ports. Default: no metrics.',
    null,
    { min: 0, max: 65_535 },
  ),
  publicUrl: setting('PUBLIC_URL', 'url', 'Address that clients use, for links. Default: the address it listens on.', null),
  trustedProxies: setting('TRUSTED_PROXIES', 'text', 'Proxies in front of the API. Only their `X-Forwarded-For` is trusted.', null, {
    like: NETWORKS,
  }),
  requireHttps: setting(
    'REQUIRE_HTTPS',
    'flag',
    'Whether plain HTTP is rejected with 403. Default: if a trusted proxy reports plain HTTP (`X-Forwarded-Proto`, `Forwarded`); with an `https://…` `PUBLIC_URL` also if the request is from another machine and no proxy reports HTTPS.',
    null,
  ),
  plans: setting('PLANS', 'text', 'Changes to the plans: for each plan the terms that differ, named as in `/api/plans`.', '{}', {
    like: JSON_OBJECT,
  }),
  upgradeUrl: setting(
    'UPGRADE_URL',
    'url',
    'Page where people change their plan. Default: the page `/plans`, which shows the contact.',
    null,
  ),
  supportContact: setting(
    'SUPPORT_CONTACT',
    'text',
    'Where customers write: changes of plan and priority support. Shown on `/plans` and `/account`, and in the catalogue as DCAT-AP-ES. Default: no address.',
    null,
    { like: CONTACT },
  ),
  catalogPublisher: setting(
    'CATALOG_PUBLISHER',
    'url',
    'Publisher of the catalogue in DCAT-AP-ES: its URI in the register of public bodies (DIR3), as datos.gob.es names it. Default: the service itself, which DCAT-AP-ES does not allow.',
    null,
  ),
  securityContact: setting(
    'SECURITY_CONTACT',
    'text',
    'Contact for security reports, shown in `/.well-known/security.txt`. Default: no such file.',
    null,
    { like: CONTACT },
  ),
  keyPepper: setting(
    'KEY_PEPPER',
    'text',
    'Secrets that keys and e-mail addresses are hashed with, the current one first. Default: the file `<data>/key-pepper`, created at the first start. **Without it no key works: back it up, separately from the store.**',
    null,
    { like: PEPPERS, secret: true },
  ),
  aemetApiKey: setting(
    'AEMET_API_KEY',
    'text',
    'Key of AEMET OpenData, free at opendata.aemet.es. Without it `--live` has warnings but no other weather. It is sent to AEMET only.',
    null,
    { like: JSON_WEB_TOKEN, secret: true },
  ),
  aenaTerms: setting(
    'AENA_TERMS',
    'text',
    '`accepted` states that you have an agreement with Aena to use its flight information, which has no open licence. Without it `--live` has no flights.',
    null,
    { oneOf: ['accepted'] },
  ),
  aircraftBlocked: setting(
    'AIRCRAFT_BLOCKED',
    'text',
    'Aircraft that are never stored or shown, by ICAO address or registration, in addition to those blocked by LADD or PIA. Positions stored before a change of the list remain until they are 35 days old.',
    null,
    { like: AIRCRAFT },
  ),
  openskyClient: setting(
    'OPENSKY_CLIENT',
    'text',
    'API client of your OpenSky account. It is sent to OpenSky only, and used only with `OPENSKY_NON_COMMERCIAL=accepted`.',
    null,
    { like: CLIENT, secret: true },
  ),
  openskyNonCommercial: setting(
    'OPENSKY_NON_COMMERCIAL',
    'text',
    '`accepted` states that your service is not commercial, as OpenSky requires. Without it `--live` does not use OpenSky.',
    null,
    { oneOf: ['accepted'] },
  ),
  aisReceivers: setting(
    'AIS_RECEIVERS',
    'text',
    'Your own AIS receivers (NMEA 0183, AIVDM). Without it there are no vessels of the feed `ais_receivers`.',
    null,
    { like: RECEIVERS },
  ),
  aisExcludedMmsi: setting('AIS_EXCLUDED_MMSI', 'text', 'Vessels that are never stored, in addition to pleasure and sailing craft.', null, {
    like: MMSI_LIST,
  }),
  napApiKey: setting(
    'NAP_API_KEY',
    'text',
    'Key of the National Access Point, free at nap.transportes.gob.es. Without it `--live` has no timetables of Málaga and Alicante. It is sent to the access point only.',
    null,
    { like: { pattern: /^[\w-]{8,200}$/, words: 'letters, digits and hyphens' }, secret: true },
  ),
  aisstreamApiKey: setting(
    'AISSTREAM_API_KEY',
    'text',
    'Key of aisstream.io, for the optional feed `aisstream`. Its data come without a licence to resell. It is sent to aisstream.io only.',
    null,
    { like: { pattern: /^\w{8,200}$/, words: 'letters and digits' }, secret: true },
  ),
  smtpUrl: setting('SMTP_URL', 'text', 'Mail server with user and password. Default: mails are written to `<data>/outbox`.', null, {
    like: SMTP_PLACE,
    secret: true,
  }),
  mailFrom: setting('MAIL_FROM', 'text', 'Sender of mails.', 'Traffic Intelligence <no-reply@localhost>', { like: MAILBOX }),
  webhookLoopback: setting(
    'WEBHOOK_LOOPBACK',
    'flag',
    'Lets webhooks reach this machine itself, also over http, to try them. Rejected with live data.',
    false,
  ),
  webhookNetworks: setting(
    'WEBHOOK_NETWORKS',
    'text',
    'Your own private networks that webhooks may reach: parts of `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16`, `100.64.0.0/10` and `fc00::/7`. Also with live data. Default: webhooks reach the public internet only.',
    null,
    { like: NETWORKS },
  ),
  logLevel: setting('LOG_LEVEL', 'text', 'Lowest level that is logged.', 'info', { oneOf: ['trace', 'debug', 'info', 'warn', 'error'] }),
  logFormat: setting(
    'LOG_FORMAT',
    'text',
    'In a terminal, `scripts/start` shows its steps and writes the log to a file, unless this is json.',
    'auto',
    {
      oneOf: ['auto', 'json'],
    },
  ),
  queryMemory: setting('QUERY_MEMORY', 'bytes', 'Memory of DuckDB in one process.', 2 * GB, { min: 256 * MB }),
  queryThreads: setting('QUERY_THREADS', 'count', 'Threads of DuckDB in one process.', 2, { min: 1, max: 256 }),
  querySlots: setting('QUERY_SLOTS', 'count', 'Lake queries that run at once in one process. Others wait.', 2, {
    min: 1,
    max: 64,
  }),
  queryQueue: setting('QUERY_QUEUE', 'count', 'Lake queries that may wait in one process, for at most 30 s. More are rejected.', 64, {
    min: 0,
    max: 10_000,
  }),
  querySpill: setting('QUERY_SPILL', 'bytes', 'Disk that DuckDB may spill to in one process. 0 for none.', 8 * GB, { min: 0 }),
  cacheBytes: setting(
    'CACHE_BYTES',
    'bytes',
    'Disk cache of one process for whole files of an S3 lake. Used if httpfs is not available.',
    10 * GB,
    {
      min: GB,
    },
  ),
  duckdbExtensions: setting('DUCKDB_EXTENSIONS', 'text', "Folder with DuckDB's `httpfs` extension, for range reads of an S3 lake.", null),
  landEvery_s: setting(
    'LAND_EVERY_S',
    'count',
    'Seconds between commits of a feed to the lake. At 300 one commit may fail and the lake is still at most 10 minutes behind.',
    300,
    { min: 10, max: 300 },
  ),
} as const

type Settings = typeof SETTINGS
/** The settings as read; null if a setting has neither a value nor a default. */
export type Config = { readonly [K in keyof Settings]: Value<Settings[K]['kind']> | (Settings[K]['fallback'] extends null ? null : never) }

/**
 * Reads every setting from an environment. Throws one error that lists all invalid values: variable, value and what is allowed.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const mistakes: string[] = []
  const read: Record<string, unknown> = {}
  for (const [name, { env: variable, or, kind, fallback, allowed, secret }] of Object.entries<Setting>(SETTINGS)) {
    const given = [variable, ...(or === undefined ? [] : [or])].find((one) => env[one] !== undefined && env[one] !== '')
    const value = given === undefined ? fallback : parse(kind, env[given] as string)
    if (given !== undefined && (value === null || !isAllowed(value, allowed)))
      mistakes.push(`${given}=${secret ? '…' : env[given]}: ${words(kind, allowed)}`)
    else read[name] = value
  }
  if (mistakes.length > 0) throw new Error(`mistakes in the configuration:\n  ${mistakes.join('\n  ')}`)
  return Object.freeze(read as Config)
}

/** The value of a secret setting by its variable, null if not set. Throws for a variable that is not a secret setting. */
export function secretOf(config: Config, env: string): string | null {
  const found = Object.entries<Setting>(SETTINGS).find(([, one]) => one.env === env && one.secret)
  if (!found) throw new Error(`no secret setting ${env}`)
  return config[found[0] as keyof Config] as string | null
}

/** The value of a text setting by its variable, null if not set. Throws for a variable that is not a setting, or is secret. */
export function textOf(config: Config, env: string): string | null {
  const found = Object.entries<Setting>(SETTINGS).find(([, one]) => one.env === env && one.kind === 'text' && !one.secret)
  if (!found) throw new Error(`no text setting ${env}`)
  return config[found[0] as keyof Config] as string | null
}

/** True if the operator accepts a publisher's terms with a setting, named by its variable. Throws for an unknown variable. */
export function isAccepted(config: Config, env: string): boolean {
  const found = Object.entries<Setting>(SETTINGS).find(([, one]) => one.env === env)
  if (!found) throw new Error(`no setting ${env}`)
  return config[found[0] as keyof Config] === 'accepted'
}

/** The entries of a list setting by its variable, in upper case. Throws for an unknown variable. */
export function listOfSetting(config: Config, env: string): ReadonlySet<string> {
  const found = Object.entries<Setting>(SETTINGS).find(([, one]) => one.env === env)
  if (!found) throw new Error(`no setting ${env}`)
  const value = config[found[0] as keyof Config]
  return new Set(value === null ? [] : String(value).toUpperCase().split(','))
}

const UNITS: Readonly<Record<string, number>> = { '': 1, KB, MB, GB }

/** The value of a text, null if it is not of the kind. */
function parse(kind: Kind, text: string): Value<Kind> | null {
  if (kind === 'text') return text
  if (kind === 'url') return URL.canParse(text) && /^https?:/i.test(text) ? text.replace(/\/+$/, '') : null
  if (kind === 'mode') return SOURCE_MODES.find((mode) => mode === text) ?? null
  if (kind === 'flag') return /^(1|0|true|false)$/i.test(text) ? /^(1|true)$/i.test(text) : null
  if (kind === 'count') return /^\d{1,9}$/.test(text) ? Number(text) : null
  const size = /^(\d{1,15}) ?(KB|MB|GB)?$/i.exec(text)
  return size ? Number(size[1]) * (UNITS[(size[2] ?? '').toUpperCase()] as number) : null
}

function isAllowed(value: Value<Kind>, { min = 0, max = Number.MAX_SAFE_INTEGER, oneOf, like }: Allowed): boolean {
  if (typeof value === 'number') return value >= min && value <= max
  if (typeof value !== 'string') return true
  return (oneOf?.includes(value) ?? true) && (like?.pattern.test(value) ?? true)
}

/** The allowed values in words, for error messages and the table in scripts/README.md; empty if any text is allowed. */
function words(kind: Kind, { min, max, oneOf, like }: Allowed): string {
  if (kind === 'mode' || oneOf) return `one of ${(oneOf ?? SOURCE_MODES).map((one) => `\`${one}\``).join(', ')}`
  if (kind === 'url') return 'an `http(s)://` address'
  if (kind === 'flag') return '`true` or `false`'
  if (kind === 'text') return like?.words ?? ''
  const shown = (value: number): string => (kind === 'bytes' ? sizeText(value) : String(value))
  const what = kind === 'bytes' ? 'a size such as `512MB`' : 'a whole number'
  if (max !== undefined) return `${what}, ${shown(min ?? 0)} to ${shown(max)}`
  return min ? `${what}, at least ${shown(min)}` : what
}

function sizeText(bytes: number): string {
  for (const [unit, size] of Object.entries({ GB, MB, KB })) if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`
  return String(bytes)
}

/** The settings as the table in scripts/README.md. */
export function settingsTable(): string {
  const rows = Object.values<Setting>(SETTINGS).map(({ env, kind, about, fallback, allowed }) => {
    const unset = fallback === null ? '' : `\`${kind === 'bytes' ? sizeText(Number(fallback)) : String(fallback)}\``
    return `| \`${env}\` | ${about} | ${words(kind, allowed)} | ${unset} |`
  })
  return ['| variable | meaning | allowed | default |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
