import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { readWorkers } from '../../../lake/live/workers.ts'
import { STORE_OPERATIONS } from '../../../lake/store/counting.ts'
import { startPublishers } from '../../stand-in/server.ts'
import { serviceParts, startOwnRedis } from '../chaos-runs/stage.ts'
import { sumOf, type WorkersFigures } from './verdict.ts'

/** Feeds whose fetches are parsed once each: a stream is parsed while it arrives, archives come once. */
const POLLED = feeds.filter(({ stream, onDemand, archive }) => !stream && !onDemand && !archive).map(({ id }) => id)
const LOOK_MS = 2000
/** Time after a landing of all feeds until the measurement begins, s. */
const SETTLE_S = 60

/** Runs workers and an API over simulated publishers and one store of files, and counts parses and requests to the store. */
export async function measureWorkers(
  folder: string,
  { workers, minutes, warmUp }: { readonly workers: number; readonly minutes: number; readonly warmUp: number },
): Promise<WorkersFigures> {
  await mkdir(folder)
  const redis = await startOwnRedis(folder)
  const publishers = await startPublishers({ source: { kind: 'simulated', seed: 7, scale: 'small' } })
  const landEvery = process.env['LAND_EVERY_S'] ?? '300'
  const settings = { REDIS_URL: redis.url, PUBLISHERS_URL: publishers.url, LAKE_URL: join(folder, 'store'), METRICS_PORT: '0' }
  const service = serviceParts(folder, { ...settings, LAND_EVERY_S: landEvery, LOG_LEVEL: 'warn', PORT: '0' })
  const start = async (name: 'worker' | 'api', number: number): Promise<string> => {
    const { ready } = await service.start<{ readonly metrics: string }>(name, { DATA_DIR: join(folder, `${name}-${number}`) })
    return ready.metrics
  }
  const live = openRedis(redis.url)
  try {
    const ofWorkers: string[] = []
    for (let number = 1; number <= workers; number++) ofWorkers.push(await start('worker', number))
    const ofApi = [await start('api', 1)]
    const isWarm = async (): Promise<boolean> => {
      const known = await readFeedStates(live)
      return (await readWorkers(live))?.phase === 'STEADY' && POLLED.every((id) => known.has(id))
    }
    const end = Date.now() + 60_000 * warmUp
    while (!(await isWarm())) {
      if (Date.now() > end) throw new Error(`${workers} workers: after ${warmUp} min feeds or archives had not arrived; see --warm-up`)
      await sleep(LOOK_MS)
    }
    // What had not landed when a feed got its owner is parsed once more, until its next landing.
    await sleep(1000 * (Number(landEvery) + SETTLE_S))
    const [before, api] = [await scraped(ofWorkers), await scraped(ofApi)]
    await sleep(60_000 * minutes)
    const [after, apiAfter] = [await scraped(ofWorkers), await scraped(ofApi)]
    const more = (name: string, labels: RegExp): number => sumOf(after, name, labels) - sumOf(before, name, labels)
    const polled = new RegExp(`feed="(${POLLED.join('|')})"`)
    const perMinute = (texts: readonly [string, string]): Record<string, number> =>
      Object.fromEntries(STORE_OPERATIONS.map((operation) => [operation, requestsOf(texts, operation) / minutes]))
    const fetches =
      sumOf(after, 'traffic_worker_fetches_total', accepted(polled)) - sumOf(before, 'traffic_worker_fetches_total', accepted(polled))
    const [of_workers_min, of_api_min] = [perMinute([before, after]), perMinute([api, apiAfter])]
    const total = (of: Readonly<Record<string, number>>): number => Object.values(of).reduce((sum, one) => sum + one, 0)
    const landings = more('traffic_worker_landings_total', /outcome="done"/)
    return {
      ...{ workers, minutes, fetches, landings, of_workers_min, of_api_min },
      parses_per_fetch: more('traffic_worker_parses_total', polled) / fetches,
      requests_min: total(of_workers_min) + total(of_api_min),
      requests_per_landing: (total(of_workers_min) * minutes) / landings,
    }
  } finally {
    live.disconnect()
    await service.stop()
    await publishers.close()
    await redis.stop()
  }
}

const accepted = (polled: RegExp): RegExp => new RegExp(`${polled.source},outcome="(accepted|rejected)"`)

function requestsOf([before, after]: readonly [string, string], operation: string): number {
  const labels = new RegExp(`operation="${operation}"`)
  return sumOf(after, 'traffic_store_requests_total', labels) - sumOf(before, 'traffic_store_requests_total', labels)
}

/** The metrics of some processes, as one text. */
async function scraped(addresses: readonly string[]): Promise<string> {
  const texts = await Promise.all(addresses.map(async (address) => (await fetch(new URL('/metrics', address))).text()))
  return texts.join('\n')
}
