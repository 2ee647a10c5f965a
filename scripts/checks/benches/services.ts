import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { openAccess } from '../../../api/auth/access.ts'
import { newPepperText, parsePeppers } from '../../../api/auth/keys/pepper.ts'
import { type Limiter, openLimiter } from '../../../api/auth/limits/limiter.ts'
import { openMailer } from '../../../api/auth/mail/mail.ts'
import { readPlans, TIERS } from '../../../api/auth/plans.ts'
import { openRequestLog } from '../../../api/auth/usage/request-log.ts'
import { type ApiOptions, startApi } from '../../../api/main/server.ts'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { checkedRows } from '../../../jobs/ingest/parse.ts'
import { fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { railFleet, railPositions, railTripUpdates } from '../../../lake/datasets/rail/trains.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { openEvents } from '../../../lake/events/open.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { openLive } from '../../../lake/live/read.ts'
import type { LiveRow } from '../../../lake/live/types.ts'
import { publishLive } from '../../../lake/live/write.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { entityKey } from '../../../lake/schema/rows.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { claimLake } from '../../../lake/system.ts'
import { startRedis } from '../../redis.ts'
import { API_PROCESS } from '../../service/processes.ts'
import { landRows } from '../scratch/lake.ts'
import { benchLake } from './lake.ts'
import { DOCUMENTS_AT, generatedDocument } from './parsing.ts'

/** An API under measurement, and a key for it. */
export interface BenchApi {
  readonly url: string
  /** A key of the ENTERPRISE plan. */
  readonly key: string
  /** Its Redis, if live rows are published there. */
  readonly redisUrl?: string
  close(): Promise<void>
}

/** A live feed, the stand-in's name of its document, and a dataset that it fills. */
type LiveFeed = readonly [id: string, resource: string, dataset: Dataset]

const INCIDENTS: readonly LiveFeed[] = [['dgt_incidents', 'national', incidents]]
const TRAINS: readonly LiveFeed[] = [
  ['renfe_positions', 'json', railPositions],
  ['renfe_positions_ld', 'json', railPositions],
  ['renfe_trip_updates', 'json', railTripUpdates],
  ['renfe_trip_updates_ld', 'json', railTripUpdates],
  ['renfe_flota_ld', 'map', railFleet],
  ['renfe_flota', 'map', railFleet],
]
const LIVE: readonly LiveFeed[] = [
  ...INCIDENTS,
  ['fuel_stations', 'national', fuelStations],
  ['fuel_stations', 'national', fuelPrices],
  ...TRAINS,
]
const TIMETABLES = ['renfe_gtfs_cercanias', 'renfe_gtfs_avldmd']
/** Rows of a version that the pipeline sorts at once. */
const MOST_SORTED = 100_000
/** Trains are published at this interval where boards are measured, ms. */
const TRAINS_EVERY_MS = 20_000
/** Limits so high that no request is refused; requests are still counted. */
const PLANS = readPlans(JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, { minute: 1e9, day: 1e9, concurrency: 1e6 }]))))

/** The folder in which the service of a bench's folder works. */
export const homeOf = (folder: string): string => join(folder, 'home')

/** Writes the rows of generated incidents, outside the measured process, which only reads them from Redis. */
export function writeIncidents(folder: string): Promise<void> {
  return writeRows(folder, INCIDENTS)
}

/** Writes the rows of all live lists that are measured, and lands the timetables of their trains. */
export async function writeLists(folder: string): Promise<void> {
  const lake = await benchLake(homeOf(folder))
  for (const feed of TIMETABLES.map(feedById)) {
    const properties = { [`landed-until.${feed.id}`]: isoInstant(DOCUMENTS_AT) }
    for (const dataset of feed.into) {
      const rows = rowsOf(feed, dataset, 'timetable', { fetch_id: `${feed.id}.1` })
      const files = await landRows(lake, dataset, rows, { mostSorted: MOST_SORTED, properties })
      if (files.length === 0) throw new Error(`no rows of ${dataset.id} were generated`)
    }
  }
  await lake.close()
  await writeRows(folder, LIVE)
}

async function writeRows(folder: string, live: readonly LiveFeed[]): Promise<void> {
  for (const [id, resource, dataset] of live) {
    const rows: AnyRow[] = []
    for await (const batch of rowsOf(feedById(id), dataset, resource)) rows.push(...batch)
    if (rows.length === 0) throw new Error(`${id} has no rows of ${dataset.id}`)
    await writeFile(rowsPath(folder, id, dataset), JSON.stringify(rows))
  }
}

/** The rows of a dataset in a generated document, in batches, with added values. */
async function* rowsOf(feed: Feed, dataset: Dataset, resource: string, added: AnyRow = {}): AsyncGenerator<AnyRow[]> {
  const bodies = [{ name: feed.plans[0]?.requests[0]?.name ?? feed.id, bytes: generatedDocument(feed, resource) }]
  for await (const rows of checkedRows(feed, dataset, bodies, { fetched_at: DOCUMENTS_AT })) yield rows.map((row) => ({ ...row, ...added }))
}

const rowsPath = (folder: string, feed: string, dataset: Dataset): string => join(folder, `${feed}.${dataset.id}.json`)

/** The engine's lifecycle fields of a thing, if the dataset has them. */
function lifeOf({ life }: Dataset, at: number, since: number): AnyRow {
  return life ? { [life.id]: `${life.prefix}_${String(at).padStart(12, '0')}`, [life.since]: since } : {}
}

/** Publishes the rows that a set-up left in the folder, as of an instant (ms). */
async function publish(redisUrl: string, folder: string, { live, at, seq }: { live: readonly LiveFeed[]; at: number; seq: number }) {
  const redis = openRedis(redisUrl)
  const state = { status: 'ACTIVE', updated_at: at, is_stale: false } as const
  for (const [id, , dataset] of live) {
    const rows = JSON.parse(await readFile(rowsPath(folder, id, dataset), 'utf8')) as AnyRow[]
    const entries = rows.map((row, nth): [string, LiveRow] => [
      entityKey(dataset, row),
      { [dataset.time]: at, ...lifeOf(dataset, nth, at), ...row, ...state },
    ])
    const times = { data_time: at, fetched_at: at }
    await publishLive(redis, {
      dataset: dataset.id,
      feed: id,
      seq,
      fetch_id: `${id}.${seq}`,
      ...times,
      rows: new Map(entries),
      changes: [],
    })
  }
  redis.disconnect()
}

/** Publishes the trains at an interval, from the time of the documents on, until it is closed. */
export function startTrains(redisUrl: string, folder: string): { close(): Promise<void> } {
  const offset = DOCUMENTS_AT - Date.now()
  let seq = 1
  let publishing = Promise.resolve()
  const timer = setInterval(() => {
    publishing = publish(redisUrl, folder, { live: TRAINS, at: Date.now() + offset, seq: ++seq })
  }, TRAINS_EVERY_MS)
  return {
    close: () => {
      clearInterval(timer)
      return publishing
    },
  }
}

/**
 * Starts the API with its own Redis, as the service does, over the lake and the live rows of a bench's folder. Its clock starts
 * at the time of the documents.
 */
export async function startService(folder: string): Promise<BenchApi> {
  const offset = DOCUMENTS_AT - Date.now()
  const clock = (): number => Date.now() + offset
  const live = LIVE.filter(([id, , dataset]) => existsSync(rowsPath(folder, id, dataset)))
  const server = await startRedis({ folder: join(folder, 'redis'), appendOnly: false })
  await publish(server.url, folder, { live, at: clock(), seq: 1 })
  const api = await startBenchApi(homeOf(folder), { redisUrl: server.url, clock })
  return { ...api, redisUrl: server.url, close: () => api.close().then(() => server.stop()) }
}

/** Opens limits that fail if Redis fails. */
export function benchLimiter(redisUrl: string): Limiter {
  return openLimiter({
    redisUrl,
    timeout_ms: 10_000,
    onSwitch: (error) => {
      if (error) throw error
    },
  })
}

/** Starts the API over the lake of a folder, with its own secret for keys and with limits in the given Redis. */
export async function startBenchApi(
  home: string,
  { redisUrl, ...options }: Pick<ApiOptions, 'clock' | 'endpoints'> & { readonly redisUrl: string },
): Promise<BenchApi> {
  const lake = await benchLake(home, { standBack: true })
  const clock = options.clock ?? Date.now
  const { store } = lake
  await claimLake(store, 'simulated', clock())
  const live = openLive({ redisUrl })
  await live.ready
  const log = pino({ level: 'warn' })
  const mailer = openMailer({ smtpUrl: null, from: 'bench@localhost', outbox: `${home}/outbox`, log })
  const access = openAccess({ store, redisUrl, peppers: parsePeppers(newPepperText()), mailer, log })
  const limiter = benchLimiter(redisUrl)
  const { key } = await access.accounts.create({ email: 'bench@example.org', label: null, language: 'es', plan: 'ENTERPRISE' })
  const lost = (reason: Error | number): never => {
    throw reason instanceof Error ? reason : new Error(`${reason} requests are not counted`)
  }
  const requests = openRequestLog({ store, clock, onError: lost, onLost: lost })
  const events = openEvents({ store, redisUrl })
  const parts = { lake, live, store, events, access, limiter, requests, plans: PLANS, log }
  const api = await startApi({ ...options, ...parts, host: '127.0.0.1', port: 0 })
  return {
    url: api.url,
    key,
    close: async () => {
      await api.close()
      events.close()
      await requests.close()
      limiter.close()
      await access.close()
      await mailer.close()
      await live.close()
      await lake.close()
    },
  }
}

/** The reply that the bare server sends; the body in base64. */
export interface BareReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A server in another process. */
export interface Server extends BenchApi {
  /** Processor time used so far, ms. */
  processor(): Promise<number>
  /** Peak memory so far, MB. */
  memory(): Promise<number>
  setReply(reply: BareReply): Promise<void>
}

/**
 * Answers `startServer` in the process that it started, until that one ends: the server's address, then its processor time and
 * memory.
 */
export async function serveParent(start: () => Promise<BenchApi>): Promise<void> {
  const server = await start()
  process.on('disconnect', () => void server.close().then(() => process.exit()))
  process.on('message', (message) => {
    const { user, system } = process.cpuUsage()
    if (message === 'processor') process.send?.((user + system) / 1000)
    if (message === 'memory') process.send?.(process.resourceUsage().maxRSS / 1024)
  })
  process.send?.({ url: server.url, key: server.key, redisUrl: server.redisUrl })
}

/** Starts a server of `server.ts`, or of another script, in another process with the flags of the service's API. */
export async function startServer(kind: 'lists' | 'bare' | URL, folder = ''): Promise<Server> {
  const script = kind instanceof URL ? kind : new URL('./server.ts', import.meta.url)
  const child: ChildProcess = fork(fileURLToPath(script), [String(kind), folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...API_PROCESS.flags],
    env: { ...process.env, ...API_PROCESS.env },
  })
  const ask = async <T>(message?: string | BareReply): Promise<T> => {
    if (message !== undefined) child.send(message)
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the server of ${kind} ended`)))
    return ((await Promise.race([once(child, 'message'), ended])) as [T])[0]
  }
  const opened = await ask<Pick<BenchApi, 'url' | 'key' | 'redisUrl'>>()
  return {
    ...opened,
    processor: () => ask('processor'),
    memory: () => ask('memory'),
    setReply: (reply) => ask(reply),
    async close() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
