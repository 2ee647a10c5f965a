import { cp } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { trafficHoursDerived } from '../../../jobs/derive/road/traffic.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import type { DeriveOrder } from '../../../scripts/checks/benches/derive-process.ts'
import { fillReadings, prepareHours } from '../../../scripts/checks/benches/lake.ts'
import { type Deriving, startDeriving } from '../../../scripts/checks/benches/two-workers.ts'
import { openContext, type ScratchContext } from '../../../scripts/checks/scratch/context.ts'
import { tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

const [FROM, TO] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 8, 1)]
/** A month begins before midnight in UTC, so that the readings of January begin in it. */
const MONTHS = ['01', '02', '03', '04', '05', '06', '07', '08'].map((month) => `2025-${month}`)

let redis: TestRedis
let folder: string
let copy: string
let context: ScratchContext
const processes: Deriving[] = []
beforeEach(async () => {
  redis = await startTestRedis()
  folder = tempFolder()
  await fillReadings(folder, { sensors: 40, from: FROM, open: TO, to: TO })
  await prepareHours(folder)
  context = await openContext({ folder, redisUrl: redis.url, idKey: Buffer.alloc(32) })
  copy = tempFolder()
  await cp(folder, copy, { recursive: true })
})
afterEach(async () => {
  for (const process of processes.splice(0)) process.kill()
  await context.close()
  await redis.stop()
})

const start = async (order: Partial<DeriveOrder>): Promise<Deriving> => {
  const whole = { folder, redisUrl: redis.url, into: 'traffic_hours', threads: 1, memory: 512 * 1024 ** 2, isOwner: false, ...order }
  const process = await startDeriving(whole)
  processes.push(process)
  return process
}

const state = async () => {
  const found = await context.lake.table(trafficHours).load({ isFresh: true })
  if (!found) throw new Error('there is no table')
  return found
}

/** The rows that one process derives alone, from a copy of the lake. */
async function rowsAlone(): Promise<readonly unknown[]> {
  const one = await openContext({ folder: copy, redisUrl: redis.url, idKey: Buffer.alloc(32) })
  await derive(one, trafficHoursDerived, { feeds, signal: new AbortController().signal })
  const rows = await tableRows(one, trafficHours)
  await one.close()
  return rows
}

/** Makes every process begin. */
const begin = (all: readonly Deriving[]): void => {
  for (const one of all) one.begin()
}

test('two workers share the months of a backfill, one commit each, and the rows are those of one worker', async () => {
  const [owner, helper] = [await start({ isOwner: true }), await start({})]
  begin([owner, helper])
  const mine = await owner.report
  helper.end()
  const [own, helped] = [mine?.made ?? [], (await helper.report)?.made ?? []]
  expect([...own, ...helped].sort()).toEqual(MONTHS)
  expect(helped.length).toBeGreaterThan(0)
  const { metadata, properties } = await state()
  expect(metadata.snapshots.map(({ summary }) => summary['derived-part']).sort()).toEqual(MONTHS)
  expect(properties['landed-until.madrid_traffic']).toBe('2025-08-31T22:00:00.000Z')
  const rows = await tableRows(context, trafficHours)
  expect(rows).toEqual(await rowsAlone())
  expect(rows).toHaveLength(40 * (24 * 243 - 1))
})

test('the month of a helper that is killed is built by the owner, once its lock has expired', async () => {
  const [owner, helper] = [await start({ isOwner: true }), await start({ diesAt: 'parquet-written' })]
  begin([helper, owner])
  const report = await owner.report
  expect(await helper.report).toBeNull()
  expect(report?.made.toSorted()).toEqual(MONTHS)
  // It waited for the lock.
  expect(report?.ms).toBeGreaterThan(10_000)
  expect((await state()).metadata.snapshots).toHaveLength(MONTHS.length)
})

test('after the owner is killed, its helper goes on, and the next owner builds only what is left and states the coverage', async () => {
  const [owner, helper] = [await start({ isOwner: true, diesAt: 'hint-written' }), await start({})]
  begin([owner, helper])
  expect(await owner.report).toBeNull()
  await until('the helper builds', async () => (await state()).metadata.snapshots.length > 2, 30_000)
  const next = await start({ isOwner: true })
  // As if the time of its lock were over.
  await context.redis.del('lock:derive:traffic_hours')
  begin([next])
  const own = (await next.report)?.made ?? []
  helper.end()
  const helped = (await helper.report)?.made ?? []
  const { metadata, properties } = await state()
  expect(metadata.snapshots.map(({ summary }) => summary['derived-part']).sort()).toEqual(MONTHS)
  // The first owner had committed one when it was killed.
  expect(own.length + helped.length).toBe(MONTHS.length - 1)
  expect(properties['landed-until.madrid_traffic']).toBe('2025-08-31T22:00:00.000Z')
})
