import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_PLANS, readPlans } from '../../../api/auth/plans.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { IS_DEEP } from '../../helpers/tier.ts'
import { ACCOUNT_PAGES, PAGES } from '../features/site/page-paths.ts'
import { openapi } from '../openapi.ts'
import { headerOf, type RawReply, raw } from '../raw.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

const PUBLIC = 'https://api.example.org'
const HSTS = 'max-age=63072000'
/** A key that is well-formed and unknown. */
const NOBODYS = 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGD'
const OPEN = ['/health', '/ready']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']

/** Every path of the description with examples for its parameters, and some unknown paths. */
const { paths } = openapi(endpoints, PUBLIC) as Reply
const PATHS = [
  ...Object.entries<Reply>(paths).map(([path, methods]) => {
    const { 'x-example-request': asked, parameters = [] } = methods.get ?? methods.post ?? methods.delete
    return (asked ?? path.replaceAll(/\{(\w+)\}/g, (_whole, name) => parameters.find((one: Reply) => one.name === name).example)) as string
  }),
  ...Object.values(PAGES),
  ...ACCOUNT_PAGES,
  '/nothing',
  '/api/incidents/%zz',
]

let service: TestService
beforeAll(async () => {
  const plans = readPlans(JSON.stringify({ FREE: { minute: 20 }, ANONYMOUS: { minute: 3 } }))
  service = await startService({ proxies: '127.0.0.0/8', publicUrl: PUBLIC, plans, securityContact: 'mailto:security@example.org' })
  await fillWithExamples(service)
})
afterAll(() => service?.close())

const send = (method: string, path: string, headers: readonly string[]): Promise<RawReply> =>
  raw(service.url, [`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n'))
const statusOf = ({ head }: RawReply): number => Number(head.split(' ')[1])
const from = (address: string, proto: string): string[] => [`X-Forwarded-For: ${address}`, `X-Forwarded-Proto: ${proto}`]

describe.each(PATHS.filter((path) => !OPEN.includes(path)))('%s', (path) => {
  test('refuses plain HTTP, whatever the method, without a look at the key', async () => {
    // By default each path refuses three of the methods, and its neighbours the others.
    const nth = PATHS.indexOf(path) % 3
    for (const method of METHODS.filter((_, at) => IS_DEEP || at % 3 === nth)) {
      const reply = await send(method, path, [...from('203.0.113.1', 'http'), `X-API-Key: ${NOBODYS}`])
      expect(statusOf(reply), method).toBe(403)
      // The Iceberg REST catalogue has errors of its protocol.
      const isCatalogue = path.startsWith('/lake/') && headerOf(reply.head, 'content-type') === 'application/json'
      if (!isCatalogue) expect(headerOf(reply.head, 'content-type')).toBe('application/problem+json')
      expect(headerOf(reply.head, 'cache-control')).toBe('no-store')
      for (const name of ['location', 'strict-transport-security', 'ratelimit', 'set-cookie', 'refresh'])
        expect(headerOf(reply.head, name), `${method} ${name}`).toBeNull()
      if (method === 'HEAD') continue
      if (isCatalogue) {
        const { error } = JSON.parse(reply.body.toString()) as Reply
        expect([error.code, error.message]).toEqual([403, expect.stringContaining('rotate it')])
        continue
      }
      const { code, type, detail, request_id } = JSON.parse(reply.body.toString()) as Reply
      expect([code, type]).toEqual(['https-required', `${PUBLIC}/problems/https-required`])
      expect(detail).toContain('rotate it')
      expect(request_id).toBe(headerOf(reply.head, 'x-request-id'))
    }
  })

  test('answers HTTPS, and says to come no other way', async () => {
    // Each from an address of its own: the limit per minute is small here.
    const address = `203.0.113.${100 + (PATHS.indexOf(path) % 100)}`
    for (const method of ['GET', 'OPTIONS', 'PUT']) {
      const reply = await send(method, path, from(address, 'https'))
      expect(statusOf(reply), method).not.toBe(403)
      expect(headerOf(reply.head, 'strict-transport-security'), method).toBe(HSTS)
      expect(headerOf(reply.head, 'x-content-type-options'), method).toBe('nosniff')
    }
  })
})

describe('the health check of a load balancer', () => {
  test.each(OPEN)('%s is answered by plain HTTP, without a word on HTTPS', async (path) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const [headers, expected] of [
        [[], null],
        [from('203.0.113.1', 'http'), null],
        [from('203.0.113.1', 'https'), HSTS],
      ] as const) {
        const reply = await send(method, path, headers)
        expect(statusOf(reply), method).toBe(method === 'OPTIONS' ? 204 : 200)
        expect(headerOf(reply.head, 'strict-transport-security')).toBe(expected)
      }
  })
})

test('plain HTTP is never charged', async () => {
  const key = `X-API-Key: ${await service.key('FREE')}`
  for (let n = 0; n < 25; n++) {
    expect(statusOf(await send('GET', '/api/incidents', [...from('203.0.113.2', 'http'), key]))).toBe(403)
    expect(statusOf(await send('GET', '/api/incidents', from('203.0.113.2', 'http')))).toBe(403)
  }
  const keyed = await send('GET', '/api/incidents', [...from('203.0.113.2', 'https'), key])
  expect([statusOf(keyed), headerOf(keyed.head, 'x-ratelimit-remaining')]).toEqual([200, '19'])
  expect(statusOf(await send('GET', '/api/incidents', from('203.0.113.2', 'https')))).toBe(200)
})

test('each request of a connection is looked at for itself', async () => {
  const one = (proto: string): string => `GET /api/plans HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: ${proto}\r\n`
  const { head, body } = await raw(service.url, `${one('https')}\r\n${one('http')}\r\n${one('https')}Connection: close\r\n\r\n`)
  const lines = `${head}\r\n\r\n${body}`.match(/HTTP\/1\.1 \d+/g)
  expect(lines).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403', 'HTTP/1.1 200'])
})

test('replies kept in memory have it only for clients over HTTPS', async () => {
  const key = `X-API-Key: ${await service.key('PRO')}`
  for (const path of ['/api/incidents', '/api/incidents?format=csv', '/openapi.json', '/'])
    for (const [headers, expected] of [
      [[key], null],
      [[...from('203.0.113.3', 'https'), key], HSTS],
      [[key], null],
      [[...from('203.0.113.3', 'https'), key, 'If-None-Match: *'], HSTS],
    ] as const)
      expect(headerOf((await send('GET', path, headers)).head, 'strict-transport-security'), path).toBe(expected)
})

test('every operation that refuses plain HTTP documents it', () => {
  const { components } = openapi(endpoints, PUBLIC, DEFAULT_PLANS) as Reply
  for (const [path, methods] of Object.entries<Reply>(paths))
    for (const [method, { responses }] of Object.entries<Reply>(methods)) {
      const { $ref, description } = responses[403] ?? {}
      const documented = $ref ? components.responses[$ref.split('/').at(-1)].description : description
      if (OPEN.includes(path)) expect(documented, path).toBeUndefined()
      else expect(documented, `${method} ${path}`).toContain('`https-required`')
    }
})

test.each([
  ['es', 'sin cifrar'],
  ['en', 'plain HTTP'],
])('its page says what to do, in %s', async (language, words) => {
  const response = await service.get(`/problems/https-required?lang=${language}`, { 'X-Forwarded-Proto': 'https' })
  const text = await response.text()
  expect(text).toContain(words)
  expect(text).toContain('/api/keys/{id}/rotate')
})
