import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FEED_HEALTH } from '../../../api/endpoints/service/freshness.ts'
import { fuelPrices } from '../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { LiveChange, LiveRow } from '../../../lake/live/types.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { entityKey } from '../../../lake/schema/rows.ts'
import { until } from '../../helpers/until.ts'
import { landRows } from '../../lake/query/fixtures.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const MINUTE = 60_000
let now = T0
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now })
})
afterAll(() => service?.close())

describe('the widest period of an interval', () => {
  beforeAll(() => service.land(trafficReadings, [], T0))

  const statusOf = async (query: string): Promise<string> => {
    const response = await service.get(`/api/trafico/sensores/x/historico?${query}`)
    const { code } = (await response.json()) as Reply
    return `${response.status} ${code}`
  }

  test.each([
    // 2026-10-25 has 25 hours, 2026-03-29 has 23.
    ['a whole October', 'interval=raw&from=2026-10-01&to=2026-11-01', true],
    ['a day more', 'interval=raw&from=2026-10-01&to=2026-11-02', false],
    ['an hour more than October', 'interval=raw&from=2026-10-01&to=2026-11-01T01:00:00%2B01:00', false],
    ['a whole fourth quarter', 'interval=15m&from=2026-10-01&to=2027-01-01', true],
    ['a day more than a quarter', 'interval=15m&from=2026-10-01&to=2027-01-02', false],
    ['a whole March', 'interval=raw&from=2026-03-01&to=2026-04-01', true],
    ['a whole March of UTC', 'interval=raw&from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z', true],
    ['a day more than March', 'interval=raw&from=2026-03-01&to=2026-04-02', false],
    ['31 days that begin in winter and end in summer', 'interval=raw&from=2026-03-15&to=2026-04-15', true],
    ['two years with a leap day', 'interval=1h&from=2023-10-29&to=2025-10-29', true],
  ])('%s', async (_what, query, isAllowed) => {
    expect(await statusOf(query)).toBe(isAllowed ? '404 not-found' : '400 range-too-large')
  })
})

test('a snapshot beside a cursor of another is refused, by both names', async () => {
  const path = '/api/trafico/sensores/p/historico?interval=raw&from=2026-01-02&to=2026-01-03&limit=2'
  const land = (minute: number, rows: number): Promise<void> =>
    service.land(
      trafficReadings,
      Array.from({ length: rows }, (_, n) => exampleTableRow(trafficReadings, { sensor_id: 'p', observed_at: T0 + (minute + n) * MINUTE })),
      T0 + (minute + rows) * MINUTE,
    )
  await land(0, 5)
  const first = await service.json(path)
  await land(5, 5)
  const second = await service.json(path)
  const cursor = encodeURIComponent(first.next_cursor)
  const [own, other] = [first, second].map(({ meta }) => encodeURIComponent(meta.snapshot))
  expect((await service.get(`${path}&cursor=${cursor}&snapshot=${own}`)).status).toBe(200)
  const response = await service.get(`${path}&cursor=${cursor}&snapshot=${other}`)
  expect(response.status).toBe(400)
  const problem = (await response.json()) as Reply
  expect(problem.code).toBe('invalid-parameter')
  expect(problem.errors.map((error: Reply) => error.parameter)).toEqual(['snapshot', 'cursor'])
  const pages = await service.json(`${path}&snapshot=${own}`)
  expect((await service.get(`${path}&snapshot=${own}&cursor=${encodeURIComponent(pages.next_cursor)}`)).status).toBe(200)
})

describe('a page of changes', () => {
  test('may be empty where many were looked through, and the pages come to an end', async () => {
    const row = (n: number): AnyRow => exampleRow(fuelPrices, { station_id: String(n), product: 'DIESEL_A' })
    const changes: LiveChange[] = Array.from({ length: 41_000 }, (_, n) => {
      const made = row(n) as LiveRow
      return { kind: 'CREATED', key: entityKey(fuelPrices, made), row: made, changed: [] }
    })
    await service.publish(fuelPrices, [row(1)], { changes })
    const found: [number, boolean][] = []
    let cursor = ''
    for (let more = true; more; ) {
      const page = await service.json(`/api/gas-stations/changes?fuel=LPG&limit=3${cursor && `&cursor=${cursor}`}`)
      found.push([page.changes.length, page.more])
      more = page.more
      cursor = encodeURIComponent(page.next_cursor)
    }
    expect(found).toEqual([
      [0, true],
      [0, true],
      [0, false],
    ])
  })
})

test('a sort by a code follows the order of its list', async () => {
  const healths = Object.keys(FEED_HEALTH.codes)
  const ages = { dgt_incidents: 10, madrid_traffic: 2.5 * 300, madrid_sensors: 3.5 * 86_400 }
  for (const [feed, age_s] of Object.entries(ages)) {
    const at = T0 - 1000 * age_s
    await service.tell({ feed, last_success_at: at, fresh_at: at, data_time: at })
  }
  const listed = async (sort: string): Promise<string[]> =>
    (await service.json(`/api/freshness?sort=${sort}`)).feeds.map((feed: Reply) => feed.health)
  await until('reported', async () => {
    // The list is computed again at each step of the clock, which stays where the ages are the stated ones.
    now = now === T0 + 10_000 ? T0 + 20_000 : T0 + 10_000
    return new Set(await listed('id')).size === healths.length
  })
  const inOrder = (await listed('id')).toSorted((one, other) => healths.indexOf(one) - healths.indexOf(other))
  expect(await listed('health')).toEqual(inOrder)
  expect(await listed('-health')).toEqual(inOrder.toReversed())
  const paged: string[] = []
  let cursor = ''
  do {
    const page = await service.json(`/api/freshness?sort=-health&limit=1${cursor && `&cursor=${cursor}`}`)
    paged.push(...page.feeds.map((feed: Reply) => feed.health))
    cursor = page.next_cursor ? encodeURIComponent(page.next_cursor) : ''
  } while (cursor)
  expect(paged).toEqual(inOrder.toReversed())
  now = T0
})

describe('features', () => {
  test('have the id of a record, or the fields that identify it', async () => {
    const row = { source_id: 'v', incident_id: 'inc_v' }
    await service.publish(incidents, [exampleRow(incidents, row)], { at: T0 })
    await service.land(
      incidents,
      [0, 1].map((n) => exampleTableRow(incidents, { ...row, observed_at: T0 + n * MINUTE, updated_at: T0 + n * MINUTE, km: n })),
      T0 + MINUTE,
    )
    const ids = async (path: string): Promise<unknown[]> => {
      const reply = await service.json(path)
      return (reply.features ?? [reply]).map((feature: Reply) => feature.id ?? null)
    }
    const versions = await ids('/api/incidents/inc_v/history?format=geojson')
    expect(new Set(versions.filter((id) => typeof id === 'string' && id !== '')).size).toBe(2)
    expect(await ids('/api/incidents?format=geojson')).toEqual(['inc_v'])
    expect(await ids('/api/incidents/inc_v?format=geojson')).toEqual(['inc_v'])
  })

  test('are the same text, cached or computed again', async () => {
    const all = await (await service.get('/api/incidents?format=geojson')).text()
    expect(all).toBe(JSON.stringify(JSON.parse(all)))
    expect(await (await service.get('/api/incidents?format=geojson&limit=20000')).text()).toBe(all)
  })
})

test('a reply is fresh until its feed is asked again, also where it had nothing new', async () => {
  now = T0
  await service.publish(incidents, [exampleRow(incidents)], { at: T0 })
  now = T0 + 30_000
  const maxAge = async (): Promise<number> =>
    Number(/max-age=(\d+)/.exec((await service.get('/api/incidents')).headers.get('cache-control') as string)?.[1])
  expect(await maxAge()).toBe(30)
  now = T0 + 90_000
  await service.tell({ feed: 'dgt_incidents', last_attempt_at: now, last_success_at: now, fresh_at: now, data_time: T0 })
  await until('reported', async () => {
    // Headers are made once a second. The clock stays where the feed is not stale, which tags depend on.
    now = T0 + 90_000 + ((now + 1000 - T0 - 90_000) % 50_000)
    return (await maxAge()) > 1
  })
  now = T0 + 100_000
  expect(await maxAge()).toBe(50)
  // A failed run does not move it.
  await service.tell({ feed: 'dgt_incidents', last_attempt_at: now, last_success_at: T0 + 90_000, failing_since: now })
  expect(await maxAge()).toBe(50)
})

test('with Redis down, records of the lake are found, and all others are unknown', async () => {
  now = T0
  const life = { source_id: 'old', incident_id: 'inc_old' }
  const ended = { ...life, observed_at: T0 + MINUTE, updated_at: T0 + MINUTE, status: 'ENDED' }
  await service.land(incidents, [exampleTableRow(incidents, life), exampleTableRow(incidents, ended)], T0 + MINUTE)
  expect((await service.get('/api/incidents/inc_never')).status).toBe(404)
  await service.killRedis()
  await until('degraded', async () => (await service.json('/ready')).status === 'degraded')
  const down = await service.get('/api/incidents/inc_old')
  expect(down.status).toBe(200)
  expect(await down.json()).toMatchObject({ id: 'inc_old', status: 'ENDED' })
  const unknown = await service.get('/api/incidents/inc_never')
  expect(unknown.status).toBe(503)
  expect(Number(unknown.headers.get('retry-after'))).toBeGreaterThan(0)
  await service.restartRedis()
  await until('ready', async () => (await service.json('/ready')).status === 'ready')
  // A reply without the log is no copy of a reply with it.
  const up = await service.get('/api/incidents/inc_old', { 'If-None-Match': down.headers.get('etag') as string })
  expect(up.status).toBe(200)
  expect((await service.get('/api/incidents/inc_never')).status).toBe(404)
  // A lake that has every publication of the state needs no log.
  const whole = up.headers.get('etag') as string
  await landRows(service.lake, incidents, [], { properties: { 'landed.dgt_incidents': '1-99' } })
  await service.killRedis()
  await until('degraded', async () => (await service.json('/ready')).status === 'degraded')
  expect((await service.get('/api/incidents/inc_nowhere')).status).toBe(404)
  const all = await service.get('/api/incidents/inc_old', { 'If-None-Match': whole })
  expect([all.status, all.headers.get('etag')]).toEqual([304, whole])
  await service.restartRedis()
})
