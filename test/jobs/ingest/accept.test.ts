import { afterAll, beforeAll, expect, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { rejectedIds } from '../../../lake/raw/archive.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { type Publishers, startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext, type TestContext } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

const feed = feedById('fuel_stations')
const never = new AbortController().signal
let redis: TestRedis
let publishers: Publishers
let context: TestContext

beforeAll(async () => {
  redis = await startTestRedis()
  const start = Date.UTC(2026, 3, 29, 9, 30)
  publishers = await startPublishers({
    source: { kind: 'simulated', seed: 5, speed: 0, start, scale: 'small' },
  })
  const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '', now: () => publishers.now() })
  context = { ...opened, origin: originOf(publishers.url) }
})
afterAll(async () => {
  await context.close()
  await publishers.close()
  await redis.stop()
})

const statuses = async (): Promise<Record<string, number>> => {
  const rows = await context.lake.query(
    sql`SELECT status, count(*) AS n FROM (SELECT * FROM ${scan(fuelStations)} QUALIFY row_number() OVER (PARTITION BY station_id ORDER BY observed_at DESC) = 1) GROUP BY status`,
  )
  return Object.fromEntries(rows.map(({ status, n }) => [status as string, Number(n)]))
}

test('the drop of 2026-04-29 raises an alarm, and once an operator accepted it the new size is the usual one', async () => {
  let runner = makeRunner(context)
  const first = await runner.fetch(feed, never)
  expect(first.outcome).toBe('accepted')
  publishers.setFault({ feed: feed.id, fault: 'block_missing' })
  publishers.advance(1_800_000)
  const alarm = await runner.fetch(feed, never)
  expect(alarm).toMatchObject({ outcome: 'rejected', reason: expect.stringMatching(/fuel_stations: \d+ rows after \d+, 9[34]\.\d %/) })
  publishers.advance(1_800_000)
  expect((await runner.fetch(feed, never)).outcome).toBe('rejected')

  const waiting = await rejectedIds(context.store, feed.id)
  expect(waiting).toHaveLength(2)
  await runner.accept(feed, waiting.at(-1) as string)
  await runner.land(feed, never)
  // A new process knows of the decision by the archive alone.
  await context.redis.flushall()
  runner = makeRunner(context)
  for (let publication = 0; publication < 2; publication++) {
    publishers.advance(1_800_000)
    expect((await runner.fetch(feed, never)).outcome).toBe('accepted')
  }
  await runner.land(feed, never)
  const gone = (first.rows.fuel_stations as number) - (alarm.rows.fuel_stations as number)
  expect(gone).toBeGreaterThan(15)
  const now = await statuses()
  // Not seen in three publications the register's stations are missing, never ended.
  expect(now.ENDED).toBeUndefined()
  // One that the register left out by a slip of its own may be back.
  expect(now.MISSING).toBeGreaterThanOrEqual(gone - 2)
})
