import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { livePart } from '../../../lake/live/write.ts'
import { littleFeed, openTestContext, type Publisher, startPublisher } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

const feed = littleFeed()
const never = new AbortController().signal
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 15, 12, minute)).toISOString()

let redis: TestRedis
let publisher: Publisher
beforeAll(async () => {
  redis = await startTestRedis()
  publisher = await startPublisher({ at: at(0), beacons: {} })
})
afterAll(async () => {
  await publisher.close()
  await redis.stop()
})

test('a worker that stood still after accepting sets back neither live state nor freshness when it goes on', async () => {
  const folder = tempFolder()
  const asleep = Promise.withResolvers<void>()
  const awake = Promise.withResolvers<void>()
  const common = { folder, redisUrl: redis.url, publisher: publisher.url }
  let clock = 0
  let sleepersClock = 0
  const sleeper = await openTestContext({
    ...common,
    now: () => sleepersClock,
    onStep: async (step) => {
      if (step !== 'accepted') return
      asleep.resolve()
      await awake.promise
    },
  })
  const other = await openTestContext({ ...common, now: () => clock })
  try {
    publisher.document = { at: at(0), beacons: { a: 1 }, readings: { s1: 1 } }
    sleepersClock = Date.parse(at(0)) + 5000
    const stalled = makeRunner(sleeper).fetch(feed, never)
    await asleep.promise
    publisher.document = { at: at(1), beacons: { a: 2 }, readings: { s1: 2 } }
    clock = Date.parse(at(1)) + 5000
    await makeRunner(other).fetch(feed, never)
    awake.resolve()
    expect(await stalled).toMatchObject({ outcome: 'accepted', data_time: Date.parse(at(0)) })
    expect(await livePart(other.redis, 'v16_beacons', feed.id)).toMatchObject({ seq: 2, data_time: Date.parse(at(1)) })
    expect((await readFeedStates(other.redis)).get(feed.id)).toMatchObject({ last_attempt_at: clock, data_time: Date.parse(at(1)) })
  } finally {
    await sleeper.close()
    await other.close()
  }
})
