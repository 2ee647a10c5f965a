import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LiveKey } from '../../../api/auth/keys/key-index.ts'
import { openRequestLog, type RequestLog, type RequestLogOptions } from '../../../api/auth/usage/request-log.ts'
import { logBefore, type RequestMinute, readLog } from '../../../lake/requests/log.ts'
import { unitsReader } from '../../../lake/requests/usage.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
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
  open(options?: Partial<RequestLogOptions>): RequestLog
  all(): Promise<RequestMinute[]>
  names(): Promise<string[]>
}

async function stage(wrap: (store: ObjectStore) => ObjectStore = (store) => store): Promise<Stage> {
  const store = wrap(await fileStore(join(tempFolder(), 'store')))
  const self: Stage = {
    ...{ store, now: T0, lost: [], errors: [] },
    open: (options = {}) => {
      const recorder = openRequestLog({
        ...{ store, every_ms: null, clock: () => self.now },
        onError: (error) => void self.errors.push(error),
        onLost: (_minutes, requests) => void self.lost.push(requests),
        ...options,
      })
      onTestFinished(() => recorder.close())
      return recorder
    },
    all: async () => {
      const parts = await readLog(store, { from: 0, to: Number.POSITIVE_INFINITY, take: ({ minutes }) => minutes })
      return [...parts.values()].flat().sort((one, other) => one.minute_s - other.minute_s)
    },
    names: () => logBefore(store, Number.POSITIVE_INFINITY),
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
    const [a, b] = [recorder.usageOf('/a'), recorder.usageOf('/b')]
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
      row({ ...mine, plan: 'FREE', answered: 1, day_units: 1 }),
      row({ ...mine, answered: 1, not_modified: 1, client_error: 2, limited: 1, server_error: 2, day_units: 1 }),
      row({ ...mine, path: '/b', answered: 1, day_units: 1 }),
      row({ answered: 2, day_units: 2 }),
    ]
    const minute_s = Date.UTC(2026, 10, 22, 9, 5) / 1000
    const minute = { minute_s, usage: expected, groups: [] }
    const empty = { minute_s: minute_s + 60, usage: [], groups: [] }
    expect(recorder.pending()).toEqual([minute])
    set.now += MINUTE
    await recorder.flush()
    expect(await set.names()).toEqual([`requests/2026-11-22T09/${recorder.mark}-1.jsonl`])
    expect(await set.all()).toEqual([minute])
    expect(recorder.pending()).toEqual([empty])
    // Nothing used: the process ran.
    set.now += MINUTE
    await recorder.flush()
    expect(await set.all()).toEqual([minute, empty])
  })

  test('begins a minute without being flushed, and never goes back to one', async () => {
    const set = await stage()
    const recorder = set.open()
    const count = recorder.usageOf('/a')
    for (const minutes of [0, 1, 1, -2]) {
      set.now += minutes * MINUTE
      count(null, 200, 1)
    }
    expect(recorder.pending().map(({ minute_s, usage }) => [minute_s * 1000 - (T0 - 30_000), usage[0]?.answered])).toEqual([
      [0, 1],
      [MINUTE, 1],
      [2 * MINUTE, 2],
    ])
  })

  test('writes the last minute when it is closed, and counts nothing after', async () => {
    const set = await stage()
    const recorder = set.open()
    const count = recorder.usageOf('/a')
    count(null, 200, 1)
    await recorder.close()
    count(null, 200, 1)
    await recorder.close()
    expect(await set.all()).toEqual([{ minute_s: (T0 - 30_000) / 1000, usage: [row({ answered: 1, day_units: 1 })], groups: [] }])
    expect([set.lost, set.errors]).toEqual([[], []])
  })

  test('writes unasked, soon after a minute is over', async () => {
    const set = await stage()
    const recorder = set.open({ every_ms: 20 })
    recorder.usageOf('/a')(null, 200, 1)
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
      put: async (name, body) => {
        if (isAway && set.now > T0 + MINUTE) throw new Error('the store is away')
        await store.put(name, body)
        if (isAway) throw new Error('the reply is lost')
      },
    }))
    const recorder = set.open()
    const count = recorder.usageOf('/a')
    for (let n = 0; n < 4; n++) {
      count(null, 200, n === 0 ? 5 : 1)
      set.now += MINUTE
      await recorder.flush()
    }
    expect(set.errors.length).toBe(4)
    isAway = false
    await recorder.flush()
    expect((await set.all()).map(({ usage }) => usage[0]?.day_units)).toEqual([5, 1, 1, 1])
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
    expect(recorder.pending()).toHaveLength(1)
  })
})

describe('the units of slots', () => {
  test("is the sum of all processes' charges in 24 hours, written or not", async () => {
    const set = await stage()
    const [mine, other] = [set.open(), set.open()]
    const [here, there] = [mine.usageOf('/a'), other.usageOf('/a')]
    const use = (count: typeof here, units: number): void => count(key('key_1'), 200, units)
    here(key('key_0', 'PRO', `${'b'.repeat(64)}.2`), 200, 9)
    set.now -= 26 * 60 * MINUTE
    const old = set.open()
    old.usageOf('/a')(key('key_1'), 200, 100)
    await old.close()
    set.now = T0
    use(there, 3)
    use(here, 1)
    set.now += 55 * MINUTE
    await Promise.all([mine.flush(), other.flush()])
    use(here, 2)
    here(null, 200, 1)
    here(key('key_1'), 304, 0)
    const units = await unitsReader({ store: set.store }, mine)(set.now - 24 * 60 * MINUTE)
    expect([...units]).toEqual(
      expect.arrayContaining([
        [SLOT, 6],
        [`${'b'.repeat(64)}.2`, 9],
      ]),
    )
    expect(units.size).toBe(2)
    // Those of the hour before are charged no longer.
    expect((await unitsReader({ store: set.store }, mine)(set.now - 30 * MINUTE)).get(SLOT)).toBe(2)
  })

  test('reads each object once', async () => {
    let gets = 0
    const set = await stage((store) => ({
      ...store,
      get: (name) => {
        gets++
        return store.get(name)
      },
    }))
    const log = set.open()
    log.usageOf('/a')(key('key_1'), 200, 1)
    set.now += MINUTE
    await log.flush()
    const read = unitsReader({ store: set.store }, log)
    for (let n = 0; n < 3; n++) expect([...(await read(T0 - MINUTE))]).toEqual([[SLOT, 1]])
    expect(gets).toBe(1)
  })
})
