import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PROBLEMS } from '../../../api/kernel/problems.ts'
import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { openRedis } from '../../../lake/live/connect.ts'
import { announceWorker } from '../../../lake/live/workers.ts'
import { sql } from '../../../lake/query/sql.ts'
import { deepTest } from '../../helpers/tier.ts'
import { until } from '../../helpers/until.ts'
import { FEEDS } from '../main/feed-listings.ts'
import { headerOf, type RawReply, raw } from '../raw.ts'
import { exampleRow, type Reply, startService, type TestService } from '../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
let now = T0
let service: TestService

function rows(count: number): ReturnType<typeof exampleRow>[] {
  return Array.from({ length: count }, (_, n) =>
    exampleRow(incidents, { source_id: `s${n}`, incident_id: `inc_${String(n).padStart(3, '0')}` }),
  )
}

beforeAll(async () => {
  service = await startService({ clock: () => now })
  await service.publish(incidents, rows(40), { at: T0 })
})
afterAll(() => service?.close())

/** The reply to bytes sent unchanged, until the connection ends. */
async function rawText(text: string): Promise<string> {
  const { head, body } = await raw(service.url, text)
  return `${head}\r\n\r\n${body}`
}

function problemOf(reply: string): Reply {
  return JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4))
}

describe('every way to fail is a problem', () => {
  test.each([
    ['/nothing', 404, 'not-found'],
    ['/api/incidents/', 200, null],
    ['/api/Incidents', 404, 'not-found'],
    ['/api/incidents/%zz', 400, 'malformed-request'],
    ['/api/incidents?province=%zz', 400, 'invalid-parameter'],
    ['/api/incidents?road=%zz', 400, 'invalid-parameter'],
    ['/api/incidents?road=%ff', 400, 'invalid-parameter'],
    [`/api/incidents?cursor=${'x'.repeat(5000)}`, 400, 'invalid-cursor'],
    [`/api/incidents?ids=${'x'.repeat(17_000)}`, 414, 'uri-too-long'],
    [`/api/incidents?ids=${Array.from({ length: 501 }, (_, n) => n)}`, 400, 'invalid-parameter'],
    ['/problems/nothing', 404, 'not-found'],
  ])('%s', async (path, status, code) => {
    const response = await service.get(path)
    expect(response.status).toBe(status)
    const body = (await response.json()) as Reply
    if (code === null) return
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const { title } = PROBLEMS[code as keyof typeof PROBLEMS]
    expect(body).toMatchObject({ type: `${service.url}/problems/${code}`, title, status, code })
    expect(body.instance.length).toBeGreaterThan(0)
    expect(body.request_id).toMatch(/^req_/)
  })

  test('a path that is nearly one names that, another none', async () => {
    const detailOf = async (path: string): Promise<string> => ((await (await service.get(path)).json()) as Reply).detail
    expect(await detailOf('/api/incidentes?x=1')).toBe(
      'There is no path /api/incidentes; did you mean /api/incidents? GET /openapi.json lists the paths of the API.',
    )
    expect(await detailOf('/nothing')).toBe('There is no path /nothing; GET /openapi.json lists the paths of the API.')
  })

  test('headers that are too large, and input that is no HTTP', async () => {
    const large = await rawText(`GET /api/incidents HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)
    expect(large).toContain('431')
    expect(problemOf(large)).toMatchObject({ code: 'headers-too-large', status: 431 })
    const garbage = await rawText('HELLO\r\n\r\n')
    expect(garbage).toContain('HTTP/1.1 400')
    expect(problemOf(garbage)).toMatchObject({ code: 'malformed-request' })
  })

  test('no Host, and an unknown method', async () => {
    const hostless = await rawText('GET /api/incidents HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(hostless).toContain('HTTP/1.1 400')
    expect(problemOf(hostless)).toMatchObject({ code: 'malformed-request', detail: expect.stringContaining('Host') })
    const unknown = await rawText('FOO /api/incidents HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(problemOf(unknown)).toMatchObject({ code: 'malformed-request', detail: expect.stringContaining('method') })
  })

  test('a body where none is allowed', async () => {
    const reply = await rawText('GET /api/incidents HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n')
    expect(problemOf(reply)).toMatchObject({ code: 'payload-too-large', status: 413 })
  })

  test('the page of a problem type explains it', async () => {
    const response = await service.get('/problems/invalid-cursor?lang=en')
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(await response.text()).toContain(PROBLEMS['invalid-cursor'].help)
  })

  test('a dataset that has never been published', async () => {
    const response = await service.get('/api/v16')
    expect(response.status).toBe(404)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await response.json()) as Reply).toMatchObject({
      code: 'no-data-yet',
      detail: 'No data of V16 emergency beacons has arrived yet: it waits for dgt_incidents.',
      missing: ['v16_beacons'],
      waits_for: ['dgt_incidents'],
    })
  })
})

describe('compression', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['zstd', zstdDecompressSync],
  ] as const)('%s', async (encoding, decompress) => {
    const ask = (...headers: string[]): Promise<RawReply> =>
      raw(service.url, ['GET /api/incidents HTTP/1.1', 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n'))
    const plain = await ask()
    for (let turn = 0; turn < 2; turn++) {
      const { head, body } = await ask(`Accept-Encoding: ${encoding}`)
      expect(headerOf(head, 'content-encoding')).toBe(encoding)
      expect(headerOf(head, 'content-length')).toBe(String(body.length))
      expect(decompress(body).equals(plain.body)).toBe(true)
      expect(body.length).toBeLessThan(plain.body.length / 5)
    }
  })
})

describe('the age of data', () => {
  test('is in headers, never in the body', async () => {
    const fresh = await service.open('/api/incidents')
    expect(fresh.headers.get('x-data-age')).toBe('0')
    expect(fresh.headers.get('last-modified')).toBe('Fri, 02 Jan 2026 12:00:00 GMT')
    expect(fresh.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=600')
    now = T0 + 45_000
    const later = await service.open('/api/incidents')
    expect(later.headers.get('x-data-age')).toBe('45')
    expect(later.headers.get('cache-control')).toBe('public, max-age=15, stale-if-error=600')
    expect(later.headers.get('etag')).toBe(fresh.headers.get('etag'))
    expect(await later.text()).toBe(await fresh.text())
    now = T0 + 3600_000
    expect((await service.open('/api/incidents')).headers.get('cache-control')).toContain('max-age=1,')
  })

  test('no reply is fresh for over an hour; hourly or slower data is never awaited by the second', async () => {
    now = T0
    await service.publish(airports, [exampleRow(airports)], { at: T0 })
    const fresh = async (): Promise<number> => {
      const { headers } = await service.get('/api/aviacion/aeropuertos')
      return Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1])
    }
    expect(await fresh()).toBe(3600)
    now = T0 + 30 * 86_400_000
    expect(await fresh()).toBe(60)
    now = T0
  })

  deepTest('stale comes as a new version', async () => {
    now = T0
    // The list is of two feeds; the other one is as it should be all the time.
    await service.tell({ feed: 'sct_incidents', last_success_at: T0 + 200_000, fresh_at: T0 + 200_000, data_time: T0 + 200_000 })
    await service.tell({ feed: 'dgt_incidents', last_success_at: T0, fresh_at: T0, data_time: T0 })
    await until('fresh', async () => (await service.json('/api/incidents')).meta.stale === false)
    const fresh = await service.get('/api/incidents')
    now = T0 + 200_000
    await until('stale', async () => (await service.json('/api/incidents')).meta.stale === true)
    const stale = await service.get('/api/incidents')
    expect(stale.headers.get('etag')).not.toBe(fresh.headers.get('etag'))
    expect((await service.json('/api/freshness?feed=dgt_incidents')).feeds[0]).toMatchObject({ health: 'STALE', stale: true })
    await service.tell({ feed: 'dgt_incidents', last_success_at: now, fresh_at: now, data_time: now })
    await until('fresh', async () => (await service.json('/api/incidents')).meta.stale === false)
    expect((await service.get('/api/incidents')).headers.get('etag')).toBe(fresh.headers.get('etag'))
  })
})

test('a reply that follows the clock has the time of its step', async () => {
  now = T0 + 3_600_000 + 97_000
  const first = await service.get('/api/freshness')
  const modified = first.headers.get('last-modified') as string
  expect(modified).toBe('Fri, 02 Jan 2026 13:01:30 GMT')
  expect(first.headers.get('x-data-age')).toBe('7')
  expect((await service.get('/api/freshness', { 'If-Modified-Since': modified })).status).toBe(304)
  now += 3000
  const next = await service.get('/api/freshness', { 'If-Modified-Since': modified })
  expect(next.status).toBe(200)
  expect(next.headers.get('last-modified')).toBe('Fri, 02 Jan 2026 13:01:40 GMT')
  await service.publish(fuelStations, [exampleRow(fuelStations)], { at: T0 })
  const open = await service.get('/api/gas-stations?open_now=true')
  expect(open.headers.get('last-modified')).toBe('Fri, 02 Jan 2026 13:01:00 GMT')
  // The page's cursor ends at a full hour.
  expect((await service.get('/api/gas-stations')).headers.get('last-modified')).toBe('Fri, 02 Jan 2026 13:00:00 GMT')
  now = T0 + 60_000
})

test('a new publication is served at once, under a new tag', async () => {
  const before = await service.get('/api/incidents')
  await service.publish(incidents, rows(41), { at: T0 + 60_000 })
  const after = await service.get('/api/incidents', { 'If-None-Match': before.headers.get('etag') as string })
  expect(after.status).toBe(200)
  expect((await after.json()) as Reply).toMatchObject({ total: 41, updated_at: '2026-01-02T12:01:00.000Z' })
})

describe('the lake under load', () => {
  test('refuses a query without a free slot, and live reads go on', async () => {
    await service.publish(trafficReadings, [exampleRow(trafficReadings)])
    await service.land(trafficReadings, [], T0)
    // Two queries run and two wait: the lake has no more room.
    const stop = new AbortController()
    const busy = Array.from({ length: 4 }, () =>
      service.lake.query(sql`SELECT count(*) FROM range(100000000000) AS a, range(1000) AS b`, { signal: stop.signal }).catch(() => null),
    )
    let refused: Response | null = null
    await until('refused', async () => {
      refused = await service.get('/api/trafico/sensores/1/historico')
      return refused.status === 503
    })
    const response = refused as unknown as Response
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await response.json()) as Reply).toMatchObject({ code: 'temporary-reduced-capacity' })
    expect((await service.get('/api/incidents')).status).toBe(200)
    stop.abort()
    await Promise.all(busy)
  })
})

test('health and readiness', async () => {
  expect(await service.json('/health')).toEqual({ status: 'ok' })
  const { waiting_for, landing: _earlier, ...ready } = await service.json('/ready')
  expect(ready).toEqual({
    ...{ status: 'ready', source_mode: 'simulated', redis: true, lake: true },
    ...{ store_full: false, redis_read_only: false, phase: 'STEADY' },
  })
  expect(waiting_for).toContain('fuel_stations')
  await service.tell({ feed: 'fuel_stations', last_success_at: T0 })
  await until('one feed less', async () => !(await service.json('/ready')).waiting_for.includes('fuel_stations'))
  // Its tables have nothing of it yet. Without a worker that loads data, nobody asks.
  expect((await service.json('/ready')).landing).toEqual([])
  const redis = openRedis(service.redisUrl)
  onTestFinished(() => redis.disconnect())
  const worker = { id: 'loads', started_at: T0, schedules: [], declared: null, phase: 'LOADING' } as const
  await announceWorker(redis, worker)
  await until('it loads', async () => (await service.json('/ready')).landing.includes('fuel_stations'))
  await announceWorker(redis, worker, { isStopping: true })
})

test('sources, with the feeds that the worker announced', async () => {
  const { sources } = await service.json('/api/sources')
  expect(sources.flatMap((one: Reply) => one.feeds.map((feed: Reply) => feed.id)).sort()).toEqual(FEEDS.map((feed) => feed.id).sort())
  expect((await service.get('/api/sources?domain=rood')).status).toBe(400)
})

test('without Redis the last good state is served, and readiness says so', async () => {
  const before = await (await service.get('/api/incidents')).text()
  await service.killRedis()
  await until('degraded', async () => (await service.json('/ready')).status === 'degraded')
  expect((await service.get('/ready')).status).toBe(200)
  const response = await service.get('/api/incidents')
  expect(response.status).toBe(200)
  expect(JSON.parse(await response.text()).incidents).toEqual(JSON.parse(before).incidents)
  const changes = await service.get('/api/incidents/changes')
  expect(changes.status).toBe(503)
  expect((await changes.json()) as Reply).toMatchObject({ code: 'temporary-reduced-capacity' })
  await service.restartRedis()
  await until('ready', async () => (await service.json('/ready')).status === 'ready')
  expect((await service.get('/api/incidents')).status).toBe(200)
})
