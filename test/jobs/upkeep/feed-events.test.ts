import type { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { runUpkeep } from '../../../jobs/upkeep/tasks.ts'
import type { EventLog } from '../../../lake/events/log.ts'
import { recordEvent } from '../../../lake/events/record.ts'
import { type FeedState, writeFeedState } from '../../../lake/live/freshness.ts'
import { littleFeed, openTestContext } from '../../helpers/pipeline.ts'
import { emptyRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

let redis: Redis
let server: TestRedis
emptyRedis((one, its) => {
  redis = one
  server = its
})
const feed = littleFeed()
const START = Date.UTC(2026, 0, 2)

test('a feed that becomes stale and recovers is reported once each, also after Redis was emptied', async () => {
  let now = START
  const context = await openTestContext({ folder: tempFolder(), redisUrl: server.url, publisher: 'http://127.0.0.1:9', now: () => now })
  onTestFinished(() => context.close())
  const run = (by = context): Promise<void> =>
    runUpkeep(by, 'feed-events', { datasets: [], feeds: [feed], signal: new AbortController().signal })
  const succeed = (at: number): Promise<void> =>
    writeFeedState(redis, {
      feed: feed.id,
      last_attempt_at: at,
      last_success_at: at,
      fresh_at: at,
      data_time: at,
      failing_since: null,
    } as FeedState)
  const events = async () => {
    const read = await (context.events as EventLog).read(0)
    return read.reset ? [] : read.batches.flatMap((batch) => batch.events)
  }
  // A feed that never delivered.
  await run()
  await succeed(START)
  now = START + 179_000
  await run()
  expect(await events()).toEqual([])
  now = START + 181_000
  await run()
  await run()
  await redis.flushall()
  await run()
  await succeed(START)
  await run()
  now = START + 300_000
  await succeed(now)
  // It is killed before it has stored what was reported; the feed goes on meanwhile.
  const killed = { ...context, store: { ...context.store, put: () => Promise.reject(new Error('killed')) } }
  await expect(run(killed)).rejects.toThrow('killed')
  await succeed(now + 30_000)
  await run()
  await run()
  expect((await events()).map(({ type, thing, at, data }) => [type, thing, at, data?.['health']])).toEqual([
    ['feed.stale', 'feed little', START + 180_000, 'STALE'],
    ['feed.recovered', 'feed little', now, 'OK'],
  ])
})

test('an event of an account has the same id however often it is recorded', async () => {
  const context = await openTestContext({ folder: tempFolder(), redisUrl: server.url, publisher: 'http://127.0.0.1:9' })
  onTestFinished(() => context.close())
  const log = context.events as EventLog
  const ready = { type: 'export.ready', about: 'job_1', at: Date.now() - 60_000, data: { id: 'job_1' }, account: 'a'.repeat(64) } as const
  const id = await recordEvent(log, ready)
  expect(await recordEvent(log, ready)).toBe(id)
  expect(await log.read(0)).toMatchObject({ batches: [{ offset: 1, events: [{ id, account: ready.account, data: { id: 'job_1' } }] }] })
  expect(await log.head()).toBe(1)
})
