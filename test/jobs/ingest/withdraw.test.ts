import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { land } from '../../../jobs/ingest/land.ts'
import { openMemory } from '../../../jobs/ingest/memory.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { acceptedAfter, rejectedIds, withdrawnSeqs } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { littleFeed, openTestContext, tableRows } from '../../helpers/pipeline.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const landNow = (): Promise<unknown> => stage.runner.land(feed, never)
const withdraw = (id: string): Promise<boolean> => stage.runner.withdraw(feed, id, landNow)
const idOf = async (seq: number): Promise<string> => (await acceptedAfter(stage.context.store, feed.id, seq - 1, 1))[0]?.fetch_id as string
const tables = async (): Promise<AnyRow[][]> => [
  await tableRows(stage.context, v16Beacons),
  await tableRows(stage.context, trafficReadings),
]
const readings = async (): Promise<unknown[]> => (await tableRows(stage.context, trafficReadings)).map((row) => row.intensity_veh_h)

/** The contents of a fresh lake that is landed from a copy of the raw archive alone. */
async function recomputed(): Promise<AnyRow[][]> {
  const { store } = stage.context
  const fresh = await openTestContext({ folder: tempFolder(), redisUrl: 'redis://127.0.0.1:1', publisher: '', now: stage.context.now })
  try {
    for await (const { key } of store.list('raw/')) await fresh.store.put(key, (await store.get(key)) as Buffer)
    await land(fresh, await openMemory(fresh, feed))
    return [await tableRows(fresh, v16Beacons), await tableRows(fresh, trafficReadings)]
  } finally {
    await fresh.close()
  }
}

/** Beacon `a` changes with each publication, `b` is in some only, `z` in the fifth alone: after the eighth it is over. */
const document = (count: number) => ({
  beacons: { a: count, ...(count % 4 < 2 ? { b: 1 } : {}), ...(count === 5 ? { z: 1 } : {}) },
  readings: { s: count },
})

async function publish(from: number, to: number): Promise<void> {
  for (let count = from; count <= to; count++)
    expect(await stage.publish(feed, count, document(count))).toMatchObject({ outcome: 'accepted' })
}

describe('a fetch that is withdrawn', () => {
  test.each([
    ['before it landed', false, 5],
    ['after it landed', true, 5],
    ['as the newest', true, 8],
    ['as the first', true, 1],
  ])('is as if it had never been: %s', async (_, isLanded, seq) => {
    await publish(1, 8)
    if (isLanded) await landNow()
    const id = await idOf(seq)
    expect(await withdraw(id)).toBe(true)
    expect(await readings()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].filter((count) => count !== seq))
    expect(await tables()).toEqual(await recomputed())
    expect((await tables()).flat().some(({ fetch_id }) => fetch_id === id)).toBe(false)
    for (const dataset of feed.into)
      expect(await landedIn(stage.context, dataset, feed.id)).toMatchObject({
        seqs: [[1, 8]],
        withdrawn: [[seq, seq]],
        until: minute(seq === 8 ? 7 : 8),
      })
    expect((await stage.live('v16_beacons'))?.find(({ source_id }) => source_id === 'a')?.km).toBe(seq === 8 ? 7 : 8)
    expect((await stage.live('v16_beacons'))?.some(({ source_id }) => source_id === 'z')).toBe(seq === 8)
    expect(await rejectedIds(stage.context.store, feed.id)).toEqual([id])
    // Doing it again, or landing, or a new process changes nothing.
    const before = await tables()
    expect(await withdraw(id)).toBe(false)
    stage.restart()
    await landNow()
    expect(await tables()).toEqual(before)
    await publish(9, 10)
    await landNow()
    expect(await tables()).toEqual(await recomputed())
  })

  deepTest('can be accepted again, and withdrawn again', async () => {
    await publish(1, 8)
    await landNow()
    const before = await tables()
    const id = await idOf(5)
    for (const seq of [9, 10]) {
      await withdraw(id)
      expect(await stage.runner.accept(feed, id)).toMatchObject({ seq, accepted_by: 'operator', fetch_id: id })
      await landNow()
      expect(await tables()).toEqual(before)
      expect(await tables()).toEqual(await recomputed())
      expect(await rejectedIds(stage.context.store, feed.id)).toEqual([])
    }
    // Accepted again before its rows were taken out.
    await stage.runner.withdraw(feed, id, async () => undefined)
    await stage.runner.accept(feed, id)
    await landNow()
    expect(await tables()).toEqual(before)
  })

  test('the only fetch leaves nothing, and the next fetch starts again', async () => {
    await publish(1, 1)
    await landNow()
    await withdraw(await idOf(1))
    expect((await tables()).flat()).toEqual([])
    expect(await stage.live('v16_beacons')).toBeNull()
    await publish(2, 3)
    await landNow()
    expect(await readings()).toEqual([2, 3])
    expect(await tables()).toEqual(await recomputed())
    expect(await stage.live('v16_beacons')).toMatchObject([{ source_id: 'a', km: 3 }])
  })

  deepTest('is taken out by the next landing where the process was killed after the mark', async () => {
    await publish(1, 8)
    await landNow()
    const id = await idOf(5)
    const killed = new Error('killed')
    await expect(stage.runner.withdraw(feed, id, () => Promise.reject(killed))).rejects.toBe(killed)
    expect([...(await withdrawnSeqs(stage.context.store, feed.id))]).toEqual([5])
    stage.restart()
    await publish(9, 9)
    await landNow()
    await publish(10, 10)
    expect(await tables()).not.toEqual(await recomputed())
    await landNow()
    expect(await tables()).toEqual(await recomputed())
    expect((await stage.live('v16_beacons'))?.some(({ source_id }) => source_id === 'z')).toBe(false)
  })

  test('counts still where the process was killed before the mark; then withdrawing it again does it', async () => {
    await publish(1, 6)
    await landNow()
    const id = await idOf(5)
    const { store } = stage.context
    const stopped = { ...store, putIfAbsent: () => Promise.reject(new Error('killed')) }
    Object.assign(stage.context, { store: stopped })
    await expect(withdraw(id)).rejects.toThrow('killed')
    Object.assign(stage.context, { store })
    stage.restart()
    await expect(stage.runner.accept(feed, id)).rejects.toThrow('accepted already')
    expect(await withdraw(id)).toBe(true)
    expect(await readings()).toEqual([1, 2, 3, 4, 6])
  })

  test('has to be there', async () => {
    await publish(1, 1)
    await expect(withdraw('little.20200101T000000000Z')).rejects.toThrow('no accepted fetch little.20200101T000000000Z')
  })

  test('reports the freshness of the rest', async () => {
    await publish(1, 3)
    await withdraw(await idOf(3))
    expect((await readFeedStates(stage.context.redis)).get(feed.id)).toMatchObject({
      data_time: minute(2),
      last_fetch_id: await idOf(2),
      last_error: expect.stringContaining('was withdrawn'),
    })
  })
})
