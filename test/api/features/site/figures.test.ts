import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { figureReader, READING_MS } from '../../../../api/features/site/figures.ts'
import { emptyRedis } from '../../../helpers/redis.ts'

let redis: Redis
emptyRedis((client) => {
  redis = client
})
const PATH = '/api/incidents'
const BEGIN = 1_790_000_000_000 - (1_790_000_000_000 % READING_MS)
let now = BEGIN
let total = 1

/** Reads the history of incidents with a reader of its own, as another process has. */
async function historyOf(): Promise<readonly number[]> {
  const read = figureReader(async () => ({ total, updated_at: '2026-11-01T10:00:00Z' }), { redis, clock: () => now })
  return (await read()).find(({ path }) => path === PATH)?.history.map(({ count }) => count) ?? []
}

test('a figure remembers the first count of each quarter of an hour for a day, in whichever process it was read', async () => {
  expect(await historyOf()).toEqual([1])
  now += READING_MS / 2
  total = 2
  expect(await historyOf(), 'the same quarter').toEqual([2])
  now = BEGIN + READING_MS
  total = 3
  expect(await historyOf()).toEqual([1, 3])
  now = BEGIN + 97 * READING_MS
  total = 4
  expect(await historyOf(), 'a day later').toEqual([4])
})
