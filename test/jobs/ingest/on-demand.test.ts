import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Feed, OnDemand } from '../../../jobs/feeds/define.ts'
import { aemetForecastHourly } from '../../../jobs/feeds/weather/aemet-forecast-hourly.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { weatherForecastHourly } from '../../../lake/datasets/weather/forecasts.ts'
import { type Answers, recordAnswers, spendRequests, wantDocuments } from '../../../lake/live/demand.ts'
import { newestAccepted } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import type { Publishers } from '../../../scripts/stand-in/server.ts'
import { fixtureBytes } from '../../helpers/fixture.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'
import { standIn } from '../../publishers/helpers.ts'
import { quickWorker } from '../workers.ts'

const never = new AbortController().signal
const MINUTE = 60_000
const GETAFE = '28065'
/** The feed without its requests that always run. */
const feed: Feed = { ...aemetForecastHourly, onDemand: { ...(aemetForecastHourly.onDemand as OnDemand), always: [] } }

let redis: TestRedis
let publishers: Publishers
let context: TestContext
let runner: Runner
beforeAll(async () => {
  redis = await startTestRedis()
  publishers = await standIn({ scale: 'small' })
  const options = { folder: tempFolder(), redisUrl: redis.url, publisher: publishers.url, now: () => publishers.now() }
  context = { ...(await openTestContext(options)), origin: originOf(publishers.url) }
  runner = makeRunner(context)
})
afterAll(async () => {
  await context?.close()
  await publishers?.close()
  await redis?.stop()
})

const want = (...keys: string[]): Promise<Answers> => wantDocuments(context.redis, feed.id, { keys, now: context.now() })
const outcomes = async (...keys: string[]): Promise<(string | null)[]> =>
  [...(await want(...keys)).values()].map((one) => one?.outcome ?? null)
const ask = () => runner.fetch(feed, never)
const rowsOf = async (code: string): Promise<AnyRow[]> =>
  (await tableRows(context, weatherForecastHourly)).filter(({ municipality_code }) => municipality_code === code)

test('a requested document is fetched once an hour, lands once an issue, and is kept raw', async () => {
  expect(await ask()).toMatchObject({ outcome: 'unchanged' })
  expect(await outcomes(GETAFE)).toEqual([null])
  expect(await ask()).toMatchObject({ outcome: 'accepted', rows: { weather_forecast_hourly: 48 } })
  expect(await outcomes(GETAFE)).toEqual(['FETCHED'])
  expect((await newestAccepted(context.store, feed.id))?.bodies.map(({ name }) => name)).toEqual([GETAFE])
  await runner.land(feed, never)
  expect(await rowsOf(GETAFE)).toHaveLength(48)
  const served = () => ({ ...publishers.served()[feed.id] })
  const before = served()
  expect(await ask()).toMatchObject({ outcome: 'unchanged' })
  expect(served()).toEqual(before)
  // After an hour it is fetched again; the same issue is nothing new.
  publishers.advance(61 * MINUTE)
  expect(await outcomes(GETAFE)).toEqual([null])
  expect(await ask()).toMatchObject({ outcome: 'unchanged' })
  expect(served()).not.toEqual(before)
  expect(await outcomes(GETAFE)).toEqual(['FETCHED'])
  publishers.advance(180 * MINUTE)
  await want(GETAFE)
  expect(await ask()).toMatchObject({ outcome: 'accepted' })
  await runner.land(feed, never)
  const rows = await rowsOf(GETAFE)
  expect([rows.length, new Set(rows.map(({ issued_at }) => issued_at)).size]).toEqual([96, 2])
})

test('a document taken in but not recorded, as after a crash, is fetched again and lands no row twice', async () => {
  const before = await rowsOf(GETAFE)
  await context.redis.del(`demand:answers:${feed.id}`)
  await want(GETAFE)
  expect((await ask()).outcome).toMatch(/accepted|unchanged/)
  await runner.land(feed, never)
  expect(await rowsOf(GETAFE)).toHaveLength(before.length)
})

test('a minute has a limit of requests; the rest waits for the next, and a missing document is not requested again', async () => {
  publishers.advance(2 * MINUTE)
  const keys = Array.from({ length: 35 }, (_, at) => `28${String(at + 1).padStart(3, '0')}`)
  const known = keys.filter((key) => key !== '28015')
  expect(await outcomes(...known, '99999')).toEqual([...known, ''].map(() => null))
  const first = await ask()
  expect(first.outcome).toBe('accepted')
  expect(first.rows['weather_forecast_hourly']).toBeLessThanOrEqual(30 * 48)
  const after = await outcomes(...known, '99999')
  expect(after.filter((one) => one === null).length).toBe(known.length + 1 - 30)
  expect(await ask()).toMatchObject({ outcome: 'unchanged' })
  publishers.advance(MINUTE)
  await ask()
  expect(new Set(await outcomes(...known))).toEqual(new Set(['FETCHED']))
  expect(await outcomes('99999')).toEqual(['ABSENT'])
})

test('feeds that ask at the same time do not exceed the limit that they share', async () => {
  const limit = { name: 'shared', perMinute: 30 }
  const spend = (now: number, reserved = 0) => spendRequests(context.redis, limit, { count: 20, now, reserved })
  const granted = await Promise.all([spend(0), spend(0)])
  expect(granted.sort()).toEqual([10, 20])
  expect([await spend(59_999), await spend(60_000, 15), await spend(60_000)]).toEqual([0, 15, 15])
})

test('background fetches leave half of a minute to requests', async () => {
  publishers.advance(2 * MINUTE)
  const always = Array.from({ length: 40 }, (_, at) => `46${String(at + 1).padStart(3, '0')}`)
  const eager: Feed = { ...feed, onDemand: { ...(feed.onDemand as OnDemand), always } }
  // A runner knows a feed by its id.
  const other = makeRunner(context)
  const answered = async (): Promise<number> =>
    (await context.redis.hmget(`demand:answers:${feed.id}`, ...always)).filter((one) => one !== null).length
  const counts: number[] = []
  for (let run = 0; run < 3; run++) {
    await other.fetch(eager, never)
    counts.push(await answered())
  }
  expect(counts).toEqual([10, 15, 15])
  expect(await outcomes('28115')).toEqual([null])
  await other.fetch(eager, never)
  expect(await outcomes('28115')).toEqual(['FETCHED'])
})

test('a document that cannot be fetched is left alone for five minutes, and the feed says why', async () => {
  publishers.advance(2 * MINUTE)
  await want('08019')
  publishers.setFault({ feed: feed.id, fault: 'status' })
  expect(await ask()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('503') })
  publishers.clearFaults()
  expect(await outcomes('08019')).toEqual(['FAILED'])
  publishers.advance(6 * MINUTE)
  expect(await outcomes('08019')).toEqual([null])
  expect(await ask()).toMatchObject({ outcome: 'accepted' })
})

test('an invalid document does not keep the others of its fetch out', async () => {
  const good = fixtureBytes('test/fixtures/aemet_forecast_hourly/28005.json')
  const bodies = [
    { name: '28005', bytes: good },
    { name: '28065', bytes: Buffer.from('[]') },
  ]
  const { counts, report } = await parsePublication(feed, bodies, Date.UTC(2026, 6, 1))
  expect(counts.get('weather_forecast_hourly')).toBe(6)
  expect(report.quarantined['weather_forecast_hourly']).toEqual({ '28065 has 0 forecasts, expected one': 1 })
  await expect(parsePublication(feed, bodies.slice(1), Date.UTC(2026, 6, 1))).rejects.toThrow('has 0 forecasts')
})

test('a worker fetches a requested document at once, after the run in progress', async () => {
  const began: number[] = []
  const worker = await quickWorker({
    redisUrl: redis.url,
    feeds: [{ ...feed, every_s: 3600 }],
    runner: {
      async fetch() {
        began.push(performance.now())
        await new Promise((resolve) => setTimeout(resolve, 300))
      },
      land: async () => undefined,
      upkeep: async () => undefined,
    },
  })
  await until('the first run', () => began.length === 1)
  await want('41091')
  await until('the run for what is wanted', () => began.length >= 2)
  await recordAnswers(context.redis, feed.id, new Map([['41091', { outcome: 'FETCHED', until: context.now() + MINUTE }]]))
  await want('41091')
  const runs = began.length
  await new Promise((resolve) => setTimeout(resolve, 700))
  expect(began.length).toBe(runs)
  await worker.close()
})
