import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_PLANS, readPlans, TIERS } from '../../../api/auth/plans.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { essenceOf, TABLE_FORMATS } from '../../../api/kernel/formats.ts'
import { PLANS, type Plan } from '../../../lake/schema/dataset.ts'
import { representatives } from '../representatives.ts'
import { LIMIT_NAMES } from '../requests.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

const UPGRADE = 'https://example.org/plans'
/** Limits that are announced and never reached. */
const plans = readPlans(JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, { minute: 1e6, day: 1e8, concurrency: 100 }]))))

let service: TestService
beforeAll(async () => {
  service = await startService({ plans, upgradeUrl: UPGRADE })
  await fillWithExamples(service)
})
afterAll(() => service?.close())

async function expectProblem(response: Response, status: number, code: string): Promise<Reply> {
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'ApiKey realm="api"' : null)
  for (const name of LIMIT_NAMES) expect(response.headers.get(name), name).not.toBeNull()
  const problem = (await response.json()) as Reply
  expect(problem).toMatchObject({ status, code })
  return problem
}

describe.each(representatives.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  const path = requestOf(endpoint)
  const { plan } = endpoint

  test('without a key answers for anybody to keep, or asks for one', async () => {
    const response = await service.open(path)
    if (plan !== 'FREE') {
      expect(await expectProblem(response, 401, 'key-required')).toMatchObject({ required_plan: plan })
      return
    }
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+, stale-if-error=600$/)
    for (const name of [...LIMIT_NAMES, 'x-request-id']) expect(response.headers.get(name), name).toBeNull()
    expect(response.headers.get('vary')).toContain('X-API-Key')
  })

  test.each(PLANS)('with a key of the plan %s answers for its caller alone, or names the plan that would', async (own) => {
    const ask = async (headers = {}): Promise<Response> => service.open(path, await service.keyed(own, headers))
    let response = await ask()
    if (PLANS.indexOf(own) < PLANS.indexOf(plan)) {
      const problem = await expectProblem(response, 403, 'plan-required')
      expect(problem).toMatchObject({ required_plan: plan, current_plan: own, upgrade_url: UPGRADE })
      return
    }
    let again = await ask({ 'If-None-Match': response.headers.get('etag') })
    // The state of the tables may have been read again between the two: then the second reply has the current tag.
    if (again.status === 200) {
      response = again
      again = await ask({ 'If-None-Match': response.headers.get('etag') })
    }
    expect([response.status, again.status]).toEqual([200, 304])
    for (const { headers } of [response, again]) {
      expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+, stale-if-error=600$/)
      for (const name of LIMIT_NAMES) expect(headers.get(name), name).not.toBeNull()
      expect(headers.get('ratelimit-policy')).toBe('"minute";q=1000000;w=60, "day";q=100000000;w=86400')
      expect(headers.get('x-request-id')).toMatch(/^req_[\da-f-]{36}$/)
    }
  })

  test('a key in another header than X-API-Key is never taken for none', async () => {
    const key = await service.key('ENTERPRISE')
    const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`
    for (const Authorization of [`Bearer ${key}`, key, basic(`${key}:`), basic(`api:${key}`)])
      await expectProblem(await service.open(path, { Authorization }), 401, 'invalid-key')
  })

  test('tables are for plans that have them, and chosen only for those', async () => {
    for (const format of TABLE_FORMATS) {
      const accept = { Accept: essenceOf(format) }
      const asked = requestOf(endpoint, { format })
      const required = plan === 'ENTERPRISE' ? plan : 'PRO'
      expect(await expectProblem(await service.open(asked), 401, 'key-required')).toMatchObject({ required_plan: required })
      expect(await expectProblem(await service.open(path, accept), 401, 'key-required')).toMatchObject({ required_plan: required })
      for (const headers of [await service.keyed('FREE'), await service.keyed('FREE', accept)]) {
        const problem = await expectProblem(await service.open('Accept' in headers ? path : asked, headers), 403, 'plan-required')
        expect(problem).toMatchObject({ required_plan: required, current_plan: 'FREE' })
      }
      const allowed = await service.open(asked, await service.keyed(required))
      expect([allowed.status, allowed.headers.get('content-type')?.split(';')[0]]).toEqual([200, essenceOf(format)])
      await allowed.arrayBuffer()
      // A reply in memory is no more accessible than before.
      await expectProblem(await service.open(asked), 401, 'key-required')
      await expectProblem(await service.open(asked, await service.keyed('FREE')), 403, 'plan-required')
      const etag = allowed.headers.get('etag') as string
      await expectProblem(await service.open(asked, await service.keyed('FREE', { 'If-None-Match': etag })), 403, 'plan-required')
      if (plan !== 'FREE') continue
      const either = await service.open(path, await service.keyed('FREE', { Accept: `${essenceOf(format)}, application/json;q=0.1` }))
      expect([either.status, either.headers.get('content-type')]).toEqual([200, 'application/json'])
    }
  })

  test('a key in the URL is refused with a hint, and not repeated', async () => {
    const key = await service.key('PRO')
    for (const name of ['key', 'api_key', 'X-API-Key', 'access_token', 'q_'] as const) {
      const response = await service.get(requestOf(endpoint, { [name]: key }))
      expect(response.status, name).toBe(400)
      const text = await response.text()
      expect(text).toContain('X-API-Key: a URL is logged')
      expect(text).not.toContain(key)
    }
  })
})

test.each(endpoints.flatMap((one) => (one.recent?.period ? [[one.path, one] as const] : [])))(
  '%s answers an earlier period to the plan that may ask for it',
  async (_path, endpoint) => {
    const { hours, wider } = endpoint.recent as { hours: number; wider: Plan }
    const at = (ago_h: number): string => new Date(Date.now() - ago_h * 3_600_000).toISOString()
    for (const period of [{ from: at(hours + 1) }, { to: at(1) }, { from: at(hours + 2), to: at(hours + 1) }]) {
      const asked = requestOf(endpoint, period)
      expect(await expectProblem(await service.open(asked), 401, 'key-required')).toMatchObject({ required_plan: wider })
      const problem = await expectProblem(await service.open(asked, await service.keyed('FREE')), 403, 'plan-required')
      expect(problem).toMatchObject({ required_plan: wider, detail: expect.stringContaining(`${hours} hours`) })
      expect((await service.open(asked, await service.keyed(wider))).status).toBe(200)
    }
    for (const period of [{}, { from: at(hours) }, { from: at(2), to: at(1) }]) {
      const response = await service.open(requestOf(endpoint, period))
      expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, ''])
    }
  },
)

test('plans of the specification have the formats that its laws are tested with', () => {
  for (const tier of TIERS) expect(plans[tier].formats).toEqual(DEFAULT_PLANS[tier].formats)
})
