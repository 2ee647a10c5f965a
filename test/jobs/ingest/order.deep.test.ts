import { expect, test } from 'vitest'
import { type CompletenessGroups, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { readBackwards } from '../../../jobs/ingest/backwards.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { landedOf } from '../../../lake/landed.ts'
import { sql } from '../../../lake/query/sql.ts'
import { type AcceptedFetch, acceptedAfter, acceptFetch } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type Document, littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

/** A publication at the given minutes after the start. */
type Edition = readonly [minute: number, document: Pick<Document, 'beacons' | 'readings'>]

/** The little feed with beacons of two provinces or none, by the first letter of their id, and readings of every tenth minute. */
const little = littleFeed()
const feed: Feed = defineFeed({
  ...little,
  bands: { v16_beacons: { atLeast: 0, minRatio: 0, maxRatio: 1000 }, traffic_readings: { atLeast: 0, minRatio: 0, maxRatio: 1000 } },
  groups: { v16_beacons: { column: 'province_code', least: 3, mostMissing: 1 } },
  async *rows(bodies, clock, diagnostics) {
    for await (const { dataset, rows } of little.rows(bodies, clock, diagnostics)) yield { dataset, rows: rows.map(placed) }
  },
})

function placed(row: AnyRow): AnyRow {
  if (row['sensor_id']) return { ...row, observed_at: Math.floor((row['observed_at'] as number) / 600_000) * 600_000 }
  return { ...row, province_code: PROVINCES[String(row['source_id'])[0] as keyof typeof PROVINCES] }
}

const PROVINCES = { a: '30', b: '28', c: null } as const

/** The same feed, where the lake at some times expects a province, at some does not, and at some does not know. */
const expecting: Feed = defineFeed({
  ...feed,
  groups: {
    v16_beacons: {
      ...(feed.groups?.['v16_beacons'] as CompletenessGroups),
      expected: {
        from: [],
        every_s: 60,
        query(at) {
          const [one, other] = [Math.floor(at / 60_000) % 3, Math.floor(at / 300_000) % 3].map((turn) => [-1, 0, 5][turn] as number)
          return sql`SELECT block, count FROM (VALUES ('30', ${one as number}), ('28', ${other as number})) AS expected (block, count) WHERE count >= 0`
        },
      },
    },
  },
})

/** Alerts of one block, of the other, or of both, chosen by the first letter of their id. */
const listing: Feed = defineFeed({
  ...little,
  into: [railAlerts],
  bands: { rail_alerts: { atLeast: 0, minRatio: 0, maxRatio: 1000 } },
  groups: { rail_alerts: { column: 'nucleo_codes', least: 3, mostMissing: 1 } },
  async *rows(bodies, clock, diagnostics) {
    for await (const { dataset, rows } of little.rows(bodies, clock, diagnostics))
      if (dataset === v16Beacons) yield { dataset: railAlerts, rows: rows.map(listed) }
  },
})

function listed({ source_id, km }: AnyRow): AnyRow {
  const nucleo_codes = NUCLEOS[String(source_id)[0] as keyof typeof NUCLEOS]
  return { ...ALERT, source_id, nucleo_codes, text_es: String(km) }
}

const NUCLEOS = { a: ['10'], b: ['20'], d: ['10', '20'] } as const
const NOTHING = { train_number: null, service_date: null, delay_s: null, effect: null, cause: null, active_from: null, active_until: null }
const LISTS = { lines: [], hashtags: [], route_ids: [], stop_ids: [], trip_ids: [], translations: [] }
const ALERT = { source: 'renfe', kind: 'NOTICE', derived: false, network: 'CERCANIAS', ...LISTS, ...NOTHING }

/** Random numbers in [0, 1) by a seed. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Beacons that come, move and go, and sensors that skip some publications; days and minutes apart. Every fourth publication lacks
 * a province. Beacons without a province and with an even number go with the first one.
 */
function editionsOf(seed: number, count: number, letters = 'ab'): Edition[] {
  const roll = dice(seed)
  const alive = new Map<string, number>()
  const ids = [...letters].flatMap((province) => Array.from({ length: 6 }, (_, at) => `${province}${at}`))
  let at = 0
  return Array.from({ length: count }, () => {
    at += [1, 1, 5, 10, 25, 180, 1800][Math.floor(roll() * 7)] as number
    for (const id of ids) {
      if (!alive.has(id) ? roll() < 0.35 : roll() < 0.2) alive.set(id, Math.floor(roll() * 3))
      else if (alive.has(id) && roll() < 0.3) alive.delete(id)
    }
    const without = roll() < 0.25 ? (roll() < 0.5 ? 'a' : 'b') : null
    const isOut = (id: string): boolean => id[0] === without || (id[0] === 'c' && without === 'a' && Number(id[1]) % 2 === 0)
    const beacons = Object.fromEntries([...alive].filter(([id]) => !isOut(id)))
    const readings = Object.fromEntries([0, 1, 2, 3].filter(() => roll() < 0.7).map((id) => [`s${id}`, Math.floor(roll() * 50)]))
    return [at, { beacons, readings }]
  })
}

/** The same, some of them up to four places late. */
function shuffled(editions: readonly Edition[], roll: () => number): Edition[] {
  const late = [...editions]
  for (let moved = 0; moved < 5; moved++) {
    const from = 1 + Math.floor(roll() * (editions.length - 6))
    const [edition] = late.splice(from, 1)
    late.splice(from + 1 + Math.floor(roll() * 4), 0, edition as Edition)
  }
  return late
}

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
    const restarted = await replay(
      editions,
      async (stage) => {
        await stage.runner.land(one, never)
        await stage.context.redis.flushall()
        stage.restart()
      },
      one,
    )
    expect(restarted).toEqual(inOrder)
    const roll = dice(seed + 7)
    const late = await replay(
      shuffled(editions, dice(seed + 99)),
      async (stage) => {
        if (roll() < 0.5) await stage.runner.land(one, never)
        if (roll() < 0.3) stage.restart()
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

test.each([false, true])('a beacon absent before its block was missing for long ends when it should (new process: %s)', async (isNew) => {
  const stage = await openStage()
  try {
    for (const count of [0, 1, 2, 3]) await stage.publish(feed, count, { beacons: many(count < 2 ? 0 : 1, 5) })
    await stage.archive(feed, 4, 209, () => ({}))
    await stage.runner.land(feed, never)
    if (isNew) stage.restart()
    for (const count of [209, 210]) await stage.publish(feed, count, { beacons: many(1, 5) })
    await stage.runner.land(feed, never)
    expect(endings({ v16_beacons: await tableRows(stage.context, v16Beacons) })).toEqual([['a00', 209, 1]])
  } finally {
    await stage.close()
  }
})

test.each([false, true])(
  'a beacon in no block goes on while a block is missing that was lost since it was seen, and no longer (new process: %s)',
  async (isNew) => {
    const stage = await openStage()
    try {
      // c1 is there without the province, so it is not of it; c0 may be.
      const editions = [{ ...many(0, 5), c0: 1, c1: 1 }, { c1: 1 }, {}, {}, {}, many(0, 5), many(0, 5), many(0, 5)]
      for (const [count, beacons] of editions.entries()) {
        await stage.publish(feed, count, { beacons })
        await stage.runner.land(feed, never)
        if (isNew) {
          await stage.context.redis.flushall()
          stage.restart()
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
    stage.restart()
    for (const count of [209, 210, 211]) await stage.publish(feed, count, { beacons: count === 209 ? {} : many(0, 5) })
    await stage.runner.land(feed, never)
    const ends = async () => endings({ v16_beacons: await tableRows(stage.context, v16Beacons) })
    expect(await ends()).toEqual([])
    stage.restart()
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

test('the log is read backwards in order of data time, however late something came', async () => {
  const stage = await openStage()
  try {
    await stage.archive(feed, 0, 150, () => ({}))
    const { store } = stage.context
    const [like] = await acceptedAfter(store, feed.id, 149, 1)
    for (const [at, count] of [3.5, 151, 90.5].entries())
      await acceptFetch(store, {
        ...(like as AcceptedFetch),
        seq: 151 + at,
        data_time: new Date(minute(count)).toISOString(),
        accepted_by: 'operator',
      })
    const record = { ...landedOf({}, feed.id), seqs: [[1, 153]] as const }
    for (const before of [null, 100]) {
      const log = readBackwards(stage.context, { feed: feed.id, landed: record, before: before && minute(before) })
      const read: number[] = []
      for (let step = 0, next = await log.at(0); next; next = await log.at(++step))
        read.push((Date.parse(next.data_time) - minute(0)) / 60_000)
      const all = [...Array.from({ length: 150 }, (_, at) => at), 3.5, 151, 90.5]
      expect(read).toEqual(all.filter((at) => before === null || at < before).sort((one, other) => other - one))
    }
  } finally {
    await stage.close()
  }
})
