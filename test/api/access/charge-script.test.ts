import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { type ChargeCall, type ChargeReply, runCharges, takeBack } from '../../../api/access/limits/charge-script.ts'
import { type Charged, definePolicy, type Policy, perDay, perMinute } from '../../../api/access/limits/policy.ts'
import type { Counters } from '../../../api/access/limits/state-script.ts'
import { chargeWindows, Window } from '../../../api/access/limits/window.ts'
import { emptyRedis } from '../../helpers/redis.ts'
import { byTier } from '../../helpers/tier.ts'
import { randomNumbers } from './exact-window.ts'

let redis: Redis
emptyRedis((client) => {
  redis = client
})

const NOW_S = 1_790_000_000

/** Counters whose clock stands at a second. */
const at = (now_s: number): Counters => ({ redis, prefix: 'limits:', clock: () => now_s })

const call = (slot: string, policies: readonly Policy[], units: readonly number[]): ChargeCall => ({
  slot,
  policies,
  units,
  recorded: 'none',
})

async function decided(counters: Counters, one: ChargeCall): Promise<Extract<ChargeReply, { decided: true }>> {
  const [reply] = await runCharges(counters, [one])
  if (!reply?.decided) throw new Error('not decided')
  return reply
}

const CHARGES = byTier(20_000, 1_000_000)

test('random charges and refunds are decided as windows in this process decide them', async () => {
  const random = randomNumbers(7)
  const whole = (below: number): number => Math.floor(random() * below)
  const kinds: (readonly Policy[])[] = [
    [perMinute(5), perDay(100)],
    [perMinute(60), perDay(2000)],
    [
      definePolicy({ name: 'minute', limit: 20, window_s: 12, bucket_s: 4, recorded: false }),
      definePolicy({ name: 'hour', limit: 90, window_s: 3600, bucket_s: 60, recorded: false }),
      perDay(900),
    ],
  ]
  const windows = new Map<string, Window>()
  const window = (slot: string, policy: Policy, now_s: number): Window => {
    const name = `${policy.name}:${slot}`
    const found = windows.get(name) ?? new Window(now_s)
    windows.set(name, found)
    found.pass(policy, now_s)
    return found
  }
  const seen = { admitted: 0, refused: 0, refunded: 0, setBack: 0 }
  const differ: unknown[] = []
  let held: Charged[] = []
  let now_s = NOW_S
  for (let turn = 0; turn < CHARGES / 100; turn++) {
    const kind = random()
    const step =
      kind < 0.6
        ? whole(3)
        : kind < 0.9
          ? whole(40)
          : kind < 0.97
            ? whole(4000)
            : kind < 0.98
              ? whole(100_000)
              : -whole(random() < 0.8 ? 50 : 5000)
    if (step < 0) seen.setBack++
    now_s += step
    // In some turns all of a slot are alike, in some hardly any.
    const ones = [0, 0.7, 1][turn % 3] as number
    const calls = Array.from({ length: 100 }, () => {
      const slot = whole(12)
      const policies = kinds[slot % kinds.length] as readonly Policy[]
      return call(
        `s${slot}`,
        policies,
        policies.map(() => (random() < ones ? 1 : whole(4))),
      )
    })
    const replies = await runCharges(at(now_s), calls)
    for (const [n, { slot, policies, units }] of calls.entries()) {
      const local = policies.map((policy) => window(slot, policy, now_s))
      const expected = chargeWindows(local, policies, units)
      const reply = replies[n] as Extract<ChargeReply, { decided: true }>
      const { admitted, standings, charged } = reply
      const times = charged.map(({ at_s }) => at_s)
      const same = JSON.stringify({ admitted, standings }) === JSON.stringify(expected)
      if (!same || (admitted && JSON.stringify(times) !== JSON.stringify(local.map(({ last_s }) => last_s))))
        differ.push({ turn, n, reply, expected })
      seen[admitted ? 'admitted' : 'refused']++
      if (admitted && random() < 0.1) held.push(...charged.filter((one) => one.units > 0))
    }
    if (random() < 0.5) continue
    const [back, later] = [held.filter(() => random() < 0.5), [] as Charged[]]
    for (const one of held) if (!back.includes(one)) later.push(one)
    held = later
    seen.refunded += back.length
    await takeBack(at(now_s), back)
    for (const { slot, policy, at_s, units } of back) windows.get(`${policy.name}:${slot}`)?.takeBack(policy, at_s, units)
  }
  expect(differ.slice(0, 3)).toEqual([])
  expect(seen.admitted + seen.refused).toBe(CHARGES)
  expect(Math.min(seen.admitted, seen.refused, seen.refunded)).toBeGreaterThan(CHARGES / 20)
  expect(seen.setBack).toBeGreaterThan(CHARGES / 10_000)
}, 300_000)

test('a slot that is used as much as ENTERPRISE allows takes less than 20 kB for both its windows', async () => {
  const policies = [perMinute(300), perDay(500_000)]
  for (let minute = 0; minute <= 1440; minute++) {
    const now_s = NOW_S + minute * 60
    const [seconds, units] =
      minute < 1440
        ? [
            [0, 20, 40],
            [75, 75],
          ]
        : [Array.from({ length: 61 }, (_, second) => second), [1, 1]]
    const replies = await Promise.all(seconds.map((second) => decided(at(now_s + second), call('busy', policies, units))))
    expect(replies.every(({ admitted }) => admitted)).toBe(true)
  }
  // Every bucket that can count does: a head, and a pair for each but the one that has begun.
  expect([await redis.strlen('limits:minute:busy'), await redis.strlen('limits:day:busy')]).toEqual([20 + 60 * 8, 20 + 1440 * 8])
  const keys = await redis.keys('*busy')
  const bytes = await Promise.all(keys.map(async (key) => Number(await redis.memory('USAGE', key))))
  expect(keys.sort()).toEqual(['limits:day:busy', 'limits:minute:busy'])
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(20_000)
})

test('a slot that is used once takes little', async () => {
  await decided(at(NOW_S), call('once', [perMinute(5), perDay(100)], [1, 1]))
  const bytes = await Promise.all((await redis.keys('*once')).map(async (key) => Number(await redis.memory('USAGE', key))))
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(300)
})

test('states end by themselves once nothing in them counts', async () => {
  await decided({ redis, prefix: 'limits:', clock: null }, call('gone', [perMinute(5), perDay(100)], [1, 1]))
  for (const [key, window_s, bucket_s] of [
    ['limits:minute:gone', 60, 1],
    ['limits:day:gone', 86_400, 60],
  ] as const) {
    const ttl = await redis.pttl(key)
    expect(ttl).toBeGreaterThan((window_s + bucket_s) * 1000)
    expect(ttl).toBeLessThanOrEqual((window_s + 2 * bucket_s) * 1000)
  }
})

test('the time is that of Redis unless told', async () => {
  const [seconds] = await redis.time()
  const { charged } = await decided({ redis, prefix: 'limits:', clock: null }, call('now', [perMinute(5)], [1]))
  expect(Number(charged[0]?.at_s) - Number(seconds)).toBeGreaterThanOrEqual(0)
  expect(Number(charged[0]?.at_s) - Number(seconds)).toBeLessThan(5)
})

test('what Redis has lost since is not taken back from what was charged anew', async () => {
  const policies = [perMinute(5)]
  const { charged } = await decided(at(NOW_S), call('lost', policies, [3]))
  await redis.flushall()
  await decided(at(NOW_S), call('lost', policies, [2]))
  await takeBack(at(NOW_S), charged)
  expect((await decided(at(NOW_S), call('lost', policies, [0]))).standings[0]?.remaining).toBe(3)
})

test('no more is taken back than the bucket holds', async () => {
  const policies = [perMinute(5)]
  const { charged } = await decided(at(NOW_S), call('twice', policies, [2]))
  await decided(at(NOW_S + 1), call('twice', policies, [1]))
  for (let time = 0; time < 3; time++) await takeBack(at(NOW_S + 1), charged)
  expect((await decided(at(NOW_S + 1), call('twice', policies, [0]))).standings[0]?.remaining).toBe(4)
})

test('recorded units count in their own minutes, those that are too old or to come do not', async () => {
  const day = perDay(100)
  const minute_s = NOW_S - (NOW_S % 60)
  const ask = (recorded: ChargeCall['recorded'], units = 1): Promise<ChargeReply[]> =>
    runCharges(at(NOW_S), [{ slot: 'r', policies: [perMinute(50), day], units: [units, units], recorded }])
  expect(await ask(null)).toEqual([{ decided: false }])
  expect(await redis.keys('*:r')).toEqual([])
  const [reply] = await ask([
    { minute_s: minute_s - 86_460, count: 40 },
    { minute_s: minute_s - 86_400, count: 20 },
    { minute_s: minute_s - 600, count: 0 },
    { minute_s: minute_s - 60, count: 30 },
    { minute_s: minute_s, count: 5 },
    { minute_s: minute_s + 60, count: 9 },
  ])
  expect(reply).toMatchObject({ admitted: true, standings: [{ remaining: 49 }, { remaining: 44, reset_s: 60 - (NOW_S % 60) }] })
  // Once there is a state, what is recorded is not added again.
  expect(await ask([{ minute_s, count: 90 }])).toMatchObject([{ admitted: true, standings: [{ remaining: 48 }, { remaining: 43 }] }])
  expect(await ask(null)).toMatchObject([{ admitted: true, standings: [{ remaining: 47 }, { remaining: 42 }] }])
})

test('nothing is asked of the record once Redis has held all counts for longer than the window', async () => {
  const ask = (slot: string, now_s: number): Promise<ChargeReply[]> =>
    runCharges(at(now_s), [{ slot, policies: [perDay(100)], units: [1], recorded: null }])
  expect(await ask('a', NOW_S)).toEqual([{ decided: false }])
  expect(await ask('b', NOW_S + 86_459)).toEqual([{ decided: false }])
  expect(await ask('c', NOW_S + 86_460)).toMatchObject([{ decided: true, admitted: true }])
  // Set back to before that, the clock proves nothing.
  expect(await ask('d', NOW_S - 1)).toEqual([{ decided: false }])
  await redis.flushall()
  expect(await ask('e', NOW_S + 86_460)).toEqual([{ decided: false }])
})
