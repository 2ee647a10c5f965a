import fc from 'fast-check'
import { expect, test } from 'vitest'
import { definePolicy, type Policy, perDay, perMinute, type QuotaStatus, retryAfter, unitsOf } from '../../../api/auth/limits/policy.ts'
import { chargeWindows, SlidingWindow, type WindowCharge } from '../../../api/auth/limits/sliding-window.ts'
import { byTier } from '../../helpers/tier.ts'
import { ExactWindow, randomNumbers } from './exact-window.ts'

/** A slot on a clock in ms, whose windows see whole seconds. */
class Slot {
  readonly policies: readonly Policy[]
  readonly windows: readonly SlidingWindow[]

  constructor(policies: readonly Policy[]) {
    this.policies = policies
    this.windows = policies.map(() => new SlidingWindow())
  }

  charge(now: number, units: readonly number[]): WindowCharge {
    return chargeWindows(this.windows, this.policies, { units, now_s: Math.floor(now / 1000) })
  }
}

/** Time until the next request, in ms: bursts, paced calls, pauses as long as the windows. */
function pause(random: () => number): number {
  const kind = random()
  if (kind < 0.6) return random() * 300
  if (kind < 0.9) return random() * 5000
  if (kind < 0.9995) return random() * 65_000
  return random() * 90_000_000
}

const SLOTS = byTier(8, 40)
const QUOTAS = [
  [5, 100],
  [10, 1000],
  [60, 700],
  [300, 20_000],
] as const

test('random requests: never more than the quota in an exact window, and no refusal that a slightly longer one would not make', () => {
  const random = randomNumbers(5)
  const seen = { admitted: 0, minute: 0, day: 0, refunded: 0 }
  for (let slot = 0; slot < SLOTS; slot++) {
    const [minute, day] = QUOTAS[slot % QUOTAS.length] as (typeof QUOTAS)[number]
    const policies = [perMinute(minute), perDay(day)]
    let now = 1_790_000_000_000 + random() * 1e9
    const limited = new Slot(policies)
    const exact = policies.map((policy) => new ExactWindow(policy))
    let wrong = ''
    for (let request = 0; request < 25_000 && wrong === ''; request++) {
      now += pause(random) / (minute / 5)
      const units = random() < 0.2 ? [1, 0] : random() < 0.95 ? [1, 1] : [1 + Math.floor(random() * 3), 2]
      const before = exact.map((one) => one.withinLonger(now))
      const { admitted, quotas, buckets } = limited.charge(now, units)
      const events = admitted ? exact.map((one, n) => one.add(now, units[n] as number)) : []
      for (const [n, policy] of policies.entries()) {
        const { violated, remaining } = quotas[n] as QuotaStatus
        const held = (exact[n] as ExactWindow).within(now)
        if (held > policy.limit) wrong = `${held} in a ${policy.name}`
        if (remaining > policy.limit - held) wrong = `${remaining} remaining of ${policy.limit} after ${held} in a ${policy.name}`
        if (violated && (before[n] as number) + (units[n] as number) <= policy.limit)
          wrong = `refused by the ${policy.name} after ${before[n]}`
        if (violated) seen[policy.name as 'minute' | 'day']++
      }
      if (admitted === quotas.some(({ violated }) => violated)) wrong = 'admitted what a policy refuses, or the reverse'
      if (admitted) seen.admitted++
      if (admitted && random() < 0.05) {
        for (const [n, bucket] of buckets.entries()) {
          limited.windows[n]?.takeBack(bucket, units[n] as number)
          exact[n]?.remove(events[n] as (typeof events)[number])
        }
        seen.refunded++
      }
    }
    expect(wrong, `slot ${slot}`).toBe('')
  }
  // Each way to be decided was met often.
  expect(Math.min(seen.admitted, seen.minute, seen.day, seen.refunded)).toBeGreaterThan(250 * SLOTS)
}, 60_000)

const small = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  bucket_s: fc.integer({ min: 1, max: 4 }),
  buckets: fc.integer({ min: 1, max: 6 }),
})
const steps = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 9000 }), units: fc.integer({ min: 0, max: 3 }) }), { maxLength: 60 })

function policyOf({ limit, bucket_s, buckets }: { limit: number; bucket_s: number; buckets: number }): Policy {
  return definePolicy({ name: 'small', limit, bucket_s, window_s: bucket_s * buckets })
}

test('with windows of any size, too, and with any later refund', () => {
  fc.assert(
    fc.property(small, steps, fc.array(fc.nat(20), { maxLength: 60 }), (shape, requests, refunds) => {
      const policy = policyOf(shape)
      let now = 1_000_000
      const slot = new Slot([policy])
      const exact = new ExactWindow(policy)
      const charged: { event: ReturnType<ExactWindow['add']>; bucket: number; units: number }[] = []
      for (const [n, { wait, units }] of requests.entries()) {
        now += wait
        const before = exact.withinLonger(now)
        const { admitted, buckets } = slot.charge(now, [units])
        if (admitted) charged.push({ event: exact.add(now, units), bucket: buckets[0] as number, units })
        else expect(before + units).toBeGreaterThan(policy.limit)
        expect(exact.within(now)).toBeLessThanOrEqual(policy.limit)
        const [back] = refunds[n] === undefined ? [] : charged.splice(refunds[n], 1)
        if (!back) continue
        slot.windows[0]?.takeBack(back.bucket, back.units)
        exact.remove(back.event)
      }
    }),
    { numRuns: 2000 },
  )
})

test('after the wait that a refusal states the same charge is admitted, and not a second before', () => {
  let refused = 0
  fc.assert(
    fc.property(small, steps, fc.integer({ min: 1, max: 3 }), (shape, requests, units) => {
      const policy = policyOf(shape)
      fc.pre(units <= policy.limit)
      for (const early of [1, 0]) {
        let now = 1_000_000
        const slot = new Slot([policy])
        for (const step of requests) slot.charge((now += step.wait), [step.units])
        const { admitted, quotas } = slot.charge(now, [units])
        if (admitted) continue
        refused++
        expect(slot.charge(now + (retryAfter(quotas) - early) * 1000, [units]).admitted).toBe(early === 0)
      }
    }),
    { numRuns: 2000 },
  )
  expect(refused).toBeGreaterThan(500)
})

test('the rest can be used at once, and no more of it within the stated time', () => {
  fc.assert(
    fc.property(small, steps, (shape, requests) => {
      const policy = policyOf(shape)
      let now = 1_000_000
      const slot = new Slot([policy])
      for (const step of requests) slot.charge((now += step.wait), [step.units])
      const { remaining, reset_s } = slot.charge(now, [0]).quotas[0] as QuotaStatus
      for (let unit = 0; unit < remaining; unit++) expect(slot.charge(now, [1]).admitted).toBe(true)
      expect(slot.charge(now + (reset_s - 1) * 1000, [1]).admitted).toBe(false)
    }),
  )
})

test('a clock that is set back by less than a window lets nothing leave early, and by more starts a new window', () => {
  const slot = new Slot([perMinute(2)])
  slot.charge(100_000, [1])
  slot.charge(130_000, [1])
  expect(slot.charge(80_000, [1])).toMatchObject({ admitted: false, quotas: [{ reset_s: 81 }] })
  expect(slot.charge(160_999, [1]).admitted).toBe(false)
  expect(slot.charge(161_000, [1]).admitted).toBe(true)
  expect(slot.charge(101_000, [1]).admitted).toBe(false)
  expect(slot.charge(100_000, [1])).toMatchObject({ admitted: true, quotas: [{ remaining: 1 }] })
})

test('a charge that can never fit waits for an empty window', () => {
  const slot = new Slot([perMinute(5)])
  expect(slot.charge(0, [9]).quotas[0]).toMatchObject({ violated: true, reset_s: 60 })
  slot.charge(0, [2])
  expect(slot.charge(10_000, [9]).quotas[0]).toMatchObject({ violated: true, remaining: 3, reset_s: 51 })
})

test('policies and weights that cannot be counted with are refused', () => {
  const day = perDay(100)
  for (const change of [{ limit: 0 }, { limit: 1.5 }, { bucket_s: 7 }, { bucket_s: 0 }, { window_s: 0 }, { name: 'A "b"' }])
    expect(() => definePolicy({ ...day, ...change })).toThrow(RangeError)
  for (const weight of [-1, 0.5, Number.NaN, 2 ** 40]) expect(() => unitsOf({ day: weight }, [day])).toThrow('policy day: weight')
  expect(unitsOf({ minute: 1 }, [perMinute(5), day])).toEqual([1, 0])
})
