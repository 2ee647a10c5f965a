import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { makeRunner } from '../../jobs/ingest/runner.ts'
import { WORKER_METRICS, WorkerMetrics } from '../../jobs/metrics.ts'
import { prepareTables } from '../../jobs/upkeep/tasks.ts'
import { type Exposition, parseExposition } from '../helpers/exposition.ts'
import { littleFeed, openTestContext, startPublisher } from '../helpers/pipeline.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'
import { quickWorker } from './workers.ts'

const NOW = Date.UTC(2026, 0, 1, 0, 10)
const never = new AbortController().signal
const feed = littleFeed()

/** Values that are not 0 of a metric, by the values of their labels. */
function valuesOf({ families }: Exposition, name: string, base = name): Record<string, number> {
  const samples = families.get(base)?.samples.filter((one) => one.name === name && one.value !== 0) ?? []
  return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
}

test('every metric that is declared is there from the start, with its help, and counters of all that is declared at 0', async () => {
  const registry = new Registry()
  const meter = new WorkerMetrics(registry, { feeds: [feed], tasks: [{ task: 'expire' }], now: () => NOW })
  meter.followJobs(() => ({ running: 0, waiting: 0, scheduled: 0 }))
  meter.followTables({ refused: () => new Map([['v16_beacons', 'version 3']]), changed: () => new Map([['incidents', { snapshots: 2 }]]) })
  const { families } = parseExposition(await registry.metrics())
  for (const { name, kind, help } of Object.values(WORKER_METRICS))
    expect([name, families.get(name)?.type, families.get(name)?.help]).toEqual([name, kind, help])
  const outcomes = families.get(WORKER_METRICS.fetches.name)?.samples.map(({ labels, value }) => [labels['outcome'], value])
  expect(outcomes).toEqual(['accepted', 'unchanged', 'rejected', 'failed', 'error'].map((outcome) => [outcome, 0]))
  expect(families.get(WORKER_METRICS.rows.name)?.samples.map(({ labels }) => labels['dataset'])).toEqual([
    'v16_beacons',
    'traffic_readings',
  ])
  expect(families.get(WORKER_METRICS.jobs.name)?.samples.map(({ labels }) => labels['state'])).toEqual(['running', 'waiting', 'scheduled'])
  expect(families.get(WORKER_METRICS.refused.name)?.samples).toMatchObject([{ labels: { dataset: 'v16_beacons' }, value: 1 }])
  expect(families.get(WORKER_METRICS.foreign.name)?.samples).toMatchObject([{ labels: { dataset: 'incidents' }, value: 2 }])
})

test('fetches and landings of a feed are counted by how they ended, each once', async () => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const publisher = await startPublisher({ at: '2026-01-01T00:05:00Z', beacons: { a: 1, b: 2 }, readings: { x: 10 } })
  onTestFinished(() => publisher.close())
  let clock = NOW
  const context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: publisher.url, now: () => clock })
  onTestFinished(() => context.close())
  await prepareTables(context, feed.into)
  const runner = makeRunner(context)
  const registry = new Registry()
  const meter = new WorkerMetrics(registry, { feeds: [feed, { id: 'other', into: [] }], tasks: [{ task: 'expire' }], now: context.now })
  const fetchOnce = (signal = never): Promise<void> => meter.fetch(feed.id, signal, () => runner.fetch(feed, signal))
  const landOnce = (): Promise<void> => meter.land(feed.id, never, () => runner.land(feed, never))
  const seen = async () => parseExposition(await registry.metrics())

  await fetchOnce()
  await landOnce()
  await fetchOnce()
  clock = NOW + 60_000
  publisher.document = { at: '2026-01-01T00:06:00Z', beacons: { a: 1, b: 3 }, readings: { x: 12, y: 13 } }
  await fetchOnce()
  await landOnce()
  clock = NOW + 120_000
  publisher.status = 500
  await fetchOnce()
  await landOnce()
  await meter.upkeep('expire', never, async () => undefined)
  const mistake = (): Promise<never> => Promise.reject(new Error('a mistake of ours'))
  await expect(meter.fetch(feed.id, never, mistake)).rejects.toThrow('of ours')
  await expect(meter.land(feed.id, never, mistake)).rejects.toThrow('of ours')
  await expect(meter.upkeep('expire', never, mistake)).rejects.toThrow('of ours')
  const taken = { outcome: 'accepted', reason: null, fetch_id: 'little.9', data_time: NOW, fetched_at: NOW } as const
  await meter.fetch('other', never, async () => ({ ...taken, rows: {}, quarantined: 4, unknown_codes: 0, missing_blocks: [] }))
  // Stopped feeds report nothing.
  const stopped = AbortSignal.abort(new Error('the worker is closing'))
  await expect(meter.fetch(feed.id, stopped, mistake)).rejects.toThrow('of ours')

  const now = await seen()
  expect(valuesOf(now, WORKER_METRICS.fetches.name)).toEqual({
    'little accepted': 2,
    'little unchanged': 1,
    'little failed': 1,
    'little error': 1,
    'other accepted': 1,
  })
  expect(valuesOf(now, WORKER_METRICS.quarantined.name)).toEqual({ other: 4 })
  expect(valuesOf(now, WORKER_METRICS.landings.name)).toEqual({ 'little done': 3, 'little error': 1 })
  // In the second publication one beacon has changed.
  expect(valuesOf(now, WORKER_METRICS.rows.name)).toEqual({ v16_beacons: 3, traffic_readings: 3 })
  expect(valuesOf(now, WORKER_METRICS.upkeep.name)).toEqual({ 'expire done': 1, 'expire error': 1 })
  expect(valuesOf(now, WORKER_METRICS.fetched.name)).toEqual({ little: (NOW + 60_000) / 1000, other: (NOW + 120_000) / 1000 })
  expect(valuesOf(now, WORKER_METRICS.landed.name)).toEqual({ little: (NOW + 120_000) / 1000 })
  const counts = [WORKER_METRICS.fetchTime, WORKER_METRICS.landTime, WORKER_METRICS.upkeepTime].map(({ name }) =>
    valuesOf(now, `${name}_count`, name),
  )
  expect(counts).toEqual([{ little: 5, other: 1 }, { little: 4 }, { expire: 2 }])
})

test('owned jobs are reported by state, also while Redis is away', async () => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const registry = new Registry()
  const meter = new WorkerMetrics(registry, { feeds: [], tasks: [], now: Date.now })
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const worker = await quickWorker({
    redisUrl: redis.url,
    feeds: [{ ...feed, every_s: 3600 }],
    upkeep: [{ task: 'expire', every_s: 3600 }],
    runner: { fetch: () => released, land: async () => undefined, upkeep: async () => undefined },
  })
  onTestFinished(() => worker.close())
  meter.followJobs(() => worker.jobs)
  const jobs = async () => valuesOf(parseExposition(await registry.metrics()), WORKER_METRICS.jobs.name)
  // The first fetch of the feed runs; landing and upkeep are planned.
  await until('the fetch runs', async () => JSON.stringify(await jobs()) === '{"running":1,"scheduled":2}', 20_000)
  expect(worker.connected).toBe(true)
  release()
  await until('nothing runs', async () => JSON.stringify(await jobs()) === '{"scheduled":3}', 20_000)
  await redis.kill()
  await until('it is known that Redis is away', () => !worker.connected, 20_000)
  expect(await jobs()).toEqual({ scheduled: 3 })
})
