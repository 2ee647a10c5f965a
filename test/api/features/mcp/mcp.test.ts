import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { endpoints } from '../../../../api/endpoints/catalog.ts'
import { allParams } from '../../../../api/engine/request/request.ts'
import { tools } from '../../../../api/features/mcp/server.ts'
import { membersOf } from '../../../../api/kernel/reads/shape.ts'
import { exampleService } from '../../example-service.ts'
import type { Reply, TestService } from '../../service.ts'
import { connect, REVISIONS, type Revision } from './clients.ts'
import { INPUTS } from './inputs.ts'

/** Maximum size of the reply to `tools/list`, in tokens of four characters: o200k and cl100k count 1 % more or less. */
const LIST_TOKENS = 5000

let service: TestService
let client: Client
beforeAll(async () => {
  service = await exampleService()
  client = await connect(service.url, { key: await service.key('ENTERPRISE') })
})
afterAll(async () => {
  await client?.close()
})

const call = async (name: string, args: object, by = client): Promise<Reply> => by.callTool({ name, arguments: args as never })
const textOf = (result: Reply): string => result.content.map((one: Reply) => one.text).join('\n')

describe.each(Object.keys(REVISIONS) as Revision[])('revision %s', (revision) => {
  test('lists twelve tools with schemas in 5,000 tokens, and calls one', async () => {
    const one = await connect(service.url, { key: await service.key('PRO'), revision })
    const reply = await one.listTools()
    expect(JSON.stringify(reply).length / 4).toBeLessThanOrEqual(LIST_TOKENS)
    const listed = reply.tools
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(listed).toHaveLength(12)
    for (const { inputSchema, annotations } of listed) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
    }
    const result = await call('get_incidents', {}, one)
    expect(result.isError ?? false).toBe(false)
    expect(result.structuredContent.total).toBeGreaterThan(0)
    await one.close()
  })
})

describe('tools', () => {
  const requestsOf = async (name: string, input: object) => {
    const tool = tools.find((one) => one.name === name)
    return (await tool?.requests(input as never, async () => [], 0)) ?? []
  }

  test('ask only for parameters and members that their endpoints have', async () => {
    for (const { name } of tools) {
      for (const input of INPUTS[name] as readonly object[]) {
        for (const { path, query, fields } of await requestsOf(name, input)) {
          const endpoint = endpoints.find((one) => one.path === path)
          if (!endpoint) continue
          const params = [...allParams(endpoint).keys()]
          expect(
            Object.keys(query).filter((param) => query[param] !== undefined && !params.includes(param)),
            `${name} ${path}`,
          ).toEqual([])
          const members = membersOf(endpoint.returns.record.fields).map((member) => member.name)
          expect(
            fields.filter((field) => !members.includes(field)),
            `${name} ${path}`,
          ).toEqual([])
        }
      }
    }
  })

  test('are found under no misspelt path: a path that is not served belongs to a later catalogue', async () => {
    const paths = await Promise.all(
      tools.map(async ({ name }) => Promise.all((INPUTS[name] as object[]).map((input) => requestsOf(name, input)))),
    )
    const absent = new Set(
      paths
        .flat(2)
        .map(({ path }) => path)
        .filter((path) => !endpoints.some((one) => one.path === path)),
    )
    expect([...absent]).toEqual([])
  })

  test.each(tools.map(({ name }) => name))('%s answers in words and as data, within its size', async (name) => {
    for (const input of INPUTS[name] as readonly object[]) {
      const result = await call(name, input)
      const text = textOf(result)
      expect(text, name).not.toMatch(/undefined|\[object|NaN/)
      if (result.isError) {
        expect(text, `${name} ${JSON.stringify(input)}`).toMatch(/does not have it yet|There is nothing under|No data|expected|arrived/)
        continue
      }
      expect(Buffer.byteLength(JSON.stringify(result.structuredContent))).toBeLessThanOrEqual(8000)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8000)
      expect(text).toContain(`REST: ${service.url}/api/`)
      const { items } = result.structuredContent
      expect(text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(items.length)
    }
  })

  test('closures are found whatever their type, also if they are asked for as a type', async () => {
    const asked = async (input: object): Promise<unknown[]> =>
      (await requestsOf('get_incidents', input)).map(({ query: { type, closed } }) => ({ type, closed }))
    expect(await asked({ road: 'A-6', type: ['CLOSURE'] })).toEqual([{ type: undefined, closed: true }])
    expect(await asked({ type: ['ACCIDENT', 'CLOSURE'] })).toEqual([
      { type: undefined, closed: true },
      { type: ['ACCIDENT'], closed: false },
    ])
    expect(await asked({ type: ['ACCIDENT'], closed: true })).toEqual([{ type: ['ACCIDENT'], closed: true }])
    expect(await asked({})).toEqual([{ type: undefined, closed: undefined }])
    expect((await call('get_incidents', { type: ['CLOSURE'], closed: false })).content[0].text).toContain('means closed roads')
  })

  test('find a vessel by name, vessels around a port, and aircraft around an airport', async () => {
    const vessel = await call('get_maritime', { what: 'vessels', vessel: 'Example Star' })
    expect(vessel.structuredContent.items.map(({ mmsi }: Reply) => mmsi)).toEqual(['224123450'])
    const restOf = async (name: string, args: object): Promise<URLSearchParams> =>
      new URL((await call(name, args)).structuredContent.rest_url).searchParams
    const port = await restOf('get_maritime', { what: 'vessels', port: 'Barcelona', radius_km: 5 })
    expect([port.get('lat'), port.get('lon'), port.get('radius')]).toEqual(['41.35', '2.166667', '5000'])
    const airport = await restOf('get_aviation', { what: 'aircraft', airport: 'mad' })
    const { lat, lon } = await service.json('/api/aviacion/aeropuertos/MAD')
    expect([airport.get('lat'), airport.get('lon'), airport.get('radius')]).toEqual([String(lat), String(lon), '10000'])
  })

  test('a full answer has every member, and the request that gives the same', async () => {
    const { structuredContent } = await call('get_incidents', { detail: 'full', limit: 1 })
    expect(structuredContent.items[0]).toHaveProperty('source_id')
    const same = (await (
      await service.get(new URL(structuredContent.rest_url).pathname + new URL(structuredContent.rest_url).search)
    ).json()) as Reply
    expect(structuredContent.items[0]).toEqual({ kind: 'incident', ...same.incidents[0] })
  })
})

describe('a request that cannot be answered explains the next step', () => {
  test.each([
    ['find_fuel', { fuel: 'diesel' }, /Where\? Give lat and lon/],
    ['find_fuel', { fuel: 'kerosene', province: 'Madrid' }, /fuel/],
    ['find_fuel', { fuel: 'diesel', lat: 40 }, /Incomplete point/],
    ['get_incidents', { province: 'Madird' }, /Madrid/],
    ['get_incidents', { town: 'Madrid' }, /town/],
    ['get_incidents', { road: 'A'.repeat(31) }, /road/],
    ['get_train_status', { what: 'departures' }, /station/],
    ['get_train_status', { what: 'departures', station: 'no such place' }, /No station is named/],
    ['get_mobility', {}, /Of what\?/],
    ['get_maritime', { what: 'vessels' }, /Which vessels\? Give vessel, port, or lat and lon/],
    ['get_maritime', { what: 'vessels', vessel: 'no such ship' }, /No vessel is named "no such ship"/],
    ['get_maritime', { what: 'vessels', port: 'no such port' }, /No port is named "no such port"/],
    ['get_aviation', { what: 'aircraft' }, /Where\? Aircraft need an airport/],
    ['get_aviation', { what: 'aircraft', airport: 'XXX' }, /No airport has the IATA code "XXX"/],
  ])('%s %j', async (name, args, words) => {
    const result = await call(name, args)
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringMatching(words)])
  })

  test('a query without data yet is no mistake, and may be sent again', async () => {
    const words = /no data for this yet; the call is correct.*first publication of the city.*Call again in \d+ s/
    expect(textOf(await call('get_traffic_intensity', { city: 'bilbao' }))).toMatch(words)
  })

  test('a plan that is too low is named, with the free tool that comes closest', async () => {
    const free = await connect(service.url, { key: await service.key('FREE') })
    const refused = await call('get_mobility', { origin: 'Madrid' }, free)
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringMatching(/needs the plan PRO, the key has FREE.*get_incidents/)])
    // The plan's datasets are answered, and the missing ones are named.
    const part = await call('get_fuel_trend', { fuel: 'diesel' }, free)
    expect(part.isError ?? false).toBe(false)
    expect(part.structuredContent.not_included).toEqual([expect.stringMatching(/^trend: needs the plan PRO/)])
    await free.close()
  })

  test('a tool that does not exist is an error of the protocol', async () => {
    await expect(call('get_nothing', {})).rejects.toThrow(/get_nothing/)
  })
})

test('an equal call within a minute has the same answer and costs nothing', async () => {
  const key = await service.key('PRO')
  const one = await connect(service.url, { key })
  const left = async (): Promise<number> =>
    Number((await service.get('/api/incidents?limit=1', { 'X-API-Key': key })).headers.get('x-ratelimit-remaining'))
  const before = await left()
  const first = await call('get_incidents', { province: 'Almería' }, one)
  const second = await call('get_incidents', { province: 'Almería' }, one)
  expect(second).toEqual(first)
  expect(before - (await left())).toBe(2)
  await one.close()
})

test('without a key the limits of the address hold, and a key may come as a bearer', async () => {
  const nobody = await connect(service.url)
  expect((await call('get_incidents', {}, nobody)).isError ?? false).toBe(false)
  expect(textOf(await call('get_mobility', { origin: 'Madrid' }, nobody))).toMatch(/TRAFFIC_API_KEY/)
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_mobility', arguments: { origin: 'Madrid' } },
      }),
    })
  // A client of 2025 is answered as an event stream.
  const events = await (await post({ Authorization: `Bearer ${await service.key('PRO')}` })).text()
  const reply = JSON.parse(/^data: (.*)$/m.exec(events)?.[1] ?? '') as Reply
  expect(reply.result.content[0].text).not.toMatch(/needs/)
  expect((await post({ Origin: 'https://evil.example' })).status).toBe(403)
  expect((await fetch(`${service.url}/mcp`)).status).toBe(405)
  await nobody.close()
})

test('resources are the replies of their endpoints', async () => {
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual(['traffic://freshness', 'traffic://codes', 'traffic://plans', 'traffic://datasets'])
  const read = async (uri: string): Promise<Reply> => JSON.parse(((await client.readResource({ uri })) as Reply).contents[0].text)
  expect((await read('traffic://freshness')).feeds.length).toBeGreaterThan(5)
  const { incidents } = (await (await service.get('/api/incidents?limit=1')).json()) as Reply
  expect((await read(`traffic://incidents/${incidents[0].id}`)).id).toBe(incidents[0].id)
  await expect(read('traffic://nothing/1')).rejects.toThrow()
})

test('inputs of tools are flat, with a description of each member', () => {
  for (const { name, input } of tools)
    for (const [member, schema] of Object.entries(input)) {
      expect((schema as z.ZodType).description ?? '', `${name}.${member}`).not.toBe('')
      expect(JSON.stringify((schema as z.ZodType).toJSONSchema()), `${name}.${member}`).not.toContain('"type":"object"')
    }
})
