import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { headerOf, raw } from '../raw.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

/** Requests to account paths that one address may send in a minute. */
const MINUTE = 30

const ask = (service: TestService, path: string, options: { readonly method?: string; readonly from?: string } = {}): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    method: options.method ?? 'GET',
    headers: options.from === undefined ? {} : { 'X-Forwarded-For': options.from },
  })

/** Sends as many requests as allowed, to every account path and with every outcome; returns the statuses. */
async function spend(service: TestService, from: (n: number) => string): Promise<number[]> {
  const ways = [
    ['GET', '/account'],
    ['GET', '/api/keys'],
    ['POST', '/api/keys'],
    ['DELETE', '/api/keys/key_1'],
    ['PUT', '/account'],
    ['HEAD', '/account'],
  ] as const
  const statuses: number[] = []
  for (let n = 0; n < MINUTE; n++) {
    const [method, path] = ways[n % ways.length] as (typeof ways)[number]
    statuses.push((await ask(service, path, { method, from: from(n) })).status)
  }
  return statuses
}

describe('an address that no proxy vouches for', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    await fillWithExamples(service)
  })
  afterAll(() => service?.close())

  test('may request account paths 30 times a minute, whatever address it claims, and sees its remaining quota', async () => {
    const first = await ask(service, '/account', { from: '192.0.2.200' })
    expect(first.headers.get('ratelimit-policy')).toBe('"minute";q=30;w=60, "day";q=1000;w=86400')
    expect(first.headers.get('ratelimit')).toMatch(/^"minute";r=29;t=\d+, "day";r=999;t=\d+$/)
    expect(first.headers.get('x-ratelimit-remaining')).toBe('29')
    expect(first.headers.get('retry-after')).toBeNull()

    const statuses = await spend(service, (n) => `192.0.2.${n}`)
    expect(new Set(statuses)).toEqual(new Set([200, 400, 401, 405, 429]))
    expect(statuses.indexOf(429)).toBe(MINUTE - 1)
    for (const [path, method] of [
      ['/account', 'GET'],
      ['/api/keys', 'POST'],
      ['/api/keys/key_1/rotate', 'POST'],
      ['/api/keys/key_1', 'PATCH'],
    ] as const) {
      const refused = await ask(service, path, { method, from: '192.0.2.99' })
      expect(refused.status, path).toBe(429)
      expect(refused.headers.get('content-type')).toBe('application/problem+json')
      expect(refused.headers.get('cache-control')).toBe('no-store')
      expect(refused.headers.get('access-control-allow-origin')).toBeNull()
      const wait_s = Number(refused.headers.get('retry-after'))
      expect(wait_s).toBeGreaterThan(0)
      expect(wait_s).toBeLessThanOrEqual(61)
      expect(refused.headers.get('ratelimit')).toMatch(new RegExp(`^"minute";r=0;t=${Math.min(wait_s, 60)}, "day";r=970;t=\\d+$`))
      expect(refused.headers.get('x-ratelimit-limit')).toBe('30')
      expect(await refused.json()).toMatchObject({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        code: 'quota-exceeded',
        status: 429,
        detail: expect.stringContaining('30 in 60 s'),
        'violated-policies': ['minute'],
      } satisfies Reply)
    }
  })

  test('is still answered by every other path, and by OPTIONS', async () => {
    expect((await ask(service, '/account')).status).toBe(429)
    for (const path of ['/api/plans', '/api/incidents', '/openapi.json']) {
      const response = await ask(service, path)
      expect([response.status, response.headers.get('ratelimit')], path).toEqual([200, null])
    }
    expect((await ask(service, '/api/keys', { method: 'OPTIONS' })).status).toBe(204)
  })
})

describe('behind a trusted proxy', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ proxies: '127.0.0.0/8' })
  })
  afterAll(() => service?.close())

  test("the counted address is the one that the proxy saw, not the caller's claim, nor on which line", async () => {
    await spend(service, (n) => `10.0.0.${n}, 198.51.100.1`)
    const statusOf = async (from: string): Promise<number> => (await ask(service, '/account', { from })).status
    expect(await statusOf('198.51.100.1')).toBe(429)
    expect(await statusOf('203.0.113.5, 198.51.100.1')).toBe(429)
    expect(await statusOf('198.51.100.1, 203.0.113.5')).toBe(200)
    for (const [lines, status] of [
      [['203.0.113.5', '198.51.100.1'], 429],
      [['198.51.100.1', '203.0.113.5'], 200],
    ] as const) {
      const fields = lines.map((line) => `X-Forwarded-For: ${line}`)
      const { head } = await raw(service.url, ['GET /account HTTP/1.1', 'Host: a', 'Connection: close', ...fields, '', ''].join('\r\n'))
      expect(Number(head.split(' ')[1])).toBe(status)
      expect(headerOf(head, 'ratelimit')).toContain('"minute";r=')
    }
  })

  test('a whole IPv6 /64 is one', async () => {
    await spend(service, (n) => `2001:db8:1:2::${n}`)
    expect((await ask(service, '/account', { from: '2001:db8:1:2:ffff::1' })).status).toBe(429)
    expect((await ask(service, '/account', { from: '2001:db8:1:3::1' })).status).toBe(200)
  })
})

describe('without Redis', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service?.close())

  test('the process limits alone, to half as much, and fails no request', async () => {
    await service.killRedis()
    const statuses = await spend(service, () => '192.0.2.1')
    expect(statuses.filter((status) => status >= 500)).toEqual([])
    expect(statuses.indexOf(429)).toBe(MINUTE / 2)
    expect(statuses.slice(MINUTE / 2)).toEqual(Array(MINUTE / 2).fill(429))
  })
})
