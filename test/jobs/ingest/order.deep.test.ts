import { expect, test } from 'vitest'
import { defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type Document, tableRows } from '../../helpers/pipeline.ts'
import { dice, type Edition, editionsOf, expecting, feed, listing, shuffled } from './editions.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const nameOf = (row: AnyRow): string => String(row['source_id'] ?? row['sensor_id'])

/** The result of editions in tables and in Redis. An operator accepts those that the guard refuses as too old. */
async function replay(editions: readonly Edition[], after: (stage: Stage, step: number) => Promise<void>, one: Feed = feed) {
  const stage = await openStage()
  try {
    let late = 0
    for (const [step, [count, document]] of editions.entries()) {
      const { outcome, fetch_id } = await stage.publish(one, count, document)
      if (outcome === 'rejected') {
        await stage.runner.accept(one, fetch_id as string)
        late++
      } else expect(outcome).toBe('accepted')
      await after(stage, step)
    }
    await stage.runner.land(one, never)
    await stage.runner.heal([one])
    const written: Record<string, unknown> = {}
    for (const dataset of one.into) {
      written[dataset.id] = await tableRows(stage.context, dataset)
      written[`live ${dataset.id}`] = (await stage.live(dataset.id))?.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
      expect(await rebuild(stage.context, { feed: one, dataset, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
    }
    return { written, late }
  } finally {
    await stage.close()
  }
}

test.each([
  [10, 'feed', feed, 'ab'],
  [12, 'feed', feed, 'ab'],
  [10, 'feed of which the lake expects things', expecting, 'ab'],
  [10, 'feed with things in no block', feed, 'abc'],
  [10, 'feed with things in several blocks', listing, 'abd'],
  [13, 'feed with things in several blocks', listing, 'abd'],
  [11, 'feed with things in no block of which the lake expects some', expecting, 'abc'],
] as const)(
  'the result of editions does not depend on when they came, landed and were forgotten (seed %i, a %s)',
  async (seed, _, one, letters) => {
    const editions = editionsOf(seed, 24, letters)
    const inOrder = await replay(editions, async () => undefined, one)
    for (const from of ['checkpoints', 'tables'] as const) {
      const restarted = await replay(
        editions,
        async (stage) => {
          await stage.runner.land(one, never)
          await stage.context.redis.flushall()
          stage.restart(from)
        },
        one,
      )
      expect(restarted, from).toEqual(inOrder)
    }
    const roll = dice(seed + 7)
    const late = await replay(
      shuffled(editions, dice(seed + 99)),
      async (stage) => {
        if (roll() < 0.5) await stage.runner.land(one, never)
        if (roll() < 0.3) stage.restart(roll() < 0.5 ? 'tables' : 'checkpoints')
      },
      one,
    )
    expect(late.late).toBeGreaterThan(0)
    expect(late.written).toEqual(inOrder.written)
  },
  180_000,
)

/** The beacons of one province with some numbers. */
const many = (from: number, to: number): Document['beacons'] =>
  Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`a${String(from + at).padStart(2, '0')}`, 1]))

/** The recorded ends: beacon, and minutes of the end and of the last time it was seen. */
function endings(written: Record<string, unknown>): unknown[] {
  const ended = (written['v16_beacons'] as AnyRow[]).filter(({ status }) => status === 'ENDED')
  const count = (at: unknown): number => ((at as number) - minute(0)) / 60_000
  return ended.map((row) => [row['source_id'], count(row['observed_at']), count(row['last_seen_at'])])
}

const landed = async (stage: Stage): Promise<void> => void (await stage.runner.land(feed, never))

test('a block is missing where the publication before had enough of it, though that one came last', async () => {
  const editions = [many(0, 2), many(0, 5), {}, {}, {}].map((beacons, at): Edition => [at, { beacons }])
  const [first, second, ...rest] = editions as [Edition, Edition, ...Edition[]]
  const { written, late } = await replay([first, ...rest, second], landed)
  expect(late).toBe(1)
  expect(endings(written)).toEqual([])
  expect(written).toEqual((await replay(editions, landed)).written)
})

test('a late absence counts, though no row records it', async () => {
  const editions = [{ a0: 1 }, {}, {}, {}].map((beacons, at): Edition => [at, { beacons }])
  const [first, second, third, fourth] = editions as [Edition, Edition, Edition, Edition]
  const { written, late } = await replay([first, third, second, fourth], landed)
  expect(late).toBe(1)
  expect(endings(written)).toEqual([['a0', 3, 0]])
})

test.each([null, 'checkpoints', 'tables'] as const)(
  'a beacon absent before its block was missing for long ends when it should (new process: %s)',
  async (from) => {
    const stage = await openStage()
    try {
      for (const count of [0, 1, 2, 3]) await stage.publish(feed, count, { beacons: many(count < 2 ? 0 : 1, 5) })
      await stage.archive(feed, 4, 209, () => ({}))
      await stage.runner.land(feed, never)
      if (from) stage.restart(from)
      for (const count of [209, 210]) await stage.publish(feed, count, { beacons: many(1, 5) })
      await stage.runner.land(feed, never)
      expect(endings({ v16_beacons: await tableRows(stage.context, v16Beacons) })).toEqual([['a00', 209, 1]])
    } finally {
      await stage.close()
    }
  },
)

test.each([null, 'checkpoints', 'tables'] as const)(
  'a beacon in no block goes on while a block is missing that was lost since it was seen, and no longer (new process: %s)',
  async (from) => {
    const stage = await openStage()
    try {
      // c1 is there without the province, so it is not of it; c0 may be.
      const editions = [{ ...many(0, 5), c0: 1, c1: 1 }, { c1: 1 }, {}, {}, {}, many(0, 5), many(0, 5), many(0, 5)]
      for (const [count, beacons] of editions.entries()) {
        await stage.publish(feed, count, { beacons })
        await stage.runner.land(feed, never)
        if (from) {
          await stage.context.redis.flushall()
          stage.restart(from)
        }
      }
      expect(endings({ v16_beacons: await tableRows(stage.context, v16Beacons) })).toEqual([
        ['c0', 7, 0],
        ['c1', 4, 1],
      ])
    } finally {
      await stage.close()
    }
  },
)

test('a beacon in no block is kept through a gap longer than the part of the log read at once', async () => {
  const stage = await openStage()
  try {
    for (const count of [0, 1]) await stage.publish(feed, count, { beacons: { ...many(0, 5), c0: 1 } })
    await stage.archive(feed, 2, 209, () => ({}))
    await stage.runner.land(feed, never)
    stage.restart('tables')
    for (const count of [209, 210, 211]) await stage.publish(feed, count, { beacons: count === 209 ? {} : many(0, 5) })
    await stage.runner.land(feed, never)
    const ends = async () => endings({ v16_beacons: await tableRows(stage.context, v16Beacons) })
    expect(await ends()).toEqual([])
    stage.restart('tables')
    await stage.publish(feed, 212, { beacons: many(0, 5) })
    await stage.runner.land(feed, never)
    expect(await ends()).toEqual([['c0', 212, 1]])
  } finally {
    await stage.close()
  }
})

test('a replay goes on while a missing block hides its changes', async () => {
  const overlooking = defineFeed({
    ...feed,
    async *rows(bodies, clock, diagnostics) {
      const isOverlooked = (row: AnyRow): boolean => row['source_id'] === 'a00' && clock.fetched_at > minute(2)
      for await (const { dataset, rows } of feed.rows(bodies, clock, diagnostics))
        yield { dataset, rows: rows.filter((row) => !isOverlooked(row)) }
    },
  })
  const stage = await openStage()
  try {
    for (const count of [0, 1, 2, 3, 4]) await stage.publish(overlooking, count, { beacons: many(0, 5) })
    await stage.archive(overlooking, 5, 50, () => ({}))
    for (const count of [50, 51, 52]) await stage.publish(overlooking, count, { beacons: many(1, 5) })
    await stage.runner.land(overlooking, never)
    const ends = async () => endings({ v16_beacons: await tableRows(stage.context, v16Beacons) })
    expect(await ends()).toEqual([['a00', 4, 1]])
    await rebuild(stage.context, { feed, dataset: v16Beacons, from: minute(2), to: minute(4) })
    expect(await ends()).toEqual([['a00', 52, 4]])
    expect(await rebuild(stage.context, { feed, dataset: v16Beacons, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
  } finally {
    await stage.close()
  }
})

test('a state is restored in order of data time, however late something came', async () => {
  const stage = await openStage()
  try {
    const late = async (count: number, beacons: Document['beacons']) => {
      const { outcome, fetch_id } = await stage.publish(feed, count, { beacons }, 202)
      expect(outcome).toBe('rejected')
      await stage.runner.accept(feed, fetch_id as string)
    }
    await stage.archive(feed, 0, 150, () => ({ beacons: many(0, 2) }))
    await stage.publish(feed, 201, { beacons: many(1, 2) })
    await late(200, many(1, 2))
    await late(90.5, many(1, 2))
    await stage.runner.land(feed, never)
    stage.restart('tables')
    await stage.publish(feed, 202, { beacons: many(1, 2) })
    await stage.runner.land(feed, never)
    expect(endings({ v16_beacons: await tableRows(stage.context, v16Beacons) })).toEqual([['a00', 202, 149]])
  } finally {
    await stage.close()
  }
})
