import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limitHeaders, violatedPolicies } from '../../../api/auth/limits/headers.ts'
import { type Charge, perDay, perMinute, type QuotaStatus, retryAfter } from '../../../api/auth/limits/policy.ts'

const at = (policy: QuotaStatus['policy'], remaining: number, reset_s: number, violated = false): QuotaStatus => ({
  policy,
  remaining,
  reset_s,
  violated,
})

function charge(quotas: readonly QuotaStatus[]): Charge {
  const wait = retryAfter(quotas)
  return { admitted: wait === 0, quotas, retry_after_s: wait, by: 'redis', charged: [] }
}

const EVEN = { status: 200, random: () => 0 }
const [minute, day] = [perMinute(10), perDay(1000)]

describe('limitHeaders', () => {
  test('says every policy and where the caller stands with it', () => {
    expect(limitHeaders(charge([at(minute, 7, 21), at(day, 954, 5400)]), EVEN)).toEqual({
      'ratelimit-policy': '"minute";q=10;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=7;t=21, "day";r=954;t=5400',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': '21',
    })
  })

  test.each([
    ['the one with less left', [at(minute, 7, 21), at(day, 3, 5400)], ['1000', '3', '5400']],
    ['of equals the longer wait', [at(minute, 3, 21), at(day, 3, 5400)], ['1000', '3', '5400']],
    ['the one that refuses', [at(minute, 2, 21, true), at(day, 0, 5400)], ['10', '2', '21']],
  ])('the older fields are of the tightest policy: %s', (_which, quotas, [limit, left, reset]) => {
    expect(limitHeaders(charge(quotas), EVEN)).toMatchObject({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': left,
      'x-ratelimit-reset': reset,
    })
  })

  test('a refusal states how long to wait until every limit allows the request', () => {
    expect(limitHeaders(charge([at(minute, 0, 13, true), at(day, 0, 700, true)]), EVEN)['retry-after']).toBe('700')
    expect(limitHeaders(charge([at(minute, 0, 13, true), at(day, 5, 700)]), EVEN)['retry-after']).toBe('13')
  })

  test('a reply of 3xx does not say that nothing is left', () => {
    const headers = limitHeaders(charge([at(minute, 4, 13), at(day, 0, 700)]), { ...EVEN, status: 304 })
    expect(headers).toMatchObject({ ratelimit: '"minute";r=4;t=13', 'x-ratelimit-limit': '10' })
    expect(Object.keys(limitHeaders(charge([at(minute, 0, 13), at(day, 0, 700)]), { ...EVEN, status: 302 }))).toEqual(['ratelimit-policy'])
  })

  test('waits for the day are spread by up to a minute, those for the minute are not', () => {
    const refused = charge([at(minute, 0, 13, true), at(day, 0, 700, true)])
    const spread = limitHeaders(refused, { status: 429, random: () => 0.9999 })
    expect(spread).toMatchObject({ ratelimit: '"minute";r=0;t=13, "day";r=0;t=760', 'retry-after': '760', 'x-ratelimit-reset': '760' })
  })

  test('`t` is at most the window; the other waits are as long as the last bucket and the spread', () => {
    const refused = charge([at(minute, 0, 61, true), at(day, 0, 86_640, true)])
    expect(limitHeaders(refused, { status: 429, random: () => 0.9999 })).toMatchObject({
      ...{ ratelimit: '"minute";r=0;t=60, "day";r=0;t=86400', 'retry-after': '86700', 'x-ratelimit-reset': '86700' },
    })
  })

  test('is well-formed (RFC 9651), with no `t` beyond the window and no other wait that is too short', () => {
    const anyStatus = fc
      .record({
        policy: fc.constantFrom(minute, day, perMinute(300), perDay(1)),
        remaining: fc.nat(500_000),
        reset_s: fc.integer({ min: 1, max: 86_460 }),
        violated: fc.boolean(),
      })
      .map(({ policy, remaining, reset_s, violated }) => at(policy, remaining, reset_s, violated))
    fc.assert(
      fc.property(fc.array(anyStatus, { minLength: 1, maxLength: 4 }), fc.double({ min: 0, max: 0.999_999, noNaN: true }), (quotas, r) => {
        const made = charge(quotas)
        const headers = limitHeaders(made, { status: 429, random: () => r })
        const items = (headers['ratelimit'] ?? '').split(', ').map((item) => /^"([a-z]+)";r=(\d+);t=(\d+)$/.exec(item))
        expect(items.map((item) => [item?.[1], Number(item?.[2])])).toEqual(quotas.map(({ policy, remaining }) => [policy.name, remaining]))
        for (const [n, { reset_s, violated }] of quotas.entries()) {
          const { window_s } = (quotas[n] as QuotaStatus).policy
          expect(Number(items[n]?.[3])).toBeGreaterThanOrEqual(Math.min(reset_s, window_s))
          expect(Number(items[n]?.[3])).toBeLessThanOrEqual(window_s)
          if (violated) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(Math.max(reset_s, Number(items[n]?.[3])))
        }
        expect('retry-after' in headers).toBe(!made.admitted)
        expect(headers['ratelimit-policy']).toMatch(/^"[a-z]+";q=\d+;w=\d+(, "[a-z]+";q=\d+;w=\d+)*$/)
      }),
    )
  })
})

test('violatedPolicies names those that refused', () => {
  expect(violatedPolicies(charge([at(minute, 0, 13, true), at(day, 4, 700)]))).toEqual(['minute'])
  expect(violatedPolicies(charge([at(minute, 4, 13), at(day, 4, 700)]))).toEqual([])
})
