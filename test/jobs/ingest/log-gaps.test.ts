import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { acceptedAfter } from '../../../lake/raw/archive.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { deepTest } from '../../helpers/tier.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()
const RECORD = (seq: number): string => `raw/little/log/${String(seq).padStart(10, '0')}.json`
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

/** Publishes a document of each minute, whose values are the minute's. */
async function publish(from: number, to: number): Promise<string[]> {
  const outcomes: string[] = []
  for (let count = from; count <= to; count++) {
    const done = await stage.publish(feed, count, { beacons: { a: count, c: 1 }, readings: { s: count } })
    outcomes.push(done.outcome)
  }
  return outcomes
}

async function loseFromLog(...seqs: number[]): Promise<void> {
  for (const seq of seqs) await stage.context.store.delete(RECORD(seq))
}

const beacons = async (): Promise<unknown[]> =>
  (await tableRows(stage.context, v16Beacons)).filter(({ source_id }) => source_id === 'a').map(({ observed_at, km }) => [observed_at, km])
const readings = async (): Promise<unknown[]> => (await tableRows(stage.context, trafficReadings)).map((row) => row.intensity_veh_h)
const warnings = (): unknown[] => stage.lines.filter(({ msg }) => msg.includes('missing from the raw log'))
const lost = async (): Promise<number | undefined> => (await readFeedStates(stage.context.redis)).get(feed.id)?.lost_fetches
const landed = async () => (await landedIn(stage.context, v16Beacons, feed.id)).seqs

describe("a raw log that ends before the tables' fetches", () => {
  test('gives no number out twice, and says once which are missing', async () => {
    await publish(1, 5)
    await stage.runner.land(feed, never)
    await loseFromLog(4, 5)
    await stage.context.redis.flushall()
    stage.restart()
    expect(await publish(6, 8)).toEqual(['accepted', 'accepted', 'accepted'])
    await stage.runner.land(feed, never)
    expect((await acceptedAfter(stage.context.store, feed.id, 0)).map(({ seq }) => seq)).toEqual([1, 2, 3, 6, 7, 8])
    expect(await landed()).toEqual([[1, 8]])
    expect(await beacons()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((count) => [minute(count), count]))
    expect(await readings()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(warnings()).toMatchObject([{ feed: 'little', missing: '4-5' }])
    expect((await stage.live('v16_beacons'))?.map(({ km }) => km)).toEqual(expect.arrayContaining([1, 8]))
    // The rows are there: no fetch is lost to the tables.
    expect(await lost()).toBe(0)
  })

  test('takes no publication in again that the tables have', async () => {
    await publish(1, 5)
    await stage.runner.land(feed, never)
    await loseFromLog(4, 5)
    stage.restart()
    expect(await stage.publish(feed, 5, { beacons: { a: 5, c: 1 }, readings: { s: 5 } })).toMatchObject({
      outcome: 'rejected',
      reason: expect.stringContaining('missing from the raw log'),
    })
    expect(await publish(6, 6)).toEqual(['accepted'])
    await stage.runner.land(feed, never)
    expect(await readings()).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('replays around the lost part', async () => {
    await publish(1, 5)
    await stage.runner.land(feed, never)
    await loseFromLog(3, 4, 5)
    stage.restart()
    await publish(6, 9)
    await stage.runner.land(feed, never)
    const before = [await tableRows(stage.context, v16Beacons), await tableRows(stage.context, trafficReadings)]
    for (const dataset of feed.into)
      expect(await rebuild(stage.context, { feed, dataset, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
    expect([await tableRows(stage.context, v16Beacons), await tableRows(stage.context, trafficReadings)]).toEqual(before)
  })

  deepTest('is far behind: the feed goes on', async () => {
    await stage.archive(feed, 1, 121, (count) => ({ beacons: { a: count }, readings: { s: count } }))
    await stage.runner.land(feed, never)
    await loseFromLog(...Array.from({ length: 110 }, (_, at) => at + 11))
    stage.restart()
    expect(await publish(130, 131)).toEqual(['accepted', 'accepted'])
    await stage.runner.land(feed, never)
    expect(await landed()).toEqual([[1, 122]])
    expect((await readings()).length).toBe(122)
  })
})

describe('a record of the log that is damaged', () => {
  const damage = (seq: number): Promise<void> => stage.context.store.put(RECORD(seq), Buffer.alloc(0))

  test('and landed is as if it were gone', async () => {
    await publish(1, 3)
    await stage.runner.land(feed, never)
    await damage(2)
    stage.restart()
    expect(await publish(4, 4)).toEqual(['accepted'])
    await stage.runner.land(feed, never)
    expect(await readings()).toEqual([1, 2, 3, 4])
    expect(warnings()).toMatchObject([{ missing: '2' }])
    expect(await lost()).toBe(0)
    for (const dataset of feed.into)
      expect(await rebuild(stage.context, { feed, dataset, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
  })

  test.each([
    ['the newest', 3],
    ['one between', 2],
    ['the first', 1],
  ])('and not landed counts as a lost fetch: %s', async (_, seq) => {
    await publish(1, 3)
    await damage(seq)
    stage.restart()
    expect(await publish(4, 4)).toEqual(['accepted'])
    await stage.runner.land(feed, never)
    const { seqs, lost: gone } = await landedIn(stage.context, v16Beacons, feed.id)
    expect([seqs, gone]).toEqual([[[1, 4]], [[seq, seq]]])
    expect(await readings()).toEqual([1, 2, 3, 4].filter((count) => count !== seq))
    expect(await publish(5, 5)).toEqual(['accepted'])
    expect(await lost()).toBe(1)
  })

  test('gives its rows after all when a copy of it is put back', async () => {
    await publish(1, 3)
    const copy = (await stage.context.store.get(RECORD(2))) as Buffer
    await damage(2)
    stage.restart()
    await stage.runner.land(feed, never)
    await stage.context.store.put(RECORD(2), copy)
    for (const dataset of feed.into) await rebuild(stage.context, { feed, dataset, from: 0, to: null })
    expect(await readings()).toEqual([1, 2, 3])
    expect(await beacons()).toEqual([1, 2, 3].map((count) => [minute(count), count]))
  })

  test('is not one that the store cannot give just now', async () => {
    await publish(1, 2)
    const { store } = stage.context
    const away = { ...store, get: (key: string) => (key === RECORD(2) ? Promise.reject(new Error('503 slow down')) : store.get(key)) }
    Object.assign(stage.context, { store: away })
    stage.restart()
    await expect(publish(3, 3)).rejects.toThrow('503 slow down')
    Object.assign(stage.context, { store })
    stage.restart()
    expect(await publish(4, 4)).toEqual(['accepted'])
    expect(await lost()).toBe(0)
  })

  test('names its key where it was rejected', async () => {
    await stage.context.store.put('raw/little/rejected/little.20260615T000105000Z.json', Buffer.from('{'))
    await expect(stage.runner.accept(feed, 'little.20260615T000105000Z')).rejects.toThrow(
      'raw/little/rejected/little.20260615T000105000Z.json',
    )
  })
})
