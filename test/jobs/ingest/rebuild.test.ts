import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { batch, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { acceptedAfter, rejectedIds } from '../../../lake/raw/archive.ts'
import { retireRaw } from '../../../lake/raw/retention.ts'
import { littleFeed, openTestContext, type Publisher, startPublisher, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'

const never = new AbortController().signal
const START = Date.UTC(2026, 5, 15)
const minute = (count: number): number => START + count * 60_000
const at = (count: number): string => new Date(minute(count)).toISOString()

let redis: TestRedis
let publisher: Publisher
let folder: string
let clock: number
let context: TestContext
let runner: Runner

beforeAll(async () => {
  redis = await startTestRedis()
})
afterAll(() => redis.stop())
beforeEach(async () => {
  folder = tempFolder()
  publisher = await startPublisher({ at: at(0), beacons: {} })
  clock = START
  context = await openTestContext({ folder, redisUrl: redis.url, publisher: publisher.url, now: () => clock })
  await context.redis.flushall()
  runner = makeRunner(context)
})
afterEach(async () => {
  await context.close()
  await publisher.close()
})

async function publish(feed: Feed, count: number, document: object, fetchedAt = count) {
  publisher.document = { at: at(count), beacons: {}, ...document }
  clock = minute(fetchedAt) + 5000
  return runner.fetch(feed, never)
}

/** Observations of any time, and a parser that overlooks a sensor in one publication. */
function observations(overlooked: { readonly sensor: string; readonly at: string } | null): Feed {
  return defineFeed({
    ...littleFeed(),
    into: [trafficReadings],
    bands: {},
    *rows(bodies, _clock, diagnostics) {
      const document = JSON.parse(String(bodies[0]?.bytes)) as { at: string; list: [string, string, number][] }
      diagnostics.publishedAt(Date.parse(document.at))
      const seen = document.list.filter(([sensor]) => !(document.at === overlooked?.at && sensor === overlooked.sensor))
      yield batch(
        trafficReadings,
        seen.map(([sensor_id, instant, intensity_veh_h]) => ({
          source: 'madrid',
          sensor_id,
          period_s: 300,
          observed_at: Date.parse(instant),
          sensor_type: 'URBAN',
          intensity_veh_h,
          occupancy_pct: null,
          load_pct: null,
          level_of_service: null,
          speed_kmh: null,
          quality: 'OK',
          headway_m: null,
          long_vehicles_pct: null,
        })),
      )
    },
  })
}

/** The little feed with a parser that overlooks a beacon in some publications. */
function beacons(overlooked: { readonly id: string; readonly at: readonly string[] } | null): Feed {
  const feed = littleFeed()
  return defineFeed({
    ...feed,
    rows(bodies, time, diagnostics) {
      const document = JSON.parse(String(bodies[0]?.bytes)) as { at: string; beacons: Record<string, number> }
      if (overlooked?.at.includes(document.at)) delete document.beacons[overlooked.id]
      return feed.rows([{ name: 'document', bytes: Buffer.from(JSON.stringify(document)) }], time, diagnostics)
    },
  })
}

describe('limits of a replay and a late fetch', () => {
  deepTest('a replay of everything changes nothing where the archive lost its first fetches', async () => {
    const feed = littleFeed()
    for (let count = 0; count < 120; count++)
      await publish(feed, count, { beacons: { a: 1, b: count < 60 ? 2 : 3, ...(count > 40 ? { c: 1 } : {}) } })
    await runner.land(feed, never)
    const before = await tableRows(context, v16Beacons)
    expect(await retireRaw(context.store, { feed: feed.id, before: minute(50), landed: () => true })).toMatchObject({ fetches: 50 })
    expect(await rebuild(context, { feed, dataset: v16Beacons, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
    expect(await tableRows(context, v16Beacons)).toEqual(before)
  })

  test("a late fetch from before the archive's first one is refused", async () => {
    const feed = littleFeed()
    await publish(feed, 1, { beacons: { a: 1 } })
    for (let count = 10; count < 100; count++) await publish(feed, count, { beacons: { a: count } })
    await runner.land(feed, never)
    expect(await publish(feed, 5, { beacons: { z: 1 } }, 99)).toMatchObject({ outcome: 'rejected' })
    await retireRaw(context.store, { feed: feed.id, before: minute(30), landed: () => true })
    const [id] = await rejectedIds(context.store, feed.id)
    await expect(runner.accept(feed, id as string)).rejects.toThrow('past their retention')
  })

  test('the bytes of a late fetch are in the month of its place in the log, where retention looks for them', async () => {
    const feed = littleFeed()
    const [june, july] = [0, 30 * 1440]
    await publish(feed, june + 5, { beacons: { a: 1 } })
    await publish(feed, june, { beacons: { a: 2 } }, june + 6)
    await publish(feed, july, { beacons: { a: 3 } })
    const [id] = await rejectedIds(context.store, feed.id)
    const { bodies } = await runner.accept(feed, id as string)
    expect(bodies[0]?.object).toContain('/bytes/2026-07/')
    await runner.land(feed, never)
    expect((await tableRows(context, v16Beacons)).map(({ km }) => km)).toContain(2)
  })

  test('after many late fetches the guard still compares with the newest publication', async () => {
    const feed = littleFeed()
    await publish(feed, 0, { beacons: { a: 1 } })
    await publish(feed, 20, { beacons: { a: 2 } })
    await runner.land(feed, never)
    for (let count = 1; count <= 10; count++) {
      await publish(feed, count, { beacons: { a: 100 + count } }, 20 + count / 10)
      const [id] = await rejectedIds(context.store, feed.id)
      await runner.accept(feed, id as string)
    }
    await runner.land(feed, never)
    runner = makeRunner(context)
    expect(await publish(feed, 15, { beacons: { a: 9 } }, 22)).toMatchObject({
      outcome: 'rejected',
      reason: expect.stringContaining('older'),
    })
    expect(await publish(feed, 20, { beacons: { a: 8 } }, 23)).toMatchObject({ outcome: 'unchanged' })
    expect(await acceptedAfter(context.store, feed.id, 0)).toHaveLength(12)
  })

  test('a replay of a range leaves no second observation of a key that a later fetch repeated', async () => {
    const bad = observations({ sensor: 'x', at: at(3) })
    await publish(bad, 0, { list: [['x', at(0), 1]] })
    await publish(bad, 3, {
      list: [
        ['x', at(3), 1],
        ['y', at(3), 1],
      ],
    })
    await publish(bad, 6, {
      list: [
        ['x', at(3), 2],
        ['y', at(6), 1],
      ],
    })
    await runner.land(bad, never)
    const good = observations(null)
    expect(await rebuild(context, { feed: good, dataset: trafficReadings, from: minute(3), to: minute(3) })).toMatchObject({
      removed: 1,
      added: 1,
    })
    const rows = (await tableRows(context, trafficReadings)).filter(
      ({ sensor_id, observed_at }) => sensor_id === 'x' && observed_at === minute(3),
    )
    expect(rows.map(({ intensity_veh_h }) => intensity_veh_h)).toEqual([1])
    expect(await rebuild(context, { feed: good, dataset: trafficReadings, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
  })

  deepTest('a replay of a range goes on until the state has met the table again', async () => {
    const bad = beacons({ id: 'b', at: [at(3), at(4)] })
    for (let count = 0; count < 50; count++) await publish(bad, count, { beacons: { a: count, ...(count <= 4 ? { b: 1 } : {}) } })
    await runner.land(bad, never)
    const good = beacons(null)
    await rebuild(context, { feed: good, dataset: v16Beacons, from: minute(3), to: minute(4) })
    const life = (await tableRows(context, v16Beacons)).filter(({ source_id }) => source_id === 'b')
    expect(life.map(({ status, observed_at }) => [status, observed_at])).toEqual([
      ['ACTIVE', minute(0)],
      ['ENDED', minute(7)],
    ])
    expect(await rebuild(context, { feed: good, dataset: v16Beacons, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
  })

  test('observations ahead of their publication are distinguished by key, however the batches are cut', async () => {
    const feed = observations(null)
    await publish(feed, 0, { list: [['x', at(5), 1]] })
    await runner.land(feed, never)
    await publish(feed, 1, { list: [['x', at(5), 2]] })
    await runner.land(feed, never)
    expect((await tableRows(context, trafficReadings)).map(({ intensity_veh_h }) => intensity_veh_h)).toEqual([1])
  })

  test('an observation that the newest publication repeats is as fresh once Redis was emptied, one that it lacks as stale', async () => {
    const feed = observations(null)
    const [x, y, z] = [0, 0, 0].map((count, n): [string, string, number] => ['xyz'[n] as string, at(count), 1])
    await publish(feed, 0, { list: [x, y, z] })
    await publish(feed, 3, { list: [x, y, ['w', at(3), 1]] })
    await runner.land(feed, never)
    const states = async (): Promise<unknown> => {
      const { bytes } = await readPart(context.redis, 'traffic_readings', feed.id)
      const { rows } = await decodeSnapshot(bytes as Buffer)
      return Object.fromEntries(rows.map((row) => [row['sensor_id'], [row['updated_at'], row['is_stale']]]))
    }
    const running = { w: [minute(3), false], x: [minute(0), false], y: [minute(0), false], z: [minute(0), true] }
    expect(await states()).toEqual(running)
    await context.redis.flushall()
    runner = makeRunner(context)
    await runner.heal([feed])
    expect(await states()).toEqual(running)
  })

  test('a document that the parser did not foresee is kept, and reported', async () => {
    const feed = defineFeed({
      ...littleFeed(),
      *rows() {
        throw new RangeError('unforeseen')
      },
    })
    expect(await publish(feed, 0, {})).toMatchObject({ outcome: 'rejected', reason: 'the parser failed: unforeseen' })
    expect(await rejectedIds(context.store, feed.id)).toHaveLength(1)
  })

  test('other content under a known publication time adds nothing and is kept', async () => {
    const feed = littleFeed()
    await publish(feed, 0, { beacons: { a: 1 } })
    expect(await publish(feed, 0, { beacons: { a: 1, b: 1 } }, 1)).toMatchObject({
      outcome: 'unchanged',
      reason: expect.stringContaining('with other content'),
    })
    expect(await rejectedIds(context.store, feed.id)).toHaveLength(1)
  })
})
