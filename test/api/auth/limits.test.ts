import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeKey } from '../../../api/auth/keys/key-format.ts'
import { DEFAULT_PLANS, type PlanTable, readPlans } from '../../../api/auth/plans.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { defineEndpoint, type Endpoint } from '../../../api/kernel/endpoint.ts'
import { record } from '../../../api/kernel/fields.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { until } from '../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../service.ts'

const n = col.integer(0, 'A number.', { unit: '1', example: 1 })
const withQuery = (path: string, query: () => Sql): Endpoint =>
  defineEndpoint({
    ...{ path, domain: 'road', plan: 'PRO', summary: path, summary_es: path, params: {}, example: {} },
    returns: {
      ...{ kind: 'list', name: 'numbers', record: record('Number', 'A number.', { n }), key: ['n'], sorts: ['n'], order: 'n' },
      limit: { default: 100, max: 1000 },
    },
    read: { kind: 'lake', from: [trafficReadings], query },
  })
/** A query that never ends, one that is invalid, and one with a row. */
const slow = withQuery('/api/slow', () => sql`SELECT CAST(count(*) AS INTEGER) AS n FROM range(100000000000) AS a, range(1000) AS b`)
const counted = withQuery('/api/counted', () => sql`SELECT 1 AS n`)
const broken = withQuery('/api/broken', () => {
  throw new Error('a mistake of ours')
})

let service: TestService
afterEach(() => service?.close())

async function start(plans: PlanTable, proxies = ''): Promise<void> {
  service = await startService({ plans, proxies, endpoints: [...endpoints, slow, broken, counted] })
  await service.publish(incidents, [exampleRow(incidents)])
  await service.publish(trafficReadings, [exampleRow(trafficReadings)])
  await service.land(trafficReadings, [], Date.now())
}

/** The rest of a caller's quota, from `RateLimit`. */
function left({ headers }: Response): { readonly minute: number; readonly day: number } {
  const [, minute, day] = /^"minute";r=(\d+);t=\d+, "day";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '') ?? []
  return { minute: Number(minute), day: Number(day) }
}

describe('with the plans of the specification', () => {
  test('an address without a key may send five requests a minute, and is offered keys; one with a key ten', async () => {
    await start(DEFAULT_PLANS)
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) statuses.push((await service.open('/api/incidents')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const refused = await service.open('/api/incidents')
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(Number(refused.headers.get('retry-after'))).toSatisfy((wait_s: number) => wait_s >= 1 && wait_s <= 61)
    expect((await refused.json()) as Reply).toMatchObject({
      code: 'quota-exceeded',
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      'violated-policies': ['minute'],
      detail: expect.stringMatching(/5 in 60 s.* A free key admits 10 a minute: POST \/api\/keys\.$/),
    })
    // The address has nothing left; a caller with a key is counted separately.
    const headers = await service.keyed('FREE')
    for (let n = 0; n < 10; n++) {
      const response = await service.open('/api/incidents?province=Madrid', headers)
      expect([response.status, left(response)]).toEqual([200, { minute: 9 - n, day: 999 - n }])
    }
    const over = await service.open('/api/incidents', headers)
    expect(over.status).toBe(429)
    expect(((await over.json()) as Reply).detail).not.toContain('POST')
    // Questions of a browser cost nothing.
    expect((await fetch(`${service.url}/api/incidents`, { method: 'OPTIONS' })).status).toBe(204)
    for (const path of ['/health', '/api/plans', '/openapi.json']) expect((await service.open(path)).status, path).toBe(200)
  })

  test('unknown paths and wrong methods are charged to the key, else to the address', async () => {
    await start(DEFAULT_PLANS, '127.0.0.0/8')
    const asks: Readonly<Record<string, (headers: Record<string, string>) => Promise<Response>>> = {
      '198.51.100.1': (headers) => service.open('/api/nothing', headers),
      '198.51.100.2': (headers) => fetch(`${service.url}/api/incidents`, { method: 'POST', headers }),
      '198.51.100.5': (headers) => service.open('/api/trenes/posiciones', headers),
      '198.51.100.6': (headers) => service.open('/api/incidents?provnce=x', headers),
    }
    for (const [from, ask] of Object.entries(asks)) {
      const statuses: number[] = []
      for (let n = 0; n < 6; n++) statuses.push((await ask({ 'X-Forwarded-For': from })).status)
      expect(
        statuses.slice(0, 5).every((status) => status >= 400 && status < 429),
        `${from} ${statuses}`,
      ).toBe(true)
      expect(statuses[5], from).toBe(429)
      expect((await service.open('/api/incidents', { 'X-Forwarded-For': from })).status, from).toBe(429)
    }
    // A key pays for itself, wherever it is used.
    const paying = await service.keyed('PRO', { 'X-Forwarded-For': '198.51.100.1' })
    const lost = await service.open('/api/nothing', paying)
    expect([lost.status, left(await service.open('/api/incidents', paying)).minute]).toEqual([404, 58])
    expect((await fetch(`${service.url}/api/incidents`, { method: 'POST', headers: paying })).status).toBe(405)
    expect(left(await service.open('/api/incidents', paying)).minute).toBe(56)
    for (const path of ['/api/stream', '/api/export/incidents/a.parquet', '/api/export-jobs'])
      expect((await fetch(`${service.url}${path}`, { method: 'PROPFIND', headers: paying })).status, path).toBe(405)
    expect(left(await service.open('/api/incidents', paying)).minute).toBe(52)
    // A key that does not work is not taken for none.
    const wrong = { 'X-API-Key': makeKey(), 'X-Forwarded-For': '198.51.100.8' }
    expect((await service.open('/api/nothing', wrong)).status).toBe(401)
    expect((await fetch(`${service.url}/api/incidents`, { method: 'POST', headers: wrong })).status).toBe(401)
  })

  test('keys that do not work are charged to a bucket of the address that is apart from its other requests', async () => {
    await start(DEFAULT_PLANS, '127.0.0.0/8')
    for (const [from, key] of [
      ['198.51.100.3', makeKey],
      ['198.51.100.4', () => 'tia_x'],
    ] as const) {
      const statuses: number[] = []
      for (let n = 0; n < 6; n++)
        statuses.push((await service.open('/api/incidents', { 'X-Forwarded-For': from, 'X-API-Key': key() })).status)
      expect([from, statuses]).toEqual([from, [401, 401, 401, 401, 401, 429]])
      for (let n = 0; n < 5; n++) expect((await service.open('/api/incidents', { 'X-Forwarded-For': from })).status, from).toBe(200)
      expect((await service.open('/api/incidents', { 'X-Forwarded-For': from })).status, from).toBe(429)
    }
    // Another client behind the address that made up keys goes on with a known key, and soon with any.
    const known = await service.keyed('PRO', { 'X-Forwarded-For': '198.51.100.9' })
    expect((await service.open('/api/incidents', known)).status).toBe(200)
    expect((await service.open('/api/incidents', { ...known, 'X-Forwarded-For': '198.51.100.3' })).status).toBe(200)
    const fresh = await service.keyed('ENTERPRISE', { 'X-Forwarded-For': '198.51.100.3' })
    const waiting = await service.open('/api/incidents', fresh)
    expect(waiting.status).toBe(429)
    expect(Number(waiting.headers.get('retry-after'))).toSatisfy((wait_s: number) => wait_s >= 1 && wait_s <= 60)
    expect((await service.open('/api/incidents', { ...fresh, 'X-Forwarded-For': '198.51.100.9' })).status).toBe(200)
  })
})

test('a reply that the client has already costs nothing of the day, and is answered when the day is spent', async () => {
  await start(readPlans(JSON.stringify({ ANONYMOUS: { day: 3 }, FREE: { minute: 50, day: 3 } })))
  const first = await service.open('/api/incidents', await service.keyed('FREE'))
  expect(left(first)).toEqual({ minute: 49, day: 2 })
  const headers = await service.keyed('FREE', { 'If-None-Match': first.headers.get('etag') as string })
  for (let n = 0; n < 3; n++) {
    const again = await service.open('/api/incidents', headers)
    expect([again.status, left(again)]).toEqual([304, { minute: 48 - n, day: 2 }])
  }
  const since = await service.open(
    '/api/incidents',
    await service.keyed('FREE', { 'If-Modified-Since': first.headers.get('last-modified') as string }),
  )
  expect([since.status, left(since)]).toEqual([304, { minute: 45, day: 2 }])
  // Another tag is another answer, whether or not it was made before.
  for (const [path, day] of [
    ['/api/incidents', 1],
    ['/api/incidents?province=Granada', 0],
  ] as const) {
    const other = await service.open(path, await service.keyed('FREE', { 'If-None-Match': 'W/"other"' }))
    expect([other.status, left(other).day], path).toEqual([200, day])
  }
  const spent = await service.open('/api/incidents', await service.keyed('FREE'))
  expect([spent.status, ((await spent.json()) as Reply)['violated-policies']]).toEqual([429, ['day']])
  expect((await service.open('/api/incidents?road=A-1', { ...headers, 'If-None-Match': 'W/"other"' })).status).toBe(429)
  const known = await service.open('/api/incidents', headers)
  expect(known.status).toBe(304)
  // No refusal has cost anything of the minute; a 304 does not signal an empty quota.
  expect(known.headers.get('ratelimit')).toMatch(/^"minute";r=42;t=\d+$/)
})

test('mistakes of the caller count, ours and limits do not', async () => {
  await start(readPlans(JSON.stringify({ PRO: { minute: 100, concurrency: 1 } })))
  const headers = await service.keyed('PRO')
  const minuteAfter = async (path: string, status: number, more: Record<string, string> = {}): Promise<number> => {
    const response = await service.open(path, { ...headers, ...more })
    expect(response.status, path).toBe(status)
    return left(await service.open('/api/incidents', headers)).minute
  }
  expect(await minuteAfter('/api/incidents', 200)).toBe(98)
  expect(await minuteAfter('/api/incidents?nothing=1', 400)).toBe(96)
  expect(await minuteAfter('/api/incidents/inc_nothing', 404)).toBe(94)
  expect(await minuteAfter('/api/incidents', 406, { Accept: 'image/png' })).toBe(92)
  // A tag in the request does not make a mistake cheaper.
  const { day } = left(await service.open('/api/incidents', headers))
  await service.open('/api/incidents?nothing=1', { ...headers, 'If-None-Match': 'W/"other"' })
  await service.open('/api/incidents/inc_nothing', { ...headers, 'If-None-Match': 'W/"other"' })
  expect(left(await service.open('/api/incidents', headers))).toEqual({ minute: 88, day: day - 3 })
  expect(await minuteAfter('/api/broken', 500)).toBe(87)
  expect(await minuteAfter('/api/broken', 500, { 'If-None-Match': 'W/"other"' })).toBe(86)
  const head = await fetch(`${service.url}/api/incidents`, { method: 'HEAD', headers })
  expect([head.status, left(head).minute]).toEqual([200, 85])
})

test('a query of the lake costs of the day, even if nothing has changed since the time that the client names', async () => {
  await start(DEFAULT_PLANS)
  const path = '/api/counted'
  const first = await service.open(path, await service.keyed('PRO'))
  const { day } = left(first)
  expect(first.status).toBe(200)
  const later = await service.open(`${path}?limit=7`, await service.keyed('PRO', { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }))
  expect([later.status, left(later).day]).toEqual([304, day - 1])
  const known = await service.open(path, await service.keyed('PRO', { 'If-None-Match': first.headers.get('etag') as string }))
  expect([known.status, left(known).day]).toEqual([304, day - 1])
})

test('only so many queries of history of one key run at once', async () => {
  await start(readPlans(JSON.stringify({ PRO: { minute: 300, concurrency: 1 }, ENTERPRISE: { concurrency: 6 } })))
  const headers = await service.keyed('PRO')
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const under = fetch(`${service.url}/api/slow`, { headers, signal: stop.signal }).catch(() => null)
  await until('a query runs', () => service.lake.engine.load.taken === 1)
  const refused = await service.open('/api/slow', headers)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await refused.json()) as Reply).toMatchObject({ code: 'concurrency', detail: expect.stringContaining('One query') })
  // Live data, other keys and cached replies go on.
  expect((await service.open('/api/incidents', headers)).status).toBe(200)
  const others = await service.keyed('ENTERPRISE')
  const history = '/api/trafico/sensores/1/historico'
  expect((await service.open(history, others)).status).not.toBe(429)
  stop.abort()
  await under
  await until('the place is free', async () => (await service.open(history, headers)).status !== 429)
})

test('without Redis a process admits half by itself, and knows the keys that it has seen', async () => {
  await start(readPlans(JSON.stringify({ FREE: { minute: 20 } })))
  const headers = await service.keyed('FREE')
  expect((await service.open('/api/incidents', headers)).status).toBe(200)
  await service.killRedis()
  const statuses: number[] = []
  for (let n = 0; n < 15; n++) statuses.push((await service.open('/api/incidents', headers)).status)
  expect(statuses).toEqual([...Array<number>(10).fill(200), ...Array<number>(5).fill(429)])
  // An unknown key is looked up in the store.
  expect((await service.open('/api/incidents', await service.keyed('ENTERPRISE'))).status).toBe(200)
  expect((await service.open('/api/incidents', { 'X-API-Key': makeKey() })).status).toBe(401)
})
