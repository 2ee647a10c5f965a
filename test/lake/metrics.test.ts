import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry, register } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { API_METRICS } from '../../api/engine/request-metrics.ts'
import { WORKER_METRICS } from '../../jobs/metrics.ts'
import { openCounter, show } from '../../lake/metrics/define.ts'
import { LAKE_METRICS, openMetrics, PROCESS_METRICS } from '../../lake/metrics/metrics.ts'
import { type MetricsServer, serveMetrics } from '../../lake/metrics/server.ts'
import { Timings } from '../../lake/metrics/timings.ts'
import { sql } from '../../lake/query/sql.ts'
import { parseExposition } from '../helpers/exposition.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'
import { openTestLake } from './query/fixtures.ts'

const declared = [API_METRICS, LAKE_METRICS, PROCESS_METRICS, WORKER_METRICS].flatMap((metrics) => Object.values(metrics))

describe.each(declared.map((one) => [one.name, one] as const))('%s', (name, { kind, help, ...more }) => {
  test('is named and described as Prometheus has it', () => {
    expect(name).toMatch(/^(traffic|process|nodejs)_[a-z]+(_[a-z\d]+)*$/)
    expect(name.endsWith('_total')).toBe(kind === 'counter')
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/)
    expect(help).toMatch(/^[A-Z0-9].{15,}\.$/)
    expect(declared.filter((other) => other.name === name)).toHaveLength(1)
    const { labels = [], buckets_s = [] } = more as { readonly labels?: readonly string[]; readonly buckets_s?: readonly number[] }
    for (const label of labels) expect(label).toMatch(/^(?!le$)[a-z]+$/)
    expect(buckets_s.length > 0).toBe(kind === 'histogram')
    expect(buckets_s).toEqual([...new Set(buckets_s)].sort((one, other) => one - other))
  })
})

const timed = { name: 'traffic_some_seconds', kind: 'histogram', help: 'Some time.', labels: ['of'], buckets_s: [0.1, 1] } as const

test('durations are counted in the first bucket that they are within, its bound included', async () => {
  const registry = new Registry()
  const timings = new Timings(registry, timed)
  const series = timings.series('a "quoted"\nname')
  expect(timings.series('a "quoted"\nname')).toBe(series)
  for (const duration_s of [0, 0.1, 0.125, 1, 1.5]) series.observe(duration_s)
  const text = await registry.metrics()
  expect(text).toContain('traffic_some_seconds_bucket{of="a \\"quoted\\"\\nname",le="0.1"} 2\n')
  const { families } = parseExposition(text)
  expect(families.get(timed.name)?.samples.map(({ value }) => value)).toEqual([2, 4, 5, 2.725, 5])
})

test('the metrics show the present state', async () => {
  const registry = new Registry()
  let feeds: readonly (readonly [{ feed: string }, number])[] = [[{ feed: 'a' }, 1]]
  show(registry, { name: 'traffic_ages', kind: 'gauge', help: 'Ages.', labels: ['feed'] }, () => feeds)
  show(registry, { name: 'traffic_seen_total', kind: 'counter', help: 'Seen.', labels: ['feed'] }, async () => feeds)
  show(registry, { name: 'traffic_all_total', kind: 'counter', help: 'All.' }, () => feeds.length)
  expect(parseExposition(await registry.metrics()).value('traffic_ages', { feed: 'a' })).toBe(1)
  feeds = [[{ feed: 'b' }, 7]]
  const { families, value } = parseExposition(await registry.metrics())
  expect([value('traffic_all_total'), value('traffic_seen_total', { feed: 'b' })]).toEqual([1, 7])
  expect(families.get('traffic_ages')?.samples).toEqual([{ name: 'traffic_ages', labels: { feed: 'b' }, value: 7 }])
})

test('the delay of the event loop covers the time since it was last read, and no time before', async () => {
  const { registry } = openMetrics({ isServed: true })
  const longest_s = async (): Promise<number> => parseExposition(await registry.metrics()).value(PROCESS_METRICS.lagMax.name)
  // It is watched from its first turn on.
  await sleep(300)
  const end = performance.now() + 1500
  while (performance.now() < end);
  // The turn after is that of the next timer.
  await sleep(100)
  expect(await longest_s()).toBeGreaterThan(1.4)
  await until('turns that are short', async () => (await longest_s()) < 1.4)
})

test.each([
  ['a sample twice', '# HELP a A.\n# TYPE a gauge\na 1\na 2\n'],
  ['no help before', '# TYPE a gauge\na 1\n'],
  ['no number', '# HELP a A.\n# TYPE a gauge\na one\n'],
  ['labels that cannot be read', '# HELP a A.\n# TYPE a gauge\na{b="c"d"} 1\n'],
  ['a sample of another metric', '# HELP a A.\n# TYPE a gauge\nb 1\n'],
  ['no histogram', '# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n'],
  ['the last line does not end', '# HELP a A.\n# TYPE a gauge\na 1'],
])('a text with %s is found out', (why, text) => {
  expect(() => parseExposition(text)).toThrow(why)
})

test('queries of the lake are counted by their outcome, and refused ones by the reason', async () => {
  const metrics = openMetrics({ isServed: true })
  const lake = await openTestLake(tempFolder(), { slots: 1, queue: 1, onQuery: metrics.countQuery })
  onTestFinished(() => lake.close())
  metrics.follow({ engine: lake.engine, redisConnected: () => false })
  const seen = async () => parseExposition(await metrics.registry.metrics())
  const counts = async (): Promise<Record<string, number>> => {
    const { families } = await seen()
    const samples = [LAKE_METRICS.held, LAKE_METRICS.wait, LAKE_METRICS.refused].flatMap(({ name }) => families.get(name)?.samples ?? [])
    const shown = samples.filter(({ name, value }) => value > 0 && /_(count|total)$/.test(name))
    return Object.fromEntries(shown.map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(' '), value]))
  }
  expect(await counts()).toEqual({})
  await lake.query(sql`SELECT 1 AS n`)
  await expect(lake.query(sql`SELECT error('no') AS n`)).rejects.toThrow('no')
  const slow = sql`SELECT count(*) AS n FROM range(100000000000) AS a, range(1000) AS b`
  const running = lake.query(slow, { timeout_ms: 400 }).catch((error: Error) => error)
  await until('it runs', () => lake.engine.load.taken === 1)
  const waiting = lake.query(slow, { timeout_ms: 50 }).catch((error: Error) => error)
  await until('another waits', () => lake.engine.load.waiting === 1)
  const { value } = await seen()
  expect([value(LAKE_METRICS.slots.name), value(LAKE_METRICS.used.name), value(LAKE_METRICS.waiting.name)]).toEqual([1, 1, 1])
  expect(value(LAKE_METRICS.redis.name)).toBe(0)
  await expect(lake.query(slow)).rejects.toMatchObject({ code: 'busy' })
  expect([await waiting, await running]).toMatchObject([{ code: 'timeout' }, { code: 'timeout' }])
  await until('the engine has stopped', () => lake.engine.load.taken === 0)
  expect(await counts()).toEqual({
    'traffic_lake_query_duration_seconds_count done': 2,
    'traffic_lake_query_duration_seconds_count timeout': 1,
    traffic_lake_query_wait_seconds_count: 3,
    'traffic_lake_queries_refused_total busy': 1,
    'traffic_lake_queries_refused_total timeout': 1,
  })
  expect((await seen()).value('traffic_lake_query_duration_seconds_sum', { outcome: 'timeout' })).toBeGreaterThan(0.3)
})

test('a process has a registry of its own, with the usual figures of Node only where somebody can ask', async () => {
  const [served, unserved] = [openMetrics({ isServed: true }), openMetrics({ isServed: false })]
  expect(register.getMetricsAsArray()).toEqual([])
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { families, value } = parseExposition(await served.registry.metrics())
  for (const { name, kind } of Object.values(PROCESS_METRICS)) {
    expect([name, families.get(name)?.type]).toEqual([name, kind])
    expect(
      families.get(name)?.samples.every((one) => one.value > 0),
      name,
    ).toBe(true)
  }
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(value('nodejs_heap_size_used_bytes'))
  expect(Math.abs(value('process_start_time_seconds') - (Date.now() / 1000 - process.uptime()))).toBeLessThan(2)
  // A second request at once may come before the timer's next turn, which must not give an invalid number.
  expect(await served.registry.metrics()).not.toMatch(/ (nan|-?inf)$/im)
  expect(await unserved.registry.metrics()).not.toMatch(/process_|nodejs_/)
})

describe('the server', () => {
  async function serve(registry = new Registry()): Promise<MetricsServer> {
    const server = await serveMetrics({ registry, host: '127.0.0.1', port: 0 })
    onTestFinished(() => server.close())
    return server
  }

  test('answers GET and HEAD of /metrics, and nothing else', async () => {
    const registry = new Registry()
    openCounter(registry, { name: 'traffic_some_total', kind: 'counter', help: 'Some.' }).inc(3)
    const { url } = await serve(registry)
    const got = await fetch(url)
    expect([got.status, got.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    const text = await got.text()
    expect(parseExposition(text).value('traffic_some_total')).toBe(3)
    expect((await fetch(`${url}?name=x`)).status).toBe(200)
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(text.length), ''])
    for (const path of ['/', '/metrics/', '/METRICS', '/api/incidents', '//metrics', '/metrics%2f'])
      expect([path, (await fetch(url.replace('/metrics', path))).status]).toEqual([path, 404])
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const refused = await fetch(url, { method, ...(method === 'POST' ? { body: 'x'.repeat(100_000) } : {}) })
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
    }
  })

  test('has its figures computed once for all simultaneous requests', async () => {
    const registry = new Registry()
    let asked = 0
    show(registry, { name: 'traffic_slow', kind: 'gauge', help: 'Slow.' }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return ++asked
    })
    const { url } = await serve(registry)
    const texts = await Promise.all([1, 2, 3].map(async () => parseExposition(await (await fetch(url)).text()).value('traffic_slow')))
    expect([texts, asked]).toEqual([[1, 1, 1], 1])
  })

  test('says that a port is taken, and gives its own back', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as { readonly port: number }
    await expect(serveMetrics({ registry: new Registry(), host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE')
    const server = await serveMetrics({ registry: new Registry(), host: '127.0.0.1', port: 0 })
    const own = Number(new URL(server.url).port)
    await fetch(server.url)
    await server.close()
    const again = await serveMetrics({ registry: new Registry(), host: '127.0.0.1', port: own })
    await again.close()
  })
})
