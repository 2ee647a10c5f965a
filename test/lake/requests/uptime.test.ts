import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openRequestLog } from '../../../api/auth/usage/request-log.ts'
import { logObject } from '../../../lake/requests/log.ts'
import type { UptimeMonth } from '../../../lake/requests/months.ts'
import { dayObject } from '../../../lake/requests/uptime.ts'
import { fileStore } from '../../../lake/store/file.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'
import { bound, DAY, figures, gatherAndForget, HOUR, MINUTE, NOON, onFiles, stage } from './stage.ts'

const s3 = await startS3()
afterAll(() => s3?.stop())

const down = ({ groups, unasked }: UptimeMonth, group: string): number => (groups.get(group) ?? unasked).down
describe.each([
  ['files', async () => bound(await fileStore(join(tempFolder(), 'store')))],
  ['s3', async () => (s3 ? bound(s3Store(s3.fresh())) : bound(await fileStore(join(tempFolder(), 'store'))))],
] as const)('uptime in %s', (name, open) => {
  test.skipIf(name === 's3' && !s3)(
    'is reported minute by minute, and is the same once days are gathered, whatever step that ends at',
    async () => {
      const set = await stage(await open())
      set.now = Date.UTC(2026, 10, 21, 23, 50)
      const [one, other] = [set.open(), set.open()]
      const [a, b] = [one.repliesOf('road'), other.repliesOf('road')]
      for (let n = 0; n < 20; n++) {
        a(200, 4)
        b(n === 3 ? 503 : 304, 40)
        if (n === 3) other.probeFailed('road')
        b(404, 1)
        await set.pass(1, one, ...(n < 15 ? [other] : []))
      }
      // Neither of the two runs for a while, and one goes on.
      set.now += 30 * MINUTE
      const again = set.open()
      again.repliesOf('fuel')(200, 2)
      await set.pass(70, again)
      const whole = await set.read()
      expect(figures(whole)).toEqual([Date.UTC(2026, 10, 21, 23, 50), 118, 30])
      expect([whole.groups.get('road'), whole.groups.get('fuel')?.requests, down(whole, 'rail')]).toMatchObject([
        { requests: 20 + 15 * 2, refused: 15, failed: 1, down: 31 },
        1,
        30,
      ])
      const midnight = Date.UTC(2026, 10, 22)
      expect(whole.days.map(({ date, minutes, silent, failing }) => [date, minutes, silent, failing.get('road') ?? 0])).toEqual([
        ['2026-11-21', 10, 0, 1],
        ['2026-11-22', 108, 30, 0],
      ])
      expect(whole.outages).toEqual([
        { group: null, from: midnight + 10 * MINUTE, until: midnight + 40 * MINUTE, minutes: 30 },
        { group: 'road', from: midnight - 7 * MINUTE, until: midnight - 6 * MINUTE, minutes: 1 },
      ])
      await Promise.all([one, other, again].map((process) => process.close()))
      set.now += DAY + 5 * HOUR
      const before = await set.read()
      // A run that is killed after any of its writes or removals leaves the same figures, and so does one beside another.
      const objects = await set.names()
      for (let steps = 0; (await set.names()).some((key) => !key.startsWith('uptime/days/')); steps++) {
        let left = steps
        const killed = async <T>(work: () => Promise<T>): Promise<T> => {
          const done = await work()
          if (left-- <= 0) throw new Error('killed')
          return done
        }
        const { store } = set
        const mortal: ObjectStore = {
          ...store,
          now: async () => set.now,
          putIfAbsent: (key, body) => killed(() => store.putIfAbsent(key, body)),
          delete: (key) => killed(() => store.delete(key)),
        }
        await gatherAndForget(mortal).catch((error: Error) => expect(error.message).toBe('killed'))
        expect(await set.read()).toEqual(before)
      }
      expect(objects.length).toBeGreaterThan(5)
      expect(await set.names()).toEqual([dayObject('2026-11-21'), dayObject('2026-11-22')])
      await Promise.all([set.gather(), set.gather()])
      expect(await set.read()).toEqual(before)
    },
  )
})

describe('a minute', () => {
  test('is reported even without requests, and not down while it is not due', async () => {
    const set = await onFiles()
    expect(figures(await set.read())).toEqual([null, 0, 0])
    const process = set.open()
    await set.pass(1, process)
    expect(figures(await set.read())).toEqual([null, 0, 0])
    await set.pass(2, process)
    expect(figures(await set.read())).toEqual([NOON, 1, 0])
    // A stopped process is not missed before two minutes have passed.
    set.now += 90_000
    expect(figures(await set.read())).toEqual([NOON, 2, 0])
    set.now += 90_000
    expect(figures(await set.read())).toEqual([NOON, 4, 1])
    expect(await set.names()).toEqual([logObject(process.mark, 1, NOON)])
  })

  test('is lost with a process that is killed, and those before and after are not', async () => {
    const set = await onFiles()
    const killed = set.open()
    killed.repliesOf('road')(200, 1)
    await set.pass(3, killed)
    killed.repliesOf('road')(200, 1)
    // From here it does nothing any more; another begins two minutes later.
    set.now += 2 * MINUTE
    const next = set.open()
    await set.pass(5, next)
    const month = await set.read()
    expect(figures(month)).toEqual([NOON, 8, 2])
    expect(month.groups.get('road')?.requests).toBe(1)
  })

  test('of a past day counts even if written hours later: the day is not closed before', async () => {
    const set = await onFiles()
    set.now = Date.UTC(2026, 10, 22, 23, 50)
    const { store } = set
    let isAway = true
    const late: ObjectStore = {
      ...store,
      put: (name, body) => (isAway ? Promise.reject(new Error('away')) : store.put(name, body)),
    }
    const [steady, cutOff] = [
      set.open(),
      openRequestLog({ ...{ store: late, every_ms: null, clock: () => set.now }, onError: () => undefined, onLost: () => undefined }),
    ]
    cutOff.repliesOf('road')(200, 1, 'ip4:192.0.2.1')
    await set.pass(20, steady, cutOff)
    for (let half = 0; half < 4; half++) {
      set.now += HOUR / 2
      await set.gather()
    }
    isAway = false
    await cutOff.close()
    const months = [await set.read('2026-11')]
    set.now += 1.5 * HOUR
    await steady.close()
    await set.gather()
    expect(await set.names()).not.toContain(dayObject('2026-11-22'))
    set.now += HOUR
    await set.gather()
    expect(await set.names()).toContain(dayObject('2026-11-22'))
    months.push(await set.read('2026-11'))
    expect(months.map(({ groups }) => groups.get('road')?.requests)).toEqual([1, 1])
  })

  test('is reported by a process that closes in it, with its counts', async () => {
    const set = await onFiles()
    const process = set.open()
    await set.pass(2, process)
    process.repliesOf('road')(200, 1)
    await process.close()
    set.now += 3 * MINUTE
    const month = await set.read()
    expect([figures(month), month.groups.get('road')?.requests]).toEqual([[NOON, 3, 0], 1])
  })

  test('is up where any process runs, and missing where a process stood still through it', async () => {
    const set = await onFiles()
    const [steady, frozen] = [set.open(), set.open()]
    await set.pass(5, steady, frozen)
    await set.pass(10, steady)
    await frozen.flush()
    await set.pass(3, steady, frozen)
    expect(figures(await set.read())).toEqual([NOON, 16, 0])
    await set.pass(10)
    await Promise.all([steady.flush(), frozen.flush()])
    await set.pass(3, frozen)
    // The minute in which they froze and that in which they woke are reported.
    expect(figures(await set.read())).toEqual([NOON, 29, 9])
  })

  test('is down for a group where more than one in twenty of at least 20 requests of three callers failed, all processes together', async () => {
    const set = await onFiles()
    const [one, other] = [set.open(), set.open()]
    const counts = { answered: 0, failed: 0, refused: 0, callers: 3 }
    const minute = async (given: Partial<typeof counts>): Promise<void> => {
      const { answered, failed, refused, callers } = { ...counts, ...given }
      const caller = (n: number): string => `key_${n % callers}`
      for (let n = 0; n < answered; n++) one.repliesOf('road')(n % 2 ? 200 : 304, 1, caller(n))
      for (let n = 0; n < failed; n++) other.repliesOf('road')(500 + (n % 4), 1, caller(n))
      for (let n = 0; n < refused; n++) one.repliesOf('road')(n % 2 ? 404 : 429, 1, `refused_${n}`)
      one.repliesOf('rail')(200, 1)
      await set.pass(1, one, other)
    }
    const down: number[] = []
    const cases: readonly (readonly [isDown: boolean, Partial<typeof counts>])[] = [
      // One in twenty is not more than 5 %.
      [false, { answered: 19, failed: 1 }],
      [true, { answered: 18, failed: 2 }],
      [false, { answered: 17, failed: 2 }],
      [true, { failed: 20 }],
      // A caller or two do not decide, however much they ask.
      [false, { answered: 50, failed: 50, callers: 2 }],
      [false, { failed: 300, callers: 1 }],
      [true, { answered: 50, failed: 50, callers: 9 }],
      // Rejected requests hide nothing, and bring neither requests nor callers.
      [true, { answered: 18, failed: 2, refused: 1000 }],
      [false, { failed: 10, refused: 50 }],
      [false, { failed: 30, refused: 50, callers: 2 }],
      [false, { refused: 50 }],
    ]
    for (const [n, [isDown, given]] of cases.entries()) {
      if (isDown) down.push(n)
      await minute(given)
    }
    await set.pass(4, one, other)
    const month = await set.read()
    const road = month.groups.get('road')
    expect([month.silent, road?.down, month.groups.get('rail')?.down]).toEqual([0, down.length, 0])
    expect(road?.last_failing_until).toBe(NOON + ((down.at(-1) as number) + 1) * MINUTE)
  })

  test('is down for a group whose probe failed in one process, asked or not, and for no other', async () => {
    const set = await onFiles()
    const [one, other] = [set.open(), set.open()]
    one.repliesOf('rail')(200, 1)
    other.probeFailed('road')
    await set.pass(1, one, other)
    await set.pass(4, one, other)
    const month = await set.read()
    expect([down(month, 'road'), down(month, 'rail'), month.groups.get('road')?.requests]).toEqual([1, 0, 0])
  })

  test('waits while the store is away, and is given up after three hours', async () => {
    const set = await onFiles()
    let isAway = true
    const { store } = set
    Object.assign(set, {
      store: {
        ...store,
        put: (name: string, body: Buffer) => (isAway ? Promise.reject(new Error('away')) : store.put(name, body)),
      },
    })
    const process = openRequestLog({
      ...{ store: set.store, every_ms: null, clock: () => set.now },
      onError: (error) => void set.errors.push(error),
      onLost: (minutes) => void set.lost.push(minutes),
    })
    await set.pass(200, process)
    expect([set.errors.length, await set.names()]).toEqual([200, []])
    expect(set.lost.reduce((sum, one) => sum + one, 0)).toBe(20)
    isAway = false
    await set.pass(3, process)
    const month = await set.read()
    // The given-up minutes were before any known one.
    expect(figures(month)).toEqual([NOON + 21 * MINUTE, 180, 0])
    await process.close()
  })

  test('ends by itself, and while the store takes its time for another', async () => {
    const set = await onFiles()
    const { store } = set
    const held = Promise.withResolvers<void>()
    const slow: ObjectStore = { ...store, put: (name, body) => held.promise.then(() => store.put(name, body)) }
    const process = openRequestLog({
      ...{ store: slow, every_ms: 20, clock: () => set.now },
      onError: (error) => void set.errors.push(error),
      onLost: () => undefined,
    })
    for (let n = 0; n < 3; n++) {
      set.now += MINUTE
      await new Promise((resolve) => setTimeout(resolve, 120))
    }
    held.resolve()
    await until('three minutes written', async () => {
      const name = logObject(process.mark, 1, NOON)
      const bytes = await set.store.get(name)
      return bytes !== null && bytes.toString().split('\n').length === 3
    })
    await process.close()
    expect(set.errors).toEqual([])
  })
})

describe('a clock', () => {
  test('that was a year ahead and comes back is a process of its own from then on', async () => {
    const set = await onFiles()
    const process = set.open()
    const count = process.repliesOf('road')
    await set.pass(3, process)
    set.now += 365 * DAY
    count(200, 1)
    await set.pass(1, process)
    set.now -= 365 * DAY
    count(200, 1)
    await set.pass(4, process)
    const month = await set.read()
    // The minute in which it leapt was three hours old by that clock, and given up.
    expect([figures(month), set.lost]).toEqual([[NOON, 6, 1], [1]])
    expect(month.groups.get('road')?.requests).toBe(1)
    await process.close()
  })

  test('that goes back a little doubles no minute', async () => {
    const set = await onFiles()
    const process = set.open()
    const count = process.repliesOf('road')
    for (const minutes of [1, 1, -1, -2, 1, 1, 1, 1, 1]) {
      count(200, 1)
      set.now += minutes * MINUTE
      await process.flush()
    }
    await process.close()
    set.now += 2 * MINUTE
    const month = await set.read()
    expect(month.groups.get('road')?.requests).toBe(9)
    expect(month.silent).toBe(0)
  })

  test('that is wrong gives nothing for a time before there was a lake', async () => {
    const set = await onFiles()
    set.now = Date.UTC(1970, 0, 1)
    const early = set.open()
    await set.pass(2, early)
    await early.close()
    set.now = NOON
    const process = set.open()
    await set.pass(5, process)
    expect(figures(await set.read(undefined, NOON - 30_000))).toEqual([NOON, 3, 0])
    expect((await set.read(undefined, 0)).minutes).toBeGreaterThan(20_000)
  })
})
