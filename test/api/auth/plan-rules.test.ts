import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_PLANS, readPlans } from '../../../api/auth/plans.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { type Reply, startService, type TestService } from '../service.ts'

let service: TestService
let whole: TestService
beforeAll(async () => {
  service = await startService({ endpoints: [], plans: DEFAULT_PLANS })
  whole = await startService({ endpoints, plans: DEFAULT_PLANS })
})
afterAll(async () => {
  await service?.close()
  await whole?.close()
})

const planOf = (reply: Reply, id: string): Reply => reply.plans.find((one: Reply) => one.id === id)

test('the plans are listed with price, limits and contents, lowest first, also for callers without a key', async () => {
  const reply = (await service.json('/api/plans')) as Reply
  expect([reply.currency, reply.upgrade_url]).toEqual(['EUR', `${service.url}/plans`])
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
  const featuresOf = async (from: TestService): Promise<Map<string, boolean>> => {
    const { features } = planOf((await from.json('/api/plans')) as Reply, 'ENTERPRISE')
    return new Map(features.map(({ code, available }: Reply) => [code, available]))
  }
  const there = await featuresOf(whole)
  for (const code of ['LIVE_INCIDENTS', 'HISTORY', 'FORECASTS', 'CITY_TRAFFIC', 'AIR_QUALITY', 'BULK_EXPORT', 'SLA'])
    expect([code, there.get(code)]).toEqual([code, true])
  // A service without endpoints has none of the data, but can describe its behaviour.
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
])('texts are in the requested language, else in Spanish: %s, preferring %s', async (query, preferred, language, label) => {
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
  const refusal = (await response.json()) as Reply
  expect(refusal.code).toBe(code)
  expect(refusal.errors[0]).toMatchObject({ parameter, detail: expect.stringMatching(detail) })
})

test('shows changes of the configuration, and where to change a plan', async () => {
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

describe('the page of plans', () => {
  const pageOf = async (from: TestService, lang = 'en'): Promise<string> => (await from.get(`/plans?lang=${lang}`)).text()
  const cellsOf = (html: string, row: string): string[] => {
    const [, cells = ''] = new RegExp(`<th scope="row">${row}</th>(.*)</tr>`).exec(html) ?? []
    return [...cells.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, ''))
  }

  test('shows prices and limits of the plan table, by the customs of the language', async () => {
    const plans = readPlans('{"PRO": {"price_eur_month": 59.5, "minute": 90}}')
    const changed = await startService({ endpoints: [], plans })
    try {
      const [en, es] = [await pageOf(changed), await pageOf(changed, 'es')]
      expect(cellsOf(en, 'Price per month')).toEqual(['—', 'Free', '€59.50', '€149'])
      expect(cellsOf(en, 'Requests per minute')).toEqual(['5', '10', '90', '300'])
      expect(cellsOf(en, 'Requests per day')).toEqual(['100', '1,000', '100,000', '500,000'])
      expect(cellsOf(en, 'Event streams open at once')).toEqual(['—', '—', '2', '10'])
      expect(cellsOf(es, 'Precio al mes')).toEqual(['—', 'Gratis', '59,50\u00a0€', '149\u00a0€'])
      expect(cellsOf(es, 'Peticiones al día')).toEqual(['100', '1.000', '100.000', '500.000'])
    } finally {
      await changed.close()
    }
  })

  test('lists the present features and nothing else', async () => {
    const [all, none] = [await pageOf(whole), await pageOf(service)]
    for (const [path, label] of [
      ['/api/accidentes/microdata', 'Accident microdata'],
      ['/api/incidents', 'Live incidents'],
    ])
      expect([all.includes(`${label}<br><code>${path}</code>`), none.includes(`${label}`)]).toEqual([true, false])
    // Features of the operator are listed without any endpoint.
    expect(none).toContain('Push webhooks<br><code>/api/webhooks</code>')
    expect(none).toContain('Dedicated IP on request')
  })

  test('names the contacts for support and for changes of a plan', async () => {
    const named = await startService({ endpoints: [], supportContact: 'mailto:help@example.org' })
    const linked = await startService({ endpoints: [], upgradeUrl: 'https://shop.example.org/a?b=1&c=2' })
    try {
      const html = await pageOf(named)
      expect(html).toContain('Support address: <a href="mailto:help@example.org">help@example.org</a>.')
      expect(html).toContain('write from the address of your account to <a href="mailto:help@example.org">')
      expect(await pageOf(linked)).toContain('The plan of a key is changed at <a href="https://shop.example.org/a?b=1&#38;c=2">')
      const usual = await pageOf(service)
      expect(usual).toContain('The operator of this service changes the plan of a key.')
      expect(usual).not.toContain('mailto:')
    } finally {
      await named.close()
      await linked.close()
    }
  })

  test('is where a refused plan leads, and is linked from the home page', async () => {
    const response = await whole.get('/api/incidents/history', { 'X-API-Key': await whole.key('FREE') })
    const problem = (await response.json()) as Reply
    expect([response.status, problem.upgrade_url]).toEqual([403, `${whole.url}/plans`])
    expect((await whole.get(new URL(problem.upgrade_url).pathname)).status).toBe(200)
    expect(await (await whole.get('/?lang=en')).text()).toContain('<a href="/plans?lang=en">Plans and prices</a>')
  })
})

test('they are no endpoint of data', () => {
  expect(endpoints.map(({ path }) => path)).not.toContain('/api/plans')
})
