import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { datasetsOf, type Endpoint, keptOf, pathParams } from '../../api/define/endpoint.ts'
import { columnsOf, type Fields, isNested } from '../../api/define/fields.ts'
import { essenceOf, TABLE_FORMATS } from '../../api/define/formats.ts'
import { type Interval, WIDEST_DAYS } from '../../api/define/params-time.ts'
import { PROBLEMS, type ProblemCode } from '../../api/define/problems.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { requestOf } from '../../api/http/example-request.ts'
import { openapi } from '../../api/http/openapi.ts'
import { allParams } from '../../api/http/request.ts'
import { provinceByCode } from '../../lake/places/provinces.ts'
import { PLANS } from '../../lake/schema/dataset.ts'
import { until } from '../helpers/until.ts'
import { hasGeoJson, strictGeoJson, strictReply } from './requests.ts'
import { fillWithExamples, type Reply, startService, type TestService } from './service.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

let service: TestService
beforeAll(async () => {
  service = await startService()
  await fillWithExamples(service)
})
afterAll(() => service?.close())

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

describe('declarations', () => {
  test('paths are well-formed and unique', () => {
    const paths = endpoints.map((endpoint) => endpoint.path)
    expect(new Set(paths).size).toBe(paths.length)
    for (const path of paths) expect(path).toMatch(/^\/api(\/([a-z0-9-]+|\{[a-z_]+\}))+$/)
  })

  test('lists of what is live and of catalogues give 20,000 records at once', () => {
    for (const { path, returns, read } of endpoints)
      if (returns.kind === 'list' && ['live', 'kept', 'system'].includes(read.kind)) expect(returns.limit.max, path).toBe(20_000)
  })

  test('names of records are unique', () => {
    const shapes = new Map(endpoints.map(({ returns }) => [returns.record, returns.record.name]))
    expect(new Set(shapes.values()).size).toBe(shapes.size)
  })

  test('members and parameters are snake_case, and no parameter hides another', () => {
    for (const endpoint of endpoints) {
      const { path, params, returns } = endpoint
      for (const name of [...allParams(endpoint).keys(), ...Object.keys(returns.record.fields)])
        expect(name, path).toMatch(/^[a-z][a-z0-9_]*$/)
      const own = Object.entries(params).flatMap(([name, one]) => (one.kind === 'group' ? Object.keys(one.members) : [name]))
      expect(new Set(own).size, path).toBe(own.length)
      for (const name of ['limit', 'cursor', 'fields', 'format', 'lang', 'sort']) expect(own, path).not.toContain(name)
    }
  })

  test('every member has an example, and one that is null only where it may be', () => {
    const check = (path: string, fields: Fields): void => {
      for (const [name, field] of Object.entries(fields)) {
        if (isNested(field)) check(`${path} ${name}`, field.fields)
        else if (field.example === null) expect(field.nullable, `${path} ${name} is never null`).toBe(true)
        else expect(field.example, `${path} ${name} has no example`).toBeDefined()
      }
    }
    for (const { path, returns } of endpoints) check(path, returns.record.fields)
  })

  test('no plan is lower than that of the data it shows', () => {
    for (const endpoint of endpoints) {
      const { path, plan, read, recent } = endpoint
      for (const dataset of datasetsOf(endpoint)) {
        const least = read.kind === 'lake' ? dataset.plan.history : dataset.plan.live
        // A lower plan may see one or two columns of a state, if the endpoint says which; never where or when something is.
        const excerpt = endpoint.excerpts?.find(({ of }) => of === dataset)
        if (excerpt) {
          expect(PLANS.indexOf(plan), `${path} needs no excerpt of ${dataset.id}`).toBeLessThan(PLANS.indexOf(least))
          expect(excerpt.columns.length, path).toSatisfy((count: number) => count >= 1 && count <= 2)
          for (const name of excerpt.columns)
            expect(['string', 'code', 'boolean'], `${path} ${name}`).toContain(dataset.columns[name]?.kind)
          const shown = [...columnsOf(dataset, endpoint.returns.record.fields).values()]
          expect(
            shown.filter((name) => !excerpt.columns.includes(name)),
            path,
          ).toEqual([])
          continue
        }
        // A lower plan may see the last day of a history, if the endpoint says so and which plan may see the rest.
        if (recent) expect([recent.hours <= 24, PLANS.indexOf(recent.wider) >= PLANS.indexOf(least)], path).toEqual([true, true])
        else expect(PLANS.indexOf(plan), `${path} ${dataset.id}`).toBeGreaterThanOrEqual(PLANS.indexOf(least))
      }
    }
  })

  test('excerpts are of datasets that the endpoint reads', () => {
    for (const endpoint of endpoints)
      for (const { of } of endpoint.excerpts ?? []) expect(datasetsOf(endpoint), `${endpoint.path} ${of.id}`).toContain(of)
  })

  test('what takes the place of a path that goes is there, and stays', () => {
    for (const { path, deprecated } of endpoints) {
      if (!deprecated?.replacement) continue
      const instead = endpoints.find((one) => one.path === deprecated.replacement)
      expect([instead?.path, instead?.deprecated], path).toEqual([deprecated.replacement, undefined])
    }
  })

  test('lists are ordered by fields they have, and numbers that are added have a unit', () => {
    for (const { path, returns } of endpoints) {
      if (returns.kind === 'one') continue
      const names = Object.keys(returns.record.fields)
      for (const name of [...returns.key, ...returns.sorts, returns.order.replace(/^-/, '')]) expect(names, path).toContain(name)
      for (const [name, field] of Object.entries(returns.record.fields)) {
        if (!['integer', 'decimal', 'float'].includes(field.kind)) continue
        expect('unit' in field || 'unitIn' in field, `${path} ${name} has no unit`).toBe(true)
      }
    }
  })
})

const description = openapi(endpoints, 'https://api.example.org') as Reply
const operationOf = ({ path }: Endpoint): Reply => description.paths[path].get

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  const wrongs = [...allParams(endpoint)].filter(([name]) => !pathParams(endpoint.path).includes(name))

  test('answers its own example, with nothing missing and nothing added', async () => {
    const response = await service.get(requestOf(endpoint), { Accept: 'application/json' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    checkSchema(strictReply(endpoint), await response.json())
  })

  test('is documented with a whole reply that its schema allows and that looks like what it answers', async () => {
    const { content } = operationOf(endpoint).responses[200]
    const tables = TABLE_FORMATS.map(essenceOf)
    const texts = ['application/json', ...(hasGeoJson(endpoint) ? ['application/geo+json'] : [])]
    expect(Object.keys(content)).toEqual([...(endpoint.returns.prefers ? texts.reverse() : texts), ...tables])
    for (const [type, { schema, example, 'x-plan': plan }] of Object.entries<Reply>(content)) {
      expect(plan, type).toBe(tables.includes(type) ? 'PRO' : 'FREE')
      if (example !== undefined) checkSchema({ ...schema, components: description.components }, example)
      if (tables.includes(type)) continue
      const reply = (await (await service.get(requestOf(endpoint), { Accept: type })).json()) as Reply
      expect(membersOf(endpoint, example), type).toEqual(membersOf(endpoint, reply))
    }
    const [header, line, ...rest] = parse(content['text/csv'].example) as string[][]
    expect([header, line?.length, rest.length]).toEqual([Object.keys(content['application/x-ndjson'].example), header?.length, 0])
    const { example } = content['application/json']
    checkSchema(strictReply(endpoint, 'live'), example)
    const [record] = endpoint.returns.kind === 'list' ? example[endpoint.returns.name] : [example]
    if (record.province) expect(record.province).toBe(provinceByCode(record.province_code)?.name)
    for (const name of ['updated_at', 'at', 'observed_at', 'data_time'])
      if (record[name] && example.updated_at) expect(Date.parse(record[name]), name).toBeLessThanOrEqual(Date.parse(example.updated_at))
  })

  test('is documented with the problems that its requests get', async () => {
    const { responses } = operationOf(endpoint)
    const examples = Object.values<Reply>(responses).flatMap(({ content }) =>
      Object.entries<Reply>(content?.['application/problem+json']?.examples ?? {}),
    )
    const told = examples.map(([code]) => code)
    expect(told).toEqual(expect.arrayContaining(['unknown-parameter', 'invalid-parameter']))
    expect(told.includes('not-found')).toBe(pathParams(endpoint.path).length > 0)
    expect(told.includes('invalid-cursor')).toBe(allParams(endpoint).has('cursor'))
    const steps = (allParams(endpoint).get('interval')?.schema['enum'] ?? []) as Interval[]
    const isBounded = steps.some((step) => WIDEST_DAYS[step] !== undefined) || allParams(endpoint).get('from')?.widest_days !== undefined
    expect(told.includes('range-too-large')).toBe(isBounded)
    for (const [code, { value }] of examples) {
      checkSchema({ ...description.components.schemas.Problem, components: description.components }, value)
      expect(value).toMatchObject({ code, type: `https://api.example.org/problems/${code}`, status: PROBLEMS[code as ProblemCode].status })
      if (value.status === 503) continue
      const problem = (await (await service.get(value.instance)).json()) as Reply
      expect({ ...problem, type: value.type, request_id: value.request_id }, value.instance).toEqual(value)
    }
  })

  test('is documented with the ways in which it may be out of service, if it can be', () => {
    const { 503: unavailable } = operationOf(endpoint).responses
    const { read } = endpoint
    const asksLake = read.kind === 'lake' || keptOf(endpoint).length > 0 || (read.kind === 'find' && read.past !== undefined)
    const live = ['feed-unavailable', ...(asksLake ? LAKE_DOWN : [])]
    const codes = {
      ...{ live, find: live, kept: live, lake: live },
      changes: ['feed-unavailable', 'temporary-reduced-capacity'],
      system: null,
    }
    const expected = codes[read.kind]
    if (expected === null) expect(unavailable).toBeUndefined()
    else expect(Object.keys(unavailable.content['application/problem+json'].examples)).toEqual(expected)
  })

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
    const first = await service.get(path)
    const etag = first.headers.get('etag') as string
    for (const tag of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const again = await service.get(path, { 'If-None-Match': tag })
      expect(again.status, tag).toBe(304)
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
    const etag = first.headers.get('etag') as string
    const statusOf = async (headers: Record<string, string>, method = 'GET'): Promise<number> =>
      (await service.ask(path, { method, headers })).status
    const before = new Date(Date.parse(modified) - 1000).toUTCString()
    expect(await statusOf({ 'If-Modified-Since': before })).toBe(200)
    expect(await statusOf({ 'If-Modified-Since': modified, 'If-None-Match': 'W/"other"' })).toBe(200)
    expect(await statusOf({ 'If-Modified-Since': before, 'If-None-Match': etag })).toBe(304)
    expect(await statusOf({ 'If-Modified-Since': 'yesterday' })).toBe(200)
    for (const method of ['GET', 'HEAD']) {
      // What follows the clock or was changed within this second may have a later time by the time it is asked again.
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

  test('tells OPTIONS what is allowed and refuses other methods', async () => {
    const url = `${service.url}${requestOf(endpoint)}`
    const options = await service.ask(url, {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
    })
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(options.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const refused = await service.ask(url, {
        method,
        ...(method === 'POST' ? { body: '{', headers: { 'Content-Type': 'text/odd' } } : {}),
      })
      expect(refused.status, method).toBe(405)
      expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect((await refused.json()) as Reply).toMatchObject({ code: 'method-not-allowed', status: 405 })
    }
  })

  test('refuses a parameter it has not, with a suggestion where one is near', async () => {
    const problem = await expectRefused(await service.get(requestOf(endpoint, { nonsense_xyz: '1' })), 'nonsense_xyz')
    expect(problem).toMatchObject({ code: 'unknown-parameter', type: `${service.url}/problems/unknown-parameter` })
    const misspelt = await expectRefused(await service.get(requestOf(endpoint, { feilds: 'id' })), 'feilds')
    expect(misspelt.detail).toContain('did you mean fields?')
    expect(misspelt.errors[0].allowed).toContain('fields')
  })

  test.each(wrongs)('refuses wrong values of %s by name', async (name, one) => {
    for (const value of wrongValues(name, one.schema)) {
      const problem = await expectRefused(await service.get(requestOf(endpoint, { [name]: value })), name)
      const told = problem.errors.find((error: Reply) => error.parameter === name)
      expect(told.detail.length, `${name}=${value}`).toBeGreaterThan(name.length + 10)
      if (Array.isArray(one.schema['enum'])) expect(told.allowed).toEqual(one.schema['enum'])
    }
    if (one.list) return
    const path = requestOf(endpoint, { [name]: one.example ?? 'a' })
    await expectRefused(await service.get(`${path}&${name}=${encodeURIComponent(one.example ?? 'a')}`), name)
  })

  test.each(wrongs)('survives injections in %s', async (name) => {
    for (const value of INJECTIONS) {
      const response = await service.get(requestOf(endpoint, { [name]: value }))
      expect([200, 400], `${name}=${value}`).toContain(response.status)
      const body = (await response.json()) as Reply
      if (response.status === 400) expect(Object.keys(PROBLEMS)).toContain(body.code)
    }
  })

  test.skipIf(pathParams(endpoint.path).length === 0)('answers 404 for ids that there are not', async () => {
    for (const id of ['nothing', ...INJECTIONS, 'x'.repeat(60)]) {
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

  test('shows only the fields asked for', async () => {
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
    expect(wanted.headers.get('content-type')).toBe('application/geo+json; charset=utf-8')
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

const LAKE_DOWN = ['query-timeout', 'temporary-reduced-capacity']

/** The members of a reply, of its first record or feature and of its meta, in their order; a next page and the box of positions apart. */
function membersOf({ returns }: Endpoint, reply: Reply): Record<string, string[]> {
  const [first] = returns.kind === 'one' ? [reply] : (reply.features ?? reply[returns.name])
  const names = (value: object): string[] => Object.keys(value).filter((name) => name !== 'next_cursor' && name !== 'bbox')
  return { reply: names(reply), record: names(first), properties: names(first.properties ?? {}), meta: names(reply.meta) }
}

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

/** Values that a parameter cannot have, by its schema. */
function wrongValues(name: string, schema: Readonly<Record<string, unknown>>): string[] {
  if (name === 'cursor') return ['nonsense', 'a.b', `${'A'.repeat(40)}.${'A'.repeat(22)}`, 'x'.repeat(1900), 'x'.repeat(10_000)]
  if (Array.isArray(schema['enum'])) return ['NONSENSE', '', ' ', 'x'.repeat(3000)]
  if (schema['type'] === 'boolean') return ['maybe', '1', '']
  if (schema['type'] === 'integer') return ['abc', '', '1.5', '1e9', '-1', '0x10', '99999999999999999999', 'NaN']
  if (schema['type'] === 'number') return ['abc', '', '1e999', 'Infinity', '-99999999', '--1', '1,5']
  if (schema['pattern']) return ['1,2,3', 'a,b,c,d', '10,10,0,0', '-190,0,10,10', '']
  if (Array.isArray(schema['anyOf']))
    return ['yesterday', '', '2026-13-01', '2026-02-30', '2026-01-01T00:00:00', '0000-01-01', '99999-01-01']
  return ['', 'x'.repeat(3000)]
}
