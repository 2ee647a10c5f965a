import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Limiter, type LimiterOptions, openLimiter } from '../../../api/access/limits/limiter.ts'
import { type Charge, type MinuteCounts, perDay, perMinute } from '../../../api/access/limits/policy.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { until } from '../../helpers/until.ts'

/** One that comes back with what it held, and one that comes back empty. */
let [kept, emptied]: TestRedis[] = []
const watched: Redis[] = []
const opened: Limiter[] = []
beforeAll(async () => {
  ;[kept, emptied] = await Promise.all([startTestRedis({ appendOnly: true }), startTestRedis()])
  watched.push(openRedis((kept as TestRedis).url), openRedis((emptied as TestRedis).url))
})
beforeEach(async () => {
  now_s = NOON_S
  for (const redis of watched) await redis.flushall()
})
afterEach(() => {
  for (const limiter of opened.splice(0)) limiter.close()
})
afterAll(async () => {
  for (const redis of watched) redis.disconnect()
  await kept?.stop()
  await emptied?.stop()
})

const NOON_S = 1_790_000_040
const POLICIES = [perMinute(1000), perDay(1000)]
const ONE = { minute: 1, day: 1 }
/** The second that all limiters are in. */
let now_s = NOON_S

async function limiterOn(server: TestRedis | undefined, options: Partial<LimiterOptions> = {}): Promise<Limiter> {
  const limiter = await openLimiter({
    redisUrl: (server as TestRedis).url,
    processes: 1,
    recorded: null,
    onSwitch: () => undefined,
    onRecordError: () => undefined,
    onLost: (units) => expect.unreachable(`${units} units were lost`),
    probe_ms: 100,
    timeout_ms: 2000,
    clock: () => now_s,
    ...options,
  })
  opened.push(limiter)
  await until('Redis to answer', () => limiter.connected)
  return limiter
}

/** Does something while Redis is away. */
async function without<T>(server: TestRedis | undefined, limiters: readonly Limiter[], act: () => Promise<T>): Promise<T> {
  // Else what was written while the file was synced might be lost.
  for (const redis of watched) await redis.config('SET', 'appendfsync', 'always')
  await server?.kill()
  await until('the failure to be seen', () => limiters.every(({ connected }) => !connected))
  const done = await act()
  await server?.restart()
  await until('Redis to be back', () => limiters.every(({ connected }) => connected))
  return done
}

const charge = async (limiter: Limiter, count: number, slot = 'a'): Promise<Charge[]> => {
  const charges = await Promise.all(Array.from({ length: count }, () => limiter.charge(slot, POLICIES, ONE)))
  expect(charges.every(({ admitted }) => admitted)).toBe(true)
  return charges
}

/** What is left of a day, as Redis says. */
async function left(limiter: Limiter, slot = 'a'): Promise<number | undefined> {
  const { by, standings } = await limiter.charge(slot, POLICIES, {})
  expect(by).toBe('redis')
  return standings[1]?.remaining
}

/** The state of a day without the mark. */
async function stateOf(slot: string): Promise<string | undefined> {
  return (await watched[0]?.getBuffer(`limits:day:${slot}`))?.subarray(4).toString('hex')
}

describe('what processes admitted alone of a minute', () => {
  test.each([
    ['what it held', () => kept],
    ['nothing', () => emptied],
  ])('is not admitted again by a Redis that comes back with %s', async (_what, server) => {
    const policies = [perMinute(60), perDay(1000)]
    const processes = await Promise.all([1, 2].map(() => limiterOn(server(), { processes: 2 })))
    const admitted = async (): Promise<number> => {
      const charges = await Promise.all(processes.flatMap((one) => Array.from({ length: 60 }, () => one.charge('a', policies, ONE))))
      return charges.filter((one) => one.admitted).length
    }
    expect(await without(server(), processes, admitted)).toBe(30)
    now_s += 5
    await until('all to be carried', async () => {
      const charges = await Promise.all(processes.map((one) => one.charge('a', policies, {})))
      return charges.every(({ standings }) => standings[0]?.remaining === 30)
    })
    expect(await admitted()).toBe(30)
  })
})

describe('what a process admitted alone of a day', () => {
  test('counts in a Redis that comes back with what it held, before anything else that is charged', async () => {
    const limiter = await limiterOn(kept)
    await charge(limiter, 7)
    await without(kept, [limiter], () => charge(limiter, 5))
    expect(await left(limiter)).toBe(988)
    await charge(limiter, 1)
    expect(await left(limiter)).toBe(987)
  })

  test('counts in the minutes in which it was charged, and leaves with them', async () => {
    const limiter = await limiterOn(kept)
    const other = await limiterOn(kept, { prefix: 'others:' })
    const acts: readonly (readonly [number, number])[] = [
      [20, 3],
      [30, 1],
      [61, 2],
      [150, 4],
    ]
    await charge(limiter, 2)
    await without(kept, [limiter, other], async () => {
      for (const [later, units] of acts) {
        now_s = NOON_S + later
        await charge(limiter, units)
      }
    })
    now_s = NOON_S + 200
    expect(await left(limiter)).toBe(988)
    // As if Redis had counted all of it.
    for (const [later, units] of [[0, 2], ...acts, [200, 0]] as const) {
      now_s = NOON_S + later
      if (units > 0) await charge(limiter, units, 'b')
      else await left(limiter, 'b')
    }
    expect(await stateOf('a')).toBe(await stateOf('b'))
    const minutes = [0, 60, 120, 180, 240].map((later) => NOON_S + 86_400 + later)
    const leaving: (number | undefined)[] = []
    for (now_s of minutes) leaving.push(await left(limiter))
    expect(leaving).toEqual([988, 994, 996, 1000, 1000])
  })

  test('is carried once, over several times without Redis', async () => {
    const limiter = await limiterOn(kept)
    for (const [units, total] of [
      [3, 3],
      [4, 7],
      [0, 7],
    ] as const) {
      await without(kept, [limiter], () => charge(limiter, units))
      expect(await left(limiter)).toBe(1000 - total)
    }
  })

  test('is carried by each of the processes that a slot used', async () => {
    const limiters = [await limiterOn(kept), await limiterOn(kept), await limiterOn(kept)]
    await charge(limiters[0] as Limiter, 2)
    await without(kept, limiters, async () => {
      for (const [n, limiter] of limiters.entries()) await charge(limiter, n + 1)
    })
    await until('each to have carried its own', async () => (await left(limiters[0] as Limiter)) === 992)
    for (const limiter of limiters) expect(await left(limiter)).toBe(992)
  })

  test('is left to the record where Redis has lost the state, and not counted twice', async () => {
    let [used, used_at, asked_since] = [0, 0, 0]
    const recorded = async (_slot: string, since: number): Promise<MinuteCounts> => {
      asked_since = since
      return [{ minute_s: NOON_S, count: used }]
    }
    const limiter = await limiterOn(emptied, { recorded })
    await charge(limiter, 7)
    used = 7
    await without(emptied, [limiter], async () => {
      now_s += 5
      await charge(limiter, 5)
      used = 12
      used_at = performance.now()
    })
    const back_at = performance.now()
    expect(await left(limiter)).toBe(988)
    // With all that was recorded until it was back.
    expect(asked_since).toSatisfy((since: number) => since > used_at && since <= back_at)
  })

  test('of a slot that Redis knows nothing of counts, too, where Redis has held all counts for longer than a day', async () => {
    const limiter = await limiterOn(kept, { recorded: async () => [] })
    await charge(limiter, 1, 'first')
    now_s += 2 * 86_400
    await without(kept, [limiter], () => charge(limiter, 5, 'later'))
    expect(await left(limiter, 'later')).toBe(995)
  })

  test('is less what was given back, before it was carried and after', async () => {
    const limiter = await limiterOn(kept)
    await charge(limiter, 2)
    const later = await without(kept, [limiter], async () => {
      const [first, second, ...others] = await charge(limiter, 6)
      await Promise.all([limiter.refund(first as Charge), limiter.refund(second as Charge), limiter.refund(first as Charge)])
      now_s += 61
      return others
    })
    expect(await left(limiter)).toBe(994)
    await limiter.refund(later[0] as Charge)
    await limiter.refund(later[0] as Charge)
    expect(await left(limiter)).toBe(995)
  })

  test('is carried of every slot of many', async () => {
    const limiter = await limiterOn(kept)
    const slots = Array.from({ length: 700 }, (_, n) => `s${n}`)
    await without(kept, [limiter], () => Promise.all(slots.map((slot, n) => charge(limiter, 1 + (n % 3), slot))))
    const found = await Promise.all(slots.map((slot) => left(limiter, slot)))
    expect(found).toEqual(slots.map((_, n) => 999 - (n % 3)))
  })
})

test('in a moment without answers each request counts once, whether Redis or the process decided it', async () => {
  const limiter = await limiterOn(kept, { timeout_ms: 500, probe_ms: 100, clock: () => Math.floor(Date.now() / 1000) })
  await charge(limiter, 1)
  await watched[0]?.client('PAUSE', 800, 'ALL')
  const sent = await charge(limiter, 3)
  expect(sent.every(({ by }) => by === 'process')).toBe(true)
  expect(limiter.connected).toBe(false)
  await charge(limiter, 5)
  await until('Redis to be back', () => limiter.connected)
  expect(await left(limiter)).toBe(1000 - 1 - 3 - 5)
})
