import { setTimeout as sleep } from 'node:timers/promises'
import { derivations } from '../../jobs/derive/catalog.ts'
import { isForSpark } from '../../jobs/derive/define.ts'
import { ownedNames, shareDeriver } from '../../jobs/derive/sharing.ts'
import { EXPORT_ENGINE, startExportWorker } from '../../jobs/exports/worker.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import type { Feed } from '../../jobs/feeds/define.ts'
import { makeFirstRound } from '../../jobs/first-round.ts'
import { makeHistoryFiller } from '../../jobs/ingest/history.ts'
import { expiryWarnings, keyExpiries } from '../../jobs/ingest/key-expiry.ts'
import { makeRunner } from '../../jobs/ingest/runner.ts'
import { changedTables, refusedTables } from '../../jobs/ingest/usable.ts'
import { WorkerMetrics } from '../../jobs/metrics.ts'
import { prepareTables, runUpkeep, UPKEEP_TASKS } from '../../jobs/upkeep/tasks.ts'
import { startWorker } from '../../jobs/worker.ts'
import { datasets } from '../../lake/catalog.ts'
import { readConfig } from '../../lake/config.ts'
import { asWork, type WorkKind } from '../../lake/query/work-kind.ts'
import { claimLake, writeFeedListings } from '../../lake/system.ts'
import { disabledReason, enabledFeeds } from '../commands/enabled.ts'
import { endWithSupervisor, onStop, reportReady } from './child.ts'
import { openServiceMetrics } from './metrics.ts'
import { openParts, openServiceLake } from './parts.ts'
import { serviceLog } from './store.ts'

/** How often live state is compared with the worker's: an emptied Redis is filled again within twice this, ms. */
const HEAL_EVERY_MS = 15_000
const DAY_MS = 86_400_000
/** How often missing files of archives are looked for, ms. */
const BACKFILL_EVERY_MS = 60_000
/** How long archives and derivations wait for the first landings of all other feeds, ms. */
const FIRST_ROUND_MS = 90_000
const REPLAY_EVERY_S = 5
const REPLAY_LAND_EVERY_S = 10

endWithSupervisor()
const config = readConfig(process.env)
const log = serviceLog(config, 'worker')
const { redisUrl } = config
if (!redisUrl) throw new Error('REDIS_URL is not set; scripts/start sets it')
const metrics = await openServiceMetrics(config)
const parts = await openParts(config, { process: 'worker', redisUrl, log, onQuery: metrics.countQuery, onRequest: metrics.countRequest })
const { context, store } = parts
const record = await claimLake(store, config.mode, Date.now())
await prepareTables(context, datasets)
const { feeds: declared, lacking } = enabledFeeds(config, feeds)
const meter = new WorkerMetrics(metrics.registry, { feeds: declared, tasks: UPKEEP_TASKS, now: context.now })
const enabled = declared.map((feed) => meter.parsing(feed))
if (lacking.length > 0) log.warn({ lacking }, 'feeds not run: their publishers ask for a key, and none is set')
const expiries = context.secret ? await keyExpiries(store, enabled, { secret: context.secret, now: Date.now() }) : []
const announceExpiries = (): void => {
  for (const warning of expiryWarnings(expiries, Date.now())) log.warn({ key: true }, warning)
}
announceExpiries()
const announcing = setInterval(announceExpiries, DAY_MS)
await writeFeedListings(
  store,
  feeds.map((feed) => ({
    id: feed.id,
    domain: feed.domain,
    source: feed.source.id,
    datasets: feed.into.map(({ id }) => id),
    every_s: feed.every_s,
    urls: feed.stream && 'url' in feed.stream.connect ? [feed.stream.connect.url] : (feed.plans[0]?.requests.map(({ url }) => url) ?? []),
    enabled: declared.includes(feed),
    on_demand: feed.onDemand !== undefined,
    disabled_reason: disabledReason(config, feed),
    key_expires_at: expiries.find((one) => one.feeds.includes(feed.id))?.expires_at ?? null,
  })),
)

// Captures are replayed as fast as possible, not at the pace at which they were recorded.
const scheduled = config.mode === 'replay' ? enabled.map((feed) => ({ ...feed, every_s: REPLAY_EVERY_S })) : enabled
const runner = makeRunner(context)
const firstRound = makeFirstRound(enabled, FIRST_ROUND_MS)
let owned: ReadonlySet<string> = new Set()
const stopping = new AbortController()
const names = ownedNames(derivations, feeds)
const deriver = shareDeriver(context, {
  ...{ redisUrl, derivations, feeds, signal: stopping.signal },
  isOwned: (derived) => !(config.deriveEngine === 'spark' && isForSpark(derived)) && owned.has(names.get(derived) as string),
  inTurn: (work) => firstRound.landed.then(() => asWork('derive', work)),
})
const history = makeHistoryFiller(context, {
  runner,
  feeds: config.mode === 'replay' ? [] : enabled,
  isOwned: ({ id }) => owned.has(id),
  land: (feed, signal) => runner.land(feed, signal),
  derive: (feed, signal) => deriver.after(feed, signal),
})
const kindOf = ({ archive }: Feed): WorkKind => (archive ? 'archive' : 'live')
const worker = await startWorker({
  redisUrl,
  lake: `${record.mode} lake of ${record.created_at}`,
  feeds: scheduled,
  declared: feeds.flatMap((feed) => feed.into.map((dataset) => ({ dataset: dataset.id, feed: feed.id }))),
  upkeep: UPKEEP_TASKS,
  owns: [...new Set(names.values())],
  condition: () => ({
    phase: firstRound.phase === 'STEADY' && !history.isFilled ? 'BACKFILLING' : firstRound.phase,
    store_full: parts.isStoreFull(),
  }),
  landEvery_s: config.mode === 'replay' ? REPLAY_LAND_EVERY_S : config.landEvery_s,
  runner: {
    fetch: (feed, signal) =>
      feed.stream
        ? runner.follow(feed, signal, { onFile: (run) => meter.fetch(feed.id, signal, run) })
        : firstRound.fetch(feed, () => meter.fetch(feed.id, signal, () => asWork(kindOf(feed), () => runner.fetch(feed, signal)))),
    land: (feed, signal) =>
      meter.land(feed.id, signal, () =>
        firstRound.land(
          feed,
          () => asWork(kindOf(feed), () => runner.land(feed, signal)),
          () => asWork('derive', () => deriver.after(feed, signal)),
        ),
      ),
    upkeep: (task, signal) =>
      meter.upkeep(task, signal, () =>
        asWork('derive', () =>
          task === 'models' ? deriver.nightly(signal) : runUpkeep(context, task, { datasets, feeds: enabled, signal }),
        ),
      ),
  },
  onOwned: (now) => {
    const isMore = [...names.values()].some((name) => now.has(name) && !owned.has(name))
    owned = now
    firstRound.keep(now)
    // What landed before a stop, or its last owner's death, and was not derived is derived now, in the background.
    if (isMore) deriver.takeOver()
  },
  log,
})
const exporting = await startExportWorker({
  redisUrl,
  store,
  // With separate memory, so that neither a large export nor concurrent landings starve the other.
  openLake: () => openServiceLake(config, store, { process: 'exports', log, cacheFiles: false, ...EXPORT_ENGINE }),
  datasets: datasets.filter(({ visibility }) => visibility === 'public'),
  ...(context.events ? { events: context.events } : {}),
  log,
})
meter.followJobs(() => worker.jobs)
meter.followTables({ refused: () => refusedTables(context), changed: () => changedTables(context) })
metrics.follow({ engine: parts.lake.engine, redisConnected: () => worker.connected })
/** Repeats work from now on, one run after another. */
const repeat = (every_ms: number, failed: string, work: () => Promise<void>): void => {
  const run = (): Promise<void> =>
    work().catch((err: unknown) => {
      if (!stopping.signal.aborted) log.warn({ err }, failed)
    })
  void (async () => {
    for (; !stopping.signal.aborted; await sleep(every_ms, undefined, { signal: stopping.signal }).catch(() => undefined)) await run()
  })()
}
// Data accepted earlier is shown again at once, and whenever Redis lost it.
repeat(HEAL_EVERY_MS, 'live state not compared', () => asWork('restore', () => runner.heal(enabled.filter(({ id }) => owned.has(id)))))
repeat(BACKFILL_EVERY_MS, 'archives not backfilled', () => firstRound.restore(() => asWork('archive', () => history.fill(stopping.signal))))

onStop(async () => {
  clearInterval(announcing)
  stopping.abort()
  firstRound.end()
  await exporting.close()
  await worker.close()
  await deriver.close()
  await parts.close()
  await metrics.close()
})
reportReady({ metrics: metrics.url })
