import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { headerOf, type RawReply, raw } from '../raw.ts'
import { exampleRow, fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

let service: TestService
const logged: string[] = []
beforeAll(async () => {
  service = await startService({ log: (line) => logged.push(line) })
  await fillWithExamples(service)
  const stations = Array.from({ length: 3000 }, (_, n) => exampleRow(fuelStations, { station_id: String(n) }))
  await service.publish(fuelStations, stations)
})
afterAll(() => service?.close())

const PLANS = 'GET /api/plans HTTP/1.1\r\nHost: a\r\n'
const END = 'Connection: close\r\n\r\n'
const KEYS = 'POST /api/keys HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
const bytes = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
const statusOf = ({ head }: RawReply): number => Number(head.split(' ')[1])

/** Bad requests, by their defect, and their outcome. */
const MALFORMED: Readonly<Record<string, readonly [string, number, string]>> = {
  'two hosts': [`${PLANS}Host: b\r\n${END}`, 400, 'malformed-request'],
  'the same host twice': [`${PLANS}host: a\r\n${END}`, 400, 'malformed-request'],
  'a host with a space': [`GET /api/plans HTTP/1.1\r\nHost: a b\r\n${END}`, 400, 'malformed-request'],
  'a host with a path': [`GET /api/plans HTTP/1.1\r\nHost: a/b\r\n${END}`, 400, 'malformed-request'],
  'no host': [`GET /api/plans HTTP/1.1\r\n${END}`, 400, 'malformed-request'],
  'length and chunks': [`${KEYS}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${PLANS}\r\n`, 400, 'malformed-request'],
  'chunks and length': [`${KEYS}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${PLANS}\r\n`, 400, 'malformed-request'],
  'two lengths': [`${KEYS}Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345`, 400, 'malformed-request'],
  'the same length twice': [`${KEYS}Content-Length: 5\r\nContent-Length: 5\r\n\r\n12345`, 400, 'malformed-request'],
  'a signed length': [`${KEYS}Content-Length: +5\r\n\r\n12345`, 400, 'malformed-request'],
  'an unknown coding': [`${KEYS}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, 400, 'malformed-request'],
  'chunks that are not the last coding': [`${KEYS}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400, 'malformed-request'],
  'a space before the colon': [`${KEYS}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, 400, 'malformed-request'],
  'a chunk without length': [`${KEYS}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`, 400, 'malformed-request'],
  'an endless chunk extension': [`${KEYS}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(40_000)}\r\n{}\r\n`, 413, 'payload-too-large'],
  'a bare CR in a value': [`${PLANS}X: a\rb\r\n${END}`, 400, 'malformed-request'],
  'a bare LF in a value': [`${PLANS}X: a\nY: b\r\n${END}`, 400, 'malformed-request'],
  'lines that end in LF': ['GET /api/plans HTTP/1.1\nHost: a\n\n', 400, 'malformed-request'],
  'a folded value': [`${PLANS}X: a\r\n b\r\n${END}`, 400, 'malformed-request'],
  'a NUL in a value': [`${PLANS}X: a\0b\r\n${END}`, 400, 'malformed-request'],
  'a URL with a space': [`GET /api/incidents?road=A 1 HTTP/1.1\r\nHost: a\r\n${END}`, 400, 'malformed-request'],
  'a URL that is no ASCII': [bytes(`GET /api/incidents?road=\xe9 HTTP/1.1\r\nHost: a\r\n${END}`), 400, 'malformed-request'],
  'no path': [`GET nothing HTTP/1.1\r\nHost: a\r\n${END}`, 400, 'malformed-request'],
  'everything, to GET': [`GET * HTTP/1.1\r\nHost: a\r\n${END}`, 400, 'malformed-request'],
  'another host’s path': [`GET //b.example/api/plans HTTP/1.1\r\nHost: a\r\n${END}`, 404, 'not-found'],
  'HTTP/0.9': ['GET /api/plans\r\n\r\n', 400, 'malformed-request'],
  'HTTP/2.0 in a line': [`GET /api/plans HTTP/2.0\r\nHost: a\r\n${END}`, 400, 'malformed-request'],
  'HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed-request'],
  'an unknown version of HTTP': [`GET /api/plans HTTP/1.3\r\nHost: a\r\n${END}`, 400, 'malformed-request'],
  TLS: ['\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400, 'malformed-request'],
  'a body that is too large': [`${KEYS}Content-Length: 5000\r\n${END}${'x'.repeat(5000)}`, 413, 'payload-too-large'],
  'chunks that are too many': [
    `${KEYS}Transfer-Encoding: chunked\r\n${END}1388\r\n${'x'.repeat(5000)}\r\n0\r\n\r\n`,
    413,
    'payload-too-large',
  ],
  'too many headers': [`${PLANS}${'X: 1\r\n'.repeat(6000)}${END}`, 431, 'headers-too-large'],
  'a header that is too long': [`${PLANS}X: ${'x'.repeat(40_000)}\r\n${END}`, 431, 'headers-too-large'],
  ...Object.fromEntries(
    ['/api/incidents', '/api/plans', '/health', '/docs', '/api/keys', '/account'].flatMap((path) =>
      [17_000, 40_000, 100_000].map((length) => [
        `a URL of ${length} characters for ${path}`,
        [`GET ${path}?x=${'x'.repeat(length)} HTTP/1.1\r\nHost: a\r\n${END}`, 414, 'uri-too-long'] as const,
      ]),
    ),
  ),
}

describe('a bad request is answered by one problem, and nothing after it: ', () => {
  test.each(Object.entries(MALFORMED))('%s', async (_what, [text, status, code]) => {
    const reply = await raw(service.url, text)
    expect(reply.head.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(headerOf(reply.head, 'content-type')).toBe('application/problem+json')
    expect(headerOf(reply.head, 'cache-control')).toBe('no-store')
    expect(headerOf(reply.head, 'x-content-type-options')).toBe('nosniff')
    expect(headerOf(reply.head, 'connection')).toBe('close')
    for (const name of ['server', 'x-powered-by']) expect(headerOf(reply.head, name)).toBeNull()
    const problem = JSON.parse(reply.body.toString()) as Reply
    expect(problem).toMatchObject({ status, code, request_id: headerOf(reply.head, 'x-request-id') })
    expect(reply.body.toString()).not.toMatch(/\.ts\b|node_modules|\bat .+:\d+:\d+/)
  })

  test('and its parser logs nothing', () => {
    expect(logged.filter((line) => !line.includes('"level":30'))).toEqual([])
  })
})

describe('odd but well-formed input', () => {
  test.each([
    ['HTTP/1.0 without a host', 'GET /api/plans HTTP/1.0\r\n\r\n', 200],
    ['a whole URL', `GET http://a/api/plans HTTP/1.1\r\nHost: a\r\n${END}`, 200],
    ['a question for everything', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${END}`, 204],
    ['an upgrade that is not offered', `${PLANS}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`, 200],
    [
      'an upgrade to HTTP/2',
      `${PLANS}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n`,
      200,
    ],
    ['TRACE', `TRACE /api/plans HTTP/1.1\r\nHost: a\r\nX-API-Key: secret\r\n${END}`, 405],
    ['a range', `GET /api/incidents HTTP/1.1\r\nHost: a\r\nRange: bytes=0-10\r\n${END}`, 200],
    ['a host with a port', `GET /api/plans HTTP/1.1\r\nHost: [::1]:8080\r\n${END}`, 200],
  ])('%s', async (_what, text, status) => {
    const reply = await raw(service.url, text)
    expect(statusOf(reply)).toBe(status)
    expect(reply.body.toString()).not.toContain('secret')
    for (const name of ['server', 'x-powered-by', 'upgrade']) expect(headerOf(reply.head, name)).toBeNull()
  })

  test('two keys are no key', async () => {
    const key = `X-API-Key: ${await service.key('PRO')}\r\n`
    expect(statusOf(await raw(service.url, `GET /api/incidents HTTP/1.1\r\nHost: a\r\n${key}${key}${END}`))).toBe(401)
  })
})

test("no client is led to another host by another client's request", async () => {
  const path = '/api/gas-stations?limit=1&lang=en'
  const ask = (target: string): Promise<RawReply> => raw(service.url, `GET ${target} HTTP/1.1\r\nHost: a\r\n${END}`)
  for (const odd of [`http://b.example${path}`, path.replace('/api', '/%61pi'), path.replace('?', '/?'), path.replace('?', '#x?'), path])
    for (const link of [headerOf((await ask(odd)).head, 'link'), headerOf((await ask(path)).head, 'link')])
      if (link !== null) expect(link, odd).toMatch(/^<\/api\/gas-stations\?limit=1&lang=en&cursor=[\w.-]+>; rel="next"$/)
  expect(headerOf((await ask(path)).head, 'link')).toContain('rel="next"')
})

describe('input after a request on its connection', () => {
  const BIG = 'GET /api/gas-stations?limit=1000 HTTP/1.1\r\nHost: a\r\n\r\n'

  test('is never written into its answer', async () => {
    const { body } = await raw(service.url, `${BIG.slice(0, -2)}${END}`)
    for (const after of ['GARBAGE\r\n\r\n', 'GET / HTTP/9\r\n\r\n', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`]) {
      const reply = await raw(service.url, BIG + after)
      expect(statusOf(reply)).toBe(200)
      expect(reply.body.subarray(0, body.length).equals(body)).toBe(true)
      const rest = reply.body.subarray(body.length).toString()
      expect(rest).toMatch(/^HTTP\/1\.1 4(00|31) /)
      expect(rest.match(/HTTP\/1\.1/g)).toHaveLength(1)
    }
  })

  test('is answered once, however much comes', async () => {
    const { body } = await raw(service.url, `${BIG}GARBAGE\r\n\r\n${'GARBAGE\r\n\r\n'.repeat(10_000)}`)
    expect(body.toString().match(/HTTP\/1\.1 400/g)).toHaveLength(1)
  })

  test('an unexpected body is not taken for a request', async () => {
    const { body, head } = await raw(
      service.url,
      `${PLANS}Content-Length: 30\r\n\r\n${'GET /nothing HTTP/1.1\r\n'.padEnd(30, 'x')}${PLANS}${END}`,
    )
    const all = `${head}${body}`
    expect(all.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    expect(all).not.toContain('HTTP/1.1 404')
  })
})

test('afterwards everything is as before', async () => {
  await sleep(100)
  expect((await service.get('/api/incidents')).status).toBe(200)
})
