import { expect, onTestFinished, test } from 'vitest'
import { fuelArchive } from '../../../jobs/feeds/fuel/archive.ts'
import { listFiles } from '../../../jobs/ingest/archive.ts'
import { backfill } from '../../../jobs/ingest/history.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { fuelArchivePrices } from '../../../lake/datasets/fuel/prices.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { openTestContext } from '../../helpers/pipeline.ts'
import { startTestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { standIn } from '../../publishers/helpers.ts'

const never = new AbortController().signal
const DAY = 86_400_000

async function stage(at: string) {
  const redis = await startTestRedis()
  const publishers = await standIn({ at: Date.parse(at), scale: 'small' })
  const options = { folder: tempFolder(), redisUrl: redis.url, publisher: publishers.url, now: () => publishers.now() }
  const opened = await openTestContext(options)
  const context = { ...opened, origin: originOf(publishers.url) }
  onTestFinished(async () => {
    await opened.close()
    await publishers.close()
    await redis.stop()
  })
  const days = async (): Promise<Map<string, { rows: number; keys: number; fetches: number; fetch_id: string; starts: string }>> => {
    const rows = await context.lake.query(sql`
      SELECT day, count(*) AS rows, count(DISTINCT station_id || product) AS keys, count(DISTINCT fetch_id) AS fetches, min(fetch_id) AS fetch_id,
        min(day_starts_at) AS starts
      FROM ${scan(fuelArchivePrices)} GROUP BY day ORDER BY day`)
    return new Map(
      rows.map((row) => [
        row['day'] as string,
        {
          rows: Number(row['rows']),
          keys: Number(row['keys']),
          fetches: Number(row['fetches']),
          fetch_id: String(row['fetch_id']),
          starts: String(row['starts']),
        },
      ]),
    )
  }
  return { context, publishers, days }
}

test('yesterday lands each day, each day once; a corrected day takes the place of its rows', async () => {
  const { context, publishers, days } = await stage('2026-03-30T07:30:00Z')
  const run = async (): Promise<string> => {
    const runner = makeRunner(context)
    const { outcome } = await runner.fetch(fuelArchive, never)
    await runner.land(fuelArchive, never)
    return outcome
  }
  expect(await run()).toBe('accepted')
  const first = await days()
  // The last of the four newest days, today, is not there yet.
  expect([...first.keys()]).toEqual(['2026-03-27', '2026-03-28', '2026-03-29'])
  for (const { rows, keys } of first.values()) expect([rows, rows > 500]).toEqual([keys, true])
  publishers.advance(DAY)
  expect(await run()).toBe('accepted')
  const second = await days()
  expect([...second.keys()].at(-1)).toBe('2026-03-30')
  for (const [day, was] of first) expect([day, second.get(day)]).toEqual([day, was])
  // At the begin of a month the earlier publications are corrected.
  publishers.advance(DAY)
  expect(await run()).toBe('accepted')
  const third = await days()
  expect([...third.keys()].at(-1)).toBe('2026-03-31')
  expect(third.get('2026-03-28')).toEqual(first.get('2026-03-28'))
  expect(third.get('2026-03-30')?.fetch_id).not.toBe(second.get('2026-03-30')?.fetch_id)
  for (const { rows, keys, fetches } of third.values()) expect([rows, fetches]).toEqual([keys, 1])
})

test('days of years ago are taken in any order, those missing from the archive are distinguished, and the next run requests them alone', async () => {
  const { context, days } = await stage('2026-03-30T07:30:00Z')
  const range = { from: '2025-05-20', to: '2025-05-23' }
  // Without an end there are no future days.
  const all = await listFiles(context, fuelArchive, { range: { from: '2026-03-29', to: '9999-12-31' }, signal: never })
  expect(all.files.map(({ period }) => period)).toEqual(['2026-03-29', '2026-03-30'])
  const take = async (files: Awaited<ReturnType<typeof listFiles>>['files']): Promise<Map<string, string | null>> => {
    const runner = makeRunner(context)
    const done = await backfill(runner, { feed: fuelArchive, files, jobs: 2, signal: never, land: () => runner.land(fuelArchive, never) })
    return new Map(done.map(({ file, outcome }) => [file.period, outcome?.outcome ?? null]))
  }
  const { files, gaps } = await listFiles(context, fuelArchive, { range, signal: never })
  expect([files.length, gaps]).toEqual([4, []])
  expect(await take(files.toReversed())).toEqual(
    new Map([
      ['2025-05-23', 'accepted'],
      ['2025-05-22', null],
      ['2025-05-21', null],
      ['2025-05-20', 'accepted'],
    ]),
  )
  const landed = await days()
  expect([...landed.keys()]).toEqual(['2025-05-20', '2025-05-23'])
  expect(new Set(await take(files.toReversed()))).toEqual(
    new Set([
      ['2025-05-23', 'unchanged'],
      ['2025-05-22', null],
      ['2025-05-21', null],
      ['2025-05-20', 'unchanged'],
    ]),
  )
  expect(await days()).toEqual(landed)
  expect((await listFiles(context, fuelArchive, { range: { from: '2006-12-30', to: '2007-01-02' }, signal: never })).files).toEqual([
    { period: '2007-01-01', url: expect.stringContaining('/EstacionesTerrestresHist/01-01-2007') },
    { period: '2007-01-02', url: expect.stringContaining('/EstacionesTerrestresHist/02-01-2007') },
  ])
})
