import { beforeAll, describe, expect, test } from 'vitest'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { pathParams } from '../../../api/kernel/endpoint.ts'
import { exampleService } from '../example-service.ts'
import { headerOf, raw } from '../raw.ts'
import { representatives } from '../representatives.ts'
import type { Reply, TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

const withPath = representatives.filter(({ path }) => pathParams(path).length > 0)

describe('a part of a path, however long', () => {
  test.each([...withPath.map(({ path }) => path), '/problems/{code}'])('is not our failure: %s', async (path) => {
    for (const length of [499, 500, 501, 5000, 16_000, 30_000]) {
      const url = `${service.url}${path.replaceAll(/\{\w+\}/g, 'x'.repeat(length))}`
      for (const method of ['GET', 'HEAD']) {
        const response = await service.ask(url, { method })
        expect([400, 404, 414], `${method} ${length}`).toContain(response.status)
        expect(response.headers.get('content-type')).toContain('application/problem+json')
      }
      const posted = await service.ask(url, { method: 'POST' })
      // For requests outside the data API the length of the URL is checked first.
      const isTooLong = length > 16_000 && path.startsWith('/problems/')
      expect(posted.status, `POST ${length}`).toBe(isTooLong ? 414 : 405)
      if (!isTooLong) expect(posted.headers.get('allow')).toContain('GET')
      expect((await service.ask(url, { method: 'OPTIONS' })).status).toBe(204)
    }
  })
})

/** Most bytes of a refusal, however long the request. */
const MOST = 20_000

describe('a reply to many mistakes', () => {
  const distinct = (begin: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${begin}${n}`)
  const queries: Readonly<Record<string, string>> = {
    'one value again and again': `fields=${distinct('q', 0).concat(Array(8000).fill('q')).join(',')}`,
    'many values of a list': `fields=${distinct('q', 2600).join(',')}`,
    'one name again and again': Array(8000).fill('a').join('&'),
    'many names': distinct('x', 2600).join('&'),
    'names and values that have to be escaped': `fields=${distinct('%00%22%5C'.repeat(12), 60)}&${distinct('%01%22'.repeat(12), 60).join('&')}`,
    'broken encodings': distinct('%zz', 2000).join('&'),
    'one long value': `lang=${'q'.repeat(16_000)}`,
    'one long name': 'q'.repeat(16_000),
    'everything wrong': 'limit=x&cursor=y&fields=z&lang=xx&format=x&sort=y&province=x&severity=q&type=q&bbox=1&from=x&to=y&interval=2h',
  }
  test.each(representatives.map((endpoint) => [endpoint.path, endpoint] as const))('is short: %s', async (_path, endpoint) => {
    for (const [what, query] of Object.entries(queries)) {
      const path = requestOf(endpoint)
      const response = await service.get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
      expect(response.status, what).toBe(400)
      const text = await response.text()
      expect(Buffer.byteLength(text), what).toBeLessThan(MOST)
      const { errors } = JSON.parse(text) as Reply
      expect(errors.length, what).toBeLessThanOrEqual(10)
      expect(new Set(errors.map((error: Reply) => JSON.stringify(error))).size, what).toBe(errors.length)
      const listed = errors.flatMap((error: Reply) => (error.allowed ? [error.allowed.join()] : []))
      if (what !== 'everything wrong') expect(listed.length, what).toBeLessThanOrEqual(2)
    }
  })

  test('says how many more there are', async () => {
    const { errors, detail } = await service.json('/api/incidents?severity=HIGH,a1,a2,a3,a4,a5,a6,a7,a8,a9,b0,b1,b2,a1')
    expect(errors).toHaveLength(10)
    expect(errors[0].allowed).toContain('HIGH')
    expect(errors[1]).toEqual({ parameter: 'severity', value: 'a2', detail: expect.stringContaining('got "a2"') })
    expect(detail).toMatch(/2 more mistakes are not listed$/)
  })

  test('ends every sentence once', async () => {
    const { detail } = await service.json('/api/incidents?zzzzzzzzz=1&xxxxxxxxx=2&provnce=3&limit=x&sort=y')
    expect(detail).toMatch(
      /^There is no parameter zzzzzzzzz\. Allowed: .*, \w+\. There is no parameter xxxxxxxxx\. There is no parameter provnce; did you mean province\? /,
    )
    expect(detail).not.toMatch(/[.?][.?]/)
  })

  test('suggests a name for each, and lists the valid ones once', async () => {
    const { errors } = await service.json('/api/incidents?severty=HIGH&provnce=Madrid')
    expect(errors.map((error: Reply) => error.detail)).toEqual([
      expect.stringMatching(/did you mean severity\? Allowed: /),
      expect.stringMatching(/did you mean province\?$/),
    ])
  })
})

test.each(['province=Madrid%00', 'municipality=%00Getafe', 'municipality=Getafe%07', 'road=A-1%00', 'province=%00'])(
  'a control character is refused: %s',
  async (query) => {
    const response = await service.get(`/api/gas-stations?${query}`)
    expect(response.status).toBe(400)
    expect(((await response.json()) as Reply).errors[0].parameter).toBe(query.split('=')[0])
  },
)

test('an unknown expectation is a problem', async () => {
  for (const method of ['GET', 'POST']) {
    const { head, body } = await raw(service.url, `${method} /api/incidents HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\n\r\n`)
    expect(head).toMatch(/^HTTP\/1.1 417 /)
    expect(headerOf(head, 'content-type')).toBe('application/problem+json')
    expect(JSON.parse(body.toString()) as Reply).toMatchObject({ status: 417, code: 'expectation-failed' })
  }
})

test('a language without texts is answered in Spanish, and says so', async () => {
  for (const [lang, spoken] of [
    ['ca', 'es'],
    ['eu', 'es'],
    ['gl', 'es'],
    ['es', 'es'],
    ['en', 'en'],
    ['EN', 'en'],
  ]) {
    const response = await service.get(`/api/incidents?lang=${lang}`)
    expect(response.headers.get('content-language'), lang).toBe(spoken)
    const plain = await service.get(`/api/incidents?lang=${spoken}`)
    expect(await response.text()).toBe(await plain.text())
  }
})

test.each(['es', 'en', 'ca', 'eu', 'gl'])('codes are labelled in %s', async (lang) => {
  const response = await service.get(`/api/codes?list=incident_type&lang=${lang}`)
  expect(response.headers.get('content-language')).toBe(lang)
  expect(((await response.json()) as Reply).lists[0].label_language).toBe(lang)
})
