import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readPlans, TIERS } from '../../../api/auth/plans.ts'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { API_METRICS } from '../../../api/engine/request-metrics.ts'
import { defineEndpoint } from '../../../api/kernel/endpoint.ts'
import { record } from '../../../api/kernel/fields.ts'
import { PROBLEMS } from '../../../api/kernel/problems.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { LAKE_METRICS, openMetrics } from '../../../lake/metrics/metrics.ts'
import { type MetricsServer, serveMetrics } from '../../../lake/metrics/server.ts'
import { sql } from '../../../lake/query/sql.ts'
import { readLog } from '../../../lake/requests/log.ts'
import { col } from '../../../lake/schema/columns.ts'
import { STORE_OPERATIONS } from '../../../lake/store/counting.ts'
import { type Exposition, parseExposition } from '../../helpers/exposition.ts'
import { until } from '../../helpers/until.ts'
import { FEEDS } from '../main/feed-listings.ts'
import { raw } from '../raw.ts'
import { exampleRow, startService, type TestService } from '../service.ts'

/** A query that never ends. */
const slow = defineEndpoint({
  ...{ path: '/api/slow', domain: 'road', plan: 'FREE', summary: 'Slow', summary_es: 'Slow', params: {}, example: {} },
  returns: {
    ...{ kind: 'list', name: 'numbers', key: ['n'], sorts: ['n'], order: 'n' },
    record: record('Number', 'A number.', { n: col.integer(0, 'A number.', { unit: '1', example: 1 }) }),
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'lake',
    from: [trafficReadings],
    query: () => sql`SELECT CAST(count(*) AS INTEGER) AS n FROM range(100000000000) AS a, range(1000) AS b`,
  },
})
const PLANS = readPlans(JSON.stringify(Object.fromEntries(TIERS.map((tier) => [tier, { minute: 1e6, day: 1e6, concurrency: 5 }]))))
const NOW = Date.UTC(2026, 10, 1, 12)
let now = NOW

let service: TestService
let server: MetricsServer
beforeEach(async () => {
  const metrics = openMetrics({ isServed: true })
  service = await startService({ metrics, plans: PLANS, endpoints: [...endpoints, slow], proxies: '127.0.0.0/8', clock: () => now })
  server = await serveMetrics({ registry: metrics.registry, host: '127.0.0.1', port: 0 })
  await service.publish(incidents, [exampleRow(incidents)])
  await service.land(trafficReadings, [], NOW)
})
afterEach(async () => {
  await server.close()
  await service.close()
})

async function scrapeText(): Promise<string> {
  const reply = await fetch(server.url)
  expect(reply.status).toBe(200)
  return await reply.text()
}
const scrape = async (): Promise<Exposition> => parseExposition(await scrapeText())

/** Samples of a metric that grew between two times, as label values and growth. */
function grown(before: Exposition, after: Exposition, name: string, base = name): Record<string, number> {
  const samples = after.families.get(base)?.samples.filter((one) => one.name === name) ?? []
  const growth = samples.map(({ labels, value }) => [Object.values(labels).join(' '), value - before.value(name, labels)] as const)
  return Object.fromEntries(growth.filter(([, by]) => by !== 0))
}

/** The increase of the counts of requests and problems once as many requests have ended. */
async function counted(
  before: Exposition,
  ended: number,
): Promise<{ readonly requests: object; readonly problems: object; readonly after: Exposition }> {
  const sum = (of: object): number => Object.values(of).reduce((all: number, one: number) => all + one, 0)
  let after = before
  let requests = {}
  await until(`${ended} requests have ended`, async () => {
    after = await scrape()
    requests = grown(before, after, API_METRICS.requests.name)
    return sum(requests) >= ended
  })
  return { requests, problems: grown(before, after, API_METRICS.problems.name), after }
}

test('every declared metric is there, with its help', async () => {
  const { families } = await scrape()
  for (const { name, kind, help } of [...Object.values(API_METRICS), ...Object.values(LAKE_METRICS)])
    expect([name, families.get(name)?.type, families.get(name)?.help]).toEqual([name, kind, help])
})

test('requests are counted by the pattern of their path, method, class of status and plan, each once', async () => {
  const before = await scrape()
  const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${service.url}${path}`, init)
  const headers = await service.keyed('FREE')
  const first = await service.open('/api/incidents', headers)
  const etag = first.headers.get('etag') as string
  const id = exampleRow(incidents)['incident_id']
  await Promise.all([
    service.open('/api/incidents'),
    service.open('/api/incidents?limit=1', await service.keyed('PRO')),
    service.open('/api/incidents/', await service.keyed('ENTERPRISE')),
    service.open('/api/incidents', { ...headers, 'If-None-Match': etag }),
    ask('/api/incidents', { method: 'HEAD', headers }),
    ask('/api/incidents', { method: 'OPTIONS' }),
    ask('/api/incidents', { method: 'DELETE', headers }),
    ask('/api/incidents', { method: 'PROPFIND' }),
    service.open(`/api/incidents/${id}`),
    service.open('/api/incidents/inc_nothing'),
    service.open('/api/incidents?provnce=x'),
    service.open('/api/incidents', { 'X-API-Key': 'tia_x' }),
    service.open('/health'),
    service.open('/problems/not-found'),
    service.open('/api/keys'),
    service.open('/wp-admin/a.php?user=me@example.org'),
    service.open('/another/path', headers),
    service.open('/api/incidents%zz'),
  ])
  const { requests, problems, after } = await counted(before, 19)
  const expected = {
    '/api/incidents GET 2xx none': 1,
    '/api/incidents GET 2xx FREE': 1,
    '/api/incidents GET 2xx PRO': 1,
    '/api/incidents GET 2xx ENTERPRISE': 1,
    '/api/incidents GET 3xx FREE': 1,
    '/api/incidents GET 4xx none': 2,
    '/api/incidents HEAD 2xx FREE': 1,
    '/api/incidents OPTIONS 2xx none': 1,
    '/api/incidents DELETE 4xx none': 1,
    '/api/incidents other 4xx none': 1,
    '/api/incidents/{id} GET 2xx none': 1,
    '/api/incidents/{id} GET 4xx none': 1,
    '/health GET 2xx none': 1,
    '/problems/{code} GET 2xx none': 1,
    '/api/keys GET 4xx none': 1,
    'unmatched GET 4xx none': 3,
  }
  expect(requests).toEqual(expected)
  expect(problems).toEqual({
    'method-not-allowed': 2,
    'not-found': 3,
    'unknown-parameter': 1,
    'invalid-key': 1,
    'key-required': 1,
    'malformed-request': 1,
  })
  // A histogram of the same requests, the plans together.
  const { name } = API_METRICS.durations
  const byRoute: Record<string, number> = {}
  for (const [labels, count] of Object.entries(expected)) {
    const of = labels.replace(/ \w+$/, '')
    byRoute[of] = (byRoute[of] ?? 0) + count
  }
  expect(grown(before, after, `${name}_count`, name)).toEqual(byRoute)
  expect(after.value(API_METRICS.underWay.name)).toBe(0)
  // The metrics are never on the public port, under any path.
  const response = await service.open('/metrics')
  expect([response.status, response.headers.get('content-type'), ((await response.json()) as { code: string }).code]).toEqual([
    404,
    'application/problem+json',
    'not-found',
  ])
})

test("no label contains a key, an address, an e-mail or a caller's text", async () => {
  const email = 'somebody.secret@example.org'
  const key = await service.key('PRO')
  const from = { 'X-Forwarded-For': '198.51.100.77' }
  const made = await fetch(`${service.url}/api/keys`, {
    method: 'POST',
    headers: { ...from, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, label: 'hidden-label' }),
  })
  expect(made.status).toBe(201)
  const { key: free } = (await made.json()) as { readonly key: string }
  for (const path of [
    `/api/incidents?key=${key}`,
    `/${email}/${key}`,
    '/hidden-path',
    `/api/incidents/${key}`,
    '/schemas/hidden-path',
    '/docs/hidden-path',
  ])
    for (const headers of [
      from,
      { ...from, 'X-API-Key': key },
      { ...from, 'X-API-Key': free },
      { ...from, Authorization: `Bearer ${key}` },
    ])
      await service.open(path, headers)
  const text = await scrapeText()
  for (const secret of [key, key.slice(0, 12), free, 'tia_', email, 'example.org', '198.51', '127.0.0.1', 'hidden'])
    expect(text.includes(secret), secret).toBe(false)
  const paths = Object.keys(((await (await service.open('/openapi.json')).json()) as { readonly paths: object }).paths)
  const { families } = parseExposition(text)
  const allowed: Readonly<Record<string, readonly string[] | RegExp>> = {
    route: [...paths, '/api/slow', '/docs/*', 'unmatched'],
    method: ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'other'],
    status: ['2xx', '3xx', '4xx', '5xx', 'gone'],
    plan: ['none', 'FREE', 'PRO', 'ENTERPRISE'],
    code: Object.keys(PROBLEMS),
    feed: FEEDS.map(({ id }) => id),
    health: ['OK', 'LATE', 'STALE', 'DOWN'],
    outcome: ['done', 'timeout', 'aborted', 'closed'],
    operation: STORE_OPERATIONS,
    reason: ['busy', 'timeout', 'aborted', 'closed', 'failed'],
    by: ['url', 'tag'],
    le: /^(\d+(\.\d+)?|\+Inf)$/,
    version: [process.version],
  }
  for (const { name, samples } of families.values())
    for (const [label, value] of samples.flatMap(({ labels }) => Object.entries(labels))) {
      const values = allowed[label] ?? []
      const isKnown = values instanceof RegExp ? values.test(value) : values.includes(value)
      expect(isKnown, `${name} ${label}=${value}`).toBe(true)
    }
})

test('input that never became a request is counted under its problem', async () => {
  const before = await scrape()
  await raw(service.url, 'GARBAGE\r\n\r\n')
  await raw(service.url, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(40_000)}\r\n\r\n`)
  await raw(service.url, 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n')
  await raw(service.url, 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: cake\r\nConnection: close\r\n\r\n')
  await raw(service.url, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')
  const after = await scrape()
  expect(grown(before, after, API_METRICS.problems.name)).toEqual({
    'malformed-request': 2,
    'headers-too-large': 1,
    'method-not-allowed': 1,
    'expectation-failed': 1,
  })
  expect(grown(before, after, API_METRICS.requests.name)).toEqual({ '/health GET 4xx none': 1 })
})

test('a caller that disconnects before the answer is counted as gone, and until then as in progress', async () => {
  const before = await scrape()
  const caller = new AbortController()
  const asked = service.ask('/api/slow', { headers: await service.keyed('FREE'), signal: caller.signal }).catch((error: Error) => error)
  await until('the query runs', () => service.lake.engine.load.taken === 1)
  const during = await scrape()
  expect([during.value(API_METRICS.underWay.name), during.value(LAKE_METRICS.used.name)]).toEqual([1, 1])
  expect(grown(before, during, API_METRICS.requests.name)).toEqual({})
  caller.abort(new Error('gone'))
  expect(await asked).toMatchObject({ message: 'gone' })
  expect((await counted(before, 1)).requests).toEqual({ '/api/slow GET gone FREE': 1 })
  await until('the query is given up', () => service.lake.engine.load.taken === 0)
  const after = await scrape()
  expect([after.value(API_METRICS.underWay.name), after.value(LAKE_METRICS.used.name)]).toEqual([0, 0])
  // It is no failure of ours, and was not for nothing.
  now += 60_000
  await service.requests.flush()
  now = NOW
  const used = await readLog(service.lake.store, { from: 0, to: Number.POSITIVE_INFINITY, take: ({ minutes }) => minutes })
  const rows = [...used.values()].flat().flatMap((minute) => minute.usage.filter(({ path }) => path === '/api/slow'))
  expect(rows).toMatchObject([{ client_error: 1, server_error: 0, answered: 0, day_units: 1 }])
  const { name } = LAKE_METRICS.held
  expect(grown(before, after, `${name}_count`, name)).toEqual({ aborted: 1 })
})

test('the cache of replies reports its size and hit rate', async () => {
  const before = await scrape()
  const looks = async () => {
    const after = await scrape()
    return { ...grown(before, after, API_METRICS.cacheHits.name), missed: grown(before, after, API_METRICS.cacheMisses.name)[''] ?? 0 }
  }
  await service.open('/api/incidents')
  expect(await looks()).toEqual({ missed: 1 })
  await service.open('/api/incidents')
  await service.open('/api/incidents')
  expect(await looks()).toEqual({ missed: 1, url: 2 })
  // The same answer by another URL.
  await service.open('/api/incidents?')
  expect(await looks()).toEqual({ missed: 1, url: 2, tag: 1 })
  const after = await scrape()
  expect(after.value(API_METRICS.cached.name)).toBe(1)
  expect(after.value(API_METRICS.cachedBytes.name)).toBeGreaterThan(1000)
  expect(after.value(API_METRICS.cacheLimit.name)).toBe(256 * 1024 ** 2)
  expect([after.value(API_METRICS.spool.name), after.value(API_METRICS.spoolLimit.name)]).toEqual([0, 2 * 1024 ** 3])
  expect(after.value(API_METRICS.line.name)).toBe(0)
})

test('feeds are as old and as well as /api/freshness says', async () => {
  await service.tell({ feed: 'dgt_incidents', last_success_at: NOW - 5000, data_time: NOW - 30_000, fresh_at: NOW - 30_000 })
  await service.tell({ feed: 'sct_incidents', last_success_at: NOW - 150_000, data_time: NOW - 200_000, fresh_at: NOW - 150_000 })
  await service.tell({ feed: 'madrid_traffic', last_success_at: NOW - 5000, data_time: NOW - 901_000, fresh_at: NOW - 901_000 })
  await until('the process knows', async () => (await scrape()).value(API_METRICS.age.name, { feed: 'madrid_traffic' }) === 901)
  const { feeds } = await service.json('/api/freshness?limit=100')
  const { families, value } = await scrape()
  expect(feeds).toHaveLength(FEEDS.length)
  for (const { id: feed, health, data_age_s, cadence_s } of feeds) {
    const states = families.get(API_METRICS.health.name)?.samples.filter(({ labels }) => labels['feed'] === feed) ?? []
    expect([feed, states.filter((one) => one.value === 1).map(({ labels }) => labels['health'])]).toEqual([feed, [health]])
    expect(states).toHaveLength(4)
    expect(value(API_METRICS.cadence.name, { feed })).toBe(cadence_s)
    const age = families.get(API_METRICS.age.name)?.samples.find(({ labels }) => labels['feed'] === feed)?.value
    expect([feed, age ?? null]).toEqual([feed, data_age_s])
  }
  expect(value(API_METRICS.success.name, { feed: 'sct_incidents' })).toBe((NOW - 150_000) / 1000)
})

describe('without Redis', () => {
  test('metrics are served all the same, and say so', async () => {
    const redisStates = async () => {
      const { value } = await scrape()
      return [value(LAKE_METRICS.redis.name), value(API_METRICS.alone.name)]
    }
    await until('connected', async () => String(await redisStates()) === '1,0')
    await service.killRedis()
    await until('alone', async () => String(await redisStates()) === '0,1', 20_000)
    const before = await scrape()
    expect((await service.open('/api/incidents', await service.keyed('FREE'))).status).toBe(200)
    expect((await counted(before, 1)).requests).toEqual({ '/api/incidents GET 2xx FREE': 1 })
    await service.restartRedis()
    await until('connected again', async () => String(await redisStates()) === '1,0', 20_000)
  })
})
