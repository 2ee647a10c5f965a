import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { datasetsOf, type Endpoint, lakeOf, pathParams } from '../../api/define/endpoint.ts'
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
import { hasGeoJson, strictReply } from './requests.ts'
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

describe('declarations', () => {
  test('paths are well-formed and unique', () => {
    const paths = endpoints.map((endpoint) => endpoint.path)
    expect(new Set(paths).size).toBe(paths.length)
    for (const path of paths) expect(path).toMatch(/^\/api(\/([a-z0-9-]+|\{[a-z_]+\}))+$/)
  })

  test('lists of what is live and of catalogues give 20,000 records at once', () => {
    for (const { path, returns, read } of endpoints)
      if (returns.kind === 'list' && ['memory', 'system'].includes(read.kind)) expect(returns.limit.max, path).toBe(20_000)
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
    const asksLake = read.kind === 'lake' || lakeOf(endpoint).length > 0 || (read.kind === 'memory' && read.past !== undefined)
    const live = ['feed-unavailable', ...(asksLake ? LAKE_DOWN : [])]
    const codes = {
      ...{ memory: live, lake: live },
      changes: ['feed-unavailable', 'temporary-reduced-capacity'],
      system: null,
    }
    const expected = codes[read.kind]
    if (expected === null) expect(unavailable).toBeUndefined()
    else expect(Object.keys(unavailable.content['application/problem+json'].examples)).toEqual(expected)
  })
})

const LAKE_DOWN = ['query-timeout', 'temporary-reduced-capacity']

/** The members of a reply, of its first record or feature and of its meta, in their order; a next page and the box of positions apart. */
function membersOf({ returns }: Endpoint, reply: Reply): Record<string, string[]> {
  const [first] = returns.kind === 'one' ? [reply] : (reply.features ?? reply[returns.name])
  const names = (value: object): string[] => Object.keys(value).filter((name) => name !== 'next_cursor' && name !== 'bbox')
  return { reply: names(reply), record: names(first), properties: names(first.properties ?? {}), meta: names(reply.meta) }
}
