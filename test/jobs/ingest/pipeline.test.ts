import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { landedOf } from '../../../lake/landed.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { livePart } from '../../../lake/live/write.ts'
import { rejectedIds } from '../../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import {
  type Document,
  littleFeed,
  openTestContext,
  type Publisher,
  startPublisher,
  type TestContext,
  tableRows,
} from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { at, type Episode, never, STORY } from './story.ts'

const feed = littleFeed()

let redis: TestRedis
let publisher: Publisher
let folder: string
let context: TestContext
let runner: Runner
let clock: number

beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis.stop())
beforeEach(async () => {
  folder = tempFolder()
  clock = Date.parse(at(0))
  publisher = await startPublisher({ at: at(0), beacons: {} })
  context = await open()
  await context.redis.flushall()
  runner = makeRunner(context)
})
afterEach(async () => {
  await context.close()
  await publisher.close()
})

const open = (): Promise<TestContext> => openTestContext({ folder, redisUrl: redis.url, publisher: publisher.url, now: () => clock })

/** Publishes a document and fetches it at its minute. */
async function publish(minute: number, beacons: Document['beacons'], readings: Document['readings'] = {}) {
  publisher.document = { at: at(minute), beacons, readings }
  clock = Date.parse(at(minute)) + 5000
  return runner.fetch(feed, never)
}

/** Starts like a new process. */
async function restart(): Promise<void> {
  await context.close()
  context = await open()
  runner = makeRunner(context)
}

const rows = (dataset: Dataset): Promise<AnyRow[]> => tableRows(context, dataset)
const landed = async (dataset: Dataset) => landedOf((await context.lake.table(dataset).load())?.properties ?? {}, feed.id)

async function replay(
  story: readonly Episode[],
  options: { landAfter?: (step: number) => boolean; restartAfter?: (step: number) => boolean } = {},
): Promise<void> {
  for (const [step, [minute, beacons, readings]] of story.entries()) {
    expect((await publish(minute, beacons, readings)).outcome).toBe('accepted')
    if (options.landAfter?.(step)) await runner.land(feed, never)
    if (options.restartAfter?.(step)) await restart()
  }
  await runner.land(feed, never)
}

describe('the pipeline', () => {
  test('fetches, shows live, lands, and reports its landing', async () => {
    expect(await publish(0, { a: 1 }, { s1: 10 })).toMatchObject({ outcome: 'accepted', rows: { v16_beacons: 1, traffic_readings: 1 } })
    expect(await livePart(context.redis, 'v16_beacons', 'little')).toMatchObject({ seq: 1, rows: 1 })
    expect(await rows(v16Beacons)).toEqual([])
    await runner.land(feed, never)
    expect(await rows(v16Beacons)).toMatchObject([
      { source_id: 'a', km: 1, status: 'ACTIVE', fetch_id: 'little.20260131T235005000Z', observed_at: Date.parse(at(0)) },
    ])
    expect(await rows(trafficReadings)).toMatchObject([{ sensor_id: 's1', intensity_veh_h: 10, fetch_id: 'little.20260131T235005000Z' }])
    expect(await landed(v16Beacons)).toEqual({
      seqs: [[1, 1]],
      lost: [],
      withdrawn: [],
      until: Date.parse(at(0)),
      rebuildFrom: null,
      rebuilds: 0,
      rebuilt: [],
      landedBy: { release: expect.stringMatching(/^[0-9a-f]{16}$/), after: 0 },
    })
    expect((await readFeedStates(context.redis)).get('little')).toMatchObject({ last_error: null, data_time: Date.parse(at(0)) })
  })

  test('a repeated publication is a success that adds nothing', async () => {
    await publish(0, { a: 1 })
    clock += 60_000
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'unchanged', reason: 'same bytes' })
    publisher.document = { at: at(0), beacons: { a: 1, z: 1 } }
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'unchanged' })
    await runner.land(feed, never)
    expect((await landed(v16Beacons)).seqs).toEqual([[1, 1]])
  })

  deepTest('the contents of a table depend on the fetches alone: not on batches, restarts or Redis', async () => {
    await replay(STORY)
    const expected = { beacons: await rows(v16Beacons), readings: await rows(trafficReadings) }
    expect(expected.readings).toHaveLength(19)
    expect(expected.beacons.filter(({ is_baseline }) => is_baseline).map(({ source_id }) => source_id)).toEqual(['a'])
    const variants: [string, Parameters<typeof replay>[1]][] = [
      ['landed one by one', { landAfter: () => true }],
      ['restarted after each fetch', { restartAfter: () => true }],
      ['landed and restarted after each', { landAfter: () => true, restartAfter: () => true }],
      ['landed by threes, restarted by twos', { landAfter: (step) => step % 3 === 2, restartAfter: (step) => step % 2 === 1 }],
    ]
    for (const [name, options] of variants) {
      await context.close()
      folder = tempFolder()
      context = await open()
      await context.redis.flushall()
      runner = makeRunner(context)
      await replay(STORY, options)
      expect(await rows(v16Beacons), name).toEqual(expected.beacons)
      expect(await rows(trafficReadings), name).toEqual(expected.readings)
    }
  })

  test('a fetch refused as older, accepted later by hand, takes the place it would have had', async () => {
    await replay(STORY)
    const expected = { beacons: await rows(v16Beacons), readings: await rows(trafficReadings) }
    await context.close()
    folder = tempFolder()
    context = await open()
    await context.redis.flushall()
    runner = makeRunner(context)
    const late = [1, 5]
    await replay(
      STORY.filter((_, step) => !late.includes(step)),
      { landAfter: (step) => step === 3 },
    )
    for (const step of late) {
      const [minute, beacons, readings] = STORY[step] as (typeof STORY)[number]
      publisher.document = { at: at(minute), beacons, ...(readings ? { readings } : {}) }
      clock = Date.parse(at(minute)) + 5000
      expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'rejected' })
      const [id] = await rejectedIds(context.store, feed.id)
      await runner.accept(feed, id as string)
      expect(await rejectedIds(context.store, feed.id)).toEqual([])
    }
    await runner.land(feed, never)
    expect(await rows(v16Beacons)).toEqual(expected.beacons)
    expect(await rows(trafficReadings)).toEqual(expected.readings)
    expect((await landed(v16Beacons)).seqs).toEqual([[1, 10]])
  })

  test('a replay of unchanged fetches adds nothing, not even a version', async () => {
    await replay(STORY, { landAfter: (step) => step % 2 === 0 })
    const before = [await context.lake.snapshot(v16Beacons), await context.lake.snapshot(trafficReadings)].map((one) => one?.snapshotId)
    for (const dataset of feed.into)
      expect(await rebuild(context, { feed, dataset, from: 0, to: null })).toEqual({ fetches: 10, removed: 0, added: 0 })
    expect([await context.lake.snapshot(v16Beacons), await context.lake.snapshot(trafficReadings)].map((one) => one?.snapshotId)).toEqual(
      before,
    )
  })

  test('a replay after a parser was mended replaces exactly the rows of its fetches', async () => {
    await replay(STORY)
    const before = await rows(trafficReadings)
    const mended = littleFeed({ speed: 50 })
    const range = { from: Date.parse(at(2)), to: Date.parse(at(4)) }
    expect(await rebuild(context, { feed: mended, dataset: trafficReadings, ...range })).toEqual({ fetches: 3, removed: 6, added: 6 })
    const after = await rows(trafficReadings)
    const inRange = (row: AnyRow): boolean => (row.observed_at as number) >= range.from && (row.observed_at as number) <= range.to
    expect(after.filter((row) => !inRange(row))).toEqual(before.filter((row) => !inRange(row)))
    expect(after.filter(inRange).map(({ speed_kmh }) => speed_kmh)).toEqual([50, 50, 50, 50, 50, 50])
    expect(after).toHaveLength(before.length)
  })

  test('a rejected fetch leaves the good state served and is reported', async () => {
    await publish(0, { a: 1 }, { s1: 1, s2: 2, s3: 3, s4: 4 })
    expect(await publish(1, { a: 1 }, { s1: 1 })).toMatchObject({ outcome: 'rejected', reason: expect.stringContaining('1 rows after 4') })
    expect(await livePart(context.redis, 'traffic_readings', 'little')).toMatchObject({ seq: 1, rows: 4 })
    const state = (await readFeedStates(context.redis)).get('little')
    expect(state).toMatchObject({
      last_error: expect.stringContaining('25.0 %'),
      failing_since: clock,
    })
    publisher.status = 500
    clock += 60_000
    expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('answered 500') })
    expect((await readFeedStates(context.redis)).get('little')).toMatchObject({
      failing_since: state?.failing_since,
      last_success_at: Date.parse(at(0)) + 5000,
    })
  })

  test('an emptied Redis is given its state again, even where the publisher has nothing new', async () => {
    await publish(0, { a: 1, b: 2 })
    await context.redis.flushall()
    await runner.heal([feed])
    expect(await livePart(context.redis, 'v16_beacons', 'little')).toMatchObject({ seq: 1, rows: 2 })
    expect((await readFeedStates(context.redis)).get('little')).toMatchObject({ last_fetch_id: 'little.20260131T235005000Z' })
    await context.redis.flushall()
    await restart()
    await runner.heal([feed])
    expect(await livePart(context.redis, 'v16_beacons', 'little')).toMatchObject({ seq: 1, rows: 2 })
  })

  test('public ids, first-seen times and absence counts survive the loss of Redis and of the process', async () => {
    await publish(0, { a: 1, b: 2 })
    await publish(1, { b: 2 })
    await runner.land(feed, never)
    await publish(2, { b: 2 })
    await context.redis.flushall()
    await restart()
    await publish(3, { b: 2 })
    await runner.land(feed, never)
    const life = (await rows(v16Beacons)).filter(({ source_id }) => source_id === 'a')
    expect(life.map(({ status }) => status)).toEqual(['ACTIVE', 'ENDED'])
    expect(new Set(life.map(({ beacon_id }) => beacon_id)).size).toBe(1)
    expect(life[1]).toMatchObject({ first_seen_at: Date.parse(at(0)), last_seen_at: Date.parse(at(0)), observed_at: Date.parse(at(3)) })
  })

  test('two workers on one feed accept and land every publication once', async () => {
    const other = await open()
    const second = makeRunner(other)
    try {
      for (let minute = 0; minute < 6; minute++) {
        publisher.document = { at: at(minute), beacons: { a: minute }, readings: { s1: minute } }
        clock = Date.parse(at(minute)) + 5000
        await Promise.all([runner.fetch(feed, never), second.fetch(feed, never)])
        await Promise.all([runner.land(feed, never), second.land(feed, never)])
      }
      await runner.land(feed, never)
      await second.land(feed, never)
      expect((await rows(trafficReadings)).map(({ intensity_veh_h }) => intensity_veh_h)).toEqual([0, 1, 2, 3, 4, 5])
      expect((await landed(v16Beacons)).seqs).toEqual([[1, 6]])
    } finally {
      await other.close()
    }
  })
})
