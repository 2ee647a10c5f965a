import { expect, onTestFinished, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { datasetById } from '../../../lake/catalog.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { newestAccepted, type RawBody, readBody } from '../../../lake/raw/archive.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { openTestContext } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { standIn } from '../../publishers/helpers.ts'

const never = new AbortController().signal
const HOUR = 3_600_000

test('publications that repeat 12 hours give each station and hour one row, that of the first publication with it', async () => {
  const redis = await startTestRedis()
  await using publishers = await standIn({ scale: 'small' })
  const options = { folder: tempFolder(), redisUrl: redis.url, publisher: publishers.url, now: () => publishers.now() }
  const opened = await openTestContext(options)
  const context = { ...opened, origin: originOf(publishers.url) }
  onTestFinished(async () => {
    await opened.close()
    await redis.stop()
  })
  const observations = datasetById('weather_observations')
  const feed = feedById('aemet_observation')
  const counted = async (): Promise<Record<string, number>> => {
    const [row = {}] = await context.lake.query(sql`
      SELECT
        count(*) AS rows,
        count(DISTINCT (station_id, observed_at)) AS keys,
        count(DISTINCT observed_at) AS hours,
        count(DISTINCT fetch_id) AS fetches
      FROM ${scan(observations)}`)
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))
  }
  let published = 0
  let last = await counted()
  for (let n = 0; n < 4; n++) {
    // A worker that restarts in between has the same table before it.
    const runner = makeRunner(context)
    const { outcome, rows } = await runner.fetch(feed, never)
    expect(outcome).toBe('accepted')
    published += rows['weather_observations'] as number
    await runner.land(feed, never)
    const now = await counted()
    expect(now.rows).toBe(now.keys)
    expect(now).toMatchObject({ fetches: n + 1 })
    expect(now.rows).toBeGreaterThan(last.rows as number)
    last = now
    publishers.advance(HOUR)
  }
  expect(last.hours).toBe(15)
  expect(published).toBeGreaterThan(3 * (last.rows as number))
  // The kept bytes are those of the document, not of the slip that led to it.
  const body = (await newestAccepted(context.store, feed.id))?.bodies[0] as RawBody
  expect([body.name, new URL(body.url).pathname.includes('/opendata/sh/')]).toEqual(['observations', true])
  expect((await readBody(context.store, body)).subarray(0, 12).toString()).toBe('[ {\n  "idema')
})
