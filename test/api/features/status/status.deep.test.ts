import { rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeKey } from '../../../../api/auth/keys/key-format.ts'
import { DEFAULT_PLANS, FEATURES, TIERS } from '../../../../api/auth/plans.ts'
import { OWN_GROUPS } from '../../../../api/auth/usage/path-groups.ts'
import { openRequestLog } from '../../../../api/auth/usage/request-log.ts'
import { domains, endpoints } from '../../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../../api/engine/request/example-request.ts'
import { MCP_PATH } from '../../../../api/features/mcp/http.ts'
import { REASONS, statusReports } from '../../../../api/features/status/report.ts'
import { PROMISE_PCT } from '../../../../api/kernel/promise.ts'
import { openRedis } from '../../../../lake/live/connect.ts'
import { announceWorker } from '../../../../lake/live/workers.ts'
import { newGroupCounts } from '../../../../lake/requests/durations.ts'
import { dayObject, encodeDay, type Span } from '../../../../lake/requests/uptime.ts'
import { until } from '../../../helpers/until.ts'
import { FEEDS } from '../../main/feed-listings.ts'
import { openapi } from '../../openapi.ts'
import { fillWithExamples, type Reply, startService, type TestService } from '../../service.ts'
import { ACCOUNT_PAGES, OF_THE_LAKE, PAGES } from '../site/page-paths.ts'

const T0 = Date.UTC(2026, 2, 14, 12, 0, 30)
const MINUTE = 60_000

const description = openapi(endpoints, 'https://api.example.org') as Reply
const { schema } = description.paths['/status'].get.responses[200].content['application/json']
const check = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)

let now = T0
let service: TestService
const lines: string[] = []
afterEach(() => service?.close())

async function start(at = T0): Promise<void> {
  now = at
  lines.length = 0
  service = await startService({ clock: () => now, log: (line) => void lines.push(line) })
}

/** Advances by minutes while the API runs. */
async function pass(minutes: number): Promise<void> {
  for (let n = 0; n < minutes; n++) {
    now += MINUTE
    await service.requests.flush()
  }
}

async function status(query = ''): Promise<Reply> {
  const response = await service.open(`/status?format=json${query}`)
  const body = (await response.json()) as Reply
  expect([response.status, check(body), check.errors], JSON.stringify(body)).toEqual([200, true, null])
  return body
}
const groupOf = ({ uptime }: Reply, group: string): Reply => uptime.groups.find((one: Reply) => one.group === group)

/** Waits until the API reports the expected state of a feed; it refreshes feeds a few times a second. */
async function untilTold(isExpected: (found: Reply) => boolean): Promise<Reply> {
  let found: Reply
  await until('reported', async () => {
    now += 16_000
    await service.requests.flush()
    found = await status()
    return isExpected(found)
  })
  return found
}

describe('the groups of paths', () => {
  test('are one for each domain of the endpoints, which has a name, and our own', () => {
    for (const { id } of domains) expect(Object.keys(OWN_GROUPS)).not.toContain(id)
    for (const { es, en } of [...domains.map(({ title }) => title), ...Object.values(OWN_GROUPS)])
      for (const one of [es, en]) expect(one).toMatch(/^\S.+/)
  })

  test('have every path that is served, each in one', async () => {
    await start()
    const { groups } = (await status()).uptime
    const paths = groups.flatMap(({ paths }: Reply) => paths) as string[]
    expect(new Set(paths).size).toBe(paths.length)
    // The MCP server counts as the paths that its tools ask.
    const served = Object.keys(description.paths).filter((path) => path !== MCP_PATH)
    expect(paths.sort()).toEqual([...served, ...Object.keys(PAGES), ...ACCOUNT_PAGES, ...OF_THE_LAKE].sort())
    for (const [path, { tags }] of served.map((path) => [path, Object.values<Reply>(description.paths[path])[0]] as const)) {
      const found = groups.filter(({ paths }: Reply) => paths.includes(path)).map(({ group }: Reply) => group)
      expect(found, path).toEqual([tags[0] === 'data' ? tags[1] : tags[0]])
    }
  })
})

describe('the worker', () => {
  test('is away once none is heard of, and was before', async () => {
    await start()
    const codes = async (): Promise<string[]> => (await status()).reasons.map(({ code }: Reply) => code)
    const redis = openRedis(service.redisUrl)
    onTestFinished(() => redis.disconnect())
    expect(await codes()).not.toContain('worker-away')
    const worker = { id: 'w', started_at: 1, schedules: [], declared: null }
    await announceWorker(redis, worker)
    await until('seen', () => service.live.workers()?.living === 1)
    now += 16_000
    expect(await codes()).not.toContain('worker-away')
    await announceWorker(redis, worker, { isStopping: true })
    await until('gone', () => service.live.workers()?.living === 0)
    now += 16_000
    const found = await status()
    expect(found.reasons).toContainEqual({ code: 'worker-away', of: null, text: expect.stringContaining('no está en marcha') })
    expect(found.state).not.toBe('ok')
  })
})

describe('the measurement', () => {
  test('covers every reply, in the group of its path, by whose fault it was', async () => {
    await start()
    const data = await service.keyed('ENTERPRISE')
    const asked: [status: number, Response][] = [
      [404, await service.open('/api/v16')],
      [400, await service.open('/api/v16?x=1')],
      [401, await service.open('/api/v16', { 'X-API-Key': makeKey() })],
      [405, await fetch(`${service.url}/api/v16`, { method: 'POST' })],
      [200, await service.open('/api/codes', data)],
      [304, await service.open('/api/codes', { ...data, 'If-None-Match': '*' })],
      [200, await fetch(`${service.url}/api/codes`, { method: 'HEAD' })],
      [204, await fetch(`${service.url}/api/codes`, { method: 'OPTIONS' })],
      [200, await service.open('/docs')],
      [200, await service.open('/health')],
      [404, await service.open('/problems/nothing')],
      [204, await fetch(`${service.url}/docs`, { method: 'OPTIONS' })],
      [401, await service.open('/api/usage')],
      [200, await service.open('/api/usage', data)],
      // No path of ours, and so of no group.
      [404, await service.open('/nothing')],
    ]
    for (const [expected, response] of asked) {
      const text = await response.text()
      expect(response.status, `${response.url} ${text.slice(0, 500)}`).toBe(expected)
    }
    await pass(4)
    const found = await status()
    const counts = Object.fromEntries(
      found.uptime.groups.map(({ group, requests, refused, failed }: Reply) => [group, [requests, refused, failed]]),
    )
    expect(counts).toEqual({
      ...Object.fromEntries(domains.map(({ id }) => [id, [0, 0, 0]])),
      road: [4, 4, 0],
      service: [3, 0, 0],
      platform: [3, 1, 0],
      account: [2, 1, 0],
    })
    // A feed without data yet is no outage.
    expect(groupOf(found, 'road')).toMatchObject({ down_minutes: 0, met: true, availability_pct: 100 })
    expect(groupOf(found, 'service')).toMatchObject({ down_minutes: 0, met: true, availability_pct: 100 })
    const { p50_ms, p95_ms, p99_ms } = groupOf(found, 'service')
    expect([p50_ms <= p95_ms, p95_ms <= p99_ms, p99_ms <= 120_000, p50_ms >= 1]).toEqual([true, true, true, true])
    expect(groupOf(found, 'fuel')).toMatchObject({ p50_ms: null, p99_ms: null, met: true })
    expect(found.reasons.map(({ code }: Reply) => code)).not.toContain('group-failing')
    // A probe that failed minutes ago is a reason, and later none.
    service.requests.probeFailed('road')
    await pass(4)
    const failing = await status()
    expect(groupOf(failing, 'road')).toMatchObject({ down_minutes: 1, met: false })
    expect(failing.reasons).toContainEqual({ code: 'group-failing', of: 'road', text: expect.stringContaining('Carreteras') })
    await pass(5)
    expect((await status()).reasons.map(({ code }: Reply) => code)).not.toContain('group-failing')
  })

  test('covers all processes, and is the same from each of them', async () => {
    await start()
    const other = openRequestLog({
      ...{ store: service.lake.store, clock: () => now, every_ms: null },
      onError: (error) => expect(error).toBe(null),
      onLost: () => undefined,
    })
    other.repliesOf('rail')(200, 12, 'ip4:192.0.2.1')
    await pass(1)
    await other.flush()
    // Another process goes on where this one does not.
    for (let n = 0; n < 9; n++) {
      now += MINUTE
      other.repliesOf('rail')(200, 12, 'ip4:192.0.2.1')
      await other.flush()
    }
    await other.close()
    const found = await status()
    expect(groupOf(found, 'rail')).toMatchObject({ requests: 10, p50_ms: 15, down_minutes: 0 })
    expect(found.uptime).toMatchObject({
      ...{ month: '2026-03', timezone: 'UTC', promise_pct: PROMISE_PCT, minutes: 8, minutes_without_heartbeat: 0 },
      ...{ measured_from: '2026-03-14T12:00:00.000Z', measured_until: '2026-03-14T12:08:00.000Z' },
    })
  })

  test('is held against the promise exactly, and never looks better than it is', async () => {
    await start(Date.UTC(2026, 3, 1, 6))
    const minutes = (beats: readonly Span[], failing: readonly number[]) =>
      ({ beats, groups: [{ group: 'road', ...newGroupCounts(), requests: 10, failing }] }) as const
    const days = 31
    // Of 44,640 minutes 44 may be down: 45 are too many.
    for (let day = 1; day <= days; day++) {
      const date = `2026-03-${String(day).padStart(2, '0')}`
      const one =
        day === 5
          ? minutes(
              [
                [0, 100],
                [140, 1440],
              ],
              [3, 4, 5, 6],
            )
          : minutes([[0, 1440]], day === 6 ? [1] : [])
      await service.lake.store.put(dayObject(date), encodeDay({ date, ...one }))
    }
    const found = await status('&month=2026-03')
    expect(found.uptime).toMatchObject({ minutes: 44_640, minutes_without_heartbeat: 40, measured_until: '2026-04-01T00:00:00.000Z' })
    expect(groupOf(found, 'road')).toMatchObject({ down_minutes: 45, availability_pct: 99.899, met: false, requests: 310 })
    expect(groupOf(found, 'rail')).toMatchObject({ down_minutes: 40, availability_pct: 99.91, met: true, requests: 0 })
  })
})

describe('the state', () => {
  test('is ok where all is well, and says why where it is not', async () => {
    await start()
    const first = await status()
    expect(first.state).toBe('degraded')
    expect(first.reasons.map(({ code }: Reply) => code)).toEqual(FEEDS.map(() => 'feed-waiting'))
    await pass(4)
    const ahead = now + 600_000
    for (const { id } of FEEDS) await service.tell({ feed: id, last_attempt_at: now, last_success_at: ahead, fresh_at: ahead })
    expect(await untilTold(({ reasons }) => reasons.length === 0)).toMatchObject({
      ...{ state: 'ok', reasons: [], redis: true, lake: true, source_mode: 'simulated' },
    })
    await service.tell({ feed: 'dgt_incidents', last_attempt_at: now, last_success_at: now - 400_000 })
    await service.tell({ feed: 'fuel_stations', last_attempt_at: now, last_success_at: now - 2.5 * 1_800_000 })
    await service.tell({ feed: 'sct_incidents', last_attempt_at: now, last_success_at: now - 900_000, failing_since: now - 840_000 })
    const found = await untilTold(({ reasons }) => reasons.length > 1)
    const text = expect.any(String)
    expect(found).toMatchObject({ state: 'degraded', redis: true })
    expect(found.reasons).toEqual([
      { code: 'feed-stale', of: 'dgt_incidents', text },
      { code: 'feed-down', of: 'sct_incidents', text },
    ])
    // As /api/freshness has it; late is no reason yet.
    const healths = ({ feeds }: Reply): string[] => feeds.map(({ id, health }: Reply) => `${id} ${health}`).sort()
    expect(healths(found)).toEqual(healths(await service.json('/api/freshness')))
    expect(healths(found)).toContain('fuel_stations LATE')
  })

  test('goes on being reported while Redis is away, and while the store is', async () => {
    await start()
    await fillWithExamples(service)
    await pass(5)
    await service.killRedis()
    const away = await untilTold(({ redis }) => !redis)
    expect(away.reasons).toContainEqual({ code: 'redis-away', of: null, text: expect.any(String) })
    expect(away.state).toBe('degraded')
    const { measured_until } = away.uptime
    expect(measured_until).not.toBe(null)
    now += 60_000
    // As with a disk that is gone.
    const folder = fileURLToPath(service.lake.store.url)
    await rename(folder, `${folder}-gone`)
    await writeFile(folder, '')
    try {
      const found = await status()
      expect(found).toMatchObject({ state: 'degraded', lake: false })
      expect(found.reasons.map(({ code }: Reply) => code)).toEqual(expect.arrayContaining(['lake-away', 'record-unread']))
      expect(found.uptime.measured_until).toBe(measured_until)
      expect((await service.open('/status')).status).toBe(200)
      // A month that was never read has no figures.
      const other = await status('&month=2026-02')
      expect([other.uptime.minutes, groupOf(other, 'road').availability_pct]).toEqual([null, null])
    } finally {
      await rm(folder)
      await rename(`${folder}-gone`, folder)
    }
    now += 15_000
    expect((await status()).lake).toBe(true)
    await service.lake.store.put(dayObject('2026-02-03'), Buffer.from('{"date":'))
    now += 15_000
    expect((await status('&month=2026-02')).uptime.minutes).toBe(null)
    expect((await status()).uptime.measured_until).not.toBe(null)
    expect(lines.join()).toContain('the record of uptime cannot be read')
  })

  test('is reported, without the unreadable parts, while the store takes its time', { timeout: 30_000 }, async () => {
    await start()
    const held = Promise.withResolvers<never>()
    const system = () => ({ feeds: [], states: new Map() })
    const report = statusReports({
      ...{ endpoints: [], groups: [], limiter: { refusal: null }, lake: service.lake, clock: () => now, log: { warn: () => undefined } },
      state: { mode: 'simulated', system, live: { connected: true, workers: () => null, tableNotices: () => new Map() } } as never,
      read: () => held.promise,
      delivery: async () => ({ webhooks_lag_s: null, streams_lag_s: 0, streams_open: 0 }),
    })
    const found = await Promise.race([report(null), sleep(15_000, null)])
    expect(found?.reasons).toContainEqual({ code: 'record-unread', of: null })
    expect(found?.uptime).toBe(null)
  })

  test('has a text for every reason, in both languages', async () => {
    await start()
    for (const lang of ['es', 'en']) {
      const { reasons } = await status(`&lang=${lang}`)
      // People read what a feed delivers, programs its id.
      expect([reasons[0].of, reasons[0].text.includes(FEEDS[0]?.id)]).toEqual([FEEDS[0]?.id, false])
    }
    expect(Object.values(REASONS)).toContain('down')
    const texts = Object.values(FEATURES).flatMap(({ es, en }) => [es, en])
    expect(texts.filter((text) => text.replace(',', '.').includes(`${PROMISE_PCT} %`))).toHaveLength(2)
    expect(TIERS.filter((tier) => DEFAULT_PLANS[tier].features.includes('SLA'))).toEqual(['ENTERPRISE'])
  })
})

describe('GET /status', () => {
  test('is a page for people and JSON for programs, fresh for seconds', async () => {
    await start()
    const page = await service.open('/status', { Accept: 'text/html' })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-language')).toBe('es')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    const json = await service.open('/status', { Accept: 'application/json', 'Accept-Language': 'en' })
    expect(json.headers.get('content-type')).toBe('application/json')
    for (const { headers } of [page, json]) {
      expect(headers.get('cache-control')).toBe('public, max-age=15, stale-if-error=600')
      expect(headers.get('vary')).toMatch(/^Accept, .*Accept-Language/)
      expect(headers.get('etag')).toMatch(/^W\//)
    }
    const body = (await json.json()) as Reply
    expect(body.uptime.method).toMatch(/^Months are in UTC/)
    // The same for all callers in these seconds.
    const etag = json.headers.get('etag') as string
    now += 10_000
    expect((await service.open('/status?format=json&lang=en', { 'If-None-Match': etag })).status).toBe(304)
    now += 5000
    expect((await service.open('/status?format=json&lang=en', { 'If-None-Match': etag })).status).toBe(200)
    expect((await service.open('/status', { Accept: 'text/csv' })).status).toBe(406)
  })

  test('explains an invalid month', async () => {
    await start()
    for (const [query, code] of [
      ['month=2026-13', 'invalid-parameter'],
      ['month=march', 'invalid-parameter'],
      ['month=2026-04', 'invalid-parameter'],
      ['month=2025-02', 'invalid-parameter'],
      ['mnth=2026-03', 'unknown-parameter'],
    ]) {
      const response = await service.open(`/status?${query}`)
      expect([response.status, ((await response.json()) as Reply).code], query).toEqual([400, code])
    }
    expect((await status('&month=2025-03')).uptime).toMatchObject({ month: '2025-03', measured_from: null, minutes: 0 })
  })

  test('describes its figures in words, in tables that have names for rows and columns, and leads to other months', async () => {
    await start(Date.UTC(2026, 1, 28, 23, 55))
    await pass(20)
    for (const [lang, month] of [
      ['es', 'marzo de 2026'],
      ['en', 'March 2026'],
    ] as const) {
      const html = await (await service.open(`/status?lang=${lang}`)).text()
      expect(html).toContain(`<caption>${month} (UTC)</caption>`)
      // Feeds are in a table for each domain, and again while they are awaited.
      const tables = html.match(/<table/g)?.length ?? 0
      expect(tables).toBeGreaterThanOrEqual(new Set(FEEDS.map(({ domain }) => domain)).size + 3)
      expect(html.match(/<caption>/g)).toHaveLength(tables)
      expect(html.match(/<th scope="row"/g)?.length).toBeGreaterThanOrEqual(2 * FEEDS.length + 2 + domains.length + 2)
      expect(html.match(/<svg viewBox="0 0 308 32"[^>]*role="img"/g)).toHaveLength(domains.length + 2)
      // No sign without words, which a screen reader reads.
      for (const [sign] of html.matchAll(/<span class="(?:ok|warn|bad)".*?<\/span>.{5}/g))
        expect(sign).toMatch(/aria-hidden="true">.<\/span> \S/)
      const [, before] = /<a rel="prev" href="\?lang=..&amp;month=([^"]+)">/.exec(html) ?? []
      expect(before).toBe('2026-02')
      const old = await (await service.open(`/status?lang=${lang}&month=${before}`)).text()
      expect(old).toMatch(/<a rel="next" href="\?lang=..&amp;month=2026-03">/)
      expect(old).not.toContain('rel="prev"')
    }
  })

  test('is where programs and people are led to', async () => {
    await start()
    for (const path of ['/', '/changelog', '/problems/not-found'])
      expect(await (await service.open(path, { Accept: 'text/html' })).text()).toContain('<a href="/status?lang=es"')
    expect(await (await service.open('/llms.txt')).text()).toContain(`${service.url}/status`)
    expect(description.info.description).toContain('/status)')
    const [, documents] = (await service.json('/.well-known/api-catalog')).linkset
    expect(documents.status.map(({ href }: Reply) => href)).toEqual([`${service.url}/status?format=json`, `${service.url}/status`])
  })
})

test('every endpoint counts in the group of its domain', async () => {
  await start()
  await fillWithExamples(service)
  for (const endpoint of endpoints) await (await service.get(requestOf(endpoint))).arrayBuffer()
  await pass(4)
  const found = await status()
  for (const [domain, list] of Map.groupBy(endpoints, (one) => one.domain))
    expect(groupOf(found, domain), domain).toMatchObject({ requests: list.length, refused: 0, failed: 0, down_minutes: 0 })
})
