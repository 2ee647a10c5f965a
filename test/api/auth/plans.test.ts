import { describe, expect, test } from 'vitest'
import { DEFAULT_PLANS, featuresOf, policiesOf, reachablePerDay, readPlans, TIERS } from '../../../api/auth/plans.ts'

test('the plans are those of the specification, and the decided ones where it contradicts itself or is silent', () => {
  const shown = TIERS.map((tier) => {
    const { price_eur_month, minute, day, concurrency } = DEFAULT_PLANS[tier]
    return [tier, price_eur_month, minute, day, concurrency]
  })
  expect(shown).toEqual([
    ['ANONYMOUS', null, 5, 100, 1],
    ['FREE', 0, 10, 1000, 1],
    ['PRO', 49, 60, 100_000, 2],
    ['ENTERPRISE', 149, 300, 500_000, 6],
  ])
  expect(TIERS.map((tier) => DEFAULT_PLANS[tier].formats.length)).toEqual([2, 2, 6, 6])
})

test('a plan includes the features of the lower ones', () => {
  expect(featuresOf(DEFAULT_PLANS, 'ANONYMOUS')).toEqual([])
  expect(featuresOf(DEFAULT_PLANS, 'FREE')).toContain('SEARCH')
  expect(featuresOf(DEFAULT_PLANS, 'FREE')).not.toContain('HISTORY')
  expect(featuresOf(DEFAULT_PLANS, 'ENTERPRISE')).toEqual(expect.arrayContaining(['SEARCH', 'HISTORY', 'WEBHOOKS']))
})

test('the minute may allow less in a day than the day does', () => {
  expect(TIERS.map((tier) => reachablePerDay(DEFAULT_PLANS[tier]))).toEqual([100, 1000, 86_400, 432_000])
})

test('the policies of a plan are its minute and its day', () => {
  expect(policiesOf(DEFAULT_PLANS.PRO)).toMatchObject([
    { name: 'minute', limit: 60, window_s: 60 },
    { name: 'day', limit: 100_000, window_s: 86_400 },
  ])
})

describe('readPlans', () => {
  test('changes the named terms and leaves the rest', () => {
    const plans = readPlans('{"PRO": {"price_eur_month": 59.5, "minute": 120}, "ENTERPRISE": {"concurrency": 8}}')
    expect(plans.PRO).toEqual({ ...DEFAULT_PLANS.PRO, price_eur_month: 59.5, minute: 120 })
    expect(plans.ENTERPRISE).toEqual({ ...DEFAULT_PLANS.ENTERPRISE, concurrency: 8 })
    expect(plans.FREE).toEqual(DEFAULT_PLANS.FREE)
    expect(readPlans('{}')).toEqual(DEFAULT_PLANS)
    // The names that the list of plans shows do as well.
    const shown = readPlans('{"PRO": {"requests_per_minute": 90, "requests_per_day": 200000}}')
    expect(shown.PRO).toEqual({ ...DEFAULT_PLANS.PRO, minute: 90, day: 200_000 })
  })

  test.each([
    ['{', 'the plans are not JSON'],
    ['[]', 'the plans are an object of ANONYMOUS, FREE, PRO, ENTERPRISE'],
    ['{"GOLD": {}}', 'not of GOLD'],
    ['{"PRO": 5}', 'PRO: expected an object of terms'],
    [
      '{"PRO": {"hour": 5}}',
      'PRO.hour: there is no such term; there are price_eur_month, requests_per_minute, requests_per_day, concurrency, streams, formats, features',
    ],
    ['{"PRO": {"minute": 90, "requests_per_minute": 90}}', 'PRO.requests_per_minute is given twice, also as minute'],
    ['{"PRO": {"toString": 5}}', 'PRO.toString: there is no such term'],
    ['{"PRO": {"minute": 0}}', 'PRO.requests_per_minute=0: expected a whole number'],
    ['{"PRO": {"day": "many"}}', 'PRO.requests_per_day="many": expected a whole number'],
    ['{"PRO": {"price_eur_month": 49.999}}', 'PRO.price_eur_month=49.999: expected EUR with at most two decimals'],
    ['{"PRO": {"price_eur_month": -1}}', 'PRO.price_eur_month=-1'],
    ['{"PRO": {"formats": ["csv"]}}', 'json among them'],
    ['{"PRO": {"formats": ["json", "json"]}}', 'PRO.formats'],
    ['{"PRO": {"features": ["MAGIC"]}}', 'PRO.features'],
    ['{"PRO": {"minute": 9}}', 'PRO.requests_per_minute: less than FREE has'],
    ['{"ENTERPRISE": {"formats": ["json"]}}', 'ENTERPRISE.formats: less than PRO has'],
  ])('refuses %s', (changes, message) => {
    expect(() => readPlans(changes)).toThrow(message)
  })

  test('lists all mistakes at once', () => {
    expect(() => readPlans('{"FREE": {"minute": 0}, "PRO": {"day": -5}}')).toThrow(
      /^FREE\.requests_per_minute=0.*\nPRO\.requests_per_day=-5: .*$/,
    )
  })
})
