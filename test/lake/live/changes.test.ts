import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { type ChangesPage, readChanges } from '../../../lake/live/changes.ts'
import { LIVE_KEYS, logKey } from '../../../lake/live/keys.ts'
import { readPart } from '../../../lake/live/parts.ts'
import { decodeSnapshot } from '../../../lake/live/snapshot.ts'
import type { LiveRow } from '../../../lake/live/types.ts'
import { type LogLimits, publishLive } from '../../../lake/live/write.ts'
import { emptyRedis } from '../../helpers/redis.ts'
import { differences, liveRows, liveUpdate } from './updates.ts'

let redis: Redis
emptyRedis((client) => {
  redis = client
})

const DAY = 86_400_000
const WIDE: LogLimits = { maxAge_ms: 7 * DAY, maxEntries: 1000 }
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const page = (after: string | number, limit = 100): Promise<ChangesPage> => readChanges(redis, 'things', { after: String(after), limit })
const version = async (): Promise<number> => Number(await redis.hget(LIVE_KEYS.versions, 'things'))

/** Publishes states one after another, with the changes from each to the next; returns the version after each. */
async function publishAll(states: readonly Record<string, number>[], log = WIDE, first = 1): Promise<number[]> {
  const versions: number[] = []
  let before: ReadonlyMap<string, LiveRow> = first === 1 ? new Map() : await state()
  for (const [at, values] of states.entries()) {
    const rows = liveRows(values)
    const seq = first + at
    await publishLive(redis, liveUpdate(seq, rows, { changes: differences(before, rows), since_seq: seq === 1 ? null : seq - 1 }), log)
    before = rows
    versions.push(await version())
  }
  return versions
}

async function state(): Promise<ReadonlyMap<string, LiveRow>> {
  const { bytes } = await readPart(redis, 'things', 'maker')
  return (await decodeSnapshot(bytes as Buffer)).byKey
}

const summary = (found: ChangesPage): unknown =>
  found.reset ? 'reset' : found.entries.map(({ kind, key, row }) => `${kind} ${key} ${row.value}`)

describe('the change log', () => {
  test('begins at the newest publication of all feeds of the dataset', async () => {
    const of = (feed: string, seq: number, data_time: number): Promise<unknown> =>
      publishLive(redis, { ...liveUpdate(seq, liveRows({ [feed]: seq })), feed, data_time, since_seq: null }, WIDE)
    await of('maker', 5, 12_000)
    // Another feed of the dataset, whose data is older, begins the log anew.
    await of('other', 3, 9000)
    expect(summary(await page('@11500'))).toBe('reset')
    expect(summary(await page('@12000'))).toEqual([])
  })

  test('has kind, key, row, changed names and version of every change, in order', async () => {
    const [first = 0, second = 0, third = 0] = await publishAll([{ a: 1 }, { a: 2, b: 2 }, { b: 2 }])
    const found = await page(first)
    expect(found).toMatchObject({
      reset: false,
      next: String(third),
      more: false,
      entries: [
        { kind: 'UPDATED', key: 'a', changed: ['value'], version: second, cursor: `${second}-1`, feed: 'maker', data_time: 2000 },
        { kind: 'CREATED', key: 'b', changed: [], version: second },
        { kind: 'ENDED', key: 'a', version: third, row: { status: 'ENDED', value: 2, note: 'line one\nline "two" of a' } },
      ],
    })
    expect(summary(await page(second))).toEqual(['ENDED a 2'])
    expect(summary(await page(`${second}-1`))).toEqual(['CREATED b 2', 'ENDED a 2'])
    expect(summary(await page(third))).toEqual([])
  })

  test('is read page by page', async () => {
    const [first = 0, last = 0] = await publishAll([{}, { a: 1, b: 1, c: 1, d: 1, e: 1 }])
    const keys: string[] = []
    let after = String(first)
    for (let more = true, pages = 1; more; pages++) {
      const found = await page(after, 2)
      if (found.reset) throw new Error('reset')
      keys.push(...found.entries.map(({ key }) => key))
      after = found.next
      more = found.more
      expect(pages).toBeLessThanOrEqual(3)
    }
    expect(keys).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(after).toBe(String(last))
  })

  test('resets a cursor that is older than the log, and one of an emptied Redis', async () => {
    const [first = 0, second = 0] = await publishAll([{ a: 1 }, { a: 2 }])
    expect(summary(await page(first - 10))).toBe('reset')
    expect(summary(await page(0))).toBe('reset')
    await redis.flushall()
    expect(summary(await page(second))).toBe('reset')
    await pause(5)
    await publishLive(redis, liveUpdate(3, liveRows({ a: 3 }), { rebuild: true }), WIDE)
    expect(summary(await page(second))).toBe('reset')
    expect(summary(await page(await version()))).toEqual([])
  })

  test('takes a time of now, and resets one from a clock that was set back', async () => {
    const [only = 0] = await publishAll([{ a: 1 }])
    expect(summary(await page(Date.now()))).toEqual([])
    expect(summary(await page(only + 3_600_000))).toBe('reset')
  })

  test("starts again where changes do not continue Redis's state", async () => {
    const [, second = 0] = await publishAll([{ a: 1 }, { a: 2 }])
    // Fetch 3 was folded while Redis was away: fetch 4 knows only the later changes.
    await publishLive(redis, liveUpdate(4, liveRows({ a: 4 })), WIDE)
    expect(summary(await page(second))).toBe('reset')
    const restarted = await version()
    await publishAll([{ a: 5 }], WIDE, 5)
    expect(summary(await page(restarted))).toEqual(['UPDATED a 5'])
  })

  test('starts again at a rebuild that differs, goes on over one that does not', async () => {
    const [first = 0] = await publishAll([{ a: 1 }, { a: 2 }])
    await publishLive(redis, liveUpdate(2, liveRows({ a: 2 }), { rebuild: true }), WIDE)
    expect(summary(await page(first))).toEqual(['UPDATED a 2'])
    await publishLive(redis, liveUpdate(2, liveRows({ a: 22 }), { rebuild: true }), WIDE)
    expect(summary(await page(first))).toBe('reset')
  })

  test('keeps the newest entries when there are too many, and resets older cursors', async () => {
    const narrow = { maxAge_ms: 7 * DAY, maxEntries: 3 }
    const versions = await publishAll([{}, { a: 1, b: 1 }, { a: 2, b: 2 }], narrow)
    expect(await redis.xlen(logKey('things'))).toBe(3)
    expect(summary(await page(versions[0] as number))).toBe('reset')
    expect(summary(await page(`${versions[1]}-1`))).toEqual(['CREATED b 1', 'UPDATED a 2', 'UPDATED b 2'])
    expect(summary(await page(versions[1] as number))).toEqual(['UPDATED a 2', 'UPDATED b 2'])
    await publishAll([{ a: 4, b: 4, c: 4, d: 4 }], narrow, 4)
    expect(summary(await page(versions[2] as number))).toBe('reset')
    expect(await redis.xlen(logKey('things'))).toBe(0)
  })

  test('forgets old entries, but not a cursor that has read them all', async () => {
    const brief = { maxAge_ms: 300, maxEntries: 1000 }
    const [first = 0, second = 0] = await publishAll([{}, { a: 1 }], brief)
    await pause(400)
    await publishAll([{ a: 3 }], brief, 3)
    expect(summary(await page(first))).toBe('reset')
    expect(summary(await page(second))).toEqual(['UPDATED a 3'])
  })

  test('refuses an invalid cursor, naming it', async () => {
    await publishAll([{ a: 1 }])
    for (const cursor of ['', 'x', '-1', '1-', '1-2-3', '$', '+', '1e5', '9'.repeat(40)])
      await expect(page(cursor)).rejects.toThrow(`cursor ${cursor}`)
  })

  test('leads a follower to the same rows as the snapshot, whatever happens', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('publish' as const),
          values: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3)),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ do: 'flush' as const }) },
      { weight: 1, arbitrary: fc.constant({ do: 'lose' as const }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('follow' as const), limit: fc.integer({ min: 1, max: 5 }) }) },
    )
    const run = async (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> => {
      await redis.flushall()
      let now: ReadonlyMap<string, LiveRow> = new Map()
      let seq = 0
      let cursor = '0'
      let mine = new Map<string, unknown>()
      const follow = async (limit: number): Promise<void> => {
        for (;;) {
          const found = await page(cursor, limit)
          if (found.reset) {
            const { part, bytes } = await readPart(redis, 'things', 'maker')
            if (!part || !bytes) return
            mine = new Map([...(await decodeSnapshot(bytes)).byKey].map(([key, row]) => [key, row.value]))
            cursor = String(part.version)
            continue
          }
          for (const { kind, key, row } of found.entries) kind === 'ENDED' ? mine.delete(key) : mine.set(key, row.value)
          cursor = found.next
          if (!found.more) return
        }
      }
      for (const next of [...steps, { do: 'publish' as const, values: { a: 1 } }, { do: 'follow' as const, limit: 2 }]) {
        // Cursors are times. A log restarted within the ms of its newest entry looks the same: that takes more than an empty
        // Redis.
        if (next.do === 'flush') await Promise.all([redis.flushall(), pause(5)])
        else if (next.do === 'follow') await follow(next.limit)
        else {
          const rows = next.do === 'lose' ? liveRows({ lost: seq }) : liveRows(next.values)
          seq++
          const changes = differences(now, rows)
          now = rows
          if (next.do === 'publish')
            await publishLive(redis, liveUpdate(seq, rows, { changes, since_seq: seq - 1 || null }), { maxAge_ms: DAY, maxEntries: 6 })
        }
      }
      expect(Object.fromEntries(mine)).toEqual(Object.fromEntries([...now].map(([key, row]) => [key, row.value])))
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 30 }), run), { numRuns: 60 })
  })
})
