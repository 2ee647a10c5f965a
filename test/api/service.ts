import { cpSync, existsSync, mkdtempSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Access, openAccess } from '../../api/auth/access.ts'
import { newPepperText, type Peppers, parsePeppers } from '../../api/auth/keys/pepper.ts'
import { trustedProxies } from '../../api/auth/limits/address.ts'
import { openLimiter } from '../../api/auth/limits/limiter.ts'
import { openMailer } from '../../api/auth/mail/mail.ts'
import { type PlanTable, readPlans, TIERS } from '../../api/auth/plans.ts'
import type { Session } from '../../api/auth/sessions/tokens.ts'
import { openRequestLog, type RequestLog } from '../../api/auth/usage/request-log.ts'
import type { Endpoint } from '../../api/kernel/endpoint.ts'
import type { ClientLimits } from '../../api/main/app.ts'
import type { Describe } from '../../api/main/describe/descriptions.ts'
import { type Api, startApi } from '../../api/main/server.ts'
import { datasets } from '../../lake/catalog.ts'
import { type Events, openEvents } from '../../lake/events/open.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { type FeedListing, type FeedState, writeFeedState } from '../../lake/live/freshness.ts'
import { type LiveReader, openLive } from '../../lake/live/read.ts'
import type { LiveChange, LiveRow } from '../../lake/live/types.ts'
import { publishLive } from '../../lake/live/write.ts'
import type { ProcessMetrics } from '../../lake/metrics/metrics.ts'
import type { Lake } from '../../lake/open.ts'
import { type Column, isGeometry } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset, Plan } from '../../lake/schema/dataset.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import { dayBounds, madridDate } from '../../lake/schema/time.ts'
import { fileStore } from '../../lake/store/file.ts'
import type { ReaderAccess } from '../../lake/store/reader-access.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { claimLake, writeFeedListings } from '../../lake/system.ts'
import { serviceLog } from '../../scripts/service/store.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { runFolder } from '../helpers/run-folder.ts'
import { tempFolder } from '../helpers/temp.ts'
import { landRows, openTestLake } from '../lake/query/fixtures.ts'
import { writeExampleQuality } from './main/example-quality.ts'
import { FEEDS } from './main/feed-listings.ts'

/** The API over a real store, lake and Redis, and functions that fill them. */
export interface TestService {
  readonly url: string
  readonly lake: Lake
  readonly events: Events
  readonly access: Access
  /** The log of requests, written when it is flushed. */
  readonly requests: RequestLog
  /** Folder of the sent mails, unless `smtpUrl` was given. */
  readonly outbox: string
  /** Header with a session of an account. */
  session(account: string): Promise<{ readonly Cookie: string }>
  /** The settings of another process of the same service, on a machine of its own: see `beside`. */
  readonly shared: SharedParts
  /** Publishes rows as the whole current state of a dataset, and waits until the API has them. */
  publish(dataset: Dataset, rows: readonly AnyRow[], options?: PublishOptions): Promise<void>
  /** Lands rows in the dataset's table. `until` (ms) is their covered period, for `feeds`, or for all that fill the table. */
  land(dataset: Dataset, rows: readonly AnyRow[], until: number, feeds?: readonly string[]): Promise<void>
  /** Sets the state of a feed. */
  tell(state: Partial<FeedState> & { readonly feed: string }): Promise<void>
  /** A key of a plan, the same at every call. */
  key(plan: Plan): Promise<string>
  /** Headers with a key of a plan. */
  keyed(plan: Plan, more?: Record<string, string>): Promise<Record<string, string>>
  /** Sends a request with a key of the plan ENTERPRISE, as `get` does; to a path or a URL. */
  ask(path: string, init?: Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> }): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** Sends a request without a key. */
  open(path: string, headers?: Record<string, string>): Promise<Response>
  /** The reply as JSON, for paths that return JSON on request only, too. */
  json(path: string): Promise<Reply>
  readonly redisUrl: string
  readonly live: LiveReader
  restartRedis(): Promise<void>
  killRedis(): Promise<void>
  emptyRedis(): Promise<void>
  close(): Promise<void>
}

/** The shared parts of the processes of one service. */
interface SharedParts {
  readonly storeFolder: string
  readonly peppers: Peppers
}

/** A JSON reply, loosely. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
export type Reply = any

interface PublishOptions {
  /** Completeness groups missing in the publication. */
  readonly missing?: readonly string[]
  readonly feed?: string
  /** Data time, ms since the epoch. */
  readonly at?: number
  readonly changes?: readonly LiveChange[]
}

interface ServiceOptions {
  /** Its time in ms. */
  readonly clock?: () => number
  readonly slots?: number
  /** Receiver of mails, in place of a folder. */
  readonly smtpUrl?: string
  /** The data of another process of the same service, which sends this one nothing: each has a Redis of its own. */
  readonly beside?: SharedParts
  /** The folder of its files; by default one that is removed after the test file. */
  readonly folder?: string
  /** Receives the API's log, which is dropped by default. */
  readonly log?: (line: string) => void
  /** Addresses of trusted proxies; none by default. */
  readonly proxies?: string
  /** The address that clients use; by default the one listened on. */
  readonly publicUrl?: string
  /** Whether plain HTTP is refused; by default `publicUrl` and the proxies decide. */
  readonly requireHttps?: boolean
  /** The plans; by default without limits. */
  readonly plans?: PlanTable
  readonly upgradeUrl?: string
  readonly supportContact?: string
  readonly securityContact?: string
  readonly catalogPublisher?: string
  /** The feeds that the worker would announce; `FEEDS` by default. */
  readonly feeds?: readonly FeedListing[]
  /** The endpoints to serve; all by default. */
  readonly endpoints?: readonly Endpoint[]
  /** Changes of the clients' usual timeouts. */
  readonly clients?: Partial<ClientLimits>
  /** Memory for kept replies, in bytes. */
  readonly cacheBytes?: number
  /** Disk for replies in transfer, in bytes. */
  readonly spoolBytes?: number
  /** Time between its own probes of each group of paths, in ms; a minute by default. */
  readonly probe_ms?: number
  /** Builds the OpenAPI description. */
  readonly describe?: Describe
  /** The process's own measurements. */
  readonly metrics?: ProcessMetrics
  /** Its store; by default a folder. */
  readonly store?: ObjectStore
  /** How engines read the bucket of its lake; by default they cannot. */
  readonly bucket?: ReaderAccess
}

const MUCH = Object.freeze({ minute: 1e9, day: 1e9, concurrency: 1e6 })
/** The plans without limits. */
export const UNLIMITED = readPlans(JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, MUCH]))))

/** Starts the API. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const {
    clock = Date.now,
    slots = 2,
    smtpUrl = null,
    log: write,
    proxies = '',
    plans = UNLIMITED,
    feeds = FEEDS,
    metrics,
    beside,
    folder = tempFolder(),
    ...served
  } = options
  const shared = beside ?? { storeFolder: join(folder, 'store'), peppers: parsePeppers(newPepperText()) }
  const server = await startTestRedis()
  const redis = openRedis(server.url)
  const store = options.store ?? (await fileStore(shared.storeFolder))
  await claimLake(store, 'simulated', Date.UTC(2026, 0, 1))
  await writeFeedListings(store, feeds)
  const cache = { folder: join(folder, 'cache'), name: 'test', maxBytes: 1e9 }
  const lake = await openTestLake(folder, { store, cache, slots, queue: slots, ...(metrics ? { onQuery: metrics.countQuery } : {}) })
  const live = openLive({ redisUrl: server.url, poll_ms: 200 })
  await live.ready
  const log = write ? serviceLog({ logLevel: 'trace' }, 'api', { write }) : pino({ level: 'silent' })
  const outbox = join(folder, 'outbox')
  const mailer = openMailer({ smtpUrl, from: 'keys@example.org', outbox, log, waits_ms: [100] })
  const access = openAccess({ store, redisUrl: server.url, peppers: shared.peppers, mailer, log, clock })
  const fail = (cause: Error): never => {
    throw new Error('usage cannot be written', { cause })
  }
  // Clocks of tests leap over hours; unflushed usage is then given up.
  const requests = openRequestLog({ store, clock, every_ms: null, onError: fail, onLost: () => undefined })
  const limiter = openLimiter({
    redisUrl: server.url,
    onSwitch: () => undefined,
    probe_ms: 100,
    // A machine that runs other tests beside may be slow to answer.
    timeout_ms: 2000,
  })
  const events = openEvents({ store, redisUrl: server.url })
  const api: Api = await startApi({
    store,
    lake,
    live,
    events,
    access,
    limiter,
    requests,
    trusted: trustedProxies(proxies),
    log,
    destinations: { loopback: true },
    host: '127.0.0.1',
    port: 0,
    clock,
    lakePoll_ms: 100,
    describe_ms: 200,
    plans,
    metrics: metrics?.registry ?? null,
    ...served,
  })
  metrics?.follow({ engine: lake.engine, redisConnected: () => live.connected })
  const seqs = new Map<string, number>()
  const open = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetch(`${api.url}${path}`, { headers })
  const keys = new Map<Plan, Promise<string>>()
  const newKey = async (plan: Plan): Promise<string> =>
    (await access.accounts.create({ email: `${plan}@example.org`, label: null, language: 'es', plan })).key
  const key = (plan: Plan): Promise<string> => {
    const made = keys.get(plan) ?? newKey(plan)
    keys.set(plan, made)
    return made
  }
  const ask: TestService['ask'] = async (path, { headers, ...init } = {}) =>
    await fetch(new URL(path, api.url), { ...init, headers: { 'X-API-Key': await key('ENTERPRISE'), ...headers } })
  const get: TestService['get'] = (path, headers = {}) => ask(path, { headers })
  return {
    url: api.url,
    redisUrl: server.url,
    live,
    ...{ lake, events, access, requests, outbox, shared, key },
    session: async (account) => {
      const link = (await access.tokens.link(account)) as string
      return { Cookie: `session=${access.tokens.textOf((await access.tokens.open(link)) as Session)}` }
    },
    keyed: async (plan, more = {}) => ({ 'X-API-Key': await key(plan), ...more }),
    ask,
    get,
    open,
    json: async (path) => (await get(path, { Accept: 'application/json' })).json(),
    async publish(dataset, rows, { feed = feedOf(dataset), at = clock(), changes = [], missing = [] } = {}) {
      const seq = (seqs.get(dataset.id + feed) ?? 0) + 1
      seqs.set(dataset.id + feed, seq)
      const byKey = new Map(rows.map((row) => [entityKey(dataset, row), row as LiveRow]))
      const about = { dataset: dataset.id, feed, seq, fetch_id: `${feed}.${seq}`, data_time: at, fetched_at: at }
      const update = { ...about, rows: byKey, changes, missing }
      const before = live.get(dataset.id)?.version ?? 0
      await publishLive(redis, update)
      while ((live.get(dataset.id)?.version ?? 0) === before) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    async land(dataset, rows, until, feeds = feedsOf(dataset)) {
      const at = new Date(until).toISOString()
      await landRows(lake, dataset, rows, { properties: Object.fromEntries(feeds.map((feed) => [`landed-until.${feed}`, at])) })
    },
    async tell(state) {
      const times = { last_attempt_at: null, last_success_at: null, data_time: null, fresh_at: null }
      const counts = { rows: {}, quarantined: 0, unknown_codes: 0, missing_blocks: [], lost_fetches: 0 }
      const rest = { last_fetch_id: null, last_error: null, failing_since: null }
      await writeFeedState(redis, { ...times, ...counts, ...rest, ...state })
    },
    restartRedis: () => server.restart(),
    killRedis: () => server.kill(),
    emptyRedis: async () => void (await redis.flushall()),
    async close() {
      await api.close()
      events.close()
      await requests.close()
      limiter.close()
      await access.close()
      await mailer.close()
      await live.close()
      redis.disconnect()
      await lake.close()
      await server.stop()
    },
  }
}

/** The feed that fills a dataset, the first of several. */
export function feedOf(dataset: Dataset): string {
  return feedsOf(dataset)[0] as string
}

function feedsOf(dataset: Dataset): string[] {
  const feeds = FEEDS.filter((feed) => feed.datasets.includes(dataset.id)).map(({ id }) => id)
  return feeds.length > 0 ? feeds : ['other']
}

/** A live row of the examples of a dataset's columns, with the given values. */
export function exampleRow(dataset: Dataset, values: AnyRow = {}): AnyRow {
  const row = Object.fromEntries(Object.entries(dataset.columns).map(([name, column]) => [name, exampleValue(column)]))
  return { ...row, status: 'ACTIVE', updated_at: row[dataset.time], is_stale: false, ...values }
}

/** The same as a row of the dataset's table. */
export function exampleTableRow(dataset: Dataset, values: AnyRow = {}): AnyRow {
  const { is_stale: _stale, ...row } = exampleRow(dataset, values)
  if (dataset.writeMode !== 'changes') {
    const { status: _status, updated_at: _updated, ...plain } = row
    return { ...plain, fetch_id: `${feedOf(dataset)}.1` }
  }
  return { fetch_id: `${feedOf(dataset)}.1`, is_baseline: false, last_seen_at: null, ...row }
}

/** A column's example as rows store it; declared examples are JSON. */
function exampleValue(column: Column): unknown {
  const { example = null } = column
  if (example === null) return null
  if (column.kind === 'instant') return Date.parse(example as string)
  if (isGeometry(column.kind)) return (example as { readonly coordinates: unknown }).coordinates
  if (column.kind !== 'service_time') return example
  const [hours = 0, minutes = 0, seconds = 0] = (example as string).split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

const HOUR_MS = 3_600_000

/** The end of another record than the example's, half an hour later; nothing in a dataset without ends. */
function endedRow(dataset: Dataset): AnyRow[] {
  if (!dataset.life) return []
  const [time, before] = [dataset.columns[dataset.time] as Column, HOUR_MS / 2]
  const at = (exampleValue(time) as number) + before
  return [
    exampleTableRow(dataset, {
      ...{ source_id: 'over', [dataset.life.id]: `${dataset.life.prefix}_over`, [dataset.time]: at },
      ...{ status: 'ENDED', updated_at: at, last_seen_at: at - 60_000 },
    }),
  ]
}

/** The rows of a dataset's table in the example service, the example first. */
export function exampleTableRows(dataset: Dataset): AnyRow[] {
  return [exampleTableRow(dataset), ...endedRow(dataset), ...otherNetworkRow(dataset), ...otherCall(dataset), ...weeksBefore(dataset)]
}

/** The number of slots of a test's engine. */
const LANDED_AT_ONCE = 2

/** Fills live state and tables with one row each, from the examples. */
export async function fillWithExamples(service: TestService): Promise<void> {
  const shown = datasets.filter(({ visibility }) => visibility === 'public')
  await Promise.all(
    shown.map(async (dataset) => {
      const row = exampleRow(dataset)
      const change: LiveChange = { kind: 'CREATED', key: entityKey(dataset, row), row: row as LiveRow, changed: [] }
      // Observed rows are as old as they state.
      const at = dataset.writeMode === 'append' && dataset.live ? { at: row[dataset.time] as number } : {}
      await service.publish(dataset, [row], { changes: [change], ...at })
      // Every feed has delivered its part.
      for (const feed of feedsOf(dataset).slice(1)) await service.publish(dataset, [], { feed, ...at })
    }),
  )
  const tables = join(service.shared.storeFolder, 'lake')
  const made = join(runFolder(), 'example-tables')
  const isEmpty = !existsSync(tables)
  if (isEmpty && existsSync(made)) cpSync(made, tables, { recursive: true })
  else {
    const landEvery = async (begin: number): Promise<void> => {
      for (const dataset of shown.filter((_, at) => at % LANDED_AT_ONCE === begin)) {
        await service.land(dataset, exampleTableRows(dataset), (exampleRow(dataset)[dataset.time] as number) + HOUR_MS)
      }
    }
    await Promise.all(Array.from({ length: LANDED_AT_ONCE }, (_, begin) => landEvery(begin)))
    if (isEmpty) keepTables(tables, made)
  }
  await writeExampleQuality(service.lake.store)
}

/** Keeps tables for other files of the run: landing takes seconds, a copy does not. */
function keepTables(tables: string, made: string): void {
  const copy = mkdtempSync(join(runFolder(), 'tables-'))
  cpSync(tables, copy, { recursive: true })
  // Another process may have been first: its value is the same.
  if (!existsSync(made)) renameSync(copy, made)
}

/** The data of the other railway network: names are known once those of all networks are. */
function otherNetworkRow(dataset: Dataset): AnyRow[] {
  if (dataset.id !== 'rail_routes' && dataset.id !== 'rail_stations') return []
  return [exampleTableRow(dataset, { network: 'AVLDMD', timetable_version: 'avldmd-2026-08-22' })]
}

/** The other terminal of the ferry, two and a quarter hours away: a route has two ends. */
function otherCall(dataset: Dataset): AnyRow[] {
  if (dataset.id === 'ferry_stops')
    return [exampleTableRow(dataset, { stop_id: 'IBZ', name: 'Ibiza', position: { lat: 38.9085, lon: 1.4497 } })]
  if (dataset.id !== 'ferry_stop_times') return []
  const at = 10.25 * 3600
  return [exampleTableRow(dataset, { stop_id: 'IBZ', stop_sequence: 2, arrival: at, departure: at })]
}

/** The complete days of the four weeks before the examples': the basis of a trend. */
function weeksBefore(dataset: Dataset): AnyRow[] {
  if (dataset.id !== 'fuel_days') return []
  const { start } = dayBounds('2025-09-26')
  return [0, 1, 2, 3].map((week) => {
    const period_start = start - week * 7 * 24 * HOUR_MS
    return exampleTableRow(dataset, { period_start, date: madridDate(period_start) })
  })
}
