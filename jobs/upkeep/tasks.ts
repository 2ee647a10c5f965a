import { expireJobs } from '../../lake/exports/jobs.ts'
import { fillChecksums } from '../../lake/iceberg/checksums.ts'
import { expireSnapshots, removeOldVersions, removeOrphans } from '../../lake/iceberg/expire.ts'
import { KEEP_ALL_MS } from '../../lake/iceberg/retention.ts'
import { forgetReplies } from '../../lake/idempotency.ts'
import { hasSeq } from '../../lake/landed.ts'
import { retireRaw } from '../../lake/raw/retention.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Feed } from '../feeds/define.ts'
import { expireCheckpoints, listCheckpoints } from '../ingest/checkpoint.ts'
import type { IngestContext } from '../ingest/context.ts'
import { landedIn } from '../ingest/tables.ts'
import { prepareTable, refusedAmong, refusedTables } from '../ingest/usable.ts'
import { oneByOne } from '../one-by-one.ts'
import { deleteOldRows } from './delete-rows.ts'
import { reportFeeds } from './feed-events.ts'
import { gatherQuality } from './quality.ts'
import { aggregateRequests } from './requests.ts'

const DAY_MS = 86_400_000
/** Default retention of raw bytes of feeds faster than hourly. */
const FAST_RETENTION_DAYS = 90

/** Snapshots stay an hour longer than promised, so that a query started at the last moment can finish. */
const LONGER_MS = 3_600_000

/** The upkeep tasks and their intervals in seconds. The deriver runs `models`. */
export const UPKEEP_TASKS = [
  { task: 'expire', every_s: 3600 },
  { task: 'versions', every_s: 900 },
  { task: 'orphans', every_s: 86_400 },
  { task: 'checksums', every_s: 86_400 },
  { task: 'checkpoints', every_s: 3600 },
  { task: 'retire-raw', every_s: 86_400 },
  { task: 'delete-rows', every_s: 3600 },
  { task: 'usage', every_s: 3600 },
  { task: 'quality', every_s: 3600 },
  { task: 'exports', every_s: 3600 },
  { task: 'feed-events', every_s: 30 },
  { task: 'retire-events', every_s: 3600 },
  { task: 'models', every_s: 3600 },
] as const

/** Creates missing tables and updates the others to their declaration. Returns why some cannot be used, by dataset id. */
export async function prepareTables(context: IngestContext, datasets: readonly Dataset[]): Promise<ReadonlyMap<string, string>> {
  for (const dataset of datasets) await prepareTable(context, dataset)
  return refusedTables(context)
}

/** Runs a task of upkeep over all tables or feeds. */
export async function runUpkeep(
  context: IngestContext,
  task: string,
  all: { readonly datasets: readonly Dataset[]; readonly feeds: readonly Feed[]; readonly signal: AbortSignal },
): Promise<void> {
  const refused = task === 'feed-events' ? new Map() : await refusedAmong(context, all.datasets)
  const over = {
    ...all,
    datasets: all.datasets.filter(({ id }) => !refused.has(id)),
    feeds: all.feeds.filter(({ into }) => !into.some(({ id }) => refused.has(id))),
  }
  const inUse = (key: string): boolean => context.lake.inUse(key)
  if (task === 'checkpoints')
    return oneByOne(over.feeds, over.signal, async ({ id }) => {
      const expired = await expireCheckpoints(context.store, id)
      if (expired > 0) context.log.info({ feed: id, expired }, 'checkpoints expired')
    })
  if (task === 'retire-raw') return retire(context, over.feeds, over.signal)
  if (task === 'delete-rows')
    return oneByOne(over.datasets, over.signal, async (dataset) => {
      await deleteOldRows(context, dataset, await context.store.now())
    })
  if (task === 'usage') return aggregateRequests(context, over.signal)
  if (task === 'quality') return gatherQuality(context, over)
  if (task === 'exports') return expireExports(context, over.signal)
  if (task === 'feed-events') return reportFeeds(context, over.feeds, over.signal)
  if (task === 'retire-events') return retireEvents(context, over.signal)
  if (task !== 'expire' && task !== 'versions' && task !== 'orphans' && task !== 'checksums') return
  await oneByOne(over.datasets, over.signal, async (dataset) => {
    const table = context.lake.table(dataset)
    const state = await table.load()
    if (!state) return
    if (task === 'expire') {
      const keep = dataset.keep === undefined ? {} : { keep_ms: KEEP_ALL_MS }
      const done = await expireSnapshots({ table, inUse, now: (await context.store.now()) - LONGER_MS, ...keep })
      if (done.snapshots > 0) context.log.info({ dataset: dataset.id, ...done }, 'snapshots expired')
    } else if (task === 'versions') {
      await removeOldVersions({ table })
    } else if (task === 'checksums') {
      const filled = await fillChecksums(state, over.signal)
      if (filled > 0) context.log.info({ dataset: dataset.id, filled }, 'checksums computed')
    } else {
      const removed = await removeOrphans({ table, inUse })
      if (removed.length > 0) context.log.info({ dataset: dataset.id, removed: removed.length }, 'orphans removed')
    }
  })
}

async function expireExports({ store, log, now }: IngestContext, signal: AbortSignal): Promise<void> {
  const done = await expireJobs(store, now(), signal)
  const replies = await forgetReplies(store, now(), signal)
  if (done.files + done.records + replies > 0) log.info({ ...done, replies }, 'exports expired')
}

async function retireEvents({ events, log }: IngestContext, signal: AbortSignal): Promise<void> {
  const deleted = (await events?.retire(signal)) ?? 0
  if (deleted > 0) log.info({ deleted }, 'old events deleted')
}

async function retire(context: IngestContext, feeds: readonly Feed[], signal: AbortSignal): Promise<void> {
  await oneByOne(feeds, signal, async (feed) => {
    const days = feed.rawRetentionDays ?? (feed.every_s < 3600 ? FAST_RETENTION_DAYS : null)
    if (days === null) return
    const landed = await Promise.all(feed.into.map((dataset) => landedIn(context, dataset, feed.id)))
    // What follows a checkpoint is replayed from it, and its newest fetch shows that it is of this log.
    const unneeded = Math.min(...(await listCheckpoints(context.store, feed.id)).map(({ seq }) => seq))
    const done = await retireRaw(context.store, {
      feed: feed.id,
      before: (await context.store.now()) - days * DAY_MS,
      landed: (seq) => seq < unneeded && landed.every(({ seqs }) => hasSeq(seqs, seq)),
    })
    if (done.fetches + done.objects > 0) context.log.info({ feed: feed.id, ...done }, 'raw bytes retired')
  })
}
