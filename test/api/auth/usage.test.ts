import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterEach, describe, expect, test } from 'vitest'
import { makeKey } from '../../../api/auth/keys/key-format.ts'
import { readPlans } from '../../../api/auth/plans.ts'
import { openRequestLog } from '../../../api/auth/usage/request-log.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { apiUsage } from '../../../lake/datasets/service/api-usage.ts'
import { readLog, type UsageRow } from '../../../lake/requests/log.ts'
import { MERGED_UNTIL, newUsageCounts, tableRow, type UsageDay } from '../../../lake/requests/usage.ts'
import { landRows } from '../../lake/query/fixtures.ts'
import { openapi } from '../openapi.ts'
import { exampleRow, type Reply, startService, type TestService } from '../service.ts'
import { textOf } from './stage.ts'

const T0 = Date.UTC(2026, 0, 2, 12, 24, 30)
const MINUTE_MS = 60_000
const plans = readPlans(JSON.stringify({ ANONYMOUS: { minute: 5, day: 4 }, FREE: { minute: 50, day: 4 } }))

const description = openapi(endpoints, 'https://api.example.org')

let now = T0
let service: TestService
const lines: string[] = []
afterEach(() => service?.close())

async function start(at = T0): Promise<void> {
  now = at
  lines.length = 0
  service = await startService({ plans, clock: () => now, proxies: '127.0.0.0/8', log: (line) => void lines.push(line) })
  await service.publish(incidents, [exampleRow(incidents)])
}

/** The usage records in the store, after the counts were written. */
async function usedRows(): Promise<UsageRow[]> {
  now += MINUTE_MS
  await service.requests.flush()
  const { store } = service.lake
  const parts = await readLog(store, {
    from: 0,
    to: Number.POSITIVE_INFINITY,
    take: ({ minutes }) => minutes.flatMap(({ usage }) => usage),
  })
  return [...parts.values()].flat()
}

test('every request of data is counted at its end: with its key, path, outcome and cost', async () => {
  await start()
  const address = { 'X-Forwarded-For': '198.51.100.77' }
  const key = await service.key('FREE')
  const headers = { ...address, 'X-API-Key': key }
  const first = await service.open('/api/incidents', headers)
  const tag = { 'If-None-Match': first.headers.get('etag') as string }
  const asked: [status: number, Response][] = [
    [200, first],
    [304, await service.open('/api/incidents', { ...headers, ...tag })],
    [400, await service.open('/api/incidents?provnce=x', headers)],
    [404, await service.open('/api/incidents/inc_nothing', headers)],
    [200, await fetch(`${service.url}/api/incidents?province=Madrid`, { method: 'HEAD', headers })],
    [429, await service.open('/api/incidents', headers)],
    [304, await service.open('/api/incidents', { ...headers, ...tag })],
    [200, await service.open('/api/incidents', address)],
    [401, await service.open('/api/incidents', { ...address, 'X-API-Key': makeKey() })],
    [405, await fetch(`${service.url}/api/incidents`, { method: 'POST', headers: address })],
    // Never published: that is no outage, and counts.
    [404, await service.open('/api/v16', address)],
    [204, await fetch(`${service.url}/api/incidents`, { method: 'OPTIONS', headers })],
    [404, await service.open('/api/nothing', address)],
    [200, await service.open('/api/plans', headers)],
  ]
  for (const [status, response] of asked) {
    expect(response.status, response.url).toBe(status)
    await response.arrayBuffer()
  }
  const { id, slot } = (await service.access.keys.lookUp(key)).key as { id: string; slot: string }
  const mine = { key: id, slot, plan: 'FREE' }
  const nobody = { key: null, slot: null, plan: null }
  const counts = (answered: number, not_modified: number, client_error: number, limited: number, server_error: number, units: number) => ({
    ...{ answered, not_modified, client_error, limited, server_error, day_units: units },
  })
  const rows = await usedRows()
  expect(rows).toHaveLength(4)
  expect(rows).toEqual(
    expect.arrayContaining([
      { ...mine, path: '/api/incidents', ...counts(2, 2, 1, 1, 0, 3) },
      { ...mine, path: '/api/incidents/{id}', ...counts(0, 0, 1, 0, 0, 1) },
      { ...nobody, path: '/api/incidents', ...counts(1, 0, 2, 0, 0, 3) },
      { ...nobody, path: '/api/v16', ...counts(0, 0, 1, 0, 0, 1) },
    ]),
  )
  const written = `${await textOf(service.lake.store)}\n${lines.join('\n')}`
  expect(written).toContain('requests/2026-01-02T12/')
  for (const secret of [key, '198.51.100', 'FREE@example.org', 'free@example.org']) expect(written.includes(secret), secret).toBe(false)
})

describe('GET /api/usage', () => {
  const DAY_MS = 86_400_000
  const counts = (answered: number): object => ({
    ...{ requests: answered, answered, not_modified: 0, client_error: 0, limited: 0, server_error: 0, day_units: answered },
  })
  const report = async (headers: Record<string, string>, query = ''): Promise<Reply> => {
    const response = await service.open(`/api/usage${query}`, headers)
    const body = (await response.json()) as Reply
    expect([response.status, response.headers.get('cache-control')], JSON.stringify(body)).toEqual([200, 'no-store'])
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    return body
  }

  test('gives a key its own, and a session all of the account, by day, key and path', async () => {
    // 23:30 in Madrid, so that the next requests are of another day there and the same in UTC.
    await start(Date.UTC(2026, 0, 2, 22, 30))
    const email = 'owner@example.org'
    const create = () => service.access.accounts.create({ email, label: 'one', language: 'es', plan: 'PRO' })
    const [one, two] = [await create(), await create()]
    const stranger = await service.access.accounts.create({ email: 'other@example.org', label: null, language: 'es', plan: 'PRO' })
    const ask = async (key: string, path = '/api/incidents'): Promise<number> => (await service.open(path, { 'X-API-Key': key })).status
    expect([await ask(one.key), await ask(one.key), await ask(stranger.key)]).toEqual([200, 200, 200])
    now += 60 * MINUTE_MS
    expect([await ask(one.key), await ask(one.key, '/api/incidents/inc_nothing'), await ask(two.key)]).toEqual([200, 404, 200])
    await usedRows()
    const mine = await report({ 'X-API-Key': one.key }, '?from=2026-01-01')
    const missing = { ...counts(0), requests: 1, client_error: 1, day_units: 1 }
    const first = [
      { date: '2026-01-02', key: one.id, plan: 'PRO', path: '/api/incidents', ...counts(2) },
      { date: '2026-01-03', key: one.id, plan: 'PRO', path: '/api/incidents', ...counts(1) },
      { date: '2026-01-03', key: one.id, plan: 'PRO', path: '/api/incidents/{id}', ...missing },
    ]
    expect(mine).toEqual({
      ...{ as_of: '2026-01-02T23:30:00.000Z', timezone: 'Europe/Madrid', from: '2026-01-01', to: '2026-01-04' },
      keys: [{ id: one.id, label: 'one', plan: 'PRO', status: 'ACTIVE', day_quota: plans.PRO.day, day_units_24h: 4 }],
      days: [
        { date: '2026-01-01', ...counts(0) },
        { date: '2026-01-02', ...counts(2) },
        { date: '2026-01-03', ...missing, answered: 1, requests: 2, day_units: 2 },
      ],
      usage: first,
    })
    // A month by default.
    const usual = await report({ 'X-API-Key': one.key })
    expect([usual.from, usual.to, usual.days.length, usual.usage]).toEqual(['2025-12-05', '2026-01-04', 30, first])

    const session = await service.session(one.account)
    const all = await report(session)
    expect(all.keys.map(({ id }: Reply) => id).sort()).toEqual([one.id, two.id].sort())
    expect(all.usage).toHaveLength(4)
    expect(all.usage).toContainEqual({ date: '2026-01-03', key: two.id, plan: 'PRO', path: '/api/incidents', ...counts(1) })
    expect((await report(session, `?key=${two.id}&from=2026-01-03&to=2026-01-04`)).usage).toHaveLength(1)
    // Figures of a deleted key stay; those of others stay private.
    await service.access.accounts.revoke({ account: two.account, id: two.id })
    expect((await report(session, `?key=${two.id}`)).keys).toMatchObject([{ id: two.id, status: 'REVOKED' }])
    for (const [headers, id] of [
      [session, stranger.id],
      [{ 'X-API-Key': one.key }, two.id],
    ] as const)
      expect((await service.open(`/api/usage?key=${id}`, headers)).status).toBe(404)

    const schema = new Ajv2020({ strict: false, validateFormats: false })
      .addSchema(description as object, 'api')
      .getSchema('api#/components/schemas/Usage') as ValidateFunction
    for (const body of [mine, all, usual]) expect([schema(body), schema.errors]).toEqual([true, null])
  })

  test('answers the request that the description shows, as it shows it', async () => {
    await start()
    const get = (description['paths'] as Reply)['/api/usage'].get
    const { example } = get.responses[200].content['application/json']
    const schema = new Ajv2020({ strict: false, validateFormats: false })
      .addSchema(description as object, 'api')
      .getSchema('api#/components/schemas/Usage') as ValidateFunction
    expect([schema(example), schema.errors]).toEqual([true, null])
    const query = get.parameters.flatMap((one: Reply) => (one.example === undefined ? [] : [`${one.name}=${one.example}`])).join('&')
    expect(query).toBe('from=2026-01-02&to=2026-01-03')
    const found = await report({ 'X-API-Key': await service.key('FREE') }, `?${query}`)
    expect(Object.keys(found)).toEqual(Object.keys(example))
    expect(found.days.map(({ date }: Reply) => date)).toEqual(example.days.map(({ date }: Reply) => date))
    expect([found.from, found.to, found.as_of]).toEqual([example.from, example.to, example.as_of])
  })

  test("explains an invalid request, and asks for the caller's credentials", async () => {
    await start()
    const headers = { 'X-API-Key': await service.key('FREE') }
    const wrong: readonly (readonly [query: string, status: number, code: string, parameter?: string])[] = [
      ['?from=yesterday', 400, 'invalid-parameter', 'from'],
      ['?from=2026-02-30', 400, 'invalid-parameter', 'from'],
      ['?from=2026-01-02&to=2026-01-02', 400, 'invalid-parameter', 'from'],
      ['?from=2025-10-01&to=2026-01-03', 400, 'range-too-large', 'from'],
      ['?key=tia_0123456789', 400, 'invalid-parameter', 'key'],
      ['?form=2026-01-01', 400, 'unknown-parameter', 'form'],
      ['?key=key_00000000000000000000', 404, 'not-found'],
    ]
    for (const [query, status, code, parameter] of wrong) {
      const response = await service.open(`/api/usage${query}`, headers)
      const body = (await response.json()) as Reply
      expect([response.status, body.code, body.errors?.[0].parameter], query).toEqual([status, code, parameter])
    }
    const nobody = await service.open('/api/usage')
    expect([nobody.status, ((await nobody.json()) as Reply).code]).toEqual([401, 'key-required'])
    expect((await service.open('/api/usage', { 'X-API-Key': makeKey() })).status).toBe(401)
    expect((await fetch(`${service.url}/api/usage`, { method: 'POST', headers })).status).toBe(405)
    expect((await fetch(`${service.url}/api/usage`, { method: 'HEAD', headers })).status).toBe(200)
    // Nothing yet, and nothing in time to come.
    const empty = await report(headers, '?from=2026-03-01')
    expect([empty.from, empty.to, empty.days, empty.usage]).toEqual(['2026-03-01', '2026-03-02', [], []])
  })

  test("reads the table's days from there, and the newest days from the objects", async () => {
    await start()
    const key = await service.key('PRO')
    const { id, slot } = (await service.access.keys.lookUp(key)).key as { id: string; slot: string }
    const days = ['2025-12-24', '2025-12-31', '2026-01-01'].map(
      (date, n): UsageDay => ({
        ...{ key: id, slot, plan: 'FREE', path: '/api/incidents', ...newUsageCounts() },
        ...{ date, answered: n + 1, day_units: n + 1 },
      }),
    )
    const other = { ...(days[0] as UsageDay), key: 'key_00000000000000000000', slot: `${'0'.repeat(64)}.1` }
    const nobody = { ...(days[0] as UsageDay), key: null, slot: null, plan: null }
    const rows = [...days, other, nobody].map((day) => ({ ...tableRow(day), fetch_id: `usage.${day.date}` }))
    await landRows(service.lake, apiUsage, rows, { properties: { [MERGED_UNTIL]: '2026-01-01' } })
    expect((await service.open('/api/incidents', { 'X-API-Key': key })).status).toBe(200)
    // Days of the table are not counted again, whatever objects of the day are still there.
    now -= DAY_MS
    const old = openRequestLog({
      ...{ store: service.lake.store, clock: () => now, every_ms: null },
      onError: () => undefined,
      onLost: () => undefined,
    })
    old.usageOf('/api/incidents')((await service.access.keys.lookUp(key)).key, 200, 1)
    await old.close()
    now += DAY_MS
    await usedRows()
    const { usage } = await report({ 'X-API-Key': key })
    expect(usage).toEqual([
      ...days.map(({ date, answered }) => ({ date, key: id, plan: 'FREE', path: '/api/incidents', ...counts(answered) })),
      { date: '2026-01-02', key: id, plan: 'PRO', path: '/api/incidents', ...counts(1) },
    ])
  })
})
