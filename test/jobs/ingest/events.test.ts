import type { Redis } from 'ioredis'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { batch, defineFeed } from '../../../jobs/feeds/define.ts'
import type { PipelineStep } from '../../../jobs/ingest/context.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { speedCameras } from '../../../lake/datasets/road/cameras.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import type { EventBatch, EventLog, LoggedEvent } from '../../../lake/events/log.ts'
import { readChanges } from '../../../lake/live/changes.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { exampleRow } from '../../api/service.ts'
import { type Document, littleFeed, openTestContext, type Publisher, startPublisher, type TestContext } from '../../helpers/pipeline.ts'
import { emptyRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'

let redis: Redis
let server: TestRedis
emptyRedis((one, its) => {
  redis = one
  server = its
})

const feed = littleFeed()
const signal = new AbortController().signal
const START = Date.UTC(2026, 0, 2, 10)
let folder: string
let publisher: Publisher
beforeEach(async () => {
  folder = tempFolder()
  publisher = await startPublisher({ at: new Date(START).toISOString(), beacons: {} })
  onTestFinished(() => publisher.close())
})

async function openContext(onStep?: (step: PipelineStep) => void): Promise<TestContext> {
  const context = await openTestContext({ folder, redisUrl: server.url, publisher: publisher.url, ...(onStep ? { onStep } : {}) })
  onTestFinished(() => context.close())
  await prepareTables(context, feed.into)
  return context
}

const publish = (minute: number, beacons: Record<string, number>): void => {
  publisher.document = { at: new Date(START + minute * 60_000).toISOString(), beacons }
}
async function batchesOf(context: TestContext): Promise<readonly EventBatch[]> {
  const read = await (context.events as EventLog).read(0)
  return read.reset ? [] : read.batches
}
const eventsOf = async (context: TestContext): Promise<LoggedEvent[]> => (await batchesOf(context)).flatMap(({ events }) => [...events])

test('events are the changes of the log, in its order, with ids of their own', async () => {
  const context = await openContext()
  const runner = makeRunner(context)
  for (const [minute, beacons] of [{ a: 1, b: 2 }, { a: 1.5, b: 2 }, { a: 1.5 }, { a: 1.5 }, { a: 1.5, c: 4 }].entries()) {
    publish(minute, beacons)
    expect((await runner.fetch(feed, signal)).outcome).toBe('accepted')
  }
  const events = await eventsOf(context)
  const changes = await readChanges(redis, v16Beacons.id, { after: null, limit: 100 })
  if (changes.reset) throw new Error('reset')
  // A beacon that moves is no event.
  const wanted = changes.entries.filter(({ kind }) => kind !== 'UPDATED')
  expect(events.map(({ thing, at, change }) => [thing, at, change?.kind, change?.row])).toEqual(
    wanted.map(({ key, data_time, kind, row }) => [`v16_beacons ${key}`, data_time, kind, row]),
  )
  expect(events.map(({ type }) => type)).toEqual(['v16.activated', 'v16.activated', 'v16.activated', 'v16.ended'])
  expect(new Set(events.map(({ id }) => id)).size).toBe(4)
  expect(events.every(({ id }) => /^evt_[0-9a-f]{32}$/.test(id))).toBe(true)
})

test.each<PipelineStep>(['raw-kept', 'accepted', 'live-written'])('a stop after %s loses no event and reports none twice', async (stop) => {
  publish(0, { a: 1 })
  const context = await openContext((step) => {
    if (step === stop) throw new Error('stopped')
  })
  await expect(makeRunner(context).fetch(feed, signal)).rejects.toThrow('stopped')
  const before = await batchesOf(context)
  expect(before).toHaveLength(stop === 'live-written' ? 1 : 0)
  await redis.flushall()
  const next = await openContext()
  const runner = makeRunner(next)
  await runner.fetch(feed, signal)
  await runner.land(feed, signal)
  await runner.heal([feed])
  publish(1, { a: 1, b: 2 })
  await runner.fetch(feed, signal)
  const batches = await batchesOf(next)
  expect(batches.map(({ origin }) => origin)).toEqual(['little 1', 'little 2'])
  expect(batches[0]).toEqual(before[0] ?? batches[0])
})

test('another worker that folds the same fetch gives the same ids', async () => {
  publish(0, { a: 1, b: 2 })
  const [one, other] = [await openContext(), await openContext()]
  await makeRunner(one).fetch(feed, signal)
  const before = await batchesOf(one)
  // It begins from the log, lands, and so folds the same as the first.
  await makeRunner(other).land(feed, signal)
  await redis.flushall()
  expect(await batchesOf(other)).toEqual(before)
})

test('the first publication of a catalogue is no event; what appears, changes or goes later is one', async () => {
  const catalogue = defineFeed({
    ...feed,
    id: 'catalogue',
    into: [speedCameras],
    bands: { speed_cameras: { atLeast: 0, minRatio: 0, maxRatio: 1000 } },
    *rows([body], _clock, diagnostics) {
      const { at, beacons } = JSON.parse(String(body?.bytes)) as Document
      diagnostics.publishedAt(Date.parse(at))
      const columns = Object.entries(exampleRow(speedCameras)).filter(([name]) => name in speedCameras.columns && name !== 'observed_at')
      const example = Object.fromEntries(columns) as FeedRow<typeof speedCameras>
      yield batch(
        speedCameras,
        Object.entries(beacons).map(([speed_camera_id, km]) => ({ ...example, speed_camera_id, km })),
      )
    },
  })
  const context = await openContext()
  await prepareTables(context, catalogue.into)
  const runner = makeRunner(context)
  for (const [minute, beacons] of [
    { a: 1, b: 2 },
    { a: 1.5, b: 2, c: 3 },
    { a: 1.5, c: 3 },
    { a: 1.5, c: 3 },
    { a: 1.5, c: 3 },
  ].entries()) {
    publish(minute, beacons)
    expect((await runner.fetch(catalogue, signal)).outcome).toBe('accepted')
  }
  const events = await eventsOf(context)
  expect(events.map(({ type, change }) => [type, change?.kind, change?.row['speed_camera_id'], change?.row.status])).toEqual([
    ['speed_camera.changed', 'UPDATED', 'a', 'ACTIVE'],
    ['speed_camera.changed', 'CREATED', 'c', 'ACTIVE'],
    ['speed_camera.changed', 'UPDATED', 'b', 'MISSING'],
  ])
})
