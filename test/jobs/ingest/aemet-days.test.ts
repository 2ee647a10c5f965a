import { expect, onTestFinished, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { datasetById } from '../../../lake/catalog.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { openTestContext } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { standIn } from '../../publishers/helpers.ts'

const never = new AbortController().signal
const DAY = 86_400_000

test('days land once they are published, each once; a corrected one takes the place of its rows', async () => {
  const redis = await startTestRedis()
  await using publishers = await standIn({ at: Date.parse('2026-03-30T07:30:00Z'), scale: 'small' })
  const options = { folder: tempFolder(), redisUrl: redis.url, publisher: publishers.url, now: () => publishers.now() }
  const opened = await openTestContext(options)
  const context = { ...opened, origin: originOf(publishers.url) }
  onTestFinished(async () => {
    await opened.close()
    await redis.stop()
  })
  const feed = feedById('aemet_daily')
  const daily = datasetById('weather_daily')
  const days = async (): Promise<Map<string, { rows: number; keys: number; fetches: string }>> => {
    const rows = await context.lake.query(sql`
      SELECT day, count(*) AS rows, count(DISTINCT station_id) AS keys, min(fetch_id) AS first, max(fetch_id) AS last
      FROM ${scan(daily)}
      GROUP BY day
      ORDER BY day`)
    return new Map(
      rows.map(({ day, rows, keys, first, last }) => [
        day as string,
        { rows: Number(rows), keys: Number(keys), fetches: `${first} ${last}` },
      ]),
    )
  }
  const run = async (): Promise<string> => {
    const runner = makeRunner(context)
    const { outcome } = await runner.fetch(feed, never)
    await runner.land(feed, never)
    return outcome
  }
  expect(await run()).toBe('accepted')
  const first = await days()
  // The last five of the ten newest days are not published yet.
  expect([...first.keys()]).toEqual(['2026-03-21', '2026-03-22', '2026-03-23', '2026-03-24', '2026-03-25'])
  for (const { rows, keys } of first.values()) expect([rows, rows > 100]).toEqual([keys, true])
  publishers.advance(DAY)
  expect(await run()).toBe('accepted')
  const second = await days()
  expect([...second.keys()].at(-1)).toBe('2026-03-26')
  for (const [day, was] of first) expect([day, second.get(day)]).toEqual([day, was])
  // At the begin of a month the earlier publications are corrected.
  publishers.advance(DAY)
  expect(await run()).toBe('accepted')
  const third = await days()
  expect(third.get('2026-03-21')).toEqual(first.get('2026-03-21'))
  expect(third.get('2026-03-25')?.fetches).not.toBe(first.get('2026-03-25')?.fetches)
  for (const { rows, keys, fetches } of third.values()) {
    const [from, to] = fetches.split(' ')
    expect([rows, from]).toEqual([keys, to])
  }
})
