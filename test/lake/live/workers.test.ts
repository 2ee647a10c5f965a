import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openRedis } from '../../../lake/live/connect.ts'
import { LIVE_KEYS } from '../../../lake/live/keys.ts'
import { announceWorker, livingWorkers, readWorkers, type WorkerEntry } from '../../../lake/live/workers.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'

let server: TestRedis
let redis: Redis
beforeAll(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
})
beforeEach(() => redis.flushall())
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

const worker = (id: string): WorkerEntry => ({
  id,
  started_at: 1,
  runs: ['a'],
  declared: [{ dataset: 'things', feed: 'a' }],
})
/** Sets back a worker's last sign of life. */
async function silent(id: string, ms: number): Promise<void> {
  const [at = '', ...entry] = ((await redis.hget(LIVE_KEYS.workers, id)) ?? '').split(' ')
  await redis.hset(LIVE_KEYS.workers, id, [Number(at) - ms, ...entry].join(' '))
}

test('workers are alive until they stop or are not heard of for 40 s', async () => {
  expect(await readWorkers(redis)).toBeNull()
  for (const id of ['one', 'two', 'three']) await announceWorker(redis, worker(id))
  expect((await livingWorkers(redis)).map(({ id }) => id).sort()).toEqual(['one', 'three', 'two'])
  await announceWorker(redis, worker('two'), { isStopping: true })
  await silent('three', 41_000)
  expect(await livingWorkers(redis)).toEqual([worker('one')])
  const seen = await readWorkers(redis)
  expect(seen?.living).toBe(1)
  expect(Math.abs((seen?.seen_at ?? 0) - Date.now())).toBeLessThan(5000)
  // The earliest phase counts; a worker of an earlier version states none.
  expect(seen?.phase).toBe('STEADY')
  await announceWorker(redis, { ...worker('two'), phase: 'BACKFILLING', store_full: true })
  expect(await readWorkers(redis)).toMatchObject({ phase: 'BACKFILLING', store_full: true })
  for (const id of ['one', 'two']) await silent(id, 41_000)
  expect(await readWorkers(redis)).toMatchObject({ living: 0, phase: 'STEADY' })
})

test('the announcements of a dead worker are dropped by the next one, and their last times are kept', async () => {
  await announceWorker(redis, worker('dead'))
  await silent('dead', 41_000)
  await announceWorker(redis, worker('next'))
  expect(await redis.hget(LIVE_KEYS.workers, 'dead')).toMatch(/^\d+ $/)
  expect(await livingWorkers(redis)).toEqual([worker('next')])
  await announceWorker(redis, worker('dead'))
  expect((await readWorkers(redis))?.living).toBe(2)
})

test('those not heard of for a day are forgotten', async () => {
  await announceWorker(redis, worker('old'))
  await silent('old', 86_500_000)
  await announceWorker(redis, worker('new'))
  expect(await redis.hkeys(LIVE_KEYS.workers)).toEqual(['new'])
})
