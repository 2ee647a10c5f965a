import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { allParams } from '../../../api/engine/request/request.ts'
import { lakeOf, pathParams } from '../../../api/kernel/endpoint.ts'
import { type Interval, WIDEST_DAYS } from '../../../api/kernel/params/params-time.ts'
import { PROBLEMS, type ProblemCode } from '../../../api/kernel/problems.ts'
import { EXAMPLE_FEED } from '../../../api/main/describe/example-problems.ts'
import { datasets } from '../../../lake/catalog.ts'
import { openapi } from '../openapi.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../service.ts'

const description = openapi(endpoints, 'https://api.example.org') as Reply
const isProblem = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  .addSchema(description, 'openapi')
  .getSchema('openapi#/components/schemas/Problem') as ValidateFunction
const LAKE_DOWN = ['query-timeout', 'temporary-reduced-capacity']

/** A service with data, and one without any yet. */
let service: TestService
let young: TestService
const feed = { id: EXAMPLE_FEED, domain: 'road', source: 'dgt', datasets: datasets.map(({ id }) => id), every_s: 60, urls: [] }
beforeAll(async () => {
  ;[service, young] = await Promise.all([startService(), startService({ feeds: [{ ...feed, enabled: true }] })])
  await fillWithExamples(service)
})
afterAll(() => Promise.all([service?.close(), young?.close()]))

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (path, endpoint) => {
  const { responses } = description.paths[path].get

  test('is documented with the problems that its requests get', async () => {
    const examples = Object.values<Reply>(responses).flatMap(({ content }) =>
      Object.entries<Reply>(content?.['application/problem+json']?.examples ?? {}),
    )
    const documented = examples.map(([code]) => code)
    expect(documented).toEqual(expect.arrayContaining(['unknown-parameter', 'invalid-parameter']))
    expect(documented.includes('no-data-yet')).toBe(endpoint.read.kind !== 'system')
    expect(documented.includes('not-found')).toBe(pathParams(endpoint.path).length > 0)
    expect(documented.includes('invalid-cursor')).toBe(allParams(endpoint).has('cursor'))
    const steps = (allParams(endpoint).get('interval')?.schema['enum'] ?? []) as Interval[]
    const isBounded = steps.some((step) => WIDEST_DAYS[step] !== undefined) || allParams(endpoint).get('from')?.widest_days !== undefined
    expect(documented.includes('range-too-large')).toBe(isBounded)
    for (const [code, { value }] of examples) {
      isProblem(value)
      expect(isProblem.errors ?? []).toEqual([])
      expect(value).toMatchObject({ code, type: `https://api.example.org/problems/${code}`, status: PROBLEMS[code as ProblemCode].status })
      // A snapshot that has expired is in test/api/engine/snapshots.test.ts.
      if (value.status === 503 || code === 'snapshot-expired') continue
      const asked = code === 'no-data-yet' ? young : service
      const problem = (await (await asked.get(value.instance)).json()) as Reply
      expect({ ...problem, type: value.type, request_id: value.request_id }, value.instance).toEqual(value)
    }
  })

  test('is documented with the ways in which it may be out of service, if it can be', () => {
    const { 503: unavailable } = responses
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
