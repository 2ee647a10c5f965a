import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { incidentById, incidentList } from '../../../api/endpoints/road/incidents.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { lint } from '../main/lint-description.ts'
import { openapi } from '../openapi.ts'
import { headerOf, raw } from '../raw.ts'
import { exampleRow, type Reply, startService, type TestService } from '../service.ts'

const DEPRECATED = {
  since: '2026-03-01',
  sunset: '2027-03-31',
  replacement: '/api/incidents',
}
const old: Endpoint = { ...incidentList, path: '/api/old-incidents', deprecated: DEPRECATED }
const lone: Endpoint = {
  ...incidentById,
  path: '/api/old-incidents/{id}',
  deprecated: { ...DEPRECATED, replacement: '/api/incidents/{id}' },
}
const endpoints: readonly Endpoint[] = [incidentList, old, lone]

const SINCE = Date.UTC(2026, 2, 1)
const GONE = Date.UTC(2027, 3, 1)
let now = SINCE
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now, endpoints })
  await service.publish(incidents, [
    exampleRow(incidents, { incident_id: 'inc_1' }),
    exampleRow(incidents, { source_id: 'b', incident_id: 'inc_2' }),
  ])
})
afterAll(() => service?.close())
beforeEach(() => {
  now = SINCE
})

const LINKS = [
  '</changelog>; rel="deprecation"; type="text/html"',
  '</changelog>; rel="sunset"; type="text/html"',
  '</api/incidents>; rel="successor-version"',
]

function expectToldOff(headers: Headers): void {
  expect(headers.get('deprecation')).toBe(`@${SINCE / 1000}`)
  expect(headers.get('sunset')).toBe('Wed, 31 Mar 2027 23:59:59 GMT')
  for (const link of LINKS) expect(headers.get('link')?.split(link).length, link).toBe(2)
}

describe('an endpoint that goes', () => {
  test.each([
    ['a reply', '', 200, []],
    ['a page of several', '?limit=1', 200, ['rel="next"']],
    ['a table', '?format=csv', 200, ['rel="describedby"', 'rel="license"']],
    ['a refusal', '?limit=no', 400, []],
  ] as const)('announces it with %s, beside the other headers', async (_name, query, status, rels) => {
    // The second time it comes from memory.
    for (const method of ['GET', 'GET', 'HEAD']) {
      const response = await service.ask(`/api/old-incidents${query}`, { method })
      expect(response.status).toBe(status)
      expectToldOff(response.headers)
      if (method === 'GET') for (const rel of rels) expect(response.headers.get('link')).toContain(rel)
    }
  })

  test('says so with an answer that nothing changed, in one line of each kind', async () => {
    const etag = (await service.get('/api/old-incidents')).headers.get('etag') as string
    const again = await service.get('/api/old-incidents', { 'If-None-Match': etag })
    expect(again.status).toBe(304)
    expectToldOff(again.headers)
    const { head } = await raw(service.url, 'GET /api/old-incidents HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    for (const name of ['Link', 'Deprecation', 'Sunset', 'Content-Type', 'ETag', 'Vary'])
      expect(head.split(new RegExp(`^${name}: `, 'im')).length, name).toBe(2)
    expect(headerOf(head, 'link')).toContain(LINKS[0])
  })

  test('says so before the day, too, and names no path with parameters as a URL', async () => {
    now = SINCE - 86_400_000
    const response = await service.get('/api/old-incidents/inc_1')
    expect(response.status).toBe(200)
    expect(response.headers.get('deprecation')).toBe(`@${SINCE / 1000}`)
    expect(response.headers.get('link')).toContain('</changelog>; rel="deprecation"')
    expect(response.headers.get('link')).not.toContain('successor-version')
  })

  test('is the only one that says so', async () => {
    const { headers } = await service.get('/api/incidents')
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name), name).toBeNull()
  })

  test('answers to the last second of its last day, and then says that it was removed, whatever is in memory', async () => {
    const etag = (await service.get('/api/old-incidents')).headers.get('etag') as string
    now = GONE - 1
    expect((await service.get('/api/old-incidents')).status).toBe(200)
    now = GONE
    for (const [query, headers] of [
      ['', {}],
      ['', { 'If-None-Match': etag }],
      ['?nonsense=1', {}],
    ] as const) {
      const response = await service.get(`/api/old-incidents${query}`, headers)
      expect(response.status).toBe(410)
      expectToldOff(response.headers)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect((await response.json()) as Reply).toMatchObject({
        type: `${service.url}/problems/gone`,
        code: 'gone',
        detail: 'The path answered until 2027-03-31. See /changelog.',
      })
    }
    const url = `${service.url}/api/old-incidents`
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(410)
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
    expect((await service.get('/api/incidents')).status).toBe(200)
  })
})

test('a deprecated endpoint is announced in the description, which stays valid', async () => {
  const description = openapi(endpoints, 'https://api.example.org')
  const { paths } = description as Reply
  expect(paths['/api/incidents'].get).not.toHaveProperty('deprecated')
  const { get } = paths['/api/old-incidents']
  expect([get.deprecated, get['x-sunset']]).toEqual([true, DEPRECATED.sunset])
  expect(get.responses).toHaveProperty('410')
  expect(paths['/api/incidents'].get.responses).not.toHaveProperty('410')
  const problems = await lint(description, 'recommended')
  expect(problems.filter((one) => !one.includes(' no-unused-components '))).toEqual([])
})
