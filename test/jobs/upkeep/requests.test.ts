import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { LiveKey } from '../../../api/auth/keys/key-index.ts'
import { openRequestLog } from '../../../api/auth/usage/request-log.ts'
import type { PipelineStep } from '../../../jobs/ingest/context.ts'
import { prepareTables, runUpkeep } from '../../../jobs/upkeep/tasks.ts'
import { apiUsage } from '../../../lake/datasets/service/api-usage.ts'
import { logBefore } from '../../../lake/requests/log.ts'
import { dayObject, decodeDay, listDays } from '../../../lake/requests/uptime.ts'
import { MERGED_UNTIL, usageDaysReader } from '../../../lake/requests/usage.ts'
import { dayBounds, madridDate } from '../../../lake/schema/time.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { never } from '../ingest/story.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let redis: TestRedis
beforeEach(() => {
  now = NOON
})
beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis.stop())

/** The time of the store's clock, by which ages are computed. */
let now = 0

async function open(folder: string, onStep: (step: PipelineStep) => void = () => undefined): Promise<TestContext> {
  const context = await openTestContext({ folder, redisUrl: redis.url, publisher: 'http://127.0.0.1:9', onStep })
  onTestFinished(() => context.close())
  await prepareTables(context, [apiUsage])
  return { ...context, store: { ...context.store, now: async () => now } }
}

const upkeep = (context: TestContext): Promise<void> => runUpkeep(context, 'usage', { datasets: [apiUsage], feeds: [], signal: never })

const SLOT = `${'a'.repeat(64)}.1`
const key = (plan: LiveKey['plan']): LiveKey => ({
  ...{ id: 'key_1', plan, slot: SLOT, status: 'ACTIVE', account: SLOT.slice(0, 64), ends_at: null },
})

/** The usage of a process in the minute of an instant: so many requests with a key, and one without. */
async function use(context: TestContext, at: number, requests: number, plan: LiveKey['plan'] = 'PRO'): Promise<void> {
  const fail = (reason: unknown): never => {
    throw reason
  }
  const recorder = openRequestLog({ store: context.store, clock: () => at, every_ms: null, onError: fail, onLost: fail })
  const count = recorder.usageOf('/api/incidents')
  for (let n = 0; n < requests; n++) count(key(plan), n === 0 ? 304 : 200, n === 0 ? 0 : 1)
  count(null, 429, 0)
  await recorder.close()
}

/** Days of the table, as date, caller, plan, requests answered and units. */
async function landedRows(context: TestContext): Promise<unknown[]> {
  const rows = await tableRows(context, apiUsage)
  return rows
    .map(({ date, caller, plan, slot, answered, not_modified, limited, day_units, period_start }) => {
      expect(period_start).toBe(dayBounds(date as string).start)
      expect(slot).toBe(caller === 'ANONYMOUS' ? null : SLOT)
      return [date, caller, plan, answered, not_modified, limited, day_units]
    })
    .sort()
}

const until = async (context: TestContext): Promise<string | undefined> =>
  (await context.lake.table(apiUsage).load())?.properties[MERGED_UNTIL]

// The clock is put back in the night to the 25th of October: that day has 25 hours in Madrid.
const NOON = Date.UTC(2026, 9, 26, 12)

async function fill(context: TestContext): Promise<void> {
  // The last and the first minute of a day of Madrid, and both hours that are 02:30 there.
  await use(context, Date.UTC(2026, 9, 24, 21, 59), 2)
  for (const hour of [22, 24, 25, 46]) await use(context, Date.UTC(2026, 9, 24, hour, 30), 3)
  await use(context, Date.UTC(2026, 9, 24, 46, 59), 3, 'FREE')
  await use(context, Date.UTC(2026, 9, 25, 23), 5)
}

const LANDED = [
  ['2026-10-24', 'ANONYMOUS', 'ANONYMOUS', 0, 0, 1, 0],
  ['2026-10-24', 'key_1', 'PRO', 1, 1, 0, 1],
  ['2026-10-25', 'ANONYMOUS', 'ANONYMOUS', 0, 0, 5, 0],
  ['2026-10-25', 'key_1', 'FREE', 2, 1, 0, 2],
  ['2026-10-25', 'key_1', 'PRO', 8, 4, 0, 8],
]

test('days of Madrid land once each, when they are closed, and the newest stay in objects', async () => {
  const folder = tempFolder()
  const context = await open(folder)
  await upkeep(context)
  expect([await landedRows(context), await until(context)]).toEqual([[], undefined])
  await fill(context)
  const range = { from: '2026-10-20', to: '2026-10-27' }
  const before = await usageDaysReader(context.lake)(range)
  await upkeep(context)
  expect(await landedRows(context)).toEqual(LANDED)
  expect(await until(context)).toBe('2026-10-25')
  expect(await usageDaysReader(context.lake)(range)).toEqual(before)
  expect(before.map(({ date }) => date)).toContain('2026-10-26')
  const version = (await context.lake.table(apiUsage).load())?.version
  await upkeep(context)
  expect((await context.lake.table(apiUsage).load())?.version).toBe(version)
  // A day is open until processes can no longer write any of it.
  now = dayBounds('2026-10-26').end + 4 * HOUR_MS - 1
  const late = await open(folder)
  await upkeep(late)
  expect(await until(late)).toBe('2026-10-25')
  now++
  await upkeep(late)
  expect(await until(late)).toBe('2026-10-26')
  expect((await landedRows(late)).slice(5)).toEqual([
    ['2026-10-26', 'ANONYMOUS', 'ANONYMOUS', 0, 0, 1, 0],
    ['2026-10-26', 'key_1', 'PRO', 4, 1, 0, 4],
  ])
  expect(await usageDaysReader(late.lake)(range)).toEqual(before)
})

test('objects go two days after they are in the table and in the object of their day, and never before', async () => {
  const folder = tempFolder()
  const context = await open(folder)
  await fill(context)
  const all = await logBefore(context.store, Number.POSITIVE_INFINITY)
  await upkeep(context)
  expect(await logBefore(context.store, Number.POSITIVE_INFINITY)).toEqual(all)
  now = NOON + DAY_MS
  await upkeep(context)
  expect(await logBefore(context.store, Number.POSITIVE_INFINITY)).toEqual(all.slice(4))
  now = NOON + 9 * DAY_MS
  await upkeep(context)
  expect(await logBefore(context.store, Number.POSITIVE_INFINITY)).toEqual([])
  expect((await landedRows(context)).length).toBe(7)
  const days: unknown[] = []
  for await (const date of listDays(context.store, { from: '', to: '9' })) {
    const { beats } = decodeDay((await context.store.get(dayObject(date))) as Buffer)
    days.push([date, beats.reduce((sum, [from, to]) => sum + to - from, 0)])
  }
  expect(days).toEqual([
    ['2026-10-24', 2],
    ['2026-10-25', 5],
  ])
})

test.each(['parquet-written', 'manifests-written', 'metadata-written', 'hint-written'] as const)(
  'a run that ends at %s doubles and loses nothing',
  async (last) => {
    const folder = tempFolder()
    const crash = new Error('crash')
    let steps = 0
    const broken = await open(folder, (step) => {
      if (step === last && steps++ === 1) throw crash
    })
    await fill(broken)
    await expect(upkeep(broken)).rejects.toThrow(crash)
    const again = await open(folder)
    await upkeep(again)
    expect([await landedRows(again), await until(again)]).toEqual([LANDED, '2026-10-25'])
  },
)

test('of two landings of a day at once one succeeds', async () => {
  const folder = tempFolder()
  const [one, other] = [await open(folder), await open(folder)]
  await fill(one)
  await Promise.all([upkeep(one), upkeep(other)])
  expect([await landedRows(one), await until(other)]).toEqual([LANDED, '2026-10-25'])
  expect(madridDate(NOON)).toBe('2026-10-26')
})

test('a reader of usage reads each object once, and goes on where days land meanwhile', async () => {
  const context = await open(tempFolder())
  await fill(context)
  const before = await usageDaysReader(context.lake)({ from: '2026-10-20', to: '2026-10-27' })
  let gets = 0
  const store = {
    ...context.store,
    get: (name: string) => {
      if (name.startsWith('requests/')) gets++
      return context.store.get(name)
    },
  }
  const read = usageDaysReader({
    ...context.lake,
    store,
    table: (dataset) => context.lake.table(dataset),
    query: context.lake.query.bind(context.lake),
  })
  const ask = () => read({ from: '2026-10-20', to: '2026-10-27' })
  expect([await ask(), gets]).toEqual([before, 7])
  expect([await ask(), gets]).toEqual([before, 7])
  expect((await read({ from: '2026-10-25', to: '2026-10-26', key: 'key_1' })).map(({ date, key }) => [date, key])).toEqual([
    ['2026-10-25', 'key_1'],
    ['2026-10-25', 'key_1'],
  ])
  await use(context, Date.UTC(2026, 9, 26, 8), 1)
  expect((await ask()).length).toBe(before.length)
  expect(gets).toBe(8)
  const after = await ask()
  await upkeep(context)
  expect([await ask(), gets]).toEqual([after, 8])
})
