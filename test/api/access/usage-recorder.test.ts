import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LiveKey } from '../../../api/access/key-index.ts'
import { recordedUsage } from '../../../api/access/usage/recorded.ts'
import { openRecorder, type RecorderOptions, type UsageRecorder } from '../../../api/access/usage/recorder.ts'
import { hourObject, hourOf, minuteObject } from '../../../lake/minutes/objects.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { readUsage, USAGE, type UsageMinute, usageBefore } from '../../../lake/usage/objects.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'

const T0 = Date.UTC(2026, 10, 22, 9, 5, 30)
const MINUTE = 60_000
const SLOT = `${'a'.repeat(64)}.1`
const key = (id: string, plan: LiveKey['plan'] = 'PRO', slot = SLOT): LiveKey => ({
  ...{ id, plan, slot, status: 'ACTIVE', account: slot.slice(0, 64), ends_at: null },
})

interface Stage {
  readonly store: ObjectStore
  now: number
  readonly lost: number[]
  readonly errors: Error[]
  open(options?: Partial<RecorderOptions>): UsageRecorder
  all(): Promise<UsageMinute[]>
  names(): Promise<string[]>
}

async function stage(wrap: (store: ObjectStore) => ObjectStore = (store) => store): Promise<Stage> {
  const store = wrap(await fileStore(join(tempFolder(), 'store')))
  const self: Stage = {
    ...{ store, now: T0, lost: [], errors: [] },
    open: (options = {}) => {
      const recorder = openRecorder({
        ...{ store, every_ms: null, clock: () => self.now },
        onError: (error) => void self.errors.push(error),
        onLost: (requests) => void self.lost.push(requests),
        ...options,
      })
      onTestFinished(() => recorder.close())
      return recorder
    },
    all: async () => {
      const parts = await readUsage(store, { from: hourOf(T0), to: Number.POSITIVE_INFINITY, take: ({ minutes }) => minutes })
      return [...parts.values()].flat().sort((one, other) => one.minute_s - other.minute_s)
    },
    names: () => usageBefore(store, Number.POSITIVE_INFINITY),
  }
  return self
}

const row = (counts: object): object => ({
  ...{ key: null, slot: null, plan: null, path: '/a', answered: 0, not_modified: 0, client_error: 0, limited: 0, server_error: 0 },
  ...{ day_units: 0, ...counts },
})

describe('the recorder', () => {
  test('counts by key, plan, path and outcome, and writes each minute once it is over', async () => {
    const set = await stage()
    const recorder = set.open()
    const [a, b] = [recorder.counter('/a'), recorder.counter('/b')]
    a(null, 200, 1)
    a(null, 206, 1)
    // The index creates a new object for a key now and then.
    for (const status of [200, 304, 400, 404, 429, 500, 503]) a(key('key_1'), status, status < 300 ? 1 : 0)
    a(key('key_1', 'FREE'), 200, 1)
    b(key('key_1'), 200, 1)
    await recorder.flush()
    expect(await set.names()).toEqual([])
    const mine = { key: 'key_1', slot: SLOT, plan: 'PRO' }
    const expected = [
      row({ answered: 2, day_units: 2 }),
      row({ ...mine, answered: 1, not_modified: 1, client_error: 2, limited: 1, server_error: 2, day_units: 1 }),
      row({ ...mine, plan: 'FREE', answered: 1, day_units: 1 }),
      row({ ...mine, path: '/b', answered: 1, day_units: 1 }),
    ]
    const minute_s = Date.UTC(2026, 10, 22, 9, 5) / 1000
    expect(recorder.pending()).toEqual([{ minute_s, rows: expected }])
    set.now += MINUTE
    await recorder.flush()
    expect(await set.names()).toEqual([`usage/minutes/2026-11-22T09/${recorder.mark}-m05.json`])
    expect(await set.all()).toEqual([{ minute_s, rows: expected }])
    expect(recorder.pending()).toEqual([])
    // Nothing used, nothing written.
    set.now += MINUTE
    await recorder.flush()
    expect(await set.names()).toHaveLength(1)
  })

  test('begins a minute without being flushed, and never goes back to one', async () => {
    const set = await stage()
    const recorder = set.open()
    const count = recorder.counter('/a')
    for (const minutes of [0, 1, 1, -2]) {
      set.now += minutes * MINUTE
      count(null, 200, 1)
    }
    expect(recorder.pending().map(({ minute_s, rows }) => [minute_s * 1000 - (T0 - 30_000), rows[0]?.answered])).toEqual([
      [0, 1],
      [MINUTE, 1],
      [2 * MINUTE, 2],
    ])
  })

  test('gathers an hour that is over in one object, and readers see each minute once at every step', async () => {
    const set = await stage()
    const recorder = set.open()
    const count = recorder.counter('/a')
    for (let n = 0; n < 55; n++) {
      count(null, 200, 1)
      set.now += MINUTE
      if (n < 50) await recorder.flush()
    }
    const expected = 55
    const answered = async (): Promise<number> =>
      (await set.all()).reduce((sum, { rows }) => sum + rows.reduce((some, one) => some + one.answered, 0), 0)
    expect((await set.names()).length).toBe(50)
    // The first minute of the next hour waits in memory while the flush gathers the former.
    count(null, 200, 1)
    await recorder.flush()
    expect(await set.names()).toEqual([`usage/hours/2026-11-22T09/${recorder.mark}.json`])
    expect(await answered()).toBe(expected)
    // A process that ends in between leaves some of its minutes.
    await set.store.put(minuteObject(USAGE, recorder.mark, Date.UTC(2026, 10, 22, 9, 7) / 1000), Buffer.from('{"version":1,"minutes":[]}'))
    expect(await answered()).toBe(expected)
    // One of another process stands for itself.
    const other = set.open()
    other.counter('/a')(null, 200, 1)
    await other.close()
    expect(await answered()).toBe(expected + 1)
  })

  test('writes the last minute when it is closed, and counts nothing after', async () => {
    const set = await stage()
    const recorder = set.open()
    const count = recorder.counter('/a')
    count(null, 200, 1)
    await recorder.close()
    count(null, 200, 1)
    await recorder.close()
    expect(await set.all()).toEqual([{ minute_s: (T0 - 30_000) / 1000, rows: [row({ answered: 1, day_units: 1 })] }])
    expect([set.lost, set.errors]).toEqual([[], []])
  })

  test('writes unasked, soon after a minute is over', async () => {
    const set = await stage()
    const recorder = set.open({ every_ms: 20 })
    recorder.counter('/a')(null, 200, 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await set.names()).toEqual([])
    set.now += MINUTE
    await until('written', async () => (await set.names()).length === 1)
  })

  test('keeps unwritten usage for three hours, and reports what it gives up', async () => {
    let isAway = true
    const set = await stage((store) => ({
      ...store,
      url: store.url,
      get: (name) => store.get(name),
      list: (prefix, options) => store.list(prefix, options),
      delete: (name) => store.delete(name),
      // The outcome of a lost reply is not known: the object may be there.
      putIfAbsent: async (name, body) => {
        if (isAway && !name.endsWith('-m05.json')) throw new Error('the store is away')
        const written = await store.putIfAbsent(name, body)
        if (isAway) throw new Error('the reply is lost')
        return written
      },
    }))
    const recorder = set.open()
    const count = recorder.counter('/a')
    for (let n = 0; n < 4; n++) {
      count(null, 200, n === 0 ? 5 : 1)
      set.now += MINUTE
      await recorder.flush()
    }
    expect(set.errors.length).toBe(4)
    isAway = false
    await recorder.flush()
    expect((await set.all()).map(({ rows }) => rows[0]?.day_units)).toEqual([5, 1, 1, 1])
    isAway = true
    count(null, 200, 1)
    count(null, 200, 1)
    set.now += 3 * 60 * MINUTE
    await recorder.flush()
    expect(set.lost).toEqual([])
    set.now += 2 * MINUTE
    isAway = false
    await recorder.flush()
    expect(set.lost).toEqual([2])
    expect(recorder.pending()).toEqual([])
  })

  test('gives up the oldest minutes where memory would grow', async () => {
    const set = await stage()
    const recorder = set.open({ mostRows: 25 })
    const count = recorder.counter('/a')
    for (let n = 0; n < 4; n++) {
      for (let caller = 0; caller < 10; caller++) count(key(`key_${caller}`), 200, 1)
      set.now += MINUTE
    }
    count(null, 200, 1)
    expect(recorder.pending().map(({ rows }) => rows.length)).toEqual([10, 10, 1])
    expect(set.lost).toEqual([10, 10])
  })
})

describe('the record of a slot', () => {
  test("is the sum of all processes' charges in 24 hours, written or not", async () => {
    const set = await stage()
    const [mine, other] = [set.open(), set.open()]
    const [here, there] = [mine.counter('/a'), other.counter('/a')]
    const minutes: number[] = []
    const use = (count: typeof here, units: number): void => {
      count(key('key_1'), 200, units)
      minutes.push(Math.floor(set.now / MINUTE) * 60)
    }
    here(key('key_0', 'PRO', `${'b'.repeat(64)}.2`), 200, 9)
    set.now -= 26 * 60 * MINUTE
    const old = set.open()
    old.counter('/a')(key('key_1'), 200, 100)
    await old.close()
    set.now = T0
    use(there, 3)
    use(here, 1)
    set.now += 55 * MINUTE
    await Promise.all([mine.flush(), other.flush()])
    use(here, 2)
    here(null, 200, 1)
    here(key('key_1'), 304, 0)
    const recorded = recordedUsage({ store: set.store, recorder: mine, clock: () => set.now })
    const found = await recorded(SLOT)
    expect([...found].sort((one, two) => one.count - two.count)).toEqual([
      { minute_s: minutes[1], count: 1 },
      { minute_s: minutes[2], count: 2 },
      { minute_s: minutes[0], count: 3 },
    ])
    expect(await recorded(`${'b'.repeat(64)}.2`)).toEqual([{ minute_s: minutes[0], count: 9 }])
    expect(await recorded('198.51.100.7')).toEqual([])
    expect(hourObject(USAGE, 'x', hourOf(T0))).toBe('usage/hours/2026-11-22T09/x.json')
  })

  test('is read once for all callers, and a failure is not kept', async () => {
    let [lists, isAway] = [0, true]
    const set = await stage((store) => ({
      ...store,
      get: (name) => store.get(name),
      list: (prefix, options) => {
        lists++
        if (isAway) throw new Error('the store is away')
        return store.list(prefix, options)
      },
    }))
    const recorder = set.open()
    const recorded = recordedUsage({ store: set.store, recorder, clock: () => set.now })
    await expect(recorded(SLOT)).rejects.toThrow('away')
    isAway = false
    lists = 0
    await Promise.all(Array.from({ length: 100 }, (_, n) => recorded(`${'c'.repeat(64)}.${n}`)))
    await recorded('198.51.100.7')
    expect(lists).toBe(2)
  })
})
