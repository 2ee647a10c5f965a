import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { type ChargeCall, type Counters, MAX_CALLS, runCharges, takeBack } from '../../../api/auth/limits/charge-script.ts'
import { type Charge, type Charged, definePolicy, type Policy, perDay, perMinute } from '../../../api/auth/limits/policy.ts'
import { chargeWindows, SlidingWindow } from '../../../api/auth/limits/sliding-window.ts'
import { emptyRedis } from '../../helpers/redis.ts'
import { byTier } from '../../helpers/tier.ts'
import { randomNumbers } from './exact-window.ts'

let redis: Redis
emptyRedis((client) => {
  redis = client
})

const NOW_S = 1_790_000_100

/** Counters at a fixed second of the clock. */
const at = (now_s: number): Counters => ({ redis, prefix: 'limits:', clock: () => now_s })

async function chargeOne(counters: Counters, call: ChargeCall): Promise<Charge> {
  const [charge] = await runCharges(counters, [call])
  return charge as Charge
}

const CHARGES = byTier(20_000, 1_000_000)

test('random charges and refunds are decided as windows in this process decide them', async () => {
  const random = randomNumbers(7)
  const whole = (below: number): number => Math.floor(random() * below)
  const kinds: (readonly Policy[])[] = [
    [perMinute(5), perDay(100)],
    [perMinute(60), perDay(2000)],
    [
      definePolicy({ name: 'minute', limit: 20, window_s: 12, bucket_s: 4 }),
      definePolicy({ name: 'hour', limit: 90, window_s: 3600, bucket_s: 60 }),
      perDay(900),
    ],
  ]
  const windows = new Map<string, SlidingWindow>()
  const window = (slot: string, policy: Policy): SlidingWindow => {
    const name = `${policy.name}:${slot}`
    const found = windows.get(name) ?? new SlidingWindow()
    windows.set(name, found)
    return found
  }
  const seen = { admitted: 0, refused: 0, refunded: 0 }
  const differ: unknown[] = []
  let held: Charged[] = []
  let now_s = NOW_S
  for (let turn = 0; turn < CHARGES / 80; turn++) {
    const kind = random()
    const step = kind < 0.6 ? whole(3) : kind < 0.9 ? whole(40) : kind < 0.97 ? whole(4000) : whole(100_000)
    now_s += step
    const calls = Array.from({ length: 80 }, () => {
      const slot = whole(12)
      const policies = kinds[slot % kinds.length] as readonly Policy[]
      return { slot: `s${slot}`, policies, units: policies.map(() => (random() < 0.7 ? 1 : whole(4))) }
    })
    const charges = await runCharges(at(now_s), calls)
    for (const [n, { slot, policies, units }] of calls.entries()) {
      const local = policies.map((policy) => window(slot, policy))
      const { buckets, ...expected } = chargeWindows(local, policies, { units, now_s })
      const { admitted, quotas, charged } = charges[n] as Charge
      const inBuckets = charged.map(({ bucket }) => bucket)
      const same = JSON.stringify({ admitted, quotas }) === JSON.stringify(expected)
      if (!same || (admitted && JSON.stringify(inBuckets) !== JSON.stringify(buckets)))
        differ.push({ turn, n, charge: charges[n], expected, buckets })
      seen[admitted ? 'admitted' : 'refused']++
      if (admitted && random() < 0.1) held.push(...charged.filter((one) => one.units > 0))
    }
    if (random() < 0.5) continue
    const [back, later] = [[], []] as [Charged[], Charged[]]
    for (const one of held) (random() < 0.5 ? back : later).push(one)
    held = later
    seen.refunded += back.length
    await takeBack(at(now_s), back)
    for (const { slot, policy, bucket, units } of back) windows.get(`${policy.name}:${slot}`)?.takeBack(bucket, units)
  }
  expect(differ.slice(0, 3)).toEqual([])
  expect(seen.admitted + seen.refused).toBe(CHARGES)
  expect(Math.min(seen.admitted, seen.refused, seen.refunded)).toBeGreaterThan(CHARGES / 20)
}, 300_000)

test('a slot that is used as much as ENTERPRISE allows takes less than 5 kB for both its windows', async () => {
  const policies = [perMinute(300), perDay(500_000)]
  for (let step = 0; step <= 288; step++) {
    const seconds = step < 288 ? [0] : Array.from({ length: 61 }, (_, second) => second)
    for (const second of seconds)
      expect(
        (await chargeOne(at(NOW_S + step * 300 + second), { slot: 'busy', policies, units: step < 288 ? [300, 1500] : [4, 4] })).admitted,
      ).toBe(true)
  }
  // Every bucket that can count does.
  expect([await redis.strlen('limits:minute:busy'), await redis.strlen('limits:day:busy')]).toEqual([4 + 61 * 8, 4 + 289 * 8])
  const keys = await redis.keys('*busy')
  const bytes = await Promise.all(keys.map(async (key) => Number(await redis.memory('USAGE', key))))
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(5000)
})

test('windows end by themselves once nothing in them counts', async () => {
  await chargeOne({ redis, prefix: 'limits:', clock: null }, { slot: 'gone', policies: [perMinute(5), perDay(100)], units: [1, 1] })
  for (const [key, window_s, bucket_s] of [
    ['limits:minute:gone', 60, 1],
    ['limits:day:gone', 86_400, 300],
  ] as const) {
    const ttl = await redis.pttl(key)
    expect(ttl).toBeGreaterThan((window_s + bucket_s) * 1000)
    expect(ttl).toBeLessThanOrEqual((window_s + 2 * bucket_s) * 1000)
  }
})

test('a clock that is set back by less than a window lets nothing leave early, and by more starts a new window', async () => {
  const charge = (now_s: number): Promise<Charge> => chargeOne(at(now_s), { slot: 'back', policies: [perMinute(2)], units: [1] })
  await charge(NOW_S)
  await charge(NOW_S + 30)
  expect(await charge(NOW_S - 20)).toMatchObject({ admitted: false, quotas: [{ reset_s: 81 }] })
  expect((await charge(NOW_S + 60)).admitted).toBe(false)
  expect((await charge(NOW_S + 61)).admitted).toBe(true)
  expect((await charge(NOW_S + 1)).admitted).toBe(false)
  expect(await charge(NOW_S)).toMatchObject({ admitted: true, quotas: [{ remaining: 1 }] })
})

test('the time is that of Redis by default', async () => {
  const [seconds] = await redis.time()
  const { charged } = await chargeOne({ redis, prefix: 'limits:', clock: null }, { slot: 'now', policies: [perMinute(5)], units: [1] })
  expect(Number(charged[0]?.bucket) - Number(seconds)).toBeGreaterThanOrEqual(0)
  expect(Number(charged[0]?.bucket) - Number(seconds)).toBeLessThan(5)
})

test("a refund never exceeds the bucket's use, and does nothing to a bucket that is gone", async () => {
  const policies = [perMinute(5)]
  const { charged } = await chargeOne(at(NOW_S), { slot: 'twice', policies, units: [2] })
  await chargeOne(at(NOW_S + 1), { slot: 'twice', policies, units: [1] })
  for (let time = 0; time < 3; time++) await takeBack(at(NOW_S + 1), charged)
  expect((await chargeOne(at(NOW_S + 1), { slot: 'twice', policies, units: [0] })).quotas[0]?.remaining).toBe(4)
  await redis.flushall()
  await takeBack(at(NOW_S + 1), charged)
  expect(await redis.keys('*')).toEqual([])
})

test('charges of one slot under two plans, or under other numbers of policies, share its windows in one run', async () => {
  const [low, high] = [
    [perMinute(3), perDay(100)],
    [perMinute(9), perDay(100)],
  ]
  const calls = [low, high, [perMinute(9)], low, low].map((policies) => ({ slot: 'moved', policies, units: policies.map(() => 1) }))
  const charges = await runCharges(at(NOW_S), calls)
  expect(charges.map(({ admitted }) => admitted)).toEqual([true, true, true, false, false])
  expect(charges.map(({ quotas }) => quotas.map(({ remaining }) => remaining))).toEqual([[2, 99], [7, 98], [6], [0, 98], [0, 98]])
  const many = Array.from({ length: MAX_CALLS + 1 }, () => calls[0] as ChargeCall)
  await expect(runCharges(at(NOW_S), many)).rejects.toThrow(RangeError)
})
