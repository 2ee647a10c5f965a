import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { pino } from 'pino'
import type { Access } from '../../../api/auth/access.ts'
import { derivations } from '../../../jobs/derive/catalog.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import type { OnDemand } from '../../../jobs/feeds/define.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { datasets } from '../../../lake/catalog.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { type DocumentAnswer, knownAnswers, recordAnswers } from '../../../lake/live/demand.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { livePart } from '../../../lake/live/write.ts'
import { openServiceAccess } from '../../commands/access.ts'
import { type Child, startChild } from '../../commands/child.ts'
import { cliConfig } from '../../commands/parts.ts'
import { startPublishers } from '../../stand-in/server.ts'
import { type ChaosContext, openContext } from './context.ts'
import { startOwnRedis } from './stage.ts'

/** Every feed has landed within this time, ms. */
const LANDED_WITHIN_MS = 180_000
/** The worker has fetched the archives of the past within this time, ms. */
const ARCHIVES_WITHIN_MS = 300_000
const REST_MS = 250
/**
 * Publishers' times are ahead of the machine's clock by this much, ms, so that no feed becomes stale in a run. It is within the
 * clock tolerance.
 */
const AHEAD_MS = 9 * 60_000

/**
 * The service's worker over publishers whose data never changes, with a Redis and API processes started as the service starts
 * them.
 */
export interface ApiStage {
  readonly folder: string
  /** Keys and accounts in a separate process, as the operator's commands use them. */
  readonly access: Access
  readonly context: ChaosContext
  /** Starts an API process on the same port as the first one. */
  startApi(): Promise<ApiProcess>
  /** Kills Redis by SIGKILL. */
  killRedis(): Promise<void>
  /** Restarts it, with the data on its disk or without. */
  startRedis(how: 'kept' | 'emptied'): Promise<void>
  /** Live parts that are missing in Redis. */
  lacking(): Promise<string[]>
  /** The last lines that its processes wrote. */
  readonly lines: readonly string[]
  close(): Promise<void>
}

/** An API process. */
export interface ApiProcess {
  readonly url: string
  readonly pid: number
  /** Kills it by SIGKILL. */
  kill(): Promise<void>
  /** Stops it and waits for its end; returns the exit code. */
  stop(): Promise<number | null>
}

/** Publishers of streams have no clock that can be stopped. */
const polled = feeds.filter(({ stream }) => !stream)
const onDemand = polled.filter((feed) => feed.onDemand)
/** Documents of these feeds that are fetched: forecasts of the municipalities in the examples. */
const DOCUMENTS = ['28079', '08019', '17079']
/** Tables rest if nothing was committed for this long, ms: longer than the time between two landings. */
const TABLES_REST_MS = 15_000

/**
 * Opens the stage and waits until every polled feed has landed data, archives are loaded and all derived tables are built:
 * answers do not change afterwards.
 */
export async function openApiStage(folder: string, env: Readonly<Record<string, string>> = {}): Promise<ApiStage> {
  await mkdir(folder, { recursive: true })
  let redis = await startOwnRedis(folder, { appendOnly: true })
  const publishers = await startPublishers({
    source: { kind: 'simulated', seed: 7, speed: 0, start: Date.now() + AHEAD_MS, scale: 'small' },
  })
  const lines: string[] = []
  const children: Child[] = []
  const base = {
    ...process.env,
    ...{ UV_THREADPOOL_SIZE: '12', SOURCE_MODE: 'simulated', DATA_DIR: folder, LAKE_URL: '', KEY_PEPPER: '', SMTP_URL: '' },
    ...{
      REDIS_URL: redis.url,
      PUBLISHERS_URL: publishers.url,
      QUERY_MEMORY: '512MB',
      LAND_EVERY_S: '10',
      API_WORKERS: '1',
      HOST: '127.0.0.1',
    },
    ...env,
  }
  const start = <T>(name: 'worker' | 'api', more: Readonly<Record<string, string>>): Promise<{ child: Child; ready: T }> =>
    startChild<T>({
      name,
      script: new URL(`../service/run-${name}.ts`, import.meta.url).pathname,
      env: { ...base, ...more },
      onLine: (line) => {
        lines.push(line)
        if (lines.length > 200) lines.shift()
      },
      onSpawn: (child) => children.push(child),
    })
  const asked = openRedis(redis.url)
  await keepDocuments(asked, fewDocuments(Date.now()))
  await start('worker', {})
  const context = await openContext({ folder, redisUrl: redis.url, publishers: null, now: Date.now })
  await until('every feed landed', LANDED_WITHIN_MS, () => haveLanded(context))
  await until('archives were loaded', ARCHIVES_WITHIN_MS, () => haveArchives(context))
  let left = 'none was tried'
  await until(
    () => `all derived tables were built (${left})`,
    LANDED_WITHIN_MS,
    async () => {
      left = await leftToDerive(context).catch(String)
      return left === ''
    },
  )
  let tables = ''
  await until('tables rest', LANDED_WITHIN_MS, async () => {
    const before = tables
    tables = await snapshotsOf(context)
    if (tables !== before) await sleep(TABLES_REST_MS)
    return tables === before
  })
  const log = pino({ level: 'silent' })
  const { access, close: closeAccess } = await openServiceAccess(cliConfig(folder), { store: context.store, redisUrl: redis.url, log })
  let documents: Documents = new Map()
  let port = '0'
  return {
    folder,
    access,
    context,
    lines,
    startApi: async () => {
      const { child, ready } = await start<{ url: string }>('api', { PORT: port })
      port = new URL(ready.url).port
      return {
        url: ready.url,
        pid: child.pid,
        kill: async () => {
          process.kill(child.pid, 'SIGKILL')
          await child.ended
        },
        stop: async () => {
          await child.stop()
          return child.ended
        },
      }
    },
    async killRedis() {
      documents = new Map(await Promise.all(onDemand.map(async ({ id }) => [id, await knownAnswers(asked, id)] as const)))
      await redis.kill()
    },
    startRedis: async (how) => {
      if (how === 'emptied') await rm(join(folder, 'redis', 'appendonlydir'), { recursive: true, force: true })
      redis = await startOwnRedis(folder, { appendOnly: true })
      // Otherwise all documents would be fetched and landed again, for minutes, at the publisher's pace.
      await keepDocuments(asked, documents)
    },
    lacking: async () => {
      const left: string[] = []
      for (const feed of polled)
        for (const dataset of feed.into.filter(({ live }) => live))
          if ((await livePart(asked, dataset.id, feed.id)) === null) left.push(`live ${dataset.id} of ${feed.id}`)
      return left
    },
    close: async () => {
      for (const child of children.toReversed()) await child.stop(40_000)
      asked.disconnect()
      await closeAccess()
      await context.close()
      await publishers.close()
      await redis.stop()
    },
  }
}

/** Documents fetched on demand, by feed. */
type Documents = ReadonlyMap<string, ReadonlyMap<string, DocumentAnswer>>

/** All but a few documents that are always fetched, as if publishers had none: fetching them at the publisher's pace takes minutes. */
function fewDocuments(now: number): Documents {
  const absent = { outcome: 'ABSENT', until: now + 86_400_000 } as const
  const left = ({ always }: OnDemand) => always.filter((key) => !DOCUMENTS.includes(key)).map((key) => [key, absent] as const)
  return new Map(onDemand.map((feed) => [feed.id, new Map(left(feed.onDemand as OnDemand))]))
}

async function keepDocuments(redis: Redis, documents: Documents): Promise<void> {
  for (const [feed, answers] of documents) await recordAnswers(redis, feed, answers)
}

async function haveLanded(context: ChaosContext): Promise<boolean> {
  for (const feed of polled)
    for (const dataset of feed.into) if ((await landedIn(context, dataset, feed.id)).seqs.length === 0) return false
  return true
}

/** True once the worker has fetched the files of the past that archives list. */
async function haveArchives({ redis }: ChaosContext): Promise<boolean> {
  const states = await readFeedStates(redis)
  return polled
    .filter(({ archive }) => (archive?.history ?? 0) > 0)
    .every(({ id }) => {
      const progress = states.get(id)?.backfill
      return progress && progress.present >= progress.files
    })
}

/** The current snapshots of all tables, as a text to compare. */
async function snapshotsOf({ lake }: ChaosContext): Promise<string> {
  const states = await Promise.all(datasets.map((dataset) => lake.table(dataset).load()))
  return states.map((state) => state?.metadata['current-snapshot-id'] ?? '').join()
}

/** Names the derived tables that wait, or were built just now; empty if none did. */
async function leftToDerive(context: ChaosContext): Promise<string> {
  const left: string[] = []
  for (const derived of derivations) {
    // If the worker is deriving, the stage waits for it.
    const { made, removed, waits } = await derive(context, derived, { feeds, signal: new AbortController().signal })
    if (waits || made.length + removed.length > 0) left.push(`${derived.into.id}: ${waits ? 'waits' : 'built'}`)
  }
  return left.join(', ')
}

/** Waits until a condition is true and returns how long that took, ms; throws after `within_ms`. */
export async function until(what: string | (() => string), within_ms: number, isTrue: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() - began > within_ms) throw new Error(`not within ${within_ms} ms: ${typeof what === 'string' ? what : what()}`)
    await sleep(REST_MS)
  }
  return Math.round(performance.now() - began)
}
