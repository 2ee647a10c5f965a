import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineFeed, type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { acceptedAfter, rejectedIds } from '../../../lake/raw/archive.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

/** The little feed with a parser that refuses one publication. */
function strictFeed(refused: string): Feed {
  return defineFeed({
    ...feed,
    rows(bodies, clock, diagnostics) {
      if (String(bodies[0]?.bytes).includes(refused)) throw new FormatError('refused')
      return feed.rows(bodies, clock, diagnostics)
    },
  })
}

async function objectOf(seq: number): Promise<string> {
  const [accepted] = await acceptedAfter(stage.context.store, feed.id, seq - 1, 1)
  return accepted?.bodies[0]?.object as string
}

const lost = async (): Promise<number | undefined> => (await readFeedStates(stage.context.redis)).get(feed.id)?.lost_fetches

describe('an accepted fetch that cannot be read any more', () => {
  test('lands without rows, is reported, and holds up nothing', async () => {
    await stage.publish(feed, 0, { beacons: { a: 1, b: 1 } })
    await stage.publish(feed, 1, { beacons: { b: 2 } })
    await stage.context.store.put(await objectOf(2), Buffer.from('junk'))
    stage.restart()
    expect(await stage.publish(feed, 2, { beacons: { b: 3 } })).toMatchObject({ outcome: 'accepted' })
    expect(stage.lines.filter(({ level }) => level >= 50)).toMatchObject([
      { fetch_id: 'little.20260615T000105000Z', reason: expect.stringContaining('are damaged') },
    ])
    expect(await lost()).toBe(1)
    await stage.runner.land(feed, never)
    expect(await landedIn(stage.context, v16Beacons, feed.id)).toMatchObject({ seqs: [[1, 3]], lost: [[2, 2]] })
    // One of three publications without `a` cannot be read, and does not count.
    await stage.publish(feed, 3, { beacons: { b: 4 } })
    stage.restart()
    await stage.publish(feed, 4, { beacons: { b: 5 } })
    await stage.runner.land(feed, never)
    const life = (await tableRows(stage.context, v16Beacons)).filter(({ source_id }) => source_id === 'a')
    expect(life.map(({ status, observed_at }) => [status, observed_at])).toEqual([
      ['ACTIVE', Date.UTC(2026, 5, 15)],
      ['ENDED', Date.UTC(2026, 5, 15, 0, 4)],
    ])
    expect(await lost()).toBe(1)
  })

  test('gives its rows after all when a mended parser takes it', async () => {
    await stage.publish(feed, 0, { readings: { a: 10 } })
    await stage.publish(feed, 1, { readings: { a: 11 } })
    const strict = strictFeed('"a":11')
    stage.restart()
    for (const count of [2, 3])
      expect(await stage.publish(strict, count, { readings: { a: 10 + count } })).toMatchObject({ outcome: 'accepted' })
    await stage.runner.land(strict, never)
    expect((await tableRows(stage.context, trafficReadings)).map((row) => row.intensity_veh_h)).toEqual([10, 12, 13])
    expect(await rebuild(stage.context, { feed, dataset: trafficReadings, from: 0, to: null })).toMatchObject({ removed: 0, added: 1 })
    expect((await tableRows(stage.context, trafficReadings)).map((row) => row.intensity_veh_h)).toEqual([10, 11, 12, 13])
    expect(await landedIn(stage.context, trafficReadings, feed.id)).toMatchObject({ lost: [] })
  })

  test('keeps the rows it landed through a replay, and the later fetches stay as they are', async () => {
    for (let count = 0; count < 6; count++)
      await stage.publish(feed, count * 2, { beacons: { a: Math.floor(count / 2), c: 1 }, readings: { s: count } })
    await stage.runner.land(feed, never)
    const before = [await tableRows(stage.context, v16Beacons), await tableRows(stage.context, trafficReadings)]
    await stage.context.store.delete(await objectOf(3))
    for (const dataset of feed.into)
      expect(await rebuild(stage.context, { feed, dataset, from: 0, to: null })).toMatchObject({ fetches: 5, removed: 0, added: 0 })
    expect([await tableRows(stage.context, v16Beacons), await tableRows(stage.context, trafficReadings)]).toEqual(before)
    expect(await stage.publish(feed, 1, { beacons: { z: 1 }, readings: { s: 9 } }, 11)).toMatchObject({ outcome: 'rejected' })
    const [id] = await rejectedIds(stage.context.store, feed.id)
    await stage.runner.accept(feed, id as string)
    await stage.runner.land(feed, never)
    expect(await landedIn(stage.context, v16Beacons, feed.id)).toMatchObject({ seqs: [[1, 7]], lost: [] })
    expect((await tableRows(stage.context, trafficReadings)).map((row) => row.intensity_veh_h).sort()).toEqual([0, 1, 2, 3, 4, 5, 9])
    stage.restart()
    expect(await stage.publish(feed, 12, { beacons: { a: 9 }, readings: { s: 1 } })).toMatchObject({ outcome: 'accepted' })
  })

  test('is not taken for lost where the store cannot give it just now', async () => {
    await stage.publish(feed, 0, { beacons: { a: 1 } })
    const { store } = stage.context
    const away = { ...store, get: (key: string) => (key.includes('/bytes/') ? Promise.reject(new Error('503 slow down')) : store.get(key)) }
    Object.assign(stage.context, { store: away })
    stage.restart()
    await expect(stage.publish(feed, 1, { beacons: { a: 2 } })).rejects.toThrow('503 slow down')
    Object.assign(stage.context, { store })
    stage.restart()
    expect(await stage.publish(feed, 2, { beacons: { a: 2 } })).toMatchObject({ outcome: 'accepted' })
    expect(await lost()).toBe(0)
  })
})
