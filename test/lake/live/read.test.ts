import type { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRedis } from '../../../lake/live/connect.ts'
import { forgetUndeclared } from '../../../lake/live/forget.ts'
import { writeFeedState } from '../../../lake/live/freshness.ts'
import { LIVE_KEYS, snapshotKey } from '../../../lake/live/keys.ts'
import { type LiveOptions, type LiveReader, openLive } from '../../../lake/live/read.ts'
import { publishLive } from '../../../lake/live/write.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { deepTest } from '../../helpers/tier.ts'
import { until } from '../../helpers/until.ts'
import { liveRows, liveUpdate } from './updates.ts'

let server: TestRedis
let redis: Redis
const readers: LiveReader[] = []
const errors: string[] = []

beforeEach(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
  errors.length = 0
})
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close()
  redis.disconnect()
  await server.stop()
})

function open(options: Partial<LiveOptions> = {}): LiveReader {
  const reader = openLive({ redisUrl: server.url, onError: (error) => errors.push(error.message), ...options })
  readers.push(reader)
  return reader
}

const NEVER = 3_600_000
const value = (reader: LiveReader, key = 'a'): unknown => reader.row('things', key)?.value

describe('openLive', () => {
  test("has Redis's contents once it is ready, and nothing unpublished", async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1, b: 2 })))
    const reader = open()
    await reader.ready
    expect(reader.connected).toBe(true)
    expect(reader.get('others')).toBeNull()
    expect(reader.get('things')).toMatchObject({ dataset: 'things', updated_at: 1000, oldest_data_time: 1000 })
    expect(reader.get('things')?.rows.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(value(reader, 'b')).toBe(2)
    expect(reader.row('things', 'c')).toBeNull()
  })

  test('takes a publication by message, without waiting for a poll, and notifies subscribers', async () => {
    const reader = open({ poll_ms: NEVER })
    await reader.ready
    const counts: number[] = []
    const stop = reader.onChange('things', ({ version, rows }) => {
      expect(reader.get('things')?.version).toBe(version)
      counts.push(rows.length)
    })
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 })))
    await until('the first state', () => value(reader) === 1, 1000)
    await publishLive(redis, liveUpdate(2, liveRows({ a: 2, b: 2 })))
    await until('the second state', () => value(reader) === 2, 1000)
    stop()
    await publishLive(redis, liveUpdate(3, liveRows({ a: 3 })))
    await until('the third state', () => value(reader) === 3, 1000)
    expect(counts).toEqual([1, 2])
    expect(errors).toEqual([])
  })

  deepTest('makes good a lost message within 5 s', async () => {
    const [polling, deaf] = [open(), open({ poll_ms: NEVER })]
    await Promise.all([polling.ready, deaf.ready])
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 })))
    await until('both to have the first state', () => value(polling) === 1 && value(deaf) === 1)
    // Subscribers come back after 100 ms at the earliest; the message reaches no one.
    await redis.client('KILL', 'TYPE', 'PUBSUB')
    await publishLive(redis, liveUpdate(2, liveRows({ a: 2 })))
    await until('the polling reader to have the second state', () => value(polling) === 2, 5000)
    expect(value(deaf)).toBe(1)
    await publishLive(redis, liveUpdate(3, liveRows({ a: 3 })))
    await until('the other to hear messages again', () => value(deaf) === 3, 1000)
  })

  test('merges the parts of several feeds, the newer publication over the older', async () => {
    await publishLive(redis, liveUpdate(9, liveRows({ a: 9, b: 9 }), { feed: 'new' }))
    await publishLive(redis, liveUpdate(4, liveRows({ b: 4, c: 4 }), { feed: 'old' }))
    const reader = open()
    await reader.ready
    expect(reader.get('things')).toMatchObject({ updated_at: 9000, oldest_data_time: 4000 })
    expect(reader.get('things')?.parts.map(({ feed, seq }) => [feed, seq])).toEqual([
      ['old', 4],
      ['new', 9],
    ])
    expect(reader.get('things')?.rows.map((row) => [row.name, row.value])).toEqual([
      ['b', 9],
      ['c', 4],
      ['a', 9],
    ])
    const before = reader.get('things')
    await publishLive(redis, liveUpdate(5, liveRows({ c: 5 }), { feed: 'old' }))
    await until('the part to change', () => value(reader, 'c') === 5, 1000)
    expect(value(reader, 'b')).toBe(9)
    expect(before?.byKey.get('c')?.value).toBe(4)
  })

  test('forgets the part of a feed that is declared no more, and goes on with the rest', async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 }), { feed: 'old' }))
    await publishLive(redis, liveUpdate(1, liveRows({ b: 1 })))
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 }), { dataset: 'retired', feed: 'old' }))
    for (const feed of ['old', 'maker']) await redis.hset(LIVE_KEYS.feeds, feed, JSON.stringify({ feed }))
    const reader = open({ poll_ms: 50 })
    await reader.ready
    const before = reader.get('things')?.version as number
    const gone = await forgetUndeclared(redis, [{ dataset: 'things', feed: 'maker' }])
    expect(gone.map(({ dataset, feed }) => `${dataset} of ${feed}`).sort()).toEqual(['retired of old', 'things of old'])
    await until('the reader to forget', () => value(reader) === undefined && reader.get('retired') === null, 1000)
    expect(reader.get('things')?.rows.map(({ name }) => name)).toEqual(['b'])
    await until('the feed to be forgotten', () => !reader.feedStates().has('old'), 1000)
    // A reader of the changes is notified once to read the state again.
    expect(await reader.changes('things', { after: String(before), limit: 10 })).toEqual({ reset: true })
    const after = String(reader.get('things')?.version)
    expect(await reader.changes('things', { after, limit: 10 })).toMatchObject({ reset: false, entries: [] })
    const late = open()
    await late.ready
    expect(String(late.get('things')?.version)).toBe(after)
    expect(await forgetUndeclared(redis, [{ dataset: 'things', feed: 'maker' }])).toEqual([])
    expect(await redis.keys('live:*old*')).toEqual([])
  })

  test('keeps the last good state while Redis is emptied, and takes the first that comes after', async () => {
    await publishLive(redis, liveUpdate(8, liveRows({ a: 8 })))
    await publishLive(redis, liveUpdate(8, liveRows({ b: 8 }), { feed: 'other' }))
    const reader = open({ poll_ms: 50 })
    await reader.ready
    const before = reader.get('things')
    await redis.flushall()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(reader.get('things')).toBe(before)
    expect(await reader.changes('things', { after: String(before?.version), limit: 10 })).toEqual({ reset: true })
    await publishLive(redis, liveUpdate(2, liveRows({ a: 9 }), { rebuild: true }))
    await until('the state after', () => value(reader) === 9, 1000)
    expect(value(reader, 'b')).toBe(8)
    expect(reader.get('things')?.version).toBeGreaterThan(before?.version as number)
  })

  test('serves its data while Redis is down, reports it, and heals when it is back', async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 })))
    const reader = open({ poll_ms: 100 })
    await reader.ready
    await server.kill()
    await until('it to notice', () => !reader.connected, 1000)
    expect(value(reader)).toBe(1)
    await expect(reader.changes('things', { after: '1', limit: 1 })).rejects.toThrow()
    await server.restart()
    await until('it to be connected', () => reader.connected)
    expect(value(reader)).toBe(1)
    await publishLive(redis, liveUpdate(2, liveRows({ a: 2 })))
    await until('the state after', () => value(reader) === 2)
  })

  test('becomes ready when Redis comes up after it', async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 })))
    await server.kill()
    const reader = open({ poll_ms: 100 })
    let ready = false
    void reader.ready.then(() => {
      ready = true
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect([ready, reader.connected, reader.get('things')]).toEqual([false, false, null])
    await server.restart()
    await until('it to be ready', () => ready && reader.connected)
    expect(reader.get('things')).toBeNull()
  })

  test('stays with its state where the bytes of a newer one cannot be read, and says why', async () => {
    await publishLive(redis, liveUpdate(1, liveRows({ a: 1 })))
    const reader = open({ poll_ms: NEVER })
    await reader.ready
    await publishLive(redis, liveUpdate(2, liveRows({ z: 2 }), { dataset: 'fine' }))
    await until('the reader to listen', async () => Number((await redis.pubsub('NUMSUB', LIVE_KEYS.channel))[1]) === 1)
    await redis.client('KILL', 'TYPE', 'PUBSUB')
    await publishLive(redis, liveUpdate(2, liveRows({ a: 2 })))
    await redis.set(snapshotKey('things', 'maker'), 'torn')
    const late = open()
    await late.ready
    expect(late.get('things')).toBeNull()
    expect(late.row('fine', 'z')?.value).toBe(2)
    // A busy machine may look twice before this line.
    expect(new Set(errors.map(String)).size).toBe(1)
    expect(value(reader)).toBe(1)
  })

  test('knows the state of the feeds, and keeps it while Redis is empty', async () => {
    const state = {
      feed: 'maker',
      last_attempt_at: 5,
      last_success_at: 5,
      fresh_at: 1,
      data_time: 1,
      last_fetch_id: 'maker.1',
      rows: { things: 1 },
    }
    const rest = { quarantined: 0, unknown_codes: 0, missing_blocks: [], last_error: null, failing_since: null, lost_fetches: 0 }
    await writeFeedState(redis, { ...state, ...rest })
    const reader = open({ poll_ms: 50 })
    await reader.ready
    expect(reader.feedStates().get('maker')).toEqual({ ...state, ...rest })
    await writeFeedState(redis, { ...state, ...rest, quarantined: 3 })
    await until('the new state', () => reader.feedStates().get('maker')?.quarantined === 3, 1000)
    await redis.flushall()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(reader.feedStates().get('maker')?.quarantined).toBe(3)
    // Feeds are written again one after the other: the first takes nothing from the others.
    await writeFeedState(redis, { ...state, ...rest, feed: 'other' })
    await until('the other', () => reader.feedStates().has('other'), 1000)
    expect(reader.feedStates().get('maker')?.quarantined).toBe(3)
    await writeFeedState(redis, { ...state, ...rest, quarantined: 4 })
    await until('the newest state', () => reader.feedStates().get('maker')?.quarantined === 4, 1000)
  })
})
