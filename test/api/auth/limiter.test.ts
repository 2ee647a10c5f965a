import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MAX_CALLS } from '../../../api/auth/limits/charge-script.ts'
import { type Limiter, type LimiterOptions, openLimiter } from '../../../api/auth/limits/limiter.ts'
import { type Charge, perDay, perMinute } from '../../../api/auth/limits/policy.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { deepTest } from '../../helpers/tier.ts'
import { until } from '../../helpers/until.ts'
import type { ChargerOrder, ChargerReport } from './charger.ts'

let server: TestRedis
let redis: Redis
const opened: Limiter[] = []
beforeAll(async () => {
  server = await startTestRedis()
  redis = openRedis(server.url)
})
beforeEach(async () => {
  await redis.flushall()
})
afterEach(() => {
  for (const limiter of opened.splice(0)) limiter.close()
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

const POLICIES = [perMinute(10), perDay(1000)]
const ONE = { minute: 1, day: 1 }

function limiterWith(options: Partial<LimiterOptions> = {}): Limiter {
  const limiter = openLimiter({
    redisUrl: server.url,
    onSwitch: () => undefined,
    probe_ms: 100,
    // A machine that runs other tests beside may be slow to answer.
    timeout_ms: 2000,
    ...options,
  })
  opened.push(limiter)
  return limiter
}

const remaining = ({ quotas }: Charge): number[] => quotas.map((one) => one.remaining)
const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))

describe('charges', () => {
  test('count under every policy, and one that a policy refuses under none', async () => {
    const limiter = limiterWith({ clock: () => 1_790_000_000 })
    const charges = await times(12, () => limiter.charge('a', POLICIES, ONE))
    expect(charges.map(({ admitted }) => admitted)).toEqual([...Array<boolean>(10).fill(true), false, false])
    expect(charges.map(remaining).slice(8)).toEqual([
      [1, 991],
      [0, 990],
      [0, 990],
      [0, 990],
    ])
    expect(charges.at(-1)).toMatchObject({
      by: 'redis',
      retry_after_s: 61,
      charged: [],
      quotas: [{ violated: true }, { violated: false }],
    })
    expect(remaining(await limiter.charge('b', POLICIES, ONE))).toEqual([9, 999])
  })

  test('that weigh nothing under a spent policy are admitted', async () => {
    let now_s = 1_790_000_000
    const limiter = limiterWith({ clock: () => now_s })
    const policies = [perMinute(10), perDay(3)]
    for (let n = 0; n < 3; n++) await limiter.charge('a', policies, ONE)
    now_s += 70
    const refused = await limiter.charge('a', policies, ONE)
    expect(refused).toMatchObject({ admitted: false, quotas: [{ violated: false }, { violated: true, remaining: 0 }] })
    expect(refused.retry_after_s).toBe(refused.quotas[1]?.reset_s)
    const matching = await limiter.charge('a', policies, { minute: 1, day: 0 })
    expect(matching).toMatchObject({ admitted: true, retry_after_s: 0 })
    expect(remaining(matching)).toEqual([9, 0])
  })

  test('are given back once, in the bucket they were charged in', async () => {
    let now_s = 1_790_000_000
    const limiter = limiterWith({ clock: () => now_s })
    const first = await limiter.charge('a', POLICIES, { minute: 2, day: 3 })
    now_s += 30
    await limiter.charge('a', POLICIES, ONE)
    await times(3, () => limiter.refund(first))
    const after = await limiter.charge('a', POLICIES, {})
    expect(remaining(after)).toEqual([9, 999])
    // The oldest unit left is that of 30 s later.
    expect(after.quotas[0]?.reset_s).toBe(61)
    await limiter.refund(after)
    expect(remaining(await limiter.charge('a', POLICIES, {}))).toEqual([9, 999])
  })

  test('of one turn of the event loop are decided in one round trip, a thousand in a few', async () => {
    const limiter = limiterWith()
    const wide = [perMinute(10_000), perDay(10_000)]
    const calls = async (): Promise<number> => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0)
    await limiter.charge('warm', wide, ONE)
    await redis.config('RESETSTAT')
    await times(MAX_CALLS, (n) => limiter.charge(`s${n % 7}`, wide, ONE))
    expect(await calls()).toBe(1)
    await times(1000, (n) => limiter.charge(`s${n % 7}`, wide, ONE))
    expect(await calls()).toBe(1 + Math.ceil(1000 / MAX_CALLS))
  })

  test('of weights that are no units are refused with an error', async () => {
    const limiter = limiterWith()
    await expect(limiter.charge('a', POLICIES, { minute: -1 })).rejects.toThrow(RangeError)
  })
})

deepTest(
  'four processes that charge one slot are together admitted what one would be',
  async () => {
    const order: ChargerOrder = { redisUrl: server.url, limit: 200, window_s: 2, for_ms: 6500 }
    const children = Array.from({ length: 4 }, () => fork(new URL('./charger.ts', import.meta.url)))
    await Promise.all(children.map((child) => once(child, 'message')))
    const reports = await Promise.all(
      children.map(async (child) => {
        const ended = Promise.all([once(child, 'message'), once(child, 'exit')])
        child.send(order)
        const [[report], [code]] = await ended
        expect(code).toBe(0)
        return report as ChargerReport
      }),
    )
    const bySecond = new Map<number, number>()
    for (const second of reports.flatMap(({ admitted }) => admitted)) bySecond.set(second, (bySecond.get(second) ?? 0) + 1)
    // A window of two seconds spans three seconds of the clock.
    const [from, to] = [Math.min(...bySecond.keys()), Math.max(...bySecond.keys())]
    for (let second = from; second <= to; second++) {
      const held = [0, 1, 2].reduce((sum, later) => sum + (bySecond.get(second + later) ?? 0), 0)
      expect(held, `from second ${second - from}`).toBeLessThanOrEqual(order.limit)
    }
    // The quota was used up more than once, by several of them, and all requested more.
    expect([...bySecond.values()].reduce((sum, one) => sum + one)).toBeGreaterThanOrEqual(2 * order.limit)
    expect(reports.every(({ refused }) => refused > 0)).toBe(true)
  },
  60_000,
)

describe('while Redis is away', () => {
  test('each process grants half of every quota, without an error, and returns to Redis unaided', async () => {
    const switches: (string | null)[] = []
    const limiter = limiterWith({ onSwitch: (reason) => switches.push(reason?.message ?? null) })
    expect((await limiter.charge('a', POLICIES, ONE)).by).toBe('redis')
    await server.kill()
    const charges = await times(12, () => limiter.charge('a', POLICIES, ONE))
    expect(charges.every(({ by }) => by === 'process')).toBe(true)
    expect(charges.filter(({ admitted }) => admitted)).toHaveLength(5)
    expect(charges[5]).toMatchObject({
      admitted: false,
      quotas: [{ policy: { limit: 10 }, remaining: 0, violated: true }, { remaining: 495 }],
    })
    expect(limiter.connected).toBe(false)
    await limiter.refund(charges[0] as Charge)
    expect(remaining(await limiter.charge('a', POLICIES, {}))).toEqual([1, 496])
    await server.restart()
    await until('Redis to decide again', async () => (await limiter.charge('b', POLICIES, ONE)).by === 'redis')
    expect(limiter.connected).toBe(true)
    expect(switches).toEqual([null, expect.stringMatching(/\S/), null])
  })

  test('what a new process admitted before it reached Redis counts there, but for what it gave back', async () => {
    await server.kill()
    const limiter = limiterWith({ timeout_ms: 100 })
    const charges = await times(7, () => limiter.charge('a', POLICIES, ONE))
    expect(charges.filter(({ admitted }) => admitted)).toHaveLength(5)
    await limiter.refund(charges[0] as Charge)
    const shared = limiterWith({ timeout_ms: 100, processes: 5 })
    const alone = await times(3, () => shared.charge('b', POLICIES, ONE))
    expect(alone.map(({ admitted }) => admitted)).toEqual([true, false, false])
    await server.restart()
    await until('Redis to decide', () => limiter.connected && shared.connected)
    const later = await times(10, () => limiter.charge('a', POLICIES, ONE))
    expect(later.every(({ by }) => by === 'redis')).toBe(true)
    expect(later.filter(({ admitted }) => admitted)).toHaveLength(6)
    expect(remaining(await shared.charge('b', POLICIES, ONE))).toEqual([8, 998])
  })

  test('quotas are shared by the processes that were last seen', async () => {
    const [one, other] = [limiterWith(), limiterWith()]
    await Promise.all([one, other].map((limiter) => limiter.charge('a', POLICIES, {})))
    await until('both to be seen', async () => (await redis.zcard('quotas:processes')) === 2)
    const third = limiterWith()
    await third.charge('a', POLICIES, {})
    await until('all to be seen', async () => (await redis.zcard('quotas:processes')) === 3)
    await server.kill()
    await until('the failure to be seen', () => !third.connected)
    const charges = await times(3, () => third.charge('a', POLICIES, ONE))
    // Half of ten, by three.
    expect(charges.map(({ admitted }) => admitted)).toEqual([true, false, false])
    expect((await third.charge('b', [perMinute(1)], ONE)).admitted).toBe(true)
    await server.restart()
  })

  test('a stalled one costs one short wait, whatever waits for it, and none after', async () => {
    const timeout_ms = 300
    const limiter = limiterWith({ timeout_ms })
    await until('Redis to answer', () => limiter.connected)
    await redis.client('PAUSE', 1000, 'ALL')
    const began = performance.now()
    const waits: Promise<Charge>[] = []
    for (let turn = 0; turn < 20; turn++) {
      for (let n = 0; n < 10; n++) waits.push(limiter.charge(`s${n}`, POLICIES, ONE))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect((await Promise.all(waits)).every(({ by }) => by === 'process')).toBe(true)
    const took = performance.now() - began
    expect(took).toBeGreaterThan(timeout_ms - 20)
    expect(took).toBeLessThan(2 * timeout_ms)
    const asked = performance.now()
    await limiter.charge('a', POLICIES, ONE)
    expect(performance.now() - asked).toBeLessThan(timeout_ms / 2)
  })

  test('one that takes no writes is as good as away', async () => {
    const limiter = limiterWith()
    await redis.config('SET', 'maxmemory', '1')
    try {
      expect((await limiter.charge('a', POLICIES, ONE)).by).toBe('process')
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect([limiter.connected, limiter.refusal]).toEqual([false, 'OOM'])
    } finally {
      await redis.config('SET', 'maxmemory', '0')
    }
    await until('Redis to take writes', () => limiter.connected)
  })

  test('an event loop that stalled longer than the wait takes the reply that has arrived', async () => {
    const limiter = limiterWith({ timeout_ms: 500 })
    expect((await limiter.charge('warm', POLICIES, ONE)).by).toBe('redis')
    const waiting = limiter.charge('a', POLICIES, ONE)
    await new Promise((resolve) => setImmediate(resolve))
    const began = performance.now()
    while (performance.now() - began < 900);
    expect((await waiting).by).toBe('redis')
  })
})

describe('leases', () => {
  test('are as many as the slot may have, over all processes, until given back', async () => {
    const [one, other] = [limiterWith(), limiterWith()]
    const taken = await Promise.all([one.lease('a', 2), other.lease('a', 2), one.lease('a', 2), other.lease('a', 2)])
    const held = taken.filter((lease) => lease !== null)
    expect(held).toHaveLength(2)
    expect(await one.lease('b', 1)).not.toBeNull()
    await held[0]?.release()
    await held[0]?.release()
    const again = [await other.lease('a', 2), await other.lease('a', 2)]
    expect(again.map((lease) => lease !== null)).toEqual([true, false])
  })

  deepTest('last as long as their process, and shortly after it no more', async () => {
    const [one, other] = [limiterWith({ leaseTtl_ms: 600 }), limiterWith({ leaseTtl_ms: 600 })]
    expect(await one.lease('a', 1)).not.toBeNull()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await other.lease('a', 1)).toBeNull()
    one.close()
    await until('the place to be free', async () => (await other.lease('a', 1)) !== null)
    expect(await redis.pttl('quotas:leases:a')).toBeGreaterThan(0)
  })

  test('that would last longer than a term, as after the clock was set back, do not', async () => {
    const [seconds] = await redis.time()
    await redis.zadd('quotas:leases:a', (Number(seconds) + 3600) * 1000, 'of-another')
    const limiter = limiterWith({ leaseTtl_ms: 500 })
    expect(await limiter.lease('a', 1)).toBeNull()
    await until('the place to be free', async () => (await limiter.lease('a', 1)) !== null)
  })

  test('while Redis is away are those of this process, and are known to all once it is back', async () => {
    const [limiter, other] = [limiterWith({ leaseTtl_ms: 600 }), limiterWith({ leaseTtl_ms: 600 })]
    await server.kill()
    await until('the failure to be seen', () => !limiter.connected)
    const taken = [await limiter.lease('a', 6), await limiter.lease('a', 6), await limiter.lease('a', 6), await limiter.lease('a', 6)]
    expect(taken.map((lease) => lease !== null)).toEqual([true, true, true, false])
    await taken[0]?.release()
    expect(await limiter.lease('b', 1)).not.toBeNull()
    expect(await limiter.lease('b', 1)).toBeNull()
    await server.restart()
    await until('the leases to be known', async () => other.connected && (await redis.zcard('quotas:leases:a')) === 2)
    expect(await other.lease('b', 1)).toBeNull()
  })
})
