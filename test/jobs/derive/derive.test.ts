import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineDerived } from '../../../jobs/derive/define.ts'
import { type DeriveResult, derive, makeDeriver } from '../../../jobs/derive/derive.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { openLake } from '../../../lake/open.ts'
import { sql } from '../../../lake/query/sql.ts'
import { rejectedIds } from '../../../lake/raw/archive.ts'
import { tableRows } from '../../helpers/pipeline.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier, deepTest } from '../../helpers/tier.ts'
import { never, openStage, type Stage } from '../ingest/stage.ts'
import { differences, feed, lines, littleDerived, stops, type Timetable } from './little.ts'

const derived = littleDerived()
const feeds = [feed]

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  await prepareTables(stage.context, [stops, lines, differences])
})
afterEach(() => stage.close())

const run = (what = derived): Promise<DeriveResult> => derive(stage.context, what, { feeds, signal: never })

/** Publishes, lands and derives. */
async function step(count: number, versions: Timetable): Promise<DeriveResult> {
  expect(await stage.publish(feed, count, { versions })).toMatchObject({ outcome: 'accepted' })
  await stage.runner.land(feed, never)
  return run()
}

/** Rows as `version:difference@minute of their newest fetch`. */
async function changes(): Promise<string[]> {
  const rows = await tableRows(stage.context, differences)
  return rows
    .map(({ version, previous, name, fetch_id }) => `${previous}>${version}:${name}@${Number(String(fetch_id).slice(18, 20))}`)
    .sort()
}

const state = async () => {
  const found = await stage.context.lake.table(differences).load()
  if (!found) throw new Error('there is no table')
  return found
}
const parts = async (): Promise<string[]> =>
  Object.keys((await state()).properties)
    .filter((name) => name.startsWith('derived.'))
    .sort()

const STORY: readonly (readonly [number, Timetable])[] = [
  [0, { V1: ['a', 'b', 'L'] }],
  [1, { V2: ['a', 'c', 'L', 'M'] }],
  [2, { V3: ['a', 'c', 'L', 'M'] }],
  [3, { V2: ['a', 'd', 'L'], V4: ['M'] }],
]
const END = ['V1>V2:+d@3', 'V1>V2:-b@3', 'V2>V3:+M@3', 'V2>V3:+c@3', 'V2>V3:-d@3', 'V3>V4:-L@3', 'V3>V4:-a@3', 'V3>V4:-c@3']

describe('a derived dataset of versions', () => {
  deepTest('is the result of its inputs, built version by version or all at once', async () => {
    expect(await step(...(STORY[0] as (typeof STORY)[0]))).toEqual({ made: [], removed: [], rows: 0, waits: false })
    expect(await step(...(STORY[1] as (typeof STORY)[0]))).toEqual({ made: ['V2'], removed: [], rows: 3, waits: false })
    expect(await changes()).toEqual(['V1>V2:+M@1', 'V1>V2:+c@1', 'V1>V2:-b@1'])
    // Nothing differs: a part all the same, so that it is not made for ever.
    expect(await step(...(STORY[2] as (typeof STORY)[0]))).toEqual({ made: ['V3'], removed: [], rows: 0, waits: false })
    // A replaced version rebuilds its own differences and those of the next one. V4 has no stop, and is not yet complete.
    expect(await step(...(STORY[3] as (typeof STORY)[0]))).toMatchObject({ made: ['V2', 'V3'] })
    expect(await step(4, { V4: ['M', 'x'] })).toMatchObject({ made: ['V4'] })
    const incremental = await changes()
    expect(incremental).toEqual([...END.slice(0, 5), 'V3>V4:+x@4', 'V3>V4:-L@4', 'V3>V4:-a@4', 'V3>V4:-c@4'])

    const other = await openStage()
    try {
      await prepareTables(other.context, [stops, lines, differences])
      for (const [count, versions] of [...STORY, [4, { V4: ['M', 'x'] }] as const]) await other.publish(feed, count, { versions })
      await other.runner.land(feed, never)
      expect(await derive(other.context, derived, { feeds, signal: never })).toMatchObject({ made: ['V2', 'V3', 'V4'] })
      expect(await tableRows(other.context, differences)).toEqual(await tableRows(stage.context, differences))
    } finally {
      await other.close()
    }
  })

  test('commits nothing where nothing is due, and only lineage where rows come out the same', async () => {
    for (const [count, versions] of STORY) await step(count, versions)
    const before = await state()
    expect(await run()).toEqual({ made: [], removed: [], rows: 0, waits: false })
    expect((await state()).version).toBe(before.version)
    const made = await tableRows(stage.context, differences)
    expect(await run(littleDerived({ revision: 2 }))).toMatchObject({ made: ['V2', 'V3'] })
    expect((await state()).snapshotId).toBe(before.snapshotId)
    expect(await tableRows(stage.context, differences)).toEqual(made)
    expect((await state()).properties['derived.V2']).toMatch(/^r2 /)
  })

  test('records the inputs of each part, and its covered period', async () => {
    for (const [count, versions] of STORY.slice(0, 2)) await step(count, versions)
    const { properties, snapshot } = await state()
    // Stops and lines: V1 by the first commit of either table, V2 by the second; one file each.
    expect(properties['derived.V2']).toBe('r1 V1=1x1/1x1 V2=2x1/2x1')
    expect(properties['landed-until.little']).toBe('2026-06-15T00:01:00.000Z')
    const inputs = await Promise.all([stops, lines].map((dataset) => stage.context.lake.table(dataset).load()))
    expect(snapshot?.summary).toMatchObject({
      operation: 'append',
      'derived-part': 'V2',
      'derived-lineage': properties['derived.V2'],
      'derived-from': inputs.map((one) => `${one?.table.key.split('/').at(-1)}@${one?.snapshotId}`).join(' '),
    })
  })

  test("gives a late version its place: its own part and the next one's", async () => {
    await step(0, { V1: ['a', 'L'] })
    await step(5, { V3: ['b', 'L'] })
    expect(await changes()).toEqual(['V1>V3:+b@5', 'V1>V3:-a@5'])
    expect(await stage.publish(feed, 2, { versions: { V2: ['a', 'b', 'L'] } }, 6)).toMatchObject({ outcome: 'rejected' })
    const [id] = await rejectedIds(stage.context.store, feed.id)
    await stage.runner.accept(feed, id as string)
    await stage.runner.land(feed, never)
    expect(await run()).toMatchObject({ made: ['V2', 'V3'] })
    expect((await changes()).map((text) => text.split('@')[0])).toEqual(['V1>V2:+b', 'V2>V3:-a'])
  })

  test('removes rows whose inputs are gone', async () => {
    await step(0, { V1: ['a', 'L'] })
    await step(1, { V2: ['b', 'L'] })
    await step(2, { V3: ['c', 'L'] })
    const fetch = (await tableRows(stage.context, stops)).find(({ version }) => version === 'V2')?.fetch_id as string
    await stage.runner.withdraw(feed, fetch, () => stage.runner.land(feed, never))
    expect(await run()).toMatchObject({ removed: ['V2'], made: ['V3'] })
    expect(await changes()).toEqual(['V1>V3:+c@2', 'V1>V3:-a@2'])
    expect(await parts()).toEqual(['derived.V3'])
  })

  test('waits while its inputs hold different fetches', async () => {
    await step(0, { V1: ['a', 'L'] })
    await stage.publish(feed, 1, { versions: { V2: ['b', 'L'] } })
    let written = 0
    const onStep = (name: string): void => {
      if (name === 'parquet-written' && ++written === 2) throw new Error('stopped')
    }
    await expect(makeRunner({ ...stage.context, onStep }).land(feed, never)).rejects.toThrow('stopped')
    // Stops of V2 are there, its lines are not.
    expect(await tableRows(stage.context, stops)).toHaveLength(2)
    expect(await run()).toEqual({ made: [], removed: [], rows: 0, waits: true })
    expect(await changes()).toEqual([])
    stage.restart()
    await stage.runner.land(feed, never)
    expect(await run()).toMatchObject({ made: ['V2'], waits: false })
    expect(await changes()).toEqual(['V1>V2:+b@1', 'V1>V2:-a@1'])
  })

  test.each(byTier(['parquet-written', 'metadata-written'], ['parquet-written', 'manifests-written', 'metadata-written', 'hint-written']))(
    'stopped at %s, the next run ends it',
    async (at) => {
      for (const [count, versions] of STORY) await stage.publish(feed, count, { versions })
      await stage.runner.land(feed, never)
      for (const nth of [1, 2]) {
        let passed = 0
        const onStep = (name: string): void => {
          if (name === at && ++passed === nth) throw new Error('stopped')
        }
        await derive({ ...stage.context, onStep }, derived, { feeds, signal: never }).catch(() => null)
        const versions = new Set((await tableRows(stage.context, differences)).map(({ version }) => version as string))
        // A part is there whole with its lineage, or not at all.
        expect(await parts()).toEqual([...versions].sort().map((version) => `derived.${version}`))
      }
      await run()
      expect(await changes()).toEqual(END.slice(0, 5))
    },
  )

  test('two processes at once make it once', async () => {
    for (const [count, versions] of STORY) await stage.publish(feed, count, { versions })
    await stage.runner.land(feed, never)
    const results = await Promise.all([run(), run()])
    expect(results.flatMap(({ made }) => made).sort()).toEqual(['V2', 'V3'])
    expect(results.map(({ waits }) => waits).sort()).toEqual([false, true])
    expect(await changes()).toEqual(END.slice(0, 5))
  })

  test('a part that another process made meanwhile is left as that made it', async () => {
    for (const [count, versions] of STORY) await stage.publish(feed, count, { versions })
    await stage.runner.land(feed, never)
    let isFirst = true
    const onStep = async (name: string): Promise<void> => {
      if (name !== 'parquet-written' || !isFirst) return
      isFirst = false
      // As one whose lock was lost while it stood still.
      await stage.context.redis.del('lock:derive:little_differences', 'lock:derive:little_differences:V2')
      await run()
    }
    expect(await derive({ ...stage.context, onStep }, derived, { feeds, signal: never })).toMatchObject({ waits: true })
    expect(await changes()).toEqual(END.slice(0, 5))
  })

  test('rows removed before another process intervened are reported', async () => {
    for (const [count, versions] of STORY) await step(count, versions)
    const { store, redis } = stage.context
    // With tables of its own, for a table object commits one change at a time.
    const lake = await openLake({ store, spool: tempFolder(), memory: 256 * 1024 ** 2, spill: 0, threads: 1, slots: 1 })
    try {
      let isFirst = true
      const onStep = async (name: string): Promise<void> => {
        if (name !== 'hint-written' || !isFirst) return
        isFirst = false
        await redis.del('lock:derive:little_differences')
        await derive({ ...stage.context, lake }, littleDerived({ revision: 2 }), { feeds, signal: never })
      }
      const none = { ...derived, parts: () => [] }
      const result = await derive({ ...stage.context, onStep }, none, { feeds, signal: never })
      expect(result).toEqual({ made: [], removed: ['V2'], rows: 0, waits: true })
    } finally {
      await lake.close()
    }
    expect(await parts()).toEqual(['derived.V2', 'derived.V3'])
  })

  test.each([
    [
      'a key that comes twice',
      sql`SELECT 'V2' AS version, 'V1' AS previous, unnest(['x', 'x']) AS name, make_timestamptz(0) AS valid_from`,
      '1 keys that come twice',
    ],
    ['a null', sql`SELECT 'V2' AS version, NULL AS previous, 'x' AS name, make_timestamptz(0) AS valid_from`, '1 rows without a value'],
    [
      'another version',
      sql`SELECT 'V9' AS version, 'V1' AS previous, 'x' AS name, make_timestamptz(0) AS valid_from`,
      '1 rows of another version',
    ],
  ])('%s is no row: nothing lands', async (_, rows, reason) => {
    await step(0, { V1: ['a', 'L'] })
    await stage.publish(feed, 1, { versions: { V2: ['b', 'L'] } })
    await stage.runner.land(feed, never)
    await expect(run(littleDerived({ rows: () => rows }))).rejects.toThrow(`little_differences: part V2 has ${reason}`)
    expect([await changes(), await parts()]).toEqual([[], []])
  })

  test('is made after a landing, and looked at no more until something lands', async () => {
    const deriver = makeDeriver(stage.context, { derivations: [derived], feeds })
    await deriver.all(never)
    for (const [count, versions] of STORY.slice(0, 2)) await stage.publish(feed, count, { versions })
    await stage.runner.land(feed, never)
    await deriver.after({ ...feed, into: [trafficReadings] }, never)
    expect(await changes()).toEqual([])
    await deriver.after(feed, never)
    expect(await changes()).toHaveLength(3)
    await deriver.after(feed, never)
    await deriver.after(feed, never)
    expect(stage.lines.filter(({ msg }) => msg === 'derived')).toHaveLength(1)
    // With the lock taken by another it would have to wait, did it not know that nothing is due.
    await stage.context.redis.set('lock:derive:little_differences', 'other', 'PX', 60_000)
    const { version } = await state()
    await deriver.after(feed, never)
    expect((await state()).version).toBe(version)
  })

  test('is declared of versions only', () => {
    expect(() => defineDerived({ ...derived, from: [trafficReadings] })).toThrow('traffic_readings is not partitioned by its version')
  })
})
