import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { openMemory } from '../../../jobs/ingest/memory.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { readChanges } from '../../../lake/live/changes.ts'
import { feedHealth, readFeedStates } from '../../../lake/live/freshness.ts'
import { LIVE_KEYS } from '../../../lake/live/keys.ts'
import { withLock } from '../../../lake/live/lock.ts'
import { livePart } from '../../../lake/live/write.ts'
import { WaitedTooLong } from '../../../lake/query/work-kind.ts'
import { rejectedIds } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { deepTest } from '../../helpers/tier.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const state = async () => (await readFeedStates(stage.context.redis)).get(feed.id)
const seqs = async (dataset: typeof v16Beacons | typeof trafficReadings) => (await landedIn(stage.context, dataset, feed.id)).seqs

describe('several workers on one feed', () => {
  test('each landing lands all accepted fetches, whatever landed before', async () => {
    const runners = [stage.runner, await stage.another()]
    for (let round = 0; round < 4; round++) {
      for (let count = round * 3; count < round * 3 + 3; count++) {
        stage.runner = runners[count % 2] as typeof stage.runner
        await stage.publish(feed, count, { readings: { a: count } })
      }
      expect(await runners[round % 2]?.land(feed, never)).toEqual({ v16_beacons: 0, traffic_readings: 3 })
      expect(await seqs(trafficReadings)).toEqual([[1, 3 * round + 3]])
    }
  })

  deepTest('a worker with another parser never takes part in a replay', async () => {
    const mended = littleFeed({ speed: 50 })
    await stage.archive(feed, 0, 510, (count) => ({ readings: { a: count } }))
    await stage.runner.land(feed, never)
    const other = await stage.another()
    let meanwhile: Promise<unknown> | null = null
    const onProgress = (done: number): void => {
      if (done === 505) meanwhile = other.heal([feed]).then(() => stage.publish(feed, 600, { readings: { a: 600 } }))
    }
    await rebuild(stage.context, { feed: mended, dataset: trafficReadings, from: 0, to: null, onProgress })
    expect(await meanwhile).toMatchObject({ outcome: 'accepted' })
    const rows = await tableRows(stage.context, trafficReadings)
    expect(rows.filter(({ speed_kmh }) => speed_kmh === 50)).toHaveLength(510)
    expect(await landedIn(stage.context, trafficReadings, feed.id)).toMatchObject({ rebuildFrom: null })
  })

  deepTest('an interrupted replay starts again from its beginning, in any process', async () => {
    const mended = littleFeed({ speed: 50 })
    await stage.archive(feed, 0, 510, (count) => ({ readings: { a: count } }))
    await stage.runner.land(feed, never)
    const broken = {
      feed: mended,
      dataset: trafficReadings,
      from: 0,
      to: null,
      onProgress: (done: number) => {
        if (done === 505) throw new Error('killed')
      },
    }
    await expect(rebuild(stage.context, broken)).rejects.toThrow('killed')
    expect((await landedIn(stage.context, trafficReadings, feed.id)).rebuildFrom).toBe(minute(0))
    stage.restart()
    await stage.runner.land(feed, never)
    const speeds = new Set((await tableRows(stage.context, trafficReadings)).map(({ speed_kmh }) => speed_kmh))
    expect([...speeds]).toEqual([null])
    expect((await landedIn(stage.context, trafficReadings, feed.id)).rebuildFrom).toBeNull()
  })

  test('a rebuild waits for one that is under way, and fetching does not', async () => {
    await stage.publish(feed, 0, { readings: { a: 1 } })
    await stage.runner.land(feed, never)
    const order: string[] = []
    const held = withLock({ redis: stage.context.redis, name: 'rebuild:little', ttl_ms: 20_000 }, async () => {
      stage.restart()
      expect(await stage.publish(feed, 1, { readings: { a: 2 } })).toMatchObject({ outcome: 'accepted' })
      order.push('fetched')
    })
    await Promise.all([
      held,
      rebuild(stage.context, { feed, dataset: trafficReadings, from: 0, to: null }).then(() => order.push('rebuilt')),
    ])
    expect(order).toEqual(['fetched', 'rebuilt'])
  })
})

describe('live state', () => {
  test('of things that silence does not end is restored from the newest fetch, however long ago others were seen', async () => {
    const feed = { ...littleFeed(), into: [{ ...v16Beacons, absence: 'keeps' as const }, trafficReadings] }
    await stage.archive(feed, 0, 70, (count) => ({ beacons: count === 0 ? { a: 1, b: 1 } : { b: count } }))
    await stage.runner.land(feed, never)
    await stage.publish(feed, 70, { beacons: { b: 70 } })
    await stage.runner.land(feed, never)
    const beacons = async () =>
      (await stage.live('v16_beacons'))?.toSorted((one, other) => (String(one.source_id) < String(other.source_id) ? -1 : 1))
    const running = await beacons()
    expect(running?.map(({ source_id, is_stale }) => [source_id, is_stale])).toEqual([
      ['a', true],
      ['b', false],
    ])
    await stage.context.redis.flushall()
    const { store } = stage.context
    let bodies = 0
    const get: typeof store.get = (key, ...more) => {
      if (key.includes('/bytes/')) bodies++
      return store.get(key, ...more)
    }
    await makeRunner({ ...stage.context, store: { ...store, get } }).heal([feed])
    expect(await beacons()).toEqual(running)
    expect(bodies).toBeGreaterThan(0)
    expect(bodies).toBeLessThan(5)
  })

  test('of a feed that another worker owns by now leaves the memory, and is restored once it comes back', async () => {
    const { store, redis } = stage.context
    let listings = 0
    const list: typeof store.list = (prefix, options) => {
      if (prefix.endsWith('/log/')) listings++
      return store.list(prefix, options)
    }
    const runner = makeRunner({ ...stage.context, store: { ...store, list } })
    await stage.publish(feed, 0, { beacons: { a: 1 } })
    await runner.heal([feed])
    const opened = listings
    await runner.heal([feed])
    await runner.acceptedPeriods(feed)
    expect(listings).toBe(opened)
    await runner.heal([])
    await stage.publish(feed, 1, { beacons: { a: 1, b: 2 } })
    await redis.flushall()
    await runner.heal([feed])
    expect(listings).toBeGreaterThan(opened)
    expect((await livePart(redis, 'v16_beacons', feed.id))?.seq).toBe(2)
  })

  test('of a Redis that comes back older than what was shown is brought up to date', async () => {
    const { redis } = stage.context
    await stage.publish(feed, 0, { beacons: { a: 1 } })
    const keys = (await redis.keys('live:*')).toSorted()
    const before = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
    await stage.publish(feed, 1, { beacons: { a: 1, b: 2 } })
    await redis.flushall()
    for (const [at, key] of keys.entries()) await redis.restore(key, 0, before[at] as Buffer)
    expect((await livePart(redis, 'v16_beacons', feed.id))?.seq).toBe(1)
    await stage.runner.heal([feed])
    expect((await livePart(redis, 'v16_beacons', feed.id))?.seq).toBe(2)
    expect((await stage.live('v16_beacons'))?.map(({ source_id }) => source_id)).toEqual(['a', 'b'])
  })

  test.each(['checkpoints', 'tables'] as const)('of observations does not depend on a process, which starts from %s', async (from) => {
    /** With an older observation after each. */
    const feed = defineFeed({
      ...littleFeed(),
      async *rows(bodies, clock, diagnostics) {
        const older = (row: AnyRow): AnyRow[] => ('sensor_id' in row ? [{ ...row, observed_at: Number(row['observed_at']) - 60_000 }] : [])
        for await (const { dataset, rows } of littleFeed().rows(bodies, clock, diagnostics))
          yield { dataset, rows: rows.flatMap((row) => [row, ...older(row)]) }
      },
    })
    const hour = (count: number): number => count * 60
    await stage.publish(feed, 0, { readings: { a: 1, b: 1 } })
    for (let count = 12; count <= 96; count += 12) await stage.publish(feed, hour(count), { readings: { b: count, [`c${count}`]: count } })
    await stage.runner.land(feed, never)
    const running = await stage.live('traffic_readings')
    expect(running?.map(({ sensor_id }) => sensor_id).sort()).toEqual(['b', 'c48', 'c60', 'c72', 'c84', 'c96'])
    await stage.context.redis.flushall()
    stage.restart(from)
    await stage.runner.heal([feed])
    const byId = (rows: typeof running) => new Map(rows?.map((row) => [row.sensor_id, row]))
    expect(byId(await stage.live('traffic_readings'))).toEqual(byId(running))
  })

  test('follows a replay, and readers of its changes are reset to the beginning', async () => {
    await stage.publish(feed, 0, { readings: { a: 1 }, beacons: { x: 1 } })
    await stage.publish(feed, 1, { readings: { a: 2 }, beacons: { x: 2 } })
    await stage.runner.land(feed, never)
    const cursor = await stage.context.redis.hget(LIVE_KEYS.versions, 'traffic_readings')
    const beaconCursor = await stage.context.redis.hget(LIVE_KEYS.versions, 'v16_beacons')
    await rebuild(stage.context, { feed: littleFeed({ speed: 50 }), dataset: trafficReadings, from: 0, to: null })
    // The process that runs on and remembers other rows, and one that was just started.
    for (const restart of [false, true]) {
      if (restart) stage.restart()
      await stage.runner.heal([feed])
      expect(await stage.live('traffic_readings')).toMatchObject([{ sensor_id: 'a', speed_kmh: 50, intensity_veh_h: 2 }])
      expect(await readChanges(stage.context.redis, 'traffic_readings', { after: cursor, limit: 10 })).toEqual({ reset: true })
      expect(await readChanges(stage.context.redis, 'v16_beacons', { after: beaconCursor, limit: 10 })).toMatchObject({ reset: false })
    }
    const next = await stage.context.redis.hget(LIVE_KEYS.versions, 'v16_beacons')
    await stage.publish(feed, 2, { readings: { a: 3 }, beacons: { x: 3 } })
    expect(await readChanges(stage.context.redis, 'v16_beacons', { after: next, limit: 10 })).toMatchObject({
      reset: false,
      entries: [{ key: 'dgt\u001fx' }],
    })
  })

  test('reports no wrong changes where a late fetch comes in between', async () => {
    await stage.publish(feed, 0, { beacons: { x: 1 } })
    await stage.publish(feed, 4, { beacons: { x: 4 } })
    const cursor = await stage.context.redis.hget(LIVE_KEYS.versions, 'v16_beacons')
    await stage.publish(feed, 2, { beacons: { x: 2, y: 2 } }, 5)
    const [id] = await rejectedIds(stage.context.store, feed.id)
    await stage.runner.accept(feed, id as string)
    expect((await stage.live('v16_beacons'))?.map(({ source_id, km }) => [source_id, km])).toEqual([
      ['x', 4],
      ['y', 2],
    ])
    expect(await readChanges(stage.context.redis, 'v16_beacons', { after: cursor, limit: 10 })).toEqual({ reset: true })
  })
})

describe('freshness', () => {
  test('of a feed that has data survives an emptied Redis and a run that breaks off', async () => {
    await stage.publish(feed, 0, { beacons: { a: 1 } })
    await stage.runner.land(feed, never)
    const before = await state()
    await stage.context.redis.flushall()
    stage.restart()
    const { origin } = stage.context
    Object.assign(stage.context, {
      origin: () => {
        throw new Error('the pipeline breaks')
      },
    })
    await expect(stage.publish(feed, 1, {})).rejects.toThrow('the pipeline breaks')
    Object.assign(stage.context, { origin })
    expect(await state()).toMatchObject({
      ...before,
      last_attempt_at: minute(1) + 5000,
      last_error: 'the pipeline breaks',
      failing_since: minute(1) + 5000,
      failures: 1,
      next_attempt_at: expect.any(Number),
    })
    expect(feedHealth((await state()) ?? null, feed.every_s, minute(1))).toBe('OK')
  })

  test('is that of the accepted fetch once an operator took it', async () => {
    await stage.publish(feed, 0, { readings: { a: 1, b: 1, c: 1, d: 1 } })
    expect(await stage.publish(feed, 5, { readings: { a: 1 } })).toMatchObject({ outcome: 'rejected' })
    expect(await state()).toMatchObject({ last_error: expect.stringContaining('1 rows after 4'), rows: { traffic_readings: 4 } })
    const [id] = await rejectedIds(stage.context.store, feed.id)
    await stage.runner.accept(feed, id as string)
    expect(await state()).toMatchObject({ last_error: null, failing_since: null, rows: { traffic_readings: 1 }, data_time: minute(5) })
  })

  test('that cannot be written hides no error', async () => {
    await stage.publish(feed, 0, { beacons: { a: 1 } })
    const { origin } = stage.context
    Object.assign(stage.context, {
      origin: () => {
        stage.context.redis.disconnect()
        throw new Error('the first of two')
      },
    })
    await expect(stage.publish(feed, 1, {})).rejects.toThrow('the first of two')
    Object.assign(stage.context, { origin })
    expect(stage.lines.filter(({ msg }) => msg === 'failure not saved')).toHaveLength(1)
  })
})

describe('a dataset that comes later to its feed', () => {
  const only = (dataset: typeof v16Beacons): Feed =>
    defineFeed({
      ...feed,
      into: [dataset],
      async *rows(bodies, clock, diagnostics) {
        for await (const given of feed.rows(bodies, clock, diagnostics)) if (given.dataset === dataset) yield given
      },
    })

  deepTest("gets the archive's fetches at the landings, and fetching does not wait for them", async () => {
    const before = only(v16Beacons)
    await stage.archive(before, 0, 130, (count) => ({ beacons: { a: 1 }, readings: { a: count } }))
    await stage.runner.land(before, never)
    let parsed = 0
    const after = defineFeed({
      ...feed,
      rows(bodies, clock, diagnostics) {
        parsed++
        return feed.rows(bodies, clock, diagnostics)
      },
    })
    stage.runner = makeRunner(stage.context)
    expect(await stage.publish(after, 130, { beacons: { a: 2 }, readings: { a: 130 } })).toMatchObject({ outcome: 'accepted' })
    expect(parsed).toBeLessThan(20)
    expect(await livePart(stage.context.redis, 'traffic_readings', feed.id)).toBeNull()
    await stage.runner.land(after, never)
    expect(await seqs(trafficReadings)).toEqual([[1, 131]])
    expect(await seqs(v16Beacons)).toEqual([[1, 131]])
    expect(await tableRows(stage.context, trafficReadings)).toHaveLength(131)
    await stage.publish(after, 131, { beacons: { a: 2 }, readings: { a: 131 } })
    expect(await stage.live('traffic_readings')).toMatchObject([{ intensity_veh_h: 131 }])
    await stage.runner.land(after, never)
    expect(await tableRows(stage.context, trafficReadings)).toHaveLength(132)
  })
})

describe('a landing that cannot go on', () => {
  const taken: (() => Promise<void>)[] = []
  /** Takes every query slot, as archives do that are restored. */
  const takeSlots = async (): Promise<void> => {
    const { engine } = stage.context.lake
    const leases = await Promise.all(Array.from({ length: engine.slots }, () => engine.lease({ timeout_ms: 60_000 }, null)))
    taken.push(...leases.map((lease) => () => lease.end()))
  }
  const freeSlots = async (): Promise<void> => {
    for (const free of taken.splice(0)) await free()
  }
  afterEach(freeSlots)

  test('for want of a query slot gives the turn back within the cadence, and fetches go on', async () => {
    const quick = defineFeed({ ...feed, every_s: 0.5 })
    await stage.publish(quick, 0, { beacons: { a: 1 }, readings: { a: 0 } })
    let isDue = true
    const onStep = async (step: string): Promise<void> => {
      // The first table has its rows; the landing is in the turn and needs a slot for the second.
      if (step !== 'hint-written' || !isDue) return
      isDue = false
      await takeSlots()
    }
    Object.assign(stage.context, { onStep })
    const landing = stage.runner.land(quick, never).catch((error: unknown) => error)
    // The landing gives way half a second after it begins to wait, the fetch half a second after it begins: not at one instant.
    while (stage.context.lake.engine.load.waiting === 0) await sleep(5)
    await sleep(350)
    const began = performance.now()
    expect(await stage.publish(quick, 1, { beacons: { a: 2 }, readings: { a: 1 } })).toMatchObject({ outcome: 'accepted' })
    expect(performance.now() - began).toBeLessThan(1000)
    expect(await landing).toBeInstanceOf(WaitedTooLong)
    expect(await stage.live('traffic_readings')).toMatchObject([{ intensity_veh_h: 1 }])
    // It also waits before the turn, and gives its job back.
    expect(await stage.runner.land(quick, never).catch((error: unknown) => error)).toBeInstanceOf(WaitedTooLong)
    expect(await stage.publish(quick, 2, { beacons: { a: 3 }, readings: { a: 2 } })).toMatchObject({ outcome: 'accepted' })
    expect((await state())?.failures ?? 0).toBe(0)
    await freeSlots()
    await stage.runner.land(quick, never)
    expect(await seqs(trafficReadings)).toEqual([[1, 3]])
    expect((await tableRows(stage.context, trafficReadings)).map((row) => row['intensity_veh_h'])).toEqual([0, 1, 2])
  })

  test('parses no fetch again at its next try', async () => {
    let parsed = 0
    const counted = defineFeed({
      ...feed,
      rows(bodies, clock, diagnostics) {
        parsed++
        return feed.rows(bodies, clock, diagnostics)
      },
    })
    for (let count = 0; count < 3; count++) await stage.publish(counted, count, { beacons: { a: count }, readings: { a: count } })
    let fails = 3
    Object.assign(stage.context, {
      onStep: (step: string) => {
        if (step === 'parquet-written' && fails-- > 0) throw new Error('the disk is full')
      },
    })
    parsed = 0
    for (let times = 0; times < 3; times++) await expect(stage.runner.land(counted, never)).rejects.toThrow('the disk is full')
    await stage.runner.land(counted, never)
    expect(parsed).toBe(0)
    expect(await tableRows(stage.context, trafficReadings)).toHaveLength(3)
    expect((await tableRows(stage.context, v16Beacons)).map((row) => Number(row['km']))).toEqual([0, 1, 2])
  })

  test('keeps a bounded part of its backlog in memory, and lands the rest in portions', async () => {
    Object.assign(stage.context, { maxWaitingRows: 5 })
    const document = (count: number) => ({ beacons: { a: count }, readings: { a: count, b: count } })
    await stage.archive(feed, 0, 20, document)
    const memory = await openMemory(stage.context, feed)
    const waiting = [...memory.parts.values()].map(({ pending }) => pending.map(({ rows }) => rows?.length ?? null))
    for (const rows of waiting) {
      expect(rows).toHaveLength(20)
      expect(rows.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBeLessThanOrEqual(5)
    }
    expect(memory.unshown.length).toBeLessThan(5)
    await stage.publish(feed, 20, document(20))
    expect(await stage.live('traffic_readings')).toMatchObject([{ intensity_veh_h: 20 }, { intensity_veh_h: 20 }])
    await stage.runner.land(feed, never)
    await stage.publish(feed, 21, document(21))
    await stage.runner.land(feed, never)
    expect(await seqs(v16Beacons)).toEqual([[1, 22]])
    expect(await tableRows(stage.context, trafficReadings)).toHaveLength(44)
    expect((await tableRows(stage.context, v16Beacons)).map((row) => Number(row['km']))).toEqual(Array.from({ length: 22 }, (_, at) => at))
  })
})
