import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { aemetWarnings } from '../../../jobs/feeds/weather/aemet-warnings.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { weatherAlerts } from '../../../lake/datasets/weather/weather-alerts.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { newestAccepted } from '../../../lake/raw/archive.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { warningsAt } from '../../../scripts/stand-in/world/warnings.ts'
import { makeWorld, type World } from '../../../scripts/stand-in/world/world.ts'
import { openTestContext, type TestContext } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { standIn } from '../../publishers/helpers.ts'

const never = new AbortController().signal
const MINUTE = 60_000
const HALF_HOUR = 30 * MINUTE
const START = Date.parse('2026-10-25T01:30:00Z')

let world: World
beforeAll(() => {
  world = makeWorld(1, 'small')
})

/** The time of the first package after the start that withdraws a warning of the one before. */
function firstWithdrawal(): number {
  for (let at = START; ; at += HALF_HOUR)
    if (warningsAt(world, at).some(({ isWithdrawal, sentAt }) => isWithdrawal && sentAt > at - HALF_HOUR)) return at
}

async function contextOf(publisher: string, now: () => number): Promise<TestContext> {
  const redis = await startTestRedis()
  const opened = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher, now })
  onTestFinished(async () => {
    await opened.close()
    await redis.stop()
  })
  return { ...opened, origin: originOf(publisher) }
}

test('a package is the whole state: warnings withdrawn by the next one have ended, at once', async () => {
  const withdrawnAt = firstWithdrawal()
  await using publishers = await standIn({ scale: 'small', at: withdrawnAt - HALF_HOUR })
  const context = await contextOf(publishers.url, () => publishers.now())
  const runner = makeRunner(context)
  const fetched = async (): Promise<string> => (await runner.fetch(aemetWarnings, never)).outcome
  expect(await fetched()).toBe('accepted')
  publishers.advance(HALF_HOUR / 3)
  expect(await fetched()).toBe('unchanged')
  publishers.advance((HALF_HOUR * 2) / 3)
  expect(await fetched()).toBe('accepted')
  await runner.land(aemetWarnings, never)
  const states = await context.lake.query(sql`
    SELECT source_id, status, alert_id, observed_at, last_seen_at
    FROM ${scan(weatherAlerts)}
    ORDER BY source_id, observed_at`)
  const ended = states.filter(({ status }) => status === 'ENDED')
  expect(ended.length).toBeGreaterThan(0)
  for (const { source_id, observed_at, last_seen_at, alert_id } of ended) {
    expect([Number(observed_at), Number(last_seen_at)]).toEqual([withdrawnAt, withdrawnAt - HALF_HOUR].map((at) => at - MINUTE))
    expect(states.find((one) => one['source_id'] === source_id)).toMatchObject({ status: 'ACTIVE', alert_id })
  }
  const kept = await newestAccepted(context.store, aemetWarnings.id)
  expect(kept?.bodies.map(({ name, url }) => [name, /_AFAE\.tar\.gz$/.test(url)])).toEqual([['rss', true]])
})

test('OpenData is asked where the website fails', async () => {
  await using publishers = await standIn({ scale: 'small', at: START })
  const context = await contextOf(publishers.url, () => publishers.now())
  const origin = (url: string): string => originOf(publishers.url)(url.replace('CAP_AFAE_RSS', 'gone'))
  const { outcome, rows } = await makeRunner({ ...context, origin }).fetch(aemetWarnings, never)
  expect([outcome, (rows['weather_alerts'] ?? 0) > 0]).toEqual(['accepted', true])
  const kept = await newestAccepted(context.store, aemetWarnings.id)
  expect(kept?.bodies.map(({ name, url }) => [name, url.includes('/opendata/sh/')])).toEqual([['opendata', true]])
})
