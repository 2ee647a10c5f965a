import type { ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { DOCUMENTS } from '../../../api/features/cards/documents.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { essenceOf, TABLE_FORMATS } from '../../../api/kernel/formats.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { exampleService } from '../example-service.ts'
import { openapi } from '../openapi.ts'
import { hasGeoJson, strictReply } from '../requests.ts'
import type { Reply, TestService } from '../service.ts'
import { ajv, checkSchema, checkValid } from './schemas.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

const description = openapi(endpoints, 'https://api.example.org') as Reply
ajv.addSchema(description, 'openapi')
const operationOf = ({ path }: Endpoint): Reply => description.paths[path].get

/** Validates a value by the schema at a place of the description, whose components are compiled once for all of them. */
function checkDescribed(place: readonly string[], value: unknown): void {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  checkValid(ajv.getSchema(`openapi#/${pointer}`) as ValidateFunction, value)
}

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  test('is documented with a complete reply that its schema allows and that looks like a real one', async () => {
    const documents = (DOCUMENTS.get(endpoint.path) ?? []).map(({ type }) => type)
    const whole = operationOf(endpoint).responses[200].content
    expect(Object.keys(whole)).toEqual(expect.arrayContaining(documents))
    const content = Object.fromEntries(Object.entries<Reply>(whole).filter(([type]) => !documents.includes(type)))
    const tables = TABLE_FORMATS.map(essenceOf)
    const texts = ['application/json', ...(hasGeoJson(endpoint) ? ['application/geo+json'] : [])]
    expect(Object.keys(content)).toEqual([...(endpoint.returns.prefers ? texts.reverse() : texts), ...tables])
    for (const [type, { example, 'x-plan': plan }] of Object.entries<Reply>(content)) {
      expect(plan, type).toBe(tables.includes(type) ? 'PRO' : 'FREE')
      if (example !== undefined) checkDescribed(['paths', endpoint.path, 'get', 'responses', '200', 'content', type, 'schema'], example)
      if (tables.includes(type)) continue
      const reply = (await (await service.get(requestOf(endpoint), { Accept: type })).json()) as Reply
      checkDescribed(['paths', endpoint.path, 'get', 'responses', '200', 'content', type, 'schema'], reply)
      expect(membersOf(endpoint, example), type).toEqual(membersOf(endpoint, reply))
    }
    const [header, line, ...rest] = parse(content['text/csv'].example) as string[][]
    const shown = (await (await service.get(requestOf(endpoint, { format: 'csv' }))).text()).split('\r\n', 1)
    expect([header, line?.length, rest.length]).toEqual([...(parse(shown[0] as string) as string[][]), header?.length, 0])
    const { example } = content['application/json']
    checkSchema(strictReply(endpoint, 'live'), example)
    const [record] = endpoint.returns.kind === 'list' ? example[endpoint.returns.name] : [example]
    const { meta: _meta, ...alone } = record
    const omitted = Object.fromEntries((endpoint.returns.record.omitsNull ?? []).map((name) => [name, null]))
    expect(content['application/x-ndjson'].example).toEqual({ ...omitted, ...alone })
    if (record.province) expect(record.province).toBe(provinceByCode(record.province_code)?.name)
    for (const name of ['updated_at', 'at', 'observed_at', 'data_time'])
      if (record[name] && example.updated_at) expect(Date.parse(record[name]), name).toBeLessThanOrEqual(Date.parse(example.updated_at))
  })
})

/**
 * The members of a reply, of its first record or feature and of its meta, in their order; a next page and the box of positions
 * apart.
 */
function membersOf({ returns }: Endpoint, reply: Reply): Record<string, string[]> {
  const [first] = returns.kind === 'one' ? [reply] : (reply.features ?? reply[returns.name])
  const names = (value: object): string[] => Object.keys(value).filter((name) => name !== 'next_cursor' && name !== 'bbox')
  return { reply: names(reply), record: names(first), properties: names(first.properties ?? {}), meta: names(reply.meta) }
}
