import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { rewriteFiles } from '../../../jobs/upkeep/compact.ts'
import { prepareTables, runUpkeep, UPKEEP_TASKS } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { acceptedAfter } from '../../../lake/raw/archive.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { never, STORY, startTeller, type Teller, type Told } from '../ingest/story.ts'

const DAY_MS = 86_400_000

let redis: TestRedis
let folder: string
let teller: Teller
let expected: Told

beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis.stop())
beforeEach(async () => {
  folder = tempFolder()
  teller = await startTeller({ folder, redisUrl: redis.url })
  for (const episode of STORY) {
    await teller.publish(episode)
    await teller.land()
  }
  expected = await teller.told()
})
afterEach(() => teller.close())

const upkeep = (task: string): Promise<void> =>
  runUpkeep(teller.context, task, { datasets: teller.feed.into, feeds: [teller.feed], signal: never })

async function stored(prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of teller.context.store.list(prefix)) keys.push(key)
  return keys
}

const states = (): Promise<TableState[]> =>
  Promise.all(teller.feed.into.map(async (dataset) => (await teller.context.lake.table(dataset).load()) as TableState))

/** Makes everything in the store look as old as given: a file store's clock is the file system's. */
async function age(prefix: string, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms)
  for (const key of await stored(prefix)) await utimes(join(folder, 'store', key), then, then)
}

test('the tasks leave every row, snapshot and fetch that is young', async () => {
  const before = { states: await states(), keys: (await stored('lake/')).length }
  for (const { task } of UPKEEP_TASKS) await upkeep(task)
  expect(await teller.told()).toEqual(expected)
  expect((await states()).map(({ metadata }) => metadata.snapshots.length)).toEqual(
    before.states.map(({ metadata }) => metadata.snapshots.length),
  )
  expect((await stored('lake/')).length).toBe(before.keys)
  expect(await acceptedAfter(teller.context.store, teller.feed.id, 0)).toHaveLength(10)
})

test('orphans: files that no snapshot of any table names go after the grace, and nothing else', async () => {
  const { store } = teller.context
  const litter = teller.feed.into.map(({ domain, id }) => `lake/${domain}/${id}/data/2026-01-lost.parquet`)
  for (const key of litter) await store.put(key, Buffer.from('PAR1'))
  await upkeep('orphans')
  for (const key of litter) expect(await store.head(key), key).not.toBeNull()
  await age('lake/', 4 * DAY_MS)
  await upkeep('orphans')
  for (const key of litter) expect(await store.head(key), key).toBeNull()
  expect(await teller.told()).toEqual(expected)
  for (const state of await states()) for (const { key } of await liveFiles(state)) expect(await store.head(key), key).not.toBeNull()
})

test('expire: of every table the snapshots that were replaced over 7 days ago go, with files that only they named', async () => {
  await teller.close()
  const lakeClock = (): number => Date.now() - 8 * DAY_MS
  folder = tempFolder()
  teller = await startTeller({ folder, redisUrl: redis.url, lakeClock })
  const { context, feed } = teller
  for (const dataset of feed.into) await createTable({ store: context.store, dataset, properties: {}, clock: lakeClock })
  for (const episode of STORY) {
    await teller.publish(episode)
    await teller.land()
  }
  const before = await stored('lake/')
  await upkeep('expire')
  for (const state of await states()) expect(state.metadata.snapshots).toHaveLength(1)
  const left = await stored('lake/')
  expect(left.length).toBeLessThan(before.length)
  const live = (await Promise.all((await states()).map((state) => liveFiles(state)))).flat().map(({ key }) => key)
  expect(left.filter((key) => key.endsWith('.parquet'))).toEqual(live.sort())
  expect(await teller.told()).toEqual(expected)
})

test('retire-raw: a feed of minutes loses fetches after 90 days, but not its newest 64', async () => {
  await upkeep('retire-raw')
  // The story is of January; ten fetches are fewer than are always kept.
  expect(await acceptedAfter(teller.context.store, teller.feed.id, 0)).toHaveLength(10)
  expect((await stored('raw/little/bytes/')).length).toBe(10)
})

test('a worker begins with tables of every dataset, and again without a change', async () => {
  const { context, feed } = teller
  const before = (await states()).map(({ version }) => version)
  await prepareTables(context, feed.into)
  expect((await states()).map(({ version }) => version)).toEqual(before)
})

test('many bytes are rewritten as files that share no place, and the rows stay', async () => {
  const { context } = teller
  const table = context.lake.table(trafficReadings)
  const [january, february] = Map.groupBy(await liveFiles((await table.load()) as TableState), ({ partition }) => partition[0]).values()
  // Two sensors of equal size: said to have 300 MB, they become a file each.
  for (const month of [january, february]) {
    const files = (month ?? []).map(({ key, bytes, partition, ...file }) => ({
      ...file,
      key,
      partition,
      bytes: bytes + 300 * 1024 ** 2,
      metrics: new Map(),
    }))
    const made = await rewriteFiles(context, trafficReadings, files)
    expect(made).toHaveLength(2)
    const sensors = made?.map(({ metrics }) => [metrics.get(2)?.lower, metrics.get(2)?.upper])
    expect(sensors?.toSorted()).toEqual([
      ['s1', 's1'],
      ['s2', 's2'],
    ])
  }
  expect(await teller.told()).toEqual(expected)
})
