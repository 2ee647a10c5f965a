import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RunningWorker } from '../../jobs/worker.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { type FeedState, writeFeedState } from '../../lake/live/freshness.ts'
import { LIVE_KEYS } from '../../lake/live/keys.ts'
import { announceWorker } from '../../lake/live/workers.ts'
import { publishLive } from '../../lake/live/write.ts'
import { StoreError } from '../../lake/store/errors.ts'
import { startTestRedis, type TestRedis } from '../helpers/redis.ts'
import { until } from '../helpers/until.ts'
import { feed, pause, QUICK, quickWorker, Witness } from './workers.ts'

let server: TestRedis
let redis: Redis
const workers: RunningWorker[] = []

beforeEach(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()))
  redis.disconnect()
  await server.stop()
})

async function start(options: Omit<Parameters<typeof quickWorker>[0], 'redisUrl'>): Promise<RunningWorker> {
  const worker = await quickWorker({ redisUrl: server.url, ...options })
  workers.push(worker)
  return worker
}

/** Work that goes on until its signal fires. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))

/** The state of a feed whose first fetch failed, and which is fetched again at an instant. */
function failedState(feed: string, next_attempt_at: number): FeedState {
  const now = Date.now()
  return {
    ...{ feed, last_attempt_at: now, last_success_at: null, fresh_at: null, data_time: null, last_fetch_id: null, rows: {} },
    ...{ quarantined: 0, unknown_codes: 0, missing_blocks: [], last_error: 'timeout', failing_since: now, lost_fetches: 0 },
    ...{ failures: 1, next_attempt_at },
  }
}

describe('a worker', () => {
  test('never runs a feed twice at once, however many there are', async () => {
    const witness = new Witness()
    const feeds = [...'abcdefghijklmnopqrstuvwxyz'].map((id) => feed(id, 0.2))
    for (const name of ['one', 'two', 'three'])
      await start({ feeds, landEvery_s: 0.3, runner: witness.runner(name, async (job) => pause(job.endsWith('a') ? 350 : 30)) })
    await until('many runs of each', () => witness.count('fetch b') > 8 && witness.count('fetch a') > 4, 60_000)
    await until('runs of each worker', () => new Set(witness.runs.map(({ worker }) => worker)).size === 3, 60_000)
    for (const job of ['fetch a', 'fetch b', 'fetch c', 'land a', 'land b']) expect([job, witness.most.get(job)]).toEqual([job, 1])
  })

  test('refuses a Redis with the state of another lake, until that is emptied', async () => {
    const runner = new Witness().runner('w', async () => pause(1))
    await start({ feeds: [feed('a', 3600)], runner, lake: 'simulated 2026' })
    await start({ feeds: [feed('a', 3600)], runner, lake: 'simulated 2026' })
    await expect(start({ feeds: [feed('a', 3600)], runner, lake: 'live 2026' })).rejects.toThrow(
      'another lake (simulated 2026), not of live 2026',
    )
    for (const worker of workers.splice(0)) await worker.close()
    await redis.flushdb()
    await start({ feeds: [feed('a', 3600)], runner, lake: 'live 2026' })
  })

  test('is not delayed by a slow feed, and ticks missed meanwhile do not pile up', async () => {
    const witness = new Witness()
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await start({
      feeds: [feed('slow', 0.2), feed('stuck', 0.2), feed('quick', 0.2)],
      runner: witness.runner('w', (job, signal) =>
        job === 'fetch stuck' ? untilAborted(signal) : job === 'fetch slow' ? released : pause(10),
      ),
    })
    await until('runs of the quick one beside the others', () => witness.count('fetch quick') > 14, 60_000)
    expect([witness.count('fetch slow'), witness.count('fetch stuck')]).toEqual([1, 1])
    release()
    const began = performance.now()
    await until('the next run of the slow one', () => witness.count('fetch slow') > 1, 60_000)
    await pause(500)
    expect(witness.count('fetch slow')).toBeLessThanOrEqual(2 + (performance.now() - began) / 200)
  })

  test('lands soon after the first fetch, and a stream, whose fetch does not end, soon after its begin', async () => {
    const witness = new Witness()
    const stream = { ...feed('stream', 3600), stream: {} as never }
    await start({
      ...{ feeds: [feed('a', 3600), stream], landEvery_s: 3600 },
      runner: witness.runner('w', (job, signal) => (job === 'fetch stream' ? untilAborted(signal) : pause(5))),
    })
    await until('both have landed', () => witness.count('land a') > 0 && witness.count('land stream') > 0, 20_000)
    expect([witness.count('fetch stream'), witness.count('land stream')]).toEqual([1, 1])
  })

  test('leaves a feed that only another living worker knows to that one, with its live state', async () => {
    const part = { seq: 1, fetch_id: 'x', data_time: 1, fetched_at: 1, rows: [], changes: [] }
    for (const feed of ['a', 'b']) await publishLive(redis, { dataset: 'things', feed, ...part })
    const witness = new Witness()
    const runner = (name: string) => witness.runner(name, async () => pause(5))
    const ofBoth = ['a', 'b'].map((feed) => ({ dataset: 'things', feed }))
    await start({ feeds: [feed('a', 0.2), feed('b', 0.2)], runner: runner('older'), declared: ofBoth })
    await start({ feeds: [feed('a', 0.2)], runner: runner('newer'), declared: ofBoth.slice(0, 1) })
    expect((await redis.hkeys(LIVE_KEYS.parts)).sort()).toEqual(['things/a', 'things/b'])
    await until('runs of both feeds', () => witness.count('fetch b') > 3 && witness.count('fetch a') > 3)
    expect(witness.runs.filter(({ job }) => job.endsWith('b')).map(({ worker }) => worker)).not.toContain('newer')
  })

  test('goes on with a feed that failed, and reports the failure', async () => {
    const witness = new Witness()
    const logged: unknown[] = []
    const log = { info: () => undefined, warn: () => undefined, error: (fields: object, text: string) => logged.push([fields, text]) }
    await start({
      feeds: [feed('a', 0.2)],
      runner: witness.runner('w', async () => Promise.reject(new Error('broken'))),
      log: log as unknown as Parameters<typeof quickWorker>[0]['log'] & object,
    })
    await until('three runs', () => witness.count('fetch a') >= 3)
    expect(logged[0]).toEqual([{ job: 'fetch', name: 'a', err: new Error('broken') }, 'job failed'])
    expect(witness.count('land a')).toBe(0)
  })

  test('fetches a daily feed again whose last fetch failed before it started, as soon as that is due, and only once', async () => {
    const witness = new Witness()
    const runner = witness.runner('w', async () => undefined)
    const first = await start({ feeds: [feed('a', 86_400), feed('b', 86_400)], runner })
    await until('the first fetches', () => witness.count('fetch a') === 1 && witness.count('fetch b') === 1)
    await first.close()
    const now = Date.now()
    const state = failedState('a', now + 1500)
    await writeFeedState(redis, state)
    await writeFeedState(redis, { ...state, feed: 'b', failing_since: null, last_error: null })
    await start({ feeds: [feed('a', 86_400), feed('b', 86_400)], runner })
    await until('the retry', () => witness.count('fetch a') === 2)
    expect(Date.now()).toBeGreaterThanOrEqual(now + 1500)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect([witness.count('fetch a'), witness.count('fetch b')]).toEqual([2, 1])
  })

  test('fetches failed feeds again, but not in the Redis of another lake', async () => {
    const witness = new Witness()
    await start({ feeds: [feed('a', 86_400)], runner: witness.runner('w', async () => undefined) })
    await until('the first fetch', () => witness.count('fetch a') === 1)
    await writeFeedState(redis, failedState('a', Date.now()))
    await until('the retry', () => witness.count('fetch a') === 2)
    await redis.set(LIVE_KEYS.lake, 'another')
    await writeFeedState(redis, failedState('a', Date.now() + 1))
    await pause(4 * QUICK.retries)
    expect(witness.count('fetch a')).toBe(2)
  })

  test('says once a minute that a store is full, however many jobs fail', async () => {
    const witness = new Witness()
    const logged: unknown[] = []
    const log = { info: () => undefined, warn: () => undefined, error: (fields: object, text: string) => logged.push([fields, text]) }
    await start({
      feeds: ['a', 'b', 'c'].map((id) => feed(id, 0.2)),
      runner: witness.runner('w', async () => Promise.reject(new StoreError('no space left', { code: 'ENOSPC' }))),
      log: log as unknown as Parameters<typeof quickWorker>[0]['log'] & object,
    })
    await until('runs of each', () => ['a', 'b', 'c'].every((id) => witness.count(`fetch ${id}`) >= 3), 20_000)
    expect(logged).toHaveLength(1)
  })

  test('lands a feed after its first fetch, and runs due upkeep', async () => {
    const witness = new Witness()
    await start({ feeds: [feed('a', 0.2)], upkeep: [{ task: 'expire', every_s: 0.3 }], runner: witness.runner('w', async () => pause(1)) })
    await until('the first landing', () => witness.count('land a') === 1)
    await until('upkeep', () => witness.count('upkeep expire') >= 2)
    expect(witness.runs[0]?.job).toBe('fetch a')
    expect(witness.count('land a')).toBe(1)
  })

  test('lets running jobs finish when it is closed, and takes no more', async () => {
    const witness = new Witness()
    const worker = await start({ feeds: [feed('a', 0.2), feed('b', 0.2)], runner: witness.runner('w', async () => pause(600)) })
    await until('a run', () => witness.count('fetch a') === 1)
    const began = performance.now()
    await worker.close()
    expect(performance.now() - began).toBeLessThan(QUICK.grace + QUICK.abort)
    const runs = witness.runs.length
    expect(witness.runs.every(({ ended }) => ended !== null)).toBe(true)
    await pause(500)
    expect(witness.runs.length).toBe(runs)
    expect(await redis.keys('lock:*')).toEqual([])
  })

  test('stops and hands back jobs that do not finish in time', async () => {
    const witness = new Witness()
    const feeds = [feed('a', 3600)]
    const first = await start({ feeds, runner: witness.runner('first', (_, signal) => untilAborted(signal)) })
    await until('a run', () => witness.count('fetch a') === 1)
    const began = performance.now()
    await first.close()
    expect(performance.now() - began).toBeLessThan(QUICK.grace + 2 * QUICK.abort)
    await start({ feeds, runner: witness.runner('second', async () => pause(1)) })
    await until('the next worker to take it', () => witness.runs.some(({ worker, job }) => worker === 'second' && job === 'fetch a'), 2000)
  })

  test('closes within a bound while a job does not heed its signal', async () => {
    const witness = new Witness()
    const worker = await start({ feeds: [feed('a', 3600)], runner: witness.runner('w', () => pause(8000)) })
    await until('a run', () => witness.count('fetch a') === 1)
    const began = performance.now()
    await worker.close()
    expect(performance.now() - began).toBeLessThan(QUICK.grace + 5 * QUICK.abort)
  })

  test('closes within a bound while Redis is away', async () => {
    const worker = await start({ feeds: [feed('a', 3600)], runner: new Witness().runner('w', async () => pause(1)) })
    await server.kill()
    const began = performance.now()
    await worker.close()
    expect(performance.now() - began).toBeLessThan(QUICK.grace + 5 * QUICK.abort)
  })

  test('keeps to its schedule after Redis was emptied, and fetches nothing for that reason alone', async () => {
    const witness = new Witness()
    await start({ feeds: [feed('a', 0.3), feed('slow', 3600)], runner: witness.runner('w', () => pause(10)) })
    await until('both to run', () => witness.count('fetch a') >= 2 && witness.count('fetch slow') === 1)
    await redis.flushall()
    const before = witness.count('fetch a')
    await until('it to run again', () => witness.count('fetch a') > before + 2, 10_000)
    expect([witness.count('fetch slow'), witness.most.get('fetch a')]).toEqual([1, 1])
  })

  test('removes from live state the datasets missing in the newest catalogue', async () => {
    const part = { seq: 1, fetch_id: 'x', data_time: 1, fetched_at: 1, rows: [], changes: [] }
    for (const feed of ['a', 'gone']) await publishLive(redis, { dataset: 'things', feed, ...part })
    const runner = new Witness().runner('w', () => pause(10))
    await start({ feeds: [feed('a', 3600)], runner, declared: [{ dataset: 'things', feed: 'a' }] })
    expect(await redis.hkeys(LIVE_KEYS.parts)).toEqual(['things/a'])
  })

  test('deletes the queue of feeds of an earlier version, once none of its workers lives', async () => {
    const queue = new Queue('feeds', { prefix: 'jobs', connection: redis })
    await queue.upsertJobScheduler('fetch:a', { every: 3_600_000 }, { name: 'fetch' })
    await queue.add('fetch', {})
    await redis.set('jobs:schedules', '{}')
    const older = { id: 'older', started_at: 1, schedules: [], declared: null }
    await announceWorker(redis, older)
    await start({ feeds: [feed('a', 3600)], runner: new Witness().runner('w', async () => undefined) })
    expect(await queue.getJobSchedulersCount()).toBe(1)
    await announceWorker(redis, older, { isStopping: true })
    await until('it is gone', async () => (await redis.keys('jobs:feeds:*')).length === 0)
    expect(await redis.exists('jobs:schedules')).toBe(0)
    await queue.close()
  })

  test('goes on after Redis was killed and came back empty', async () => {
    const witness = new Witness()
    await start({ feeds: [feed('a', 0.3)], runner: witness.runner('w', () => pause(10)) })
    await until('a run', () => witness.count('fetch a') >= 2)
    await server.kill()
    await pause(1000)
    const before = witness.count('fetch a')
    await server.restart()
    await until('runs again', () => witness.count('fetch a') > before + 2, 20_000)
  })
})
