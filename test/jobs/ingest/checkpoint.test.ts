import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { listCheckpoints, readCheckpoint, type StoredCheckpoint } from '../../../jobs/ingest/checkpoint.ts'
import { openMemory } from '../../../jobs/ingest/memory.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { runUpkeep } from '../../../jobs/upkeep/tasks.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { planRollback } from '../../../lake/iceberg/repair.ts'
import { type AcceptedFetch, acceptedAfter, readAccepted } from '../../../lake/raw/archive.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const feed = littleFeed()
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

const document = (count: number) => ({ beacons: { a: count, b: 1, ...(count === 2 ? { z: 1 } : {}) }, readings: { s: count } })
const land = (): Promise<unknown> => stage.runner.land(feed, never)
const publish = async (from: number, to: number, one: Feed = feed): Promise<void> => {
  for (let count = from; count <= to; count++)
    expect(await stage.publish(one, count, document(count))).toMatchObject({ outcome: 'accepted' })
}
const stored = () => listCheckpoints(stage.context.store, feed.id)
const ignored = (): string[] => stage.lines.filter(({ msg }) => /checkpoint/.test(msg)).map(({ msg }) => msg)

/** Opens the feed like a new process; returns the queries of the lake, the beacons' kilometres and their absences. */
async function restart(one: Feed = feed): Promise<{ queries: number; kms: unknown; absent: unknown }> {
  stage.restart()
  await stage.context.redis.flushall()
  const before = stage.queries
  await stage.runner.heal([one])
  const queries = stage.queries - before
  const { entries } = (await openMemory(stage.context, one)).parts.get(v16Beacons.id)?.state ?? { entries: new Map() }
  const absent = Object.fromEntries(
    [...entries].filter(([, { status }]) => status === 'ACTIVE').map(([key, entry]) => [key.at(-1), entry.absent]),
  )
  const rows = (await stage.live(v16Beacons.id)) ?? []
  return { queries, kms: Object.fromEntries(rows.map((row) => [row['source_id'], Number(row['km'])])), absent }
}

describe('a restart', () => {
  test('continues from the newest checkpoint without a query of the lake', async () => {
    await publish(1, 3)
    await land()
    expect(await stored()).toHaveLength(1)
    expect(await restart()).toEqual({ queries: 0, kms: { a: 3, b: 1, z: 1 }, absent: { a: 0, b: 0, z: 1 } })
  })

  test('replays what landed since, and folds what has not landed', async () => {
    await publish(1, 3)
    await land()
    await publish(4, 4)
    await land()
    await publish(5, 5)
    // Less than an hour and thirty fetches after the first: one checkpoint.
    expect(await stored()).toHaveLength(1)
    expect(await restart()).toEqual({ queries: 0, kms: { a: 5, b: 1 }, absent: { a: 0, b: 0 } })
    await land()
    const ended = (await tableRows(stage.context, v16Beacons)).filter(({ status }) => status === 'ENDED')
    expect(ended).toMatchObject([{ source_id: 'z', observed_at: minute(5), last_seen_at: minute(2) }])
  })

  test('replays a fetch that landed without rows as one without, also if it can be read by now', async () => {
    await publish(1, 2)
    await land()
    await stage.publish(feed, 3, { beacons: { a: 99 }, readings: { s: 3 } })
    const { store } = stage.context
    const object = (await readAccepted(store, feed.id, 3))?.bodies[0]?.object as string
    const bytes = (await store.get(object)) as Buffer
    await store.put(object, Buffer.from('junk'))
    stage.restart()
    await publish(4, 4)
    await land()
    await store.put(object, bytes)
    expect(await restart()).toEqual({ queries: 0, kms: { a: 4, b: 1, z: 1 }, absent: { a: 0, b: 0, z: 1 } })
  })
})

test('a late fetch is placed from the checkpoint before it, the next one too, and the state after it from there', async () => {
  for (const count of [0, 70, 140, 210]) {
    await publish(count, count)
    await land()
  }
  expect(await stored()).toHaveLength(4)
  for (const count of [100, 90]) {
    const { outcome, fetch_id } = await stage.publish(feed, count, { ...document(count), beacons: { a: count } }, 211)
    expect(outcome).toBe('rejected')
    await stage.runner.accept(feed, fetch_id as string)
    await land()
  }
  expect(ignored()).toEqual([])
  const kms = (await tableRows(stage.context, v16Beacons)).filter(({ source_id }) => source_id === 'a').map(({ km }) => Number(km))
  expect(kms).toEqual([0, 70, 90, 100, 140, 210])
  expect(await restart()).toMatchObject({ queries: 0, kms: { a: 210, b: 1 } })
  for (const dataset of feed.into)
    expect(await rebuild(stage.context, { feed, dataset, from: 0, to: null })).toMatchObject({ removed: 0, added: 0 })
})

describe('a checkpoint is ignored, with a line in the log,', () => {
  const READ_FROM_TABLE = { queries: 2, kms: { a: 3, b: 1, z: 1 }, absent: { a: 0, b: 0, z: 1 } }
  beforeEach(async () => {
    await publish(1, 3)
    await land()
  })

  test.each([
    ['empty', () => Buffer.alloc(0)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 60)],
    ['of another format', () => Buffer.from('{}')],
    ['changed in one bit', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte)))],
  ])('if it is %s', async (_, damaged) => {
    const key = (await stored())[0]?.key as string
    await stage.context.store.put(key, damaged((await stage.context.store.get(key)) as Buffer))
    expect(await restart()).toEqual(READ_FROM_TABLE)
    expect(ignored()).toContain('checkpoint ignored: it cannot be read')
  })

  test('if the store does not give it', async () => {
    const { store } = stage.context
    const away = (prefix: string) => prefix.startsWith('state/')
    const list: typeof store.list = (prefix, options) => {
      if (away(prefix)) throw new Error('403 access denied')
      return store.list(prefix, options)
    }
    Object.assign(stage.context, { store: { ...store, list } })
    expect(await restart()).toEqual(READ_FROM_TABLE)
    Object.assign(stage.context, { store })
  })

  test('if another release made it', async () => {
    const other = defineFeed({ ...feed, groups: { v16_beacons: { column: 'province_code', least: 3 } } })
    expect(await restart(other)).toEqual(READ_FROM_TABLE)
    expect(ignored()).toContain('no stored checkpoint is valid: states are read from the tables')
  })

  test('if another release landed since, which may have read the same bytes otherwise', async () => {
    const doubled = defineFeed({
      ...feed,
      async *rows(bodies, clock, diagnostics) {
        for await (const { dataset, rows } of feed.rows(bodies, clock, diagnostics))
          yield { dataset, rows: rows.map((row) => ('km' in row ? { ...row, km: 2 * (row['km'] as number) } : row)) }
      },
    })
    await publish(4, 4)
    await land()
    const kmsOfA = async () =>
      (await tableRows(stage.context, v16Beacons)).filter(({ source_id }) => source_id === 'a').map(({ km }) => Number(km))
    Object.assign(stage.context, { release: 'next' })
    expect(await restart(doubled)).toMatchObject({ queries: 2, kms: { a: 4, b: 1 } })
    // What the former release read wrongly is corrected by a row, though the publisher changed nothing.
    expect(await stage.publish(doubled, 5, document(4))).toMatchObject({ outcome: 'accepted' })
    await stage.runner.land(doubled, never)
    expect(await kmsOfA()).toEqual([1, 2, 3, 4, 8])
    // Its checkpoint is valid for both releases while nothing has landed since.
    expect(await restart(doubled)).toMatchObject({ queries: 0, kms: { a: 8, b: 2 } })
    Object.assign(stage.context, { release: 'before' })
    expect(await restart()).toMatchObject({ queries: 0, kms: { a: 8, b: 2 } })
  })

  test('if the log has another fetch in its place, as after a backup was restored', async () => {
    const third = (await readAccepted(stage.context.store, feed.id, 3)) as AcceptedFetch
    const key = 'raw/little/log/0000000003.json'
    await stage.context.store.put(key, Buffer.from(JSON.stringify({ ...third, fetch_id: 'little.20260615T000306000Z' })))
    expect(await restart()).toEqual(READ_FROM_TABLE)
  })

  test('if the rows of a table were rebuilt; those of the other tables continue', async () => {
    const mended = defineFeed({
      ...feed,
      async *rows(bodies, clock, diagnostics) {
        for await (const { dataset, rows } of feed.rows(bodies, clock, diagnostics))
          yield { dataset, rows: rows.map((row) => (row['source_id'] === 'b' ? { ...row, km: 7 } : row)) }
      },
    })
    await rebuild(stage.context, { feed: mended, dataset: v16Beacons, from: 0, to: null })
    const done = await restart()
    expect(done).toEqual({ ...READ_FROM_TABLE, queries: 1, kms: { a: 3, b: 7, z: 1 } })
    expect((await openMemory(stage.context, feed)).checkpoint).toBeNull()
    await land()
    expect((await restart()).queries).toBe(0)
  })

  test('if its table was rolled back, also when the same fetches have landed again', async () => {
    const table = stage.context.lake.table(v16Beacons)
    const version = (await table.load())?.version as number
    await publish(4, 4)
    await land()
    await (await planRollback(table, version)).apply()
    expect(await restart()).toMatchObject({ queries: 1, kms: { a: 4, b: 1, z: 1 } })
    await land()
    expect(await restart()).toMatchObject({ queries: 0, kms: { a: 4 } })
    expect((await tableRows(stage.context, v16Beacons)).map(({ km }) => Number(km)).filter((km) => km > 1)).toEqual([2, 3, 4])
  })
})

test('a checkpoint that cannot be stored does not stop the landing', async () => {
  const { store } = stage.context
  const put: typeof store.put = (key, body) => (key.startsWith('state/') ? Promise.reject(new Error('503')) : store.put(key, body))
  Object.assign(stage.context, { store: { ...store, put } })
  stage.restart()
  await publish(1, 2)
  expect(await land()).toMatchObject({ v16_beacons: 4 })
  expect(stage.lines.some(({ msg, reason }) => msg === 'no checkpoint stored' && reason === '503')).toBe(true)
  Object.assign(stage.context, { store })
})

test('values come back exactly as they were', async () => {
  await publish(1, 3)
  await land()
  const { state } = (await openMemory(stage.context, feed)).parts.get(v16Beacons.id) as { state: unknown }
  const key = (await stored())[0]?.key as string
  expect((await readCheckpoint(stage.context.store, key))?.parts.get(v16Beacons.id)?.state).toStrictEqual(state)
})

describe('upkeep of checkpoints', () => {
  const upkeep = (task: string): Promise<void> => runUpkeep(stage.context, task, { datasets: feed.into, feeds: [feed], signal: never })

  test('keeps the newest two, and the last of each hour for a day', async () => {
    const { store } = stage.context
    const minutes = [0, 10, 1500, 1530, 1559, 1561, 2990, 2995, 2999]
    const name = (count: number): string =>
      `state/little/${new Date(minute(count)).toISOString().replace(/[-:.]/g, '')}-000000000001-0123456789abcdef-0123456789abcdef.zst`
    for (const count of minutes) await store.put(name(count), Buffer.alloc(1))
    await upkeep('checkpoints')
    const left = (await stored()).map(({ data_time }) => (data_time - minute(0)) / 60_000)
    expect(left).toEqual([2999, 2995, 1561, 1559])
  })

  test('keeps the raw fetches after the oldest checkpoint, however old they are', async () => {
    await stage.archive(feed, 0, 100, (count) => ({ beacons: { a: count } }))
    await land()
    await stage.archive(feed, 1000, 1100, (count) => ({ beacons: { a: count } }))
    for (let landing = 0; landing < 3; landing++) await land()
    const [first] = await stored()
    // The stage's days are long past by the clock of the store.
    const keys = (await stored()).map(({ key }) => key)
    expect(keys.length).toBeGreaterThan(1)
    await upkeep('retire-raw')
    const left = await acceptedAfter(stage.context.store, feed.id, 0)
    const oldest = (await stored()).at(-1)?.data_time as number
    expect(left.filter(({ data_time }) => Date.parse(data_time) > oldest)).toHaveLength(100)
    for (const { key } of (await stored()).slice(1)) await stage.context.store.delete(key)
    // Data may be years old when it is fetched: what counts is how far the log had come.
    const { key, seq } = first as StoredCheckpoint
    expect(seq).toBeGreaterThan(100)
    await stage.context.store.put(key.replace(/\d{8}T/, '20160101T'), Buffer.alloc(1))
    await upkeep('retire-raw')
    expect((await acceptedAfter(stage.context.store, feed.id, 0)).length).toBeLessThan(left.length)
    expect((await stored())[0]).toEqual(first)
    expect((await restart()).queries).toBe(0)
  })
})
