import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { openRedis } from '../../../lake/live/connect.ts'
import { LIVE_KEYS, rowsKey } from '../../../lake/live/keys.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import { livePart, publishLive } from '../../../lake/live/write.ts'
import { emptyRedis, type TestRedis } from '../../helpers/redis.ts'
import { liveRow, liveRows, liveUpdate } from './updates.ts'

let redis: Redis
let server: TestRedis
emptyRedis((client, itsServer) => {
  redis = client
  server = itsServer
})

const version = async (): Promise<number> => Number(await redis.hget(LIVE_KEYS.versions, 'things'))

/** The contents of the snapshot and the hash; both must always be the same. */
async function held(feed = 'maker'): Promise<Record<string, unknown>> {
  const { bytes } = await readPart(redis, 'things', feed)
  const { byKey } = await decodeSnapshot(bytes as Buffer)
  const hash = await redis.hgetall(rowsKey('things', feed))
  expect(Object.fromEntries(Object.entries(hash).map(([key, text]) => [key, JSON.parse(text)]))).toEqual(Object.fromEntries(byKey))
  return Object.fromEntries([...byKey].map(([key, row]) => [key, row.value]))
}

describe('publishLive', () => {
  test('keeps rows as they are, in order, with the header of the part', async () => {
    const odd = new Map([
      ['b\u001f1', { ...liveRow('ñ "quoted" \\ line\u2028', 1), price: 1.459, at: 1767355408413.125, empty: null, list: [] }],
      ['a\n2', liveRow('', 2, 'MISSING')],
    ])
    expect(await publishLive(redis, liveUpdate(1, odd))).toBe(true)
    const { part, bytes } = await readPart(redis, 'things', 'maker')
    const decoded = await decodeSnapshot(bytes as Buffer)
    expect([...decoded.byKey]).toEqual([...odd])
    expect(decoded.rows).toEqual([...odd.values()])
    expect(part).toEqual({
      feed: 'maker',
      version: await version(),
      seq: 1,
      fetch_id: 'maker.1',
      data_time: 1000,
      fetched_at: 1005,
      rows: 2,
      rebuilds: 0,
      missing: [],
    })
    expect(await livePart(redis, 'things', 'maker')).toEqual(part)
    expect(await livePart(redis, 'things', 'nobody')).toBeNull()
  })

  test('takes an empty state, and a state of many rows over several pieces', async () => {
    await publishLive(redis, liveUpdate(1, new Map()))
    expect(await held()).toEqual({})
    const many = new Map(Array.from({ length: 12_345 }, (_, n) => [`key ${n}`, liveRow(`${n}`, n)]))
    await publishLive(redis, liveUpdate(2, many))
    expect(Object.keys(await held())).toHaveLength(12_345)
    await publishLive(redis, liveUpdate(3, liveRows({ last: 1 })))
    expect(await held()).toEqual({ last: 1 })
  })

  test('changes only the keys that differ', async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1, b: 1, c: 1 })))
    // A mark that only a rewrite of the key would remove.
    await redis.hset(rowsKey('things', 'maker'), 'a', JSON.stringify({ ...liveRow('a', 1), mark: true }))
    await publishLive(redis, liveUpdate(2, liveRows({ a: 1, b: 2, d: 1 })))
    const hash = await redis.hgetall(rowsKey('things', 'maker'))
    expect(Object.keys(hash).sort()).toEqual(['a', 'b', 'd'])
    expect(JSON.parse(hash.a as string)).toMatchObject({ mark: true })
    expect(JSON.parse(hash.b as string)).toMatchObject({ value: 2 })
  })

  test('never lets an older fetch replace a newer one', async () => {
    await publishLive(redis, liveUpdate(5, liveRows({ a: 5 })))
    const before = await version()
    expect(await publishLive(redis, liveUpdate(4, liveRows({ a: 4 })))).toBe(false)
    expect(await publishLive(redis, liveUpdate(5, liveRows({ a: 55 })))).toBe(false)
    expect(await publishLive(redis, liveUpdate(4, liveRows({ a: 4 }), { rebuild: true }))).toBe(false)
    expect(await held()).toEqual({ a: 5 })
    expect(await version()).toBe(before)
    expect(await publishLive(redis, liveUpdate(5, liveRows({ a: 55 }), { rebuild: true }))).toBe(true)
    expect(await held()).toEqual({ a: 55 })
  })

  test('ends with the newest fetch, whole, however publications of many workers cross', async () => {
    const others = [openRedis(server.url), openRedis(server.url), openRedis(server.url)]
    for (let round = 0; round < 10; round++) {
      const seqs = [1, 2, 3].map((step) => round * 3 + step)
      const done = await Promise.all(
        others.map((other, at) => {
          const seq = seqs[(at + round) % 3] as number
          return publishLive(other, liveUpdate(seq, liveRows({ a: seq, [`only ${seq}`]: seq }))).then((took) => [seq, took] as const)
        }),
      )
      const newest = Math.max(...seqs)
      expect(done.find(([seq]) => seq === newest)?.[1]).toBe(true)
      expect(await held()).toEqual({ a: newest, [`only ${newest}`]: newest })
    }
    for (const other of others) other.disconnect()
  })

  test('keeps the parts of several feeds apart', async () => {
    await publishLive(redis, liveUpdate(7, liveRows({ a: 1 })))
    expect(await publishLive(redis, liveUpdate(2, liveRows({ b: 2 }), { feed: 'other' }))).toBe(true)
    expect(await held('maker')).toEqual({ a: 1 })
    expect(await held('other')).toEqual({ b: 2 })
  })

  test('gives versions that grow, over an emptied Redis too, and are times', async () => {
    const seen: number[] = []
    for (let seq = 1; seq <= 20; seq++) {
      await publishLive(redis, liveUpdate(seq, liveRows({ a: seq })))
      seen.push(await version())
      if (seq !== 10) continue
      await redis.flushall()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => one - other))
    expect(Math.abs((seen.at(-1) as number) - Date.now())).toBeLessThan(5000)
  })

  test('goes on from a version that is ahead of the clock', async () => {
    const ahead = Date.now() + 3_600_000
    await redis.hset(LIVE_KEYS.versions, 'things', ahead)
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 })))
    expect(await version()).toBe(ahead + 1)
  })

  test('writes everything again over bytes it cannot read', async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1, gone: 1 })))
    await redis.set('live:snapshot:things/maker', 'of another format')
    expect(await publishLive(redis, liveUpdate(2, liveRows({ a: 2 })))).toBe(true)
    expect(await held()).toEqual({ a: 2 })
  })

  test('says so where Redis does not know its script any more', async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 })))
    await redis.script('FLUSH')
    expect(await publishLive(redis, liveUpdate(2, liveRows({ a: 2 })))).toBe(true)
    expect(await held()).toEqual({ a: 2 })
  })
})
