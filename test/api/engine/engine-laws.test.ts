import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { allParams } from '../../../api/engine/request/request.ts'
import { type Endpoint, pathParams } from '../../../api/kernel/endpoint.ts'
import type { Param } from '../../../api/kernel/params/params.ts'
import { INSTANT_PATTERN } from '../../../api/kernel/params/params-time.ts'
import { PROBLEMS } from '../../../api/kernel/problems.ts'
import { IS_DEEP } from '../../helpers/tier.ts'
import { until } from '../../helpers/until.ts'
import { exampleService } from '../example-service.ts'
import { representatives } from '../representatives.ts'
import { hasGeoJson, strictGeoJson } from '../requests.ts'
import type { Reply, TestService } from '../service.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

/** Asks with the tag of a reply. One that follows the clock may have another tag by then: the second try is in time. */
async function currentTag(path: string, form: (tag: string) => string, more: Readonly<Record<string, string>> = {}) {
  for (let isLast = false; ; isLast = true) {
    const etag = (await service.get(path)).headers.get('etag') as string
    const again = await service.get(path, { 'If-None-Match': form(etag), ...more })
    if (again.status === 304 || isLast) return { etag, again }
  }
}

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

function checkSchema(schema: object, value: unknown): void {
  const check = ajv.compile(schema)
  check(value)
  expect(check.errors ?? []).toEqual([])
}

/** A 400 problem that names the parameter. */
async function expectRefused(response: Response, parameter: string): Promise<Reply> {
  const problem = (await response.json()) as Reply
  expect(response.status, JSON.stringify(problem)).toBe(400)
  expect(response.headers.get('content-type')).toContain('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('x-request-id')).toBe(problem.request_id)
  expect(problem.errors.map((one: Reply) => one.parameter)).toContain(parameter)
  expect(problem.detail).toContain(parameter)
  return problem
}

const seenParameters = new Set<string>()

/** The query parameters of an endpoint; by default only those that no earlier representative has with the same schema. */
function parametersOf(endpoint: Endpoint): (readonly [string, Param])[] {
  return [...allParams(endpoint)].filter(([name, one]) => {
    if (pathParams(endpoint.path).includes(name)) return false
    const kind = JSON.stringify([name, one.schema, one.list])
    const isNew = IS_DEEP || !seenParameters.has(kind)
    seenParameters.add(kind)
    return isNew
  })
}

describe.each(representatives.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  const wrongs = parametersOf(endpoint)

  test('carries the headers that replies have', async () => {
    const { headers } = await service.get(requestOf(endpoint))
    expect(headers.get('etag')).toMatch(/^W\/"[\w-]{22}"$/)
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding, Accept-Language, X-API-Key')
    expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+, stale-if-error=600$/)
    expect(Date.parse(headers.get('last-modified') ?? '')).not.toBeNaN()
    expect(Number(headers.get('x-data-age'))).toBeGreaterThanOrEqual(0)
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  test('answers 304 to its own tag, and only to it', async () => {
    const path = requestOf(endpoint)
    const forms = [(tag: string) => tag, (tag: string) => `"other", ${tag}`, (tag: string) => tag.replace('W/', ''), () => '*']
    for (const form of forms) {
      const { etag, again } = await currentTag(path, form)
      expect(again.status, form('tag')).toBe(304)
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('cache-control')).toContain('max-age')
      expect(again.headers.get('vary')).toContain('Accept')
      expect(again.headers.get('content-type')).toBeNull()
      expect(await again.text()).toBe('')
    }
    expect((await service.get(path, { 'If-None-Match': 'W/"other"' })).status).toBe(200)
  })

  test('answers 304 to its own time, unless a tag says otherwise', async () => {
    const path = requestOf(endpoint)
    const first = await service.get(path)
    const modified = first.headers.get('last-modified') as string
    const statusOf = async (headers: Record<string, string>, method = 'GET'): Promise<number> =>
      (await service.ask(path, { method, headers })).status
    const before = new Date(Date.parse(modified) - 1000).toUTCString()
    expect(await statusOf({ 'If-Modified-Since': before })).toBe(200)
    expect(await statusOf({ 'If-Modified-Since': modified, 'If-None-Match': 'W/"other"' })).toBe(200)
    expect((await currentTag(path, (tag) => tag, { 'If-Modified-Since': before })).again.status).toBe(304)
    expect(await statusOf({ 'If-Modified-Since': 'yesterday' })).toBe(200)
    for (const method of ['GET', 'HEAD']) {
      // A reply that follows the clock, or changed within this second, may have a later time at the second request.
      const isGood = async (): Promise<boolean> => {
        const now = (await service.get(path)).headers.get('last-modified') as string
        return (await statusOf({ 'If-Modified-Since': now }, method)) === 304
      }
      await until(`304 to ${method}`, isGood)
    }
  })

  test('answers HEAD with the same head and no body', async () => {
    const path = requestOf(endpoint)
    const [got, head] = [await service.get(path), await service.ask(path, { method: 'HEAD' })]
    expect(head.status).toBe(200)
    expect(head.headers.get('etag')).toBe(got.headers.get('etag'))
    expect(head.headers.get('content-length')).toBeNull()
    expect(await head.text()).toBe('')
  })

  test('answers OPTIONS with the allowed methods and refuses other methods', async () => {
    const url = `${service.url}${requestOf(endpoint)}`
    const options = await service.ask(url, {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
    })
    const allow = endpoint.takesBody ? 'GET, HEAD, POST, OPTIONS' : 'GET, HEAD, OPTIONS'
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toBe(allow)
    expect(options.headers.get('access-control-allow-methods')).toBe(allow)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const refused = await service.ask(url, {
        method,
        ...(method === 'POST' ? { body: '{', headers: { 'Content-Type': 'text/odd' } } : {}),
      })
      if (method === 'POST' && endpoint.takesBody) {
        expect(refused.status).toBe(415)
        continue
      }
      expect(refused.status, method).toBe(405)
      expect(refused.headers.get('allow')).toBe(allow)
      expect((await refused.json()) as Reply).toMatchObject({ code: 'method-not-allowed', status: 405 })
    }
  })

  test('refuses an unknown parameter, with a suggestion where one is near', async () => {
    const problem = await expectRefused(await service.get(requestOf(endpoint, { nonsense_xyz: '1' })), 'nonsense_xyz')
    expect(problem).toMatchObject({ code: 'unknown-parameter', type: `${service.url}/problems/unknown-parameter` })
    const misspelt = await expectRefused(await service.get(requestOf(endpoint, { feilds: 'id' })), 'feilds')
    expect(misspelt.detail).toContain('did you mean fields?')
    expect(misspelt.errors[0].allowed).toContain('fields')
  })

  test.each(wrongs)('refuses wrong values of %s by name', async (name, one) => {
    for (const value of wrongValues(name, one.schema)) {
      const problem = await expectRefused(await service.get(requestOf(endpoint, { [name]: value })), name)
      const mistake = problem.errors.find((error: Reply) => error.parameter === name)
      expect(mistake.detail.length, `${name}=${value}`).toBeGreaterThan(name.length + 10)
      if (Array.isArray(one.schema['enum'])) expect(mistake.allowed).toEqual(one.schema['enum'])
    }
    if (one.list) return
    const path = requestOf(endpoint, { [name]: one.example ?? 'a' })
    await expectRefused(await service.get(`${path}&${name}=${encodeURIComponent(one.example ?? 'a')}`), name)
  })

  test.each(wrongs)('survives injections in %s', async (name) => {
    for (const value of injectionsFor(name)) {
      const response = await service.get(requestOf(endpoint, { [name]: value }))
      expect([200, 400], `${name}=${value}`).toContain(response.status)
      const body = (await response.json()) as Reply
      if (response.status === 400) expect(Object.keys(PROBLEMS)).toContain(body.code)
    }
  })

  test.skipIf(pathParams(endpoint.path).length === 0)('answers 404 for unknown ids', async () => {
    for (const id of ['nothing', ...injectionsFor(endpoint.path), 'x'.repeat(60)]) {
      const response = await service.get(requestOf(endpoint, Object.fromEntries(pathParams(endpoint.path).map((name) => [name, id]))))
      expect([404, 400], id).toContain(response.status)
      const { status } = response
      const time = new Date(Date.now() + 1e6).toUTCString()
      for (const headers of [{ 'If-None-Match': '*' }, { 'If-Modified-Since': time }]) {
        expect((await service.ask(response.url, { headers })).status, JSON.stringify(headers)).toBe(status)
        expect((await service.ask(response.url, { headers, method: 'HEAD' })).status, `HEAD ${JSON.stringify(headers)}`).toBe(status)
      }
      expect((await service.ask(response.url, { method: 'HEAD' })).status).toBe(status)
      expect(response.headers.get('content-type')).toContain('application/problem+json')
    }
  })

  test('shows only the requested fields', async () => {
    const [first] = Object.keys(endpoint.returns.record.fields) as [string]
    const reply = (await service.json(requestOf(endpoint, { fields: first }))) as Reply
    const { meta, ...one } = endpoint.returns.kind === 'list' ? reply[endpoint.returns.name][0] : reply
    expect(Object.keys(one)).toEqual([first])
  })

  test('has the representations it says it has', async () => {
    const path = requestOf(endpoint)
    const wanted = await service.get(path, { Accept: 'application/geo+json' })
    const asked = await service.get(requestOf(endpoint, { format: 'geojson' }))
    if (!hasGeoJson(endpoint)) {
      expect(wanted.status).toBe(406)
      expect((await wanted.json()) as Reply).toMatchObject({ code: 'not-acceptable' })
      expect(asked.status).toBe(400)
      return
    }
    expect([wanted.status, asked.status]).toEqual([200, 200])
    expect(wanted.headers.get('content-type')).toBe('application/geo+json')
    const text = await wanted.text()
    expect(await asked.text()).toBe(text)
    checkSchema(strictGeoJson(endpoint), JSON.parse(text))
    expect(wanted.headers.get('etag')).not.toBe((await service.get(path, { Accept: 'application/json' })).headers.get('etag'))
  })

  test('cannot be read as anything else', async () => {
    const response = await service.get(requestOf(endpoint), { Accept: 'text/html' })
    expect(response.status).toBe(406)
    expect(((await response.json()) as Reply).detail).toContain('application/json')
    expect((await service.get(requestOf(endpoint), { Accept: 'text/html, */*;q=0.1' })).status).toBe(200)
  })
})

const INJECTIONS = [
  `' OR 1=1 --`,
  `"; DROP TABLE incidents; --`,
  `${'$'}{7*7}`,
  '../../etc/passwd',
  '%00',
  '\u0000',
  '<script>',
  '\r\nX: y',
  '💥',
  '{"$gt":""}',
]

/**
 * All injections in the deep tests; by default every fourth, another one first for each place, so that each is tried somewhere.
 */
function injectionsFor(place: string): readonly string[] {
  return IS_DEEP ? INJECTIONS : INJECTIONS.filter((_, index) => (index + place.length) % 4 === 0)
}

/** Values that a parameter cannot have, by its schema. */
function wrongValues(name: string, schema: Readonly<Record<string, unknown>>): string[] {
  if (name === 'cursor') return ['nonsense', 'a.b', `${'A'.repeat(40)}.${'A'.repeat(22)}`, 'x'.repeat(1900), 'x'.repeat(10_000)]
  if (Array.isArray(schema['enum'])) return ['NONSENSE', '', ' ', 'x'.repeat(3000)]
  if (schema['type'] === 'boolean') return ['maybe', '1', '']
  if (schema['type'] === 'integer') return ['abc', '', '1.5', '1e9', '-1', '0x10', '99999999999999999999', 'NaN']
  if (schema['type'] === 'number') return ['abc', '', '1e999', 'Infinity', '-99999999', '--1', '1,5']
  if (schema['pattern'] === INSTANT_PATTERN)
    return ['yesterday', '', '2026-13-01', '2026-02-30', '2026-01-01T00:00:00', '0000-01-01', '99999-01-01']
  if (schema['pattern']) return ['1,2,3', 'a,b,c,d', '10,10,0,0', '-190,0,10,10', '']
  return ['', 'x'.repeat(3000)]
}
