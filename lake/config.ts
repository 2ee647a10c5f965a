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

type More<F> = Allowed & Pick<Setting, 'or' | 'secret'> & { readonly fallback?: F }

/** Makes the settings of a kind; without `fallback` there is no default. */
const settingOf =
  <K extends Kind>(kind: K) =>
  <const F extends Value<K> | null = null>(env: string, about: string, more: More<F> = {}): Setting<K> & { readonly fallback: F } => {
    const { or, secret, fallback = null as F, ...allowed } = more
    return { env, kind, about, fallback, allowed, ...(or === undefined ? {} : { or }), ...(secret === undefined ? {} : { secret }) }
  }
const [text, url, count] = [settingOf('text'), settingOf('url'), settingOf('count')]
const [bytes, flag, mode] = [settingOf('bytes'), settingOf('flag'), settingOf('mode')]

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
const CLIENT_KEYS = { pattern: /^[^:\s]+:\S+$/, words: '`<access key id>:<secret access key>`' }
const ROLE = { pattern: /^arn:[\w-]+:iam::\d*:role\/\S+$/, words: '`arn:aws:iam::…:role/…`' }
const RECEIVERS = {
  pattern: /^(tcp|udp):\/\/[^\s,/]+:\d{1,5}(,(tcp|udp):\/\/[^\s,/]+:\d{1,5})*$/,
  words: '`tcp://host:port` to connect to or `udp://address:port` to listen on, separated by commas',
}
const MMSI_LIST = { pattern: /^\d{9}(,\d{9})*$/, words: 'MMSI of nine digits, separated by commas' }
const MAILBOX = { pattern: /^[^\r\n]*[^\s<]@[^\r\n]+$/, words: '`name@example.org` or `Name <name@example.org>`' }

/** Every setting of the service: the source of the checks and of the table in scripts/README.md. */
export const SETTINGS = {
  mode: mode('SOURCE_MODE', 'Where data comes from. Set by `scripts/start`.', { fallback: 'simulated' }),
  liveFeeds: text('LIVE_FEEDS', 'Optional feeds that `--live` runs as well.', { like: FEED_IDS }),
  dataFolder: text('DATA_DIR', 'Folder for the store, Redis files, spool and cache. Default: `.data/<mode>`.'),
  lakeUrl: text('LAKE_URL', 'Object store. Default: `<data>/store`.', { like: STORE_URL }),
  s3Endpoint: url('S3_ENDPOINT', 'Address of an S3-compatible server. Default: AWS. Credentials come from the usual `AWS_*` variables.'),
  s3PublicEndpoint: url('S3_PUBLIC_ENDPOINT', 'Address of the S3 server for customers, in signed URLs of exports. Default: `S3_ENDPOINT`.'),
  s3Region: text('S3_REGION', 'Region of the bucket. `AWS_REGION` is used if this is not set.', {
    fallback: 'us-east-1',
    or: 'AWS_REGION',
  }),
  s3PathStyle: flag('S3_PATH_STYLE', 'Puts the bucket in the path instead of the host name.', { fallback: false }),
  lakeReaderKeys: text(
    'LAKE_READER_KEYS',
    'Keys that may only read the bucket below `lake/`: the Iceberg catalogue gives them to keys of ENTERPRISE. Default: the API serves the files.',
    { like: CLIENT_KEYS, secret: true },
  ),
  lakeReaderRole: text(
    'LAKE_READER_ROLE',
    'Role that the service assumes (STS) for each table that an engine loads: the catalogue gives keys for that table and an hour.',
    { like: ROLE },
  ),
  redisUrl: text('REDIS_URL', 'Redis server to use. By default `scripts/start` runs its own on a private socket.', { like: REDIS_PLACE }),
  publishersUrl: url('PUBLISHERS_URL', 'Stand-in server that replaces the publishers. Set by `scripts/start`.'),
  host: text('HOST', 'Address the API listens on.', { fallback: '127.0.0.1' }),
  port: count('PORT', 'Port of the API. 0 picks a free port.', { fallback: 8080, min: 0, max: 65_535 }),
  apiWorkers: count('API_WORKERS', 'API processes on this machine. They share one port.', { fallback: 1, min: 1, max: 64 }),
  metricsHost: text('METRICS_HOST', 'Address that metrics listen on. Keep it private: metrics need no key.', { fallback: '127.0.0.1' }),
  metricsPort: count(
    'METRICS_PORT',
    'Port of `GET /metrics` (Prometheus) of the worker. API processes use the next ports. 0 picks free ports. Default: no metrics.',
    { min: 0, max: 65_535 },
  ),
  publicUrl: url('PUBLIC_URL', 'Address that clients use, for links. Default: the address it listens on.'),
  trustedProxies: text('TRUSTED_PROXIES', 'Proxies in front of the API. Only their `X-Forwarded-For` is trusted.', { like: NETWORKS }),
  requireHttps: flag(
    'REQUIRE_HTTPS',
    'Whether plain HTTP is rejected with 403. Default: if a trusted proxy reports plain HTTP (`X-Forwarded-Proto`, `Forwarded`); with an `https://…` `PUBLIC_URL` also if the request is from another machine and no proxy reports HTTPS.',
  ),
  plans: text('PLANS', 'Changes to the plans: for each plan the terms that differ, named as in `/api/plans`.', {
    fallback: '{}',
    like: JSON_OBJECT,
  }),
  upgradeUrl: url('UPGRADE_URL', 'Page where people change their plan. Default: the page `/plans`, which shows the contact.'),
  supportContact: text(
    'SUPPORT_CONTACT',
    'Where customers write: changes of plan and priority support. Shown on `/plans` and `/account`, and in the catalogue as DCAT-AP-ES. Default: no address.',
    { like: CONTACT },
  ),
  catalogPublisher: url(
    'CATALOG_PUBLISHER',
    'Publisher of the catalogue in DCAT-AP-ES: its URI in the register of public bodies (DIR3), as datos.gob.es names it. Default: the service itself, which DCAT-AP-ES does not allow.',
  ),
  securityContact: text('SECURITY_CONTACT', 'Contact for security reports, shown in `/.well-known/security.txt`. Default: no such file.', {
    like: CONTACT,
  }),
  keyPepper: text(
    'KEY_PEPPER',
    'Secrets that keys and e-mail addresses are hashed with, the current one first. Default: the file `<data>/key-pepper`, created at the first start. **Without it no key works: back it up, separately from the store.**',
    { like: PEPPERS, secret: true },
  ),
  aemetApiKey: text(
    'AEMET_API_KEY',
    'Key of AEMET OpenData, free at opendata.aemet.es. Without it `--live` has warnings but no other weather. It is sent to AEMET only.',
    { like: JSON_WEB_TOKEN, secret: true },
  ),
  aenaTerms: text(
    'AENA_TERMS',
    '`accepted` states that you have an agreement with Aena to use its flight information, which has no open licence. Without it `--live` has no flights.',
    { oneOf: ['accepted'] },
  ),
  aircraftBlocked: text(
    'AIRCRAFT_BLOCKED',
    'Aircraft that are never stored or shown, by ICAO address or registration, in addition to those blocked by LADD or PIA. Positions stored before a change of the list remain until they are 35 days old.',
    { like: AIRCRAFT },
  ),
  openskyClient: text(
    'OPENSKY_CLIENT',
    'API client of your OpenSky account. It is sent to OpenSky only, and used only with `OPENSKY_NON_COMMERCIAL=accepted`.',
    { like: CLIENT, secret: true },
  ),
  openskyNonCommercial: text(
    'OPENSKY_NON_COMMERCIAL',
    '`accepted` states that your service is not commercial, as OpenSky requires. Without it `--live` does not use OpenSky.',
    { oneOf: ['accepted'] },
  ),
  aisReceivers: text(
    'AIS_RECEIVERS',
    'Your own AIS receivers (NMEA 0183, AIVDM). Without it there are no vessels of the feed `ais_receivers`.',
    { like: RECEIVERS },
  ),
  aisExcludedMmsi: text('AIS_EXCLUDED_MMSI', 'Vessels that are never stored, in addition to pleasure and sailing craft.', {
    like: MMSI_LIST,
  }),
  napApiKey: text(
    'NAP_API_KEY',
    'Key of the National Access Point, free at nap.transportes.gob.es. Without it `--live` has no timetables of Málaga and Alicante. It is sent to the access point only.',
    { like: { pattern: /^[\w-]{8,200}$/, words: 'letters, digits and hyphens' }, secret: true },
  ),
  aisstreamApiKey: text(
    'AISSTREAM_API_KEY',
    'Key of aisstream.io, for the optional feed `aisstream`. Its data come without a licence to resell. It is sent to aisstream.io only.',
    { like: { pattern: /^\w{8,200}$/, words: 'letters and digits' }, secret: true },
  ),
  smtpUrl: text('SMTP_URL', 'Mail server with user and password. Default: mails are written to `<data>/outbox`.', {
    like: SMTP_PLACE,
    secret: true,
  }),
  mailFrom: text('MAIL_FROM', 'Sender of mails.', { fallback: 'Traffic Intelligence <no-reply@localhost>', like: MAILBOX }),
  webhookLoopback: flag(
    'WEBHOOK_LOOPBACK',
    'Lets webhooks reach this machine itself, also over http, to try them. Rejected with live data.',
    { fallback: false },
  ),
  webhookNetworks: text(
    'WEBHOOK_NETWORKS',
    'Your own private networks that webhooks may reach: parts of `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16`, `100.64.0.0/10` and `fc00::/7`. Also with live data. Default: webhooks reach the public internet only.',
    { like: NETWORKS },
  ),
  logLevel: text('LOG_LEVEL', 'Lowest level that is logged.', { fallback: 'info', oneOf: ['trace', 'debug', 'info', 'warn', 'error'] }),
  logFormat: text('LOG_FORMAT', 'In a terminal, `scripts/start` shows a board and writes the log to a file, unless this is json.', {
    fallback: 'auto',
    oneOf: ['auto', 'json'],
  }),
  queryMemory: bytes('QUERY_MEMORY', 'Memory of DuckDB in one process.', { fallback: 2 * GB, min: 256 * MB }),
  queryThreads: count('QUERY_THREADS', 'Threads of DuckDB in one process.', { fallback: 2, min: 1, max: 256 }),
  querySlots: count('QUERY_SLOTS', 'Lake queries that run at once in one process. Others wait.', { fallback: 2, min: 1, max: 64 }),
  queryQueue: count('QUERY_QUEUE', 'Lake queries that may wait in one process, for at most 30 s. More are rejected.', {
    fallback: 64,
    min: 0,
    max: 10_000,
  }),
  querySpill: bytes('QUERY_SPILL', 'Disk that DuckDB may spill to in one process. 0 for none.', { fallback: 8 * GB, min: 0 }),
  cacheBytes: bytes('CACHE_BYTES', 'Disk cache of one process for whole files of an S3 lake. Used if httpfs is not available.', {
    fallback: 10 * GB,
    min: GB,
  }),
  duckdbExtensions: text(
    'DUCKDB_EXTENSIONS',
    "Folder with DuckDB's `httpfs` extension, for range reads of an S3 lake. Without it, that of `pip install duckdb-extension-httpfs==1.5.5` is used, else DuckDB's own server.",
  ),
  deriveEngine: text('DERIVE_ENGINE', 'With `spark`, workers leave the heaviest derived tables to `scripts/spark`.', {
    fallback: 'duckdb',
    oneOf: ['duckdb', 'spark'],
  }),
  landEvery_s: count(
    'LAND_EVERY_S',
    'Seconds between commits of a feed to the lake. At 300 one commit may fail and the lake is still at most 10 minutes behind.',
    { fallback: 300, min: 10, max: 300 },
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
  return valueOf(config, env, 'secret setting', ({ secret }) => secret === true) as string | null
}

/** The value of a text setting by its variable, null if not set. Throws for a variable that is not a setting, or is secret. */
export function textOf(config: Config, env: string): string | null {
  return valueOf(config, env, 'text setting', ({ kind, secret }) => kind === 'text' && !secret) as string | null
}

/** True if the operator accepts a publisher's terms with a setting, named by its variable. Throws for an unknown variable. */
export function isAccepted(config: Config, env: string): boolean {
  return valueOf(config, env) === 'accepted'
}

/** The entries of a list setting by its variable, in upper case. Throws for an unknown variable. */
export function listOfSetting(config: Config, env: string): ReadonlySet<string> {
  const value = valueOf(config, env)
  return new Set(value === null ? [] : String(value).toUpperCase().split(','))
}

function valueOf(config: Config, env: string, what = 'setting', isWanted = (_: Setting): boolean => true): Config[keyof Config] {
  const found = Object.entries<Setting>(SETTINGS).find(([, one]) => one.env === env && isWanted(one))
  if (!found) throw new Error(`no ${what} ${env}`)
  return config[found[0] as keyof Config]
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
