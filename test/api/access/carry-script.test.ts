import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { type Carried, type CarryCall, runCarry } from '../../../api/access/limits/carry-script.ts'
import { runCharges, takeBack } from '../../../api/access/limits/charge-script.ts'
import { definePolicy, type MinuteCounts, type Policy, perDay } from '../../../api/access/limits/policy.ts'
import type { Counters } from '../../../api/access/limits/state-script.ts'
import { emptyRedis } from '../../helpers/redis.ts'
import { randomNumbers } from './exact-window.ts'

let redis: Redis
emptyRedis((client) => {
  redis = client
})

const NOW_S = 1_790_000_040
const DAY = perDay(1000)
let number = 0

const at = (now_s: number): Counters => ({ redis, prefix: 'limits:', clock: () => now_s })

/** Units of the day so many seconds ago. */
const call = (slot: string, units: readonly (readonly [ago_s: number, units: number])[], policy: Policy = DAY): CarryCall => ({
  ...{ slot, policy, first_ago_s: Math.max(...units.map(([ago_s]) => ago_s)) },
  units: units.map(([ago_s, count]) => ({ ago_s, units: count })),
})

const carry = (now_s: number, calls: readonly CarryCall[], isRecorded = false): Promise<(Carried | null)[]> =>
  runCarry(at(now_s), { process: 'p', number: ++number, isRecorded, calls })

async function charge(now_s: number, slot: string, units: number, policy = DAY, recorded: MinuteCounts | 'none' = 'none'): Promise<number> {
  const [reply] = await runCharges(at(now_s), [{ slot, policies: [policy], units: [units], recorded }])
  if (!reply?.decided) throw new Error('not decided')
  return reply.standings[0]?.remaining ?? Number.NaN
}

const stateOf = async (slot: string, policy = DAY): Promise<string | undefined> =>
  (await redis.getBuffer(`limits:${policy.name}:${slot}`))?.subarray(4).toString('hex')

test('a state that units are carried to is, byte for byte, as if each had been charged in its time', async () => {
  const random = randomNumbers(11)
  const whole = (below: number): number => Math.floor(random() * below)
  const policies = [DAY, definePolicy({ name: 'short', limit: 1000, window_s: 240, bucket_s: 60, recorded: true })]
  let carried = 0
  for (let round = 0; round < 60; round++) {
    const policy = policies[round % policies.length] as Policy
    const [counted, later] = [`counted${round}`, `later${round}`]
    let now_s = NOW_S + whole(60)
    let held: [at_s: number, units: number][] = []
    // The state has to be there: what Redis has lost is left to the record.
    for (const slot of [counted, later]) await charge(now_s, slot, 1, policy)
    for (let turn = 0; turn < 40; turn++) {
      now_s += random() < 0.7 ? whole(50) : whole(400)
      const units = 1 + whole(3)
      await charge(now_s, counted, units, policy)
      if (random() < 0.4) await charge(now_s, later, units, policy)
      else held.push([now_s, units])
      if (random() < 0.8 || held.length === 0) continue
      now_s += whole(90)
      const there = await carry(now_s, [
        call(
          later,
          held.map(([at_s, count]) => [now_s - at_s, count] as const),
          policy,
        ),
      ])
      expect(there).toEqual([{ mark: expect.any(Number), now_s }])
      carried += held.length
      held = []
      expect(await charge(now_s, later, 0, policy)).toBe(await charge(now_s, counted, 0, policy))
      expect(await stateOf(later, policy)).toBe(await stateOf(counted, policy))
      expect(await redis.ttl(`limits:${policy.name}:${later}`)).toBeGreaterThan(policy.window_s + policy.bucket_s)
    }
  }
  expect(carried).toBeGreaterThan(500)
})

test('what is carried is never refused, and what is older than the window does not count', async () => {
  await charge(NOW_S, 'a', 998)
  await carry(NOW_S, [
    call('a', [
      [90_000, 7],
      [86_400, 3],
      [10, 4],
    ]),
  ])
  expect(await charge(NOW_S, 'a', 0)).toBe(0)
  expect(await charge(NOW_S + 86_399, 'a', 0)).toBe(0)
  expect(await charge(NOW_S + 86_400, 'a', 0)).toBe(2)
})

test('a part is carried once, however often it is sent', async () => {
  await charge(NOW_S, 'a', 1)
  const part = { process: 'p', number: ++number, isRecorded: false, calls: [call('a', [[5, 3]])] }
  expect(await runCarry(at(NOW_S), part)).toEqual([{ mark: expect.any(Number), now_s: NOW_S }])
  expect(await runCarry(at(NOW_S), part)).toEqual([null])
  expect(await charge(NOW_S, 'a', 0)).toBe(996)
  expect(await runCarry(at(NOW_S), { ...part, process: 'q' })).not.toEqual([null])
  expect(await charge(NOW_S, 'a', 0)).toBe(993)
  // What it is known by lasts as long as what it carried counts.
  expect(await redis.ttl('limits:carried:p')).toBeGreaterThan(86_460)
})

test('a state that was made from the record after the first unit is left alone, as is one that is not there', async () => {
  await runCharges(at(NOW_S - 100), [{ slot: 'x', policies: [DAY], units: [1], recorded: null }])
  const record = [{ minute_s: NOW_S - 60, count: 9 }]
  await charge(NOW_S, 'made', 0, DAY, record)
  await charge(NOW_S - 90, 'kept', 9, DAY, [])
  const calls = ['made', 'kept', 'none'].map((slot) => call(slot, [[30, 4]]))
  expect(await carry(NOW_S, calls, true)).toEqual([null, { mark: expect.any(Number), now_s: NOW_S }, null])
  expect(await Promise.all(['made', 'kept'].map((slot) => charge(NOW_S, slot, 0)))).toEqual([991, 987])
  expect(await redis.exists('limits:day:none')).toBe(0)
  // Made before, it had nothing of what was charged after.
  expect(await carry(NOW_S + 20, [call('made', [[10, 2]])], true)).not.toEqual([null])
  expect(await charge(NOW_S + 20, 'made', 0)).toBe(989)
})

test('nothing is left to a record that is not there, or is not asked as Redis has held all counts for a day', async () => {
  expect(await carry(NOW_S, [call('a', [[30, 4]])])).not.toEqual([null])
  expect(await charge(NOW_S, 'a', 0)).toBe(996)
  await redis.flushall()
  await redis.set('limits:since', NOW_S - 86_460 - 10)
  await charge(NOW_S - 5, 'made', 1)
  expect(await carry(NOW_S, [call('made', [[30, 4]]), call('none', [[30, 4]])], true)).toEqual([
    { mark: expect.any(Number), now_s: NOW_S },
    { mark: expect.any(Number), now_s: NOW_S },
  ])
  expect([await charge(NOW_S, 'made', 0), await charge(NOW_S, 'none', 0)]).toEqual([995, 996])
})

test('what was carried can be taken back, from the bucket it was charged in', async () => {
  await charge(NOW_S, 'a', 1)
  const units = [
    [130, 3],
    [70, 2],
    [0, 4],
  ] as const
  const [there] = await carry(NOW_S, [call('a', units)])
  const { mark, now_s } = there as Carried
  for (const [ago_s, count] of units) {
    await takeBack(at(NOW_S), [{ slot: 'a', policy: DAY, units: count - 1, at_s: now_s - ago_s, mark }])
  }
  await charge(NOW_S - 130, 'b', 1)
  await charge(NOW_S - 70, 'b', 1)
  await charge(NOW_S, 'b', 2)
  expect(await stateOf('a')).toBe(await stateOf('b'))
})
