import { expect, test } from 'vitest'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { listSeqs } from '../../../lake/landed.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { type AcceptedFetch, acceptedAfter, logAfter } from '../../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { instantOfRow } from '../../../lake/schema/partitions.ts'
import { entityKey } from '../../../lake/schema/rows.ts'
import { tableRows } from '../../helpers/pipeline.ts'
import { byTier } from '../../helpers/tier.ts'
import { dice, type Edition, editionsOf, expecting, feed, listing, shuffled } from './editions.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

/** Deletes the bytes of a fetch, cuts them off, or puts others in their place. */
async function lose({ store }: Stage['context'], { bodies }: AcceptedFetch, how: number): Promise<void> {
  const key = bodies[0]?.object as string
  const bytes = await store.get(key)
  if (how === 0 || !bytes) return store.delete(key)
  await store.put(key, how === 1 ? bytes.subarray(0, bytes.length >> 1) : Buffer.from('junk'))
}

/** A table's rows of some fetches; observations without their fetch, which an earlier one that comes late takes over. */
async function rowsFrom(stage: Stage, dataset: Dataset, fetchIds: ReadonlySet<string>): Promise<string[]> {
  const rows = (await tableRows(stage.context, dataset)).filter((row) => fetchIds.has(String(row['fetch_id'])))
  return rows.map((row) => (dataset.writeMode === 'append' ? keyOf(dataset, row) : JSON.stringify(row))).sort()
}

const keyOf = (dataset: Dataset, row: AnyRow): string => `${entityKey(dataset, row)} ${instantOfRow(row, dataset.time)}`

/** The newest row of each thing that has not ended, by its key. */
function newestOf(dataset: Dataset, rows: readonly AnyRow[]): Map<string, AnyRow> {
  const newest = new Map<string, AnyRow>()
  for (const row of rows.toSorted((one, other) => instantOfRow(one, dataset.time) - instantOfRow(other, dataset.time)))
    newest.set(entityKey(dataset, row), row)
  return new Map([...newest].filter(([, { status }]) => status !== 'ENDED'))
}

const FEEDS = [
  ['blocks', feed, 'ab'],
  ['blocks that the lake expects', expecting, 'ab'],
  ['things in no block', feed, 'abc'],
  ['things in several blocks', listing, 'abd'],
] as const
const SEEDS = Array.from({ length: byTier(1, 6) }, (_, at) => at + 1)

test('an observation of lost bytes stays when a later fetch that repeats it is placed again or withdrawn', async () => {
  const stage = await openStage()
  try {
    const publish = async (count: number, s0: number) => {
      const { outcome, fetch_id } = await stage.publish(feed, count, { readings: { s0 } })
      if (outcome === 'rejected') await stage.runner.accept(feed, fetch_id as string)
      return fetch_id as string
    }
    const land = () => stage.runner.land(feed, never)
    await publish(0, 1)
    await publish(11, 2)
    const repeated = await publish(12, 3)
    await land()
    const [, second] = await acceptedAfter(stage.context.store, feed.id, 0)
    await lose(stage.context, second as AcceptedFetch, 0)
    await publish(5, 4)
    await land()
    const values = async () => (await tableRows(stage.context, trafficReadings)).map((row) => row['intensity_veh_h'])
    expect(await values()).toEqual([1, 2])
    await stage.runner.withdraw(feed, repeated, land)
    expect(await values()).toEqual([1, 2])
  } finally {
    await stage.close()
  }
})

/** How many fetches of all stories lost their bytes before and after they landed. */
const counted = { before: 0, after: 0 }

test.each(SEEDS.flatMap((seed) => FEEDS.slice(byTier(2, 0)).map((of) => [seed, ...of] as const)))(
  'lost raw bytes cost the rows that had not landed alone, are reported, and hold up nothing (seed %i, %s)',
  async (seed, _, one, letters) => {
    const stage = await openStage()
    const { store, redis } = stage.context
    const roll = dice(seed * 53 + letters.length)
    const editions = shuffled(editionsOf(seed + 100, byTier(8, 30), letters), roll)
    /** By fetch: the rows it had landed when its bytes were lost. */
    const kept: { readonly dataset: Dataset; readonly fetch_id: string; readonly rows: readonly string[] }[] = []
    const withdrawn = new Set<string>()
    const unread = new Set<string>()
    const documents = new Map<string, Edition[1]>()
    const land = (): Promise<unknown> => stage.runner.land(one, never)
    const publish = async ([count, document]: Edition): Promise<void> => {
      documents.set(new Date(minute(count)).toISOString(), document)
      const { outcome, fetch_id } = await stage.publish(one, count, document)
      if (outcome === 'rejected') await stage.runner.accept(one, fetch_id as string)
      else expect(outcome).toBe('accepted')
    }
    try {
      for (const edition of editions) {
        await publish(edition)
        if (roll() < 0.5) await land()
        const all = await acceptedAfter(store, one.id, 0)
        const chosen = all[Math.floor((1 - roll() ** 2) * all.length)]
        if (chosen && roll() < 0.35) {
          await lose(stage.context, chosen, Math.floor(roll() * 3))
          unread.add(chosen.fetch_id)
          for (const dataset of one.into)
            kept.push({ dataset, fetch_id: chosen.fetch_id, rows: await rowsFrom(stage, dataset, new Set([chosen.fetch_id])) })
        }
        if (roll() < 0.07 && chosen) {
          withdrawn.add(chosen.fetch_id)
          await stage.runner.withdraw(one, chosen.fetch_id, land).catch((error: Error) => {
            expect(error.message).toMatch(/among the oldest/)
            withdrawn.delete(chosen.fetch_id)
          })
        }
        if (roll() < 0.2) await redis.flushall()
        if (roll() < 0.4) stage.restart(roll() < 0.3 ? 'tables' : 'checkpoints')
      }
      const end = Math.max(...editions.map(([count]) => count)) + 1
      await publish([end, { beacons: { a0: 7, b0: 7 }, readings: { s0: 7 } }])
      await land()
      stage.restart()
      await land()
      await stage.runner.heal([one])

      const log = await logAfter(store, one.id, 0)
      const reported = new Set(stage.lines.filter(({ level }) => level >= 50).map(({ fetch_id }) => fetch_id))
      const lost = new Set<number>()
      for (const dataset of one.into) {
        const landed = await landedIn(stage.context, dataset, one.id)
        expect(listSeqs(landed.seqs)).toEqual(log.map(({ seq }) => seq))
        for (const seq of listSeqs(landed.lost)) lost.add(seq)
        const rows = await tableRows(stage.context, dataset)
        expect(new Set(rows.map((row) => keyOf(dataset, row))).size).toBe(rows.length)
        for (const { fetch_id, rows: before } of kept.filter((of) => of.dataset === dataset && !withdrawn.has(of.fetch_id))) {
          const now =
            dataset.writeMode === 'append' ? rows.map((row) => keyOf(dataset, row)) : await rowsFrom(stage, dataset, new Set([fetch_id]))
          expect(now).toEqual(expect.arrayContaining([...before]))
        }
        if (dataset === trafficReadings) {
          const keys = new Set(rows.map(({ sensor_id, observed_at }) => `${sensor_id} ${observed_at}`))
          for (const { fetch, withdrawn } of log) {
            if (!fetch || withdrawn || unread.has(fetch.fetch_id)) continue
            const at = Math.floor(Date.parse(fetch.data_time) / 600_000) * 600_000
            for (const sensor of Object.keys(documents.get(fetch.data_time)?.readings ?? {})) expect(keys).toContain(`${sensor} ${at}`)
          }
        }
        if (dataset.writeMode !== 'changes') continue
        const live = new Map((await stage.live(dataset.id))?.map((row) => [entityKey(dataset, row), row]))
        const newest = newestOf(dataset, rows)
        expect([...live.values()].filter(({ is_stale }) => !is_stale)).toHaveLength(2)
        expect([...live.keys()].sort()).toEqual([...newest.keys()].sort())
        for (const [key, row] of newest) expect(live.get(key)).toMatchObject({ status: row['status'], updated_at: row['updated_at'] })
      }
      expect((await readFeedStates(redis)).get(one.id)?.lost_fetches).toBe(lost.size)
      counted.before += lost.size
      counted.after += kept.filter(({ rows }) => rows.length > 0).length
      for (const { seq, fetch } of log) if (lost.has(seq)) expect(reported).toContain(fetch?.fetch_id)
      expect(log.at(-1)?.fetch?.data_time).toBe(new Date(minute(end)).toISOString())
    } finally {
      await stage.close()
    }
  },
)

test('bytes of these stories were lost before and after they landed', () => {
  expect(counted.before).toBeGreaterThan(0)
  expect(counted.after).toBeGreaterThan(0)
})
