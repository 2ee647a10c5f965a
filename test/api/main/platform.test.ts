import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { byTier } from '../../helpers/tier.ts'
import { ACCOUNT_PAGES, PAGES } from '../features/site/page-paths.ts'
import { openapi } from '../openapi.ts'
import { headerOf, type RawReply, raw } from '../raw.ts'
import { representatives } from '../representatives.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ securityContact: 'mailto:security@example.org', proxies: '127.0.0.1' })
  await fillWithExamples(service)
})
afterAll(() => service?.close())

const SCRIPT = PAGES['/assets/{version}/{name}'] as string
/** Paths of the description without data. */
const DESCRIBED = ['/health', '/ready', '/openapi.json', '/api/plans', '/schemas/Incident', '/status']
const PLATFORM = [...DESCRIBED, ...Object.values(PAGES)]
/** A platform path as the description has it. */
const described = (path: string): string => path.replace('Incident', '{name}')
const ALLOW = 'GET, HEAD, OPTIONS'
/** By default one endpoint with and one without a body: `engine-laws` has the same of all. */
const ENDPOINTS = byTier([...representatives.slice(0, 1), ...endpoints.filter((one) => one.takesBody)], representatives)
const PATHS = [...PLATFORM, ...ENDPOINTS.map((endpoint) => requestOf(endpoint))]

const send = async (method: string, target: string, headers: readonly string[] = []): Promise<RawReply> => {
  const key = `X-API-Key: ${await service.key('ENTERPRISE')}`
  return await raw(service.url, [`${method} ${target} HTTP/1.1`, 'Host: a', key, 'Connection: close', ...headers, '', ''].join('\r\n'))
}
const statusOf = ({ head }: RawReply): number => Number(head.split(' ')[1])

/** Each with its least factor of compression. */
const LASTING = [
  ['/openapi.json', 5],
  ['/api/plans', 3],
] as const

test.each(['/openapi.json', '/schemas/Incident', SCRIPT])('%s takes no parameters', async (path) => {
  const response = await service.open(`${path}?nonsense=1`)
  expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: 'unknown-parameter' })])
})

describe.each(LASTING)('%s', (path, times) => {
  test('has the headers of a reply with data, except those about data', async () => {
    const { headers } = await service.get(path)
    expect(headers.get('etag')).toMatch(/^W\/"[\w-]{22}"$/)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('public, max-age=300, stale-if-error=600')
    expect(headers.get('vary')).toContain('Accept-Encoding')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('x-data-age')).toBeNull()
  })

  test('answers 304 to its own tag, and only to it', async () => {
    const etag = (await service.get(path)).headers.get('etag') as string
    for (const method of ['GET', 'HEAD'])
      for (const tag of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
        const again = await fetch(`${service.url}${path}`, { method, headers: { 'If-None-Match': tag } })
        expect(again.status, `${method} ${tag}`).toBe(304)
        expect(again.headers.get('etag')).toBe(etag)
        expect(again.headers.get('content-type')).toBeNull()
        expect(await again.text()).toBe('')
      }
    expect((await service.get(path, { 'If-None-Match': 'W/"other"' })).status).toBe(200)
    expect((await service.get(path)).headers.get('etag')).toBe(etag)
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['zstd', zstdDecompressSync],
  ] as const)('is compressed: %s', async (encoding, decompress) => {
    const plain = await send('GET', path)
    for (let turn = 0; turn < 2; turn++) {
      const { head, body } = await send('GET', path, [`Accept-Encoding: ${encoding}`])
      expect(headerOf(head, 'content-encoding')).toBe(encoding)
      expect(Number(headerOf(head, 'content-length'))).toBe(body.length)
      expect(decompress(body).equals(plain.body)).toBe(true)
      expect(body.length).toBeLessThan(plain.body.length / times)
    }
  })
})

describe.each(PATHS)('%s', (path) => {
  // One path takes its parameter in a body, too.
  const takesBody = endpoints.some((one) => one.takesBody && path.split('?')[0] === one.path)
  const allow = takesBody ? 'GET, HEAD, POST, OPTIONS' : ALLOW

  test('answers HEAD with the head of GET and no body', async () => {
    const [got, head] = await Promise.all(['GET', 'HEAD'].map((method) => send(method, path)))
    if (!got || !head) throw new Error('no replies')
    expect([statusOf(got), statusOf(head)]).toEqual([200, 200])
    expect(got.body.length).toBeGreaterThan(0)
    expect(head.body.length).toBe(0)
    for (const name of ['content-type', 'etag', 'vary', 'access-control-allow-origin', 'last-modified'])
      expect(headerOf(head.head, name), name).toBe(headerOf(got.head, name))
  })

  test('answers OPTIONS with the allowed methods, with and without a preflight', async () => {
    const preflight = ['Origin: https://a.example', 'Access-Control-Request-Method: GET', 'Access-Control-Request-Headers: x-api-key']
    for (const headers of [[], preflight]) {
      const { head, body } = await send('OPTIONS', path, headers)
      expect(head).toMatch(/^HTTP\/1.1 204 /)
      expect(body.length).toBe(0)
      expect(headerOf(head, 'allow')).toBe(allow)
      expect(headerOf(head, 'access-control-allow-origin')).toBe('*')
      expect(headerOf(head, 'access-control-allow-methods')).toBe(allow)
      expect(headerOf(head, 'access-control-allow-headers')).toContain('X-API-Key')
      expect(headerOf(head, 'access-control-max-age')).toBe('86400')
      expect(headerOf(head, 'access-control-allow-credentials')).toBeNull()
    }
  })

  test('refuses every other method as a problem that says which there are', async () => {
    const others = METHODS.filter((method) => !['GET', 'HEAD', 'OPTIONS', 'CONNECT'].includes(method))
    const common = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']
    expect(others).toEqual(expect.arrayContaining(common))
    // From an address of each path's own, as all together are more than one may make in a minute.
    const nth = PATHS.indexOf(path)
    const from = `X-Forwarded-For: 192.0.2.${nth}`
    for (const [at, method] of others.entries()) {
      // The common methods at each path, and each rare one at every eighth.
      if (allow.includes(method) || !(common.includes(method) || at % 8 === nth % 8)) continue
      const { head, body } = await send(method, path, [from])
      expect(head, method).toMatch(/^HTTP\/1.1 405 /)
      expect(headerOf(head, 'allow')).toBe(allow)
      expect(headerOf(head, 'content-type')).toBe('application/problem+json')
      expect(headerOf(head, 'cache-control')).toBe('no-store')
      expect(JSON.parse(body.toString()) as Reply).toMatchObject({
        status: 405,
        code: 'method-not-allowed',
        detail: expect.stringContaining(`${method}; it takes ${allow}`),
      })
    }
  })
})

describe('the description of a platform path', () => {
  const { paths, components } = openapi(endpoints, 'https://api.example.org') as Reply

  test('names those for programs, and no page', async () => {
    const found = Object.keys(paths).filter((path) => paths[path].get?.tags.includes('platform'))
    expect(found).toEqual(DESCRIBED.map(described))
    for (const page of [...Object.keys(PAGES), ...ACCOUNT_PAGES]) expect(Object.keys(paths)).not.toContain(page)
  })

  test.each(DESCRIBED)('shows the replies of %s', async (path) => {
    const { responses } = paths[described(path)].get
    const [[type, { schema, example }]] = Object.entries<Reply>(responses[200].content) as [[string, Reply]]
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile({ ...schema, components })
    const response = await service.get(path)
    // Only texts have a charset.
    expect(response.headers.get('content-type')?.replace(/^(text\/[^;]+);.*/, '$1')).toBe(type)
    const text = await response.text()
    const reply = type.endsWith('json') ? JSON.parse(text) : text
    for (const one of [example, reply]) if (one !== undefined) expect(check(one), JSON.stringify(check.errors)).toBe(true)
    if (typeof reply === 'string') expect(kindOf(example ?? reply)).toEqual(kindOf(reply))
    else if (path !== '/openapi.json') expect(Object.keys(example)).toEqual(Object.keys(reply))
  })
})

/** The beginning of a text, and its type by lines or elements. */
function kindOf(text: string): unknown {
  const names = [...text.matchAll(/<(?:h1|main|nav|script|style)\b|^[A-Z][A-Za-z-]*:/gm)].map(([name]) => name)
  return [text.split('\n')[0], new Set(names)]
}

describe('an unknown path', () => {
  test.each(METHODS.filter((method) => method !== 'CONNECT'))('is 404 to %s', async (method) => {
    const { head, body } = await send(method, '/nothing')
    expect(head).toMatch(/^HTTP\/1.1 404 /)
    expect(headerOf(head, 'content-type')).toBe('application/problem+json')
    if (method === 'HEAD') expect(body.length).toBe(0)
    else expect(JSON.parse(body.toString()) as Reply).toMatchObject({ status: 404, code: 'not-found' })
  })
})

describe('CONNECT', () => {
  test.each(['example.org:443', '/api/incidents', 'a:1\r\nTransfer-Encoding: chunked'])(
    'to %j is refused, and ends the connection',
    async (target) => {
      const { head, body } = await send('CONNECT', target)
      expect(head).toMatch(/^HTTP\/1.1 405 Method Not Allowed\r\n/)
      expect(headerOf(head, 'allow')).toBe(ALLOW)
      expect(headerOf(head, 'connection')).toBe('close')
      expect(Number(headerOf(head, 'content-length'))).toBe(body.length)
      expect(JSON.parse(body.toString()) as Reply).toMatchObject({ status: 405, code: 'method-not-allowed' })
    },
  )

  test('and an immediate disconnect does no harm', async () => {
    await Promise.all(Array.from({ length: 20 }, () => abandoned('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')))
    expect((await service.get('/api/incidents')).status).toBe(200)
  })
})

/** Sends a request and resets the connection without reading. */
async function abandoned(text: string): Promise<void> {
  const { hostname, port } = new URL(service.url)
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.resetAndDestroy()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
  })
}
