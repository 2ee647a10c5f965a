import type { Redis } from 'ioredis'
import { beforeEach, expect, test } from 'vitest'
import { EVENT_DAYS, type EventBatch, EventLog, type LoggedEvent } from '../../../lake/events/log.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { emptyRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

let redis: Redis
emptyRedis((one) => {
  redis = one
})
let store: ObjectStore
let now = Date.UTC(2026, 0, 1)
beforeEach(async () => {
  store = await fileStore(tempFolder())
  now = Date.UTC(2026, 0, 1)
})

const open = (): EventLog => new EventLog({ store, redis, clock: () => now })
const event = (id: string): LoggedEvent => ({ id, type: 'feed.stale', thing: id, at: now, data: { id } })
const batchesAfter = async (log: EventLog, after: number, limit?: number): Promise<readonly EventBatch[]> => {
  const read = await log.read(after, limit)
  if (read.reset) throw new Error('reset')
  return read.batches
}

test('an origin is recorded once, also by another process and after Redis was emptied', async () => {
  const log = open()
  expect(await log.head()).toBe(0)
  expect(await log.record('a 1', [event('one')], { since: now })).toBe(1)
  expect(await log.record('a 1', [event('again')], { since: now })).toBe(1)
  expect(await log.record('a 2', [], { since: now })).toBeNull()
  await redis.flushall()
  now += 60_000
  const other = open()
  expect(await other.record('a 1', [event('other')], { since: now - 60_000 })).toBe(1)
  expect(await other.record('b 1', [event('two')], { since: now })).toBe(2)
  expect(await log.record('b 1', [event('three')], { since: now })).toBe(2)
  const batches = await batchesAfter(log, 0)
  expect(batches.map(({ offset, origin, events }) => [offset, origin, events.map(({ id }) => id)])).toEqual([
    [1, 'a 1', ['one']],
    [2, 'b 1', ['two']],
  ])
})

test('processes that record at once share the numbers without a gap', async () => {
  const logs = [open(), open(), open()]
  const origins = Array.from({ length: 24 }, (_, at) => `feed ${at}`)
  // Each origin is recorded by two of them.
  await Promise.all(
    origins.flatMap((origin, at) =>
      [at % 3, (at + 1) % 3].map((number) => (logs[number] as EventLog).record(origin, [event(origin)], { since: now })),
    ),
  )
  const batches = await batchesAfter(open(), 0)
  expect(batches.map(({ offset }) => offset)).toEqual(origins.map((_, at) => at + 1))
  expect(batches.map(({ origin }) => origin).sort()).toEqual([...origins].sort())
})

test('a read is the same from the cache and from the store, and fills the cache again', async () => {
  const log = open()
  for (let at = 1; at <= 60; at++) await log.record(`o ${at}`, [event(`e${at}`)], { since: now })
  const cached = await batchesAfter(log, 0)
  expect(cached).toHaveLength(50)
  expect(await batchesAfter(log, 50)).toHaveLength(10)
  expect(await batchesAfter(log, 60)).toEqual([])
  expect(await batchesAfter(log, 10, 3)).toEqual(cached.slice(10, 13))
  await redis.flushall()
  expect(await batchesAfter(log, 0)).toEqual(cached)
  while ((await redis.exists('events:batch:50')) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await log.before(now)).toBe(0)
  expect(await log.before(now + 1)).toBe(60)
})

test('old batches are deleted, and a reader that has not read them gets an error', async () => {
  const log = open()
  await log.record('old', [event('old')], { since: now })
  await log.record('older', [event('older')], { since: now })
  now += EVENT_DAYS * 86_400_000 + 1
  await log.record('new', [event('new')], { since: now })
  expect(await log.retire()).toBe(2)
  await redis.flushall()
  expect(await log.read(0)).toEqual({ reset: true, first: 3 })
  expect(await batchesAfter(log, 2)).toHaveLength(1)
  now += EVENT_DAYS * 86_400_000 + 1
  // The newest stays, so that numbers are never given out twice.
  expect(await log.retire()).toBe(0)
  expect(await open().record('next', [event('next')], { since: now })).toBe(4)
})
