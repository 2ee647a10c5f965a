import type { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'
import { offsetOf } from '../../jobs/schedule.ts'
import { type Job, type JobKind, jobLock, openTicker, type Ticker } from '../../jobs/ticker.ts'
import { withLock } from '../../lake/live/lock.ts'
import { emptyRedis } from '../helpers/redis.ts'
import { until } from '../helpers/until.ts'
import { pause } from './workers.ts'

const HOUR_MS = 3_600_000
let redis: Redis
emptyRedis((client) => {
  redis = client
})
const opened: { readonly ticker: Ticker; readonly stop: AbortController }[] = []
afterEach(async () => {
  for (const { ticker, stop } of opened.splice(0)) {
    stop.abort()
    await ticker.close()
  }
})

/** A ticker of jobs that note when they ran. */
function ticking(...jobs: readonly Partial<Job>[]): { readonly ticker: Ticker; readonly ran: string[]; readonly failed: unknown[] } {
  const [ran, failed, stop] = [[] as string[], [] as unknown[], new AbortController()]
  const ticker = openTicker({
    ...{ redis, lock_ms: 1000, retry_ms: 30, signal: stop.signal, onBegin: () => undefined, onDone: () => undefined },
    jobs: jobs.map((job) => {
      const made: Job = { kind: 'fetch', name: 'a', every_ms: HOUR_MS, run: async () => undefined, ...job }
      return { ...made, run: (signal) => (ran.push(`${made.kind} ${made.name}`), made.run(signal)) }
    }),
    onError: (_, error) => failed.push(error),
  })
  opened.push({ ticker, stop })
  return { ticker, ran, failed }
}
const ended = (kind: JobKind, at: number): Promise<unknown> => redis.hset('jobs:ended', `${kind}:a`, at)
const own = new Set(['a'])

test('a fetch without a record is due at once, a landing and a task at their next tick', async () => {
  const { ticker, ran } = ticking({}, { kind: 'land' }, { kind: 'upkeep' })
  await pause(50)
  expect(ran).toEqual([])
  ticker.own(own)
  await until('the fetch', () => ran.length > 0)
  await pause(100)
  expect(ran).toEqual(['fetch a'])
  expect(ticker.counts).toEqual({ running: 0, waiting: 0, scheduled: 3 })
})

test('a tick that passed while no worker lived is due at once, one that another worker ran is not, and each is recorded', async () => {
  await ended('land', Date.now() - HOUR_MS - 1)
  await ended('fetch', Date.now())
  const { ticker, ran } = ticking({}, { kind: 'land' })
  const { ticker: other, ran: others } = ticking({}, { kind: 'land' })
  // Both believe that they own it.
  for (const one of [ticker, other]) one.own(own)
  await until('the landing', () => ran.length + others.length > 0)
  await pause(150)
  expect([...ran, ...others]).toEqual(['land a'])
  expect(Date.now() - Number(await redis.hget('jobs:ended', 'land:a'))).toBeLessThan(1000)
})

test('a job runs at its ticks, and a tick during a run is skipped', async () => {
  const every_ms = 200
  let running = 0
  const begun: number[] = []
  const run = async (): Promise<void> => {
    begun.push(Date.now())
    expect(++running).toBe(1)
    await pause(begun.length === 3 ? 300 : 10)
    running--
  }
  const { ticker } = ticking({ every_ms, run })
  ticker.own(own)
  await until('some runs', () => begun.length === 6)
  const offset = offsetOf('fetch:a', every_ms)
  for (const at of begun.slice(1)) expect((at - offset) % every_ms).toBeLessThan(100)
  expect((begun[3] as number) - (begun[2] as number)).toBeGreaterThan(300)
})

test('a job whose lock another process has waits for it, and does not run if that process ran the tick', async () => {
  const { ticker, ran } = ticking({}, { name: 'b' })
  await withLock({ redis, name: jobLock('fetch', 'a'), ttl_ms: 5000 }, async () => {
    ticker.own(new Set(['a', 'b']))
    await until('the other', () => ran.length === 1)
    await until('it waits', () => ticker.counts.waiting === 1)
    await ended('fetch', Date.now())
  })
  await until('it is planned', () => ticker.counts.scheduled === 2)
  expect(ran).toEqual(['fetch b'])
})

test('a job that is woken while it runs runs once more; one that is not owned does not run', async () => {
  await ended('fetch', Date.now())
  const { ticker, ran } = ticking({ run: () => pause(60) })
  ticker.wake('fetch', 'a')
  ticker.own(own)
  await pause(50)
  expect(ran).toEqual([])
  for (let times = 0; times < 3; times++) ticker.wake('fetch', 'a')
  await until('it runs', () => ran.length === 1)
  await pause(20)
  for (let times = 0; times < 3; times++) ticker.wake('fetch', 'a')
  await until('it runs again', () => ran.length === 2)
  await pause(150)
  expect(ran).toHaveLength(2)
})

test('a record from a clock that was ahead does not stop a feed', async () => {
  await ended('fetch', Date.now() + 10 * HOUR_MS)
  const { ticker, ran } = ticking({})
  ticker.own(own)
  await until('it runs', () => ran.length === 1)
  expect(Number(await redis.hget('jobs:ended', 'fetch:a'))).toBeLessThan(Date.now() + 1000)
})

test('an endless job stops when another worker owns it, without a record; other jobs end, and a failed one counts as run', async () => {
  const endless = (signal: AbortSignal): Promise<void> => new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  const { ticker, ran, failed } = ticking(
    { name: 'stream', isEndless: true, run: endless },
    { name: 'poll', run: () => pause(150) },
    { name: 'bad', run: async () => Promise.reject(new Error('broken')) },
  )
  ticker.own(new Set(['stream', 'poll', 'bad']))
  await until('all run', () => ran.length === 3 && failed.length === 1)
  expect(failed).toEqual([new Error('broken')])
  ticker.own(new Set())
  await until('the stream stops', () => ticker.counts.running === 1)
  await until('the other ends', () => ticker.counts.running === 0)
  expect((await redis.hkeys('jobs:ended')).toSorted()).toEqual(['fetch:bad', 'fetch:poll'])
  expect(await redis.keys('lock:*')).toEqual([])
  ticker.own(new Set(['stream', 'poll', 'bad']))
  await until('the stream runs again', () => ran.length === 4)
  expect(ran[3]).toBe('fetch stream')
})
