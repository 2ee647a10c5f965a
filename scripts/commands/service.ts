import { join } from 'node:path'
import { derivations as declared } from '../../jobs/derive/catalog.ts'
import { type Derived, filledBy } from '../../jobs/derive/define.ts'
import { dueAfter, makeDeriver } from '../../jobs/derive/derive.ts'
import { feeds as known } from '../../jobs/feeds/catalog.ts'
import type { DayRange, Feed } from '../../jobs/feeds/define.ts'
import { type ImportedPart, listFiles } from '../../jobs/ingest/archive.ts'
import { backfill, type FileDone } from '../../jobs/ingest/history.ts'
import type { FetchOutcome } from '../../jobs/ingest/pipeline.ts'
import { type RebuildOptions, type RebuildResult, rebuild } from '../../jobs/ingest/rebuild.ts'
import { makeRunner } from '../../jobs/ingest/runner.ts'
import { type JobKind, jobLock } from '../../jobs/ticker.ts'
import { prepareTables } from '../../jobs/upkeep/tasks.ts'
import type { Config } from '../../lake/config.ts'
import { readFeedStates } from '../../lake/live/freshness.ts'
import { withLock } from '../../lake/live/lock.ts'
import type { Lake } from '../../lake/open.ts'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import { startRedis } from '../redis.ts'
import { apiOf } from '../service/claim.ts'
import { openParts, openServiceLake, type Parts } from '../service/parts.ts'
import { cliConfig, dataFolder, openServiceStore, serviceLog } from '../service/store.ts'
import { commandLog } from './progress.ts'

/** How long a command waits for a feed that the service is fetching, ms. */
const TURN_MS = 600_000

/** The pipeline for an operator's commands, with or without a running service. */
export interface Service extends Pick<Parts, 'store' | 'lake' | 'context'> {
  freshness(): ReturnType<typeof readFeedStates>
  /** Fetches and lands a feed now, in its turn, then derives like the worker. The next two also derive. */
  runFeed(feed: Feed): Promise<FetchOutcome>
  /** Accepts a rejected fetch and lands it. */
  acceptFetch(feed: Feed, fetchId: string): Promise<AcceptedFetch>
  /** Withdraws an accepted fetch from tables and live state; returns false if it was withdrawn before. */
  withdrawFetch(feed: Feed, fetchId: string): Promise<boolean>
  /**
   * Fetches and lands the missing files of an archive in a range of days. With `again` it also checks the existing files for
   * corrections. Derives once at the end.
   */
  backfill(feed: Feed, options: BackfillRange): Promise<Backfilled>
  /**
   * Accepts parts that an operator brings and lands them, then derives. Parts that were accepted before are skipped, unless
   * `again`; so a stopped import continues.
   */
  importParts(feed: Feed, parts: readonly ImportedPart[], options: ImportOptions): Promise<readonly ImportedOutcome[]>
  /** Derives landed rows again from the raw archive, while no other landing of the feed runs. */
  replay(feed: Feed, options: Omit<RebuildOptions, 'feed'>): Promise<RebuildResult>
  close(): Promise<void>
}

/** True for a fetch that failed or was rejected. */
export function isRefused(outcome: FetchOutcome | null): outcome is FetchOutcome {
  return outcome?.outcome === 'failed' || outcome?.outcome === 'rejected'
}

/** Options of an import; `onPart` gets each finished part. */
export interface ImportOptions {
  readonly again: boolean
  readonly onPart?: (done: ImportedOutcome) => void
}

/** An imported part and its outcome; null if it was accepted before. */
export interface ImportedOutcome {
  readonly period: string
  readonly outcome: FetchOutcome | null
}

/** The files that a backfill fetches. */
export interface BackfillRange {
  readonly range: DayRange
  readonly jobs: number
  readonly again: boolean
  /** Gets the number of files to fetch; `onFile` gets each finished one. */
  readonly onStart?: (files: number) => void
  readonly onFile?: (done: FileDone) => void
}

/** The result of a backfill. */
export interface Backfilled {
  readonly listed: number
  /** Files that were accepted before and were not requested. */
  readonly skipped: number
  readonly done: readonly FileDone[]
  /** Periods that the publisher does not list, or lists and does not have. */
  readonly gaps: readonly string[]
}

/** Does work with the service of a configuration, and closes it. */
export async function withService<T>(config: Config, work: (service: Service) => Promise<T>): Promise<T> {
  const service = await openService(config)
  try {
    return await work(service)
  } finally {
    await service.close()
  }
}

/** Returns what shows the rows of a dataset: a command, and its page if the service runs. */
export function nextLooks(dataset: string, data: string | undefined): string[] {
  const url = apiOf(dataFolder(cliConfig(data)))
  const sql = `scripts/lake sql 'SELECT * FROM ${dataset} LIMIT 10'${data === undefined ? '' : ` --data ${data}`}`
  return [sql, ...(url === null ? [] : [`${url}/datasets/${dataset}`])]
}

/** Does work on the lake of a configuration without Redis, and closes it. */
export async function withLake(config: Config, work: (lake: Lake) => Promise<void>): Promise<void> {
  const store = await openServiceStore(config)
  try {
    const lake = await openServiceLake(config, store, { process: 'cli', log: serviceLog(config, 'cli', commandLog()) })
    await work(lake).finally(() => lake.close())
  } finally {
    await store.close()
  }
}

/**
 * Opens the service's parts. Redis is that of the running service, or one that is started temporarily. Feeds and derivations are
 * those of the catalogues by default.
 */
export async function openService(
  config: Config,
  { feeds = known, derivations = declared }: { readonly feeds?: readonly Feed[]; readonly derivations?: readonly Derived[] } = {},
): Promise<Service> {
  const server = config.redisUrl ? null : await startRedis({ folder: join(dataFolder(config), 'redis'), appendOnly: true })
  const log = serviceLog(config, 'cli', commandLog())
  const parts = await openParts(config, {
    process: 'cli',
    redisUrl: config.redisUrl ?? (server as { url: string }).url,
    log,
  })
  const runner = makeRunner(parts.context)
  const deriver = makeDeriver(parts.context, { derivations, feeds })
  const inTurn = async <T>(feed: Feed, kind: JobKind, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const done = await withLock({ redis: parts.redis, name: jobLock(kind, feed.id), ttl_ms: 30_000, wait_ms: TURN_MS }, work)
    if (!done.ran) throw new Error(`another ${kind} of ${feed.id} is at work since ${TURN_MS / 60_000} minutes; try again later`)
    return done.value
  }
  const askable = (feed: Feed): void => {
    // Missing publishers are reported at once, and in no feed's state.
    for (const { requests } of feed.plans) for (const { url } of requests) parts.context.origin(url)
  }
  const landInTurn = (feed: Feed): Promise<void> =>
    inTurn(feed, 'land', async (signal) => {
      await runner.land(feed, signal)
      const due = dueAfter(derivations, feed)
      await prepareTables(parts.context, due.flatMap(filledBy))
      await deriver.after(feed, signal)
    })
  return {
    store: parts.store,
    lake: parts.lake,
    context: parts.context,
    freshness: () => readFeedStates(parts.redis),
    runFeed: async (feed) => {
      askable(feed)
      return inTurn(feed, 'fetch', async (signal) => {
        await prepareTables(parts.context, feed.into)
        const outcome = await runner.fetch(feed, signal)
        await landInTurn(feed)
        return outcome
      })
    },
    acceptFetch: (feed, fetchId) =>
      inTurn(feed, 'fetch', async () => {
        const accepted = await runner.accept(feed, fetchId)
        await landInTurn(feed)
        return accepted
      }),
    withdrawFetch: (feed, fetchId) => inTurn(feed, 'fetch', () => runner.withdraw(feed, fetchId, () => landInTurn(feed))),
    backfill: async (feed, { range, jobs, again, onStart, onFile }) => {
      askable(feed)
      return inTurn(feed, 'fetch', async (signal) => {
        await prepareTables(parts.context, feed.into)
        const { files, gaps } = await listFiles(parts.context, feed, { range, signal })
        const there = again ? new Set<string>() : await runner.acceptedPeriods(feed)
        const wanted = files.filter(({ period }) => !there.has(period))
        onStart?.(wanted.length)
        const land = (): Promise<unknown> => inTurn(feed, 'land', (landing) => runner.land(feed, landing))
        const done = await backfill(runner, { feed, files: wanted, jobs, signal, land, ...(onFile ? { onFile } : {}) })
        // Includes what a killed process had accepted, and everything derived from it.
        await landInTurn(feed)
        const absent = done.filter(({ outcome }) => outcome === null).map(({ file }) => file.period)
        return { listed: files.length, skipped: files.length - wanted.length, done, gaps: [...gaps, ...absent].sort() }
      })
    },
    importParts: (feed, imported, { again, onPart }) =>
      inTurn(feed, 'fetch', async (signal) => {
        await prepareTables(parts.context, feed.into)
        const there = again ? new Set<string>() : await runner.acceptedPeriods(feed)
        const done: ImportedOutcome[] = []
        for (const part of imported) {
          const { period } = part
          const outcome = there.has(period) ? null : await runner.takePart(feed, part, signal)
          done.push({ period, outcome })
          onPart?.({ period, outcome })
        }
        // Includes what a killed process had accepted.
        await landInTurn(feed)
        return done
      }),
    replay: (feed, options) => inTurn(feed, 'land', () => rebuild(parts.context, { feed, ...options })),
    close: async () => {
      await parts.close()
      if (server && !server.adopted) await server.stop()
    },
  }
}
