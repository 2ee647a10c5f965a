import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_PLANS, readPlans } from '../../api/access/plans.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { type Reply, startService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ endpoints: [], plans: DEFAULT_PLANS })
})
afterAll(() => service?.close())

const planOf = (reply: Reply, id: string): Reply => reply.plans.find((one: Reply) => one.id === id)

test('the plans are told with price, limits and what they contain, lowest first, whoever sends no key among them', async () => {
  const reply = (await service.json('/api/plans')) as Reply
  expect([reply.currency, reply.upgrade_url]).toEqual(['EUR', null])
  expect(
    reply.plans.map((one: Reply) => [
      one.id,
      one.price_eur_month,
      one.requests_per_minute,
      one.requests_per_day,
      one.reachable_per_day,
      one.concurrency,
    ]),
  ).toEqual([
    ['ANONYMOUS', null, 5, 100, 100, 1],
    ['FREE', 0, 10, 1000, 1000, 1],
    ['PRO', 49, 60, 100_000, 86_400, 2],
    ['ENTERPRISE', 149, 300, 500_000, 432_000, 6],
  ])
  expect(planOf(reply, 'FREE').formats).toEqual(['json', 'geojson'])
  expect(planOf(reply, 'PRO').formats).toEqual(['json', 'geojson', 'csv', 'ndjson', 'parquet', 'arrow'])
  const codesOf = (id: string): string[] => planOf(reply, id).features.map(({ code }: Reply) => code)
  expect(codesOf('ANONYMOUS')).toEqual([])
  expect(codesOf('PRO')).toEqual([...codesOf('FREE'), ...DEFAULT_PLANS.PRO.features])
  expect(codesOf('ENTERPRISE').slice(0, codesOf('PRO').length)).toEqual(codesOf('PRO'))
})

test('a feature is available where the service has its path; terms that are no data always are', async () => {
  const whole = await startService({ endpoints, plans: DEFAULT_PLANS })
  const featuresOf = async (from: TestService): Promise<Map<string, boolean>> => {
    const { features } = planOf((await from.json('/api/plans')) as Reply, 'ENTERPRISE')
    return new Map(features.map(({ code, available }: Reply) => [code, available]))
  }
  const there = await featuresOf(whole).finally(() => whole.close())
  for (const code of ['LIVE_INCIDENTS', 'HISTORY', 'FORECASTS', 'CITY_TRAFFIC', 'AIR_QUALITY', 'BULK_EXPORT', 'SLA'])
    expect([code, there.get(code)]).toEqual([code, true])
  // A service without endpoints has none of the data, but can say what happens.
  const none = await featuresOf(service)
  expect([...none].filter(([, available]) => available).map(([code]) => code)).toEqual([
    'EVENT_STREAM',
    'WEBHOOKS',
    'PRIORITY_SUPPORT',
    'SLA',
    'MONTHLY_INVOICE',
    'DEDICATED_IP',
  ])
})

test.each([
  ['', 'en', 'en', 'Historical data'],
  ['', 'fr', 'es', 'Datos históricos'],
  ['?lang=es', 'en', 'es', 'Datos históricos'],
  ['?lang=en', 'es', 'en', 'Historical data'],
  ['?lang=gl', 'en', 'es', 'Datos históricos'],
])('texts are in the language asked for, else in Spanish: %s, preferring %s', async (query, preferred, language, label) => {
  const response = await service.get(`/api/plans${query}`, { 'Accept-Language': preferred })
  expect(response.headers.get('content-language')).toBe(language)
  const reply = (await response.json()) as Reply
  expect(planOf(reply, 'PRO').features).toContainEqual({ code: 'HISTORY', label, available: false })
})

test('each language has a tag of its own', async () => {
  const [spanish, english] = await Promise.all(['es', 'en'].map((lang) => service.get(`/api/plans?lang=${lang}`)))
  const etag = spanish?.headers.get('etag') as string
  expect(english?.headers.get('etag')).not.toBe(etag)
  expect((await service.get('/api/plans?lang=es', { 'If-None-Match': etag })).status).toBe(304)
  expect((await service.get('/api/plans?lang=en', { 'If-None-Match': etag })).status).toBe(200)
})

test.each([
  ['lang=xx', 'invalid-parameter', 'lang', /allowed: es, en, ca, eu, gl/],
  ['lang=', 'invalid-parameter', 'lang', /expected a value/],
  ['lang=es&lang=en', 'invalid-parameter', 'lang', /given 2 times/],
  ['lnag=en', 'unknown-parameter', 'lnag', /did you mean lang\?/],
  ['lang=%zz', 'invalid-parameter', 'lang', /two hexadecimal digits/],
])('?%s is refused', async (query, code, parameter, detail) => {
  const response = await service.get(`/api/plans?${query}`)
  expect(response.status).toBe(400)
  const told = (await response.json()) as Reply
  expect(told.code).toBe(code)
  expect(told.errors[0]).toMatchObject({ parameter, detail: expect.stringMatching(detail) })
})

test('what configuration changes is told, and where a plan is changed', async () => {
  const plans = readPlans('{"PRO": {"price_eur_month": 59.5, "minute": 90}}')
  const changed = await startService({ endpoints: [], plans, upgradeUrl: 'https://example.org/plans' })
  try {
    const reply = (await changed.json('/api/plans')) as Reply
    expect(reply.upgrade_url).toBe('https://example.org/plans')
    expect(planOf(reply, 'PRO')).toMatchObject({ price_eur_month: 59.5, requests_per_minute: 90, reachable_per_day: 100_000 })
    const [mine, usual] = await Promise.all([changed, service].map(async (one) => (await one.get('/api/plans')).headers.get('etag')))
    expect(mine).not.toBe(usual)
  } finally {
    await changed.close()
  }
})

test('they are no endpoint of data', () => {
  expect(endpoints.map(({ path }) => path)).not.toContain('/api/plans')
})
