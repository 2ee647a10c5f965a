import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FeedQueue, openQueue, QUEUE, type Reconciled, reconcileSchedules, schedulesOf } from '../../jobs/queues.ts'
import { openRedis } from '../../lake/live/connect.ts'
import { announceWorker } from '../../lake/live/workers.ts'
import { startTestRedis, type TestRedis } from '../helpers/redis.ts'

let server: TestRedis
let redis: Redis
let queue: FeedQueue
beforeAll(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
})
beforeEach(async () => {
  await redis.flushall()
  queue = openQueue(redis)
})
afterAll(async () => {
  await queue.close()
  redis.disconnect()
  await server.stop()
})

const declared = (feeds: Record<string, number>, upkeep: Record<string, number> = {}) =>
  schedulesOf({
    feeds: Object.entries(feeds).map(([id, every_s]) => ({ id, every_s })),
    upkeep: Object.entries(upkeep).map(([task, every_s]) => ({ task, every_s })),
    landEvery_s: 300,
  })
const reconcile = async (schedules: ReturnType<typeof declared>, started_at = 1000): Promise<Reconciled> =>
  (await reconcileSchedules({ queue, redis, schedules, started_at })) as Reconciled
const cadences = async (): Promise<Record<string, number>> =>
  Object.fromEntries((await queue.getJobSchedulers()).map(({ key, every }) => [key, Number(every)]))

describe('schedules', () => {
  test('come from the catalogue, spread over their cadence, always the same', () => {
    const schedules = declared({ a: 60, b: 60, c: 60, d: 0.2 }, { expire: 86_400 })
    expect(schedules.map(({ id, every_ms }) => [id, every_ms])).toEqual([
      ['fetch:a', 60_000],
      ['fetch:b', 60_000],
      ['fetch:c', 60_000],
      ['fetch:d', 200],
      ...['a', 'b', 'c', 'd'].map((id) => [`land:${id}`, 300_000]),
      ['upkeep:expire', 86_400_000],
    ])
    const offsets = schedules.slice(0, 3).map(({ offset_ms }) => offset_ms)
    expect(new Set(offsets).size).toBe(3)
    for (const { offset_ms, every_ms } of schedules) expect(offset_ms > 0 && offset_ms < every_ms).toBe(true)
    expect(declared({ a: 60, b: 60, c: 60, d: 0.2 }, { expire: 86_400 })).toEqual(schedules)
  })

  test('are added, changed and removed, and left alone where they are as declared', async () => {
    expect(await reconcile(declared({ a: 60, b: 60 }, { expire: 3600 }))).toEqual({
      added: ['fetch:a', 'fetch:b', 'land:a', 'land:b', 'upkeep:expire'],
      changed: [],
      removed: [],
    })
    const before = await queue.getJobSchedulers()
    expect(await reconcile(declared({ a: 60, b: 60 }, { expire: 3600 }))).toEqual({ added: [], changed: [], removed: [] })
    expect(await queue.getJobSchedulers()).toEqual(before)
    await queue.upsertJobScheduler('of an older version', { every: 5000 }, { name: 'fetch' })
    const done = await reconcile(declared({ a: 30, c: 60 }))
    expect({ ...done, removed: [...done.removed].sort() }).toEqual({
      added: ['fetch:c', 'land:c'],
      changed: ['fetch:a'],
      removed: ['fetch:b', 'land:b', 'of an older version', 'upkeep:expire'],
    })
    expect(await cadences()).toEqual({ 'fetch:a': 30_000, 'fetch:c': 60_000, 'land:a': 300_000, 'land:c': 300_000 })
    // Nothing is left that would bring up a removed one.
    expect((await queue.getDelayed()).map(({ repeatJobKey }) => repeatJobKey).sort()).toEqual(['fetch:a', 'fetch:c', 'land:a', 'land:c'])
  })

  test('fetch a new feed at once', async () => {
    await reconcile(declared({ a: 3600 }))
    expect((await queue.getWaiting()).map(({ data }) => data)).toEqual([{ kind: 'fetch', name: 'a' }])
    await reconcile(declared({ a: 3600 }))
    expect(await queue.getWaitingCount()).toBe(1)
  })

  test('come back to life where the next job of one was lost', async () => {
    await reconcile(declared({ a: 60 }))
    const [lost] = (await queue.getDelayed()).filter(({ repeatJobKey }) => repeatJobKey === 'fetch:a')
    const key = `${QUEUE.prefix}:${QUEUE.name}`
    await redis.zrem(`${key}:delayed`, lost?.id as string)
    await redis.del(`${key}:${lost?.id}`)
    await redis.zadd(`${key}:repeat`, Date.now() - 125_000, 'fetch:a')
    expect((await reconcile(declared({ a: 60 }))).changed).toEqual(['fetch:a'])
    const next = (await queue.getJobSchedulers()).find((scheduler) => scheduler.key === 'fetch:a')?.next as number
    expect(next - Date.now()).toBeGreaterThan(0)
    expect(next - Date.now()).toBeLessThanOrEqual(60_000)
    expect((await queue.getDelayed()).map(({ repeatJobKey }) => repeatJobKey)).toContain('fetch:a')
  })

  test('are those of the worker that started last, also when an older one looks after them', async () => {
    await reconcile(declared({ a: 60 }), 1000)
    await reconcile(declared({ b: 60 }), 2000)
    expect(await reconcile(declared({ a: 60 }), 1000)).toEqual({ added: [], changed: [], removed: [] })
    await queue.removeJobScheduler('fetch:b')
    expect((await reconcile(declared({ a: 60 }), 1000)).added).toEqual(['fetch:b'])
    expect(await cadences()).toEqual({ 'fetch:b': 60_000, 'land:b': 300_000 })
  })

  test('of a living worker stay where a newer one does not have them, and go once that worker has stopped', async () => {
    const older = { id: 'older', started_at: 1000, schedules: declared({ a: 60, b: 60 }), declared: null }
    await announceWorker(redis, older)
    await reconcile(older.schedules, 1000)
    expect(await reconcile(declared({ b: 30 }), 2000)).toEqual({ added: [], changed: ['fetch:b'], removed: [] })
    // The older one leaves the newer one's cadence alone.
    expect(await reconcile(older.schedules, 1000)).toEqual({ added: [], changed: [], removed: [] })
    expect(await cadences()).toEqual({ 'fetch:a': 60_000, 'fetch:b': 30_000, 'land:a': 300_000, 'land:b': 300_000 })
    await announceWorker(redis, older, { isStopping: true })
    expect((await reconcile(declared({ b: 30 }), 2000)).removed.toSorted()).toEqual(['fetch:a', 'land:a'])
  })

  test('are reconciled by one process at a time', async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, () => reconcileSchedules({ queue, redis, schedules: declared({ a: 60 }), started_at: 1 })),
    )
    expect(all.filter((done) => done !== null && done.added.length > 0)).toHaveLength(1)
    expect(await queue.getWaitingCount()).toBe(1)
  })
})
