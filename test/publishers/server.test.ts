import { expect, test } from 'vitest'
import { type Publishers, startPublishers } from '../../scripts/stand-in/server.ts'
import { deepTest } from '../helpers/tier.ts'
import { bytesOf, PATHS, RUSH_HOUR, standIn } from './helpers.ts'

const MINUTE = 60_000

test('DGT: the older path redirects to the newer one', async () => {
  await using publishers = await standIn()
  const moved = await fetch(publishers.url + PATHS.incidentsOlder, { redirect: 'manual' })
  expect([moved.status, moved.headers.get('location')]).toEqual([301, PATHS.incidents])
  const followed = await fetch(publishers.url + PATHS.incidentsOlder)
  expect([followed.status, followed.url]).toEqual([200, publishers.url + PATHS.incidents])
  expect(Buffer.from(await followed.arrayBuffer()).equals(await bytesOf(publishers, PATHS.incidents))).toBe(true)
})

test('a publication keeps its bytes and validators until the next one, each at its own interval', async () => {
  for (const [path, period] of [
    [PATHS.incidents, MINUTE],
    [PATHS.traffic, 5 * MINUTE],
    [PATHS.fuel, 30 * MINUTE],
  ] as const) {
    await using publishers = await standIn()
    const first = await bytesOf(publishers, path)
    // The position within the publisher's period is unknown: find its end, a second at a time.
    let waited = 0
    while (first.equals(await bytesOf(publishers, path)) && waited < period + 3 * MINUTE) {
      const step = period > MINUTE ? 20_000 : 1000
      publishers.advance(step)
      waited += step
    }
    expect(waited).toBeLessThanOrEqual(period + MINUTE)
    const second = await bytesOf(publishers, path)
    publishers.advance(period - 2 * MINUTE > 0 ? period - 2 * MINUTE : period - 12_000)
    expect(second.equals(await bytesOf(publishers, path))).toBe(true)
  }
})

test('304 if the publisher has validators, never without them', async () => {
  await using publishers = await standIn()
  const get = (path: string, headers: Record<string, string>) => fetch(publishers.url + path, { headers })
  for (const path of [PATHS.incidents, PATHS.traffic]) {
    const first = await fetch(publishers.url + path)
    const etag = first.headers.get('etag') as string
    const modified = first.headers.get('last-modified') as string
    expect(Date.parse(modified)).toBeLessThanOrEqual(publishers.now())
    const again = await get(path, { 'if-none-match': `"other", ${etag}` })
    expect([again.status, (await again.arrayBuffer()).byteLength, again.headers.get('etag')]).toEqual([304, 0, etag])
    expect((await get(path, { 'if-modified-since': modified })).status).toBe(304)
    // The tag decides if both are sent.
    expect((await get(path, { 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(200)
    publishers.advance(6 * MINUTE)
    expect((await get(path, { 'if-none-match': etag, 'if-modified-since': modified })).status).toBe(200)
  }
  const points = await fetch(publishers.url + PATHS.sensors)
  expect([points.headers.get('etag'), points.headers.get('last-modified')]).toEqual([null, 'Sat, 28 Feb 2026 23:00:00 GMT'])
  const fuel = await fetch(publishers.url + PATHS.fuel)
  expect(
    ['etag', 'last-modified', 'content-encoding', 'cache-control', 'access-control-allow-origin'].map((name) => fuel.headers.get(name)),
  ).toEqual([null, null, null, 'private', '*'])
  expect((await get(PATHS.fuel, { 'if-modified-since': new Date(publishers.now()).toUTCString(), 'if-none-match': '*' })).status).toBe(200)
})

test('replies are never compressed, whatever the client accepts', async () => {
  await using publishers = await standIn()
  for (const path of [PATHS.incidents, PATHS.traffic, PATHS.fuel]) {
    const response = await fetch(publishers.url + path, { headers: { 'accept-encoding': 'gzip, br, zstd' } })
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('content-length')).toBe(String((await response.arrayBuffer()).byteLength))
  }
})

test('fuel: 52 provinces make up the country, on both hosts and in either case', async () => {
  await using publishers = await standIn()
  const ids = async (path: string): Promise<string[]> => {
    const { ListaEESSPrecio } = JSON.parse((await bytesOf(publishers, path)).toString()) as {
      ListaEESSPrecio: { IDEESS: string; IDProvincia: string }[]
    }
    return ListaEESSPrecio.map((station) => station.IDEESS)
  }
  const national = await ids(PATHS.fuel)
  const older = '/sedeaplicaciones.minetur.gob.es/ServiciosRESTCarburantes/PreciosCarburantes/EstacionesTerrestres/'
  expect(await ids(older)).toEqual(national)
  const provinces: string[] = []
  for (let code = 1; code <= 52; code++) provinces.push(...(await ids(`${older}FiltroProvincia/${String(code).padStart(2, '0')}`)))
  expect(provinces.sort()).toEqual(national.sort())
  const none = JSON.parse((await bytesOf(publishers, `${older}FiltroProvincia/53`)).toString()) as {
    ResultadoConsulta: string
    ListaEESSPrecio: unknown[]
  }
  expect(none.ResultadoConsulta).not.toBe('OK')
  expect(none.ListaEESSPrecio).toEqual([])
})

deepTest('the same seed and instant give the same bytes, another seed or instant others', async () => {
  const all = async (publishers: Publishers): Promise<Buffer[]> =>
    Promise.all([PATHS.incidents, PATHS.traffic, PATHS.sensors, PATHS.fuel].map((path) => bytesOf(publishers, path)))
  await using one = await standIn()
  await using same = await standIn({ at: RUSH_HOUR - 3_600_000 })
  await using other = await standIn({ seed: 2 })
  // One of them answered other requests before: earlier requests have no effect.
  await all(same)
  same.advance(3_600_000)
  const [a, b, c] = [await all(one), await all(same), await all(other)]
  for (const [at, bytes] of a.entries()) {
    expect(bytes.equals(b[at] as Buffer)).toBe(true)
    expect(bytes.equals(c[at] as Buffer)).toBe(false)
  }
})

test('a faster clock publishes more often', async () => {
  const publishers = await startPublishers({ source: { kind: 'simulated', speed: 3600, start: RUSH_HOUR } })
  try {
    const begun = publishers.now()
    const first = await bytesOf(publishers, PATHS.traffic)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(publishers.now() - begun).toBeGreaterThan(20 * MINUTE)
    expect(first.equals(await bytesOf(publishers, PATHS.traffic))).toBe(false)
  } finally {
    await publishers.close()
  }
})

test('HEAD has no body; other methods and paths are refused with the available ones', async () => {
  await using publishers = await standIn()
  const head = await fetch(publishers.url + PATHS.incidents, { method: 'HEAD' })
  expect([head.status, Number(head.headers.get('content-length')) > 1_000_000, (await head.arrayBuffer()).byteLength]).toEqual([
    200,
    true,
    0,
  ])
  expect((await fetch(publishers.url + PATHS.incidents, { method: 'POST' })).status).toBe(405)
  for (const path of ['/nap.dgt.es/elsewhere', '/example.org/informo/tmadrid/pm.xml', '/nap.dgt.es', '//', '/%']) {
    const missing = await fetch(publishers.url + path)
    expect([path, missing.status, (await missing.text()).includes('/informo.madrid.es/informo/tmadrid/pm.xml')]).toEqual([
      path,
      path === '//' ? 200 : 404,
      true,
    ])
  }
  const index = await fetch(`${publishers.url}/`)
  expect([index.status, index.headers.get('x-stand-in'), (await index.text()).includes('no real data')]).toEqual([200, 'simulated', true])
})

test('the control endpoint returns the state, moves the clock, and explains invalid requests', async () => {
  await using publishers = await standIn()
  const post = (path: string, body: unknown) => fetch(`${publishers.url}/_control/${path}`, { method: 'POST', body: JSON.stringify(body) })
  await bytesOf(publishers, PATHS.traffic)
  const state = (await (await post('clock', { advance_ms: 60_000 })).json()) as {
    now: string
    served: Record<string, Record<string, number>>
  }
  expect([state.now, state.served['madrid_traffic']]).toEqual(['2026-03-11T07:31:00.000Z', { '200': 1 }])
  for (const [path, body, word] of [
    ['clock', { advance_ms: -1 }, 'positive'],
    ['clock', {}, 'advance_ms'],
    ['faults', { feed: 'nothing', fault: 'html' }, 'dgt_incidents'],
    ['faults', { feed: 'madrid_traffic', fault: 'nothing' }, 'gzip_bomb'],
    ['faults', { feed: 'madrid_traffic', fault: 'status', status: 200 }, '400 … 599'],
    ['faults', { feed: 'madrid_traffic', fault: 'html', ms: 5 }, 'allowed: count'],
    ['faults', { feed: 'madrid_traffic', fault: 'block_missing', blocks: ['08'] }, 'M30'],
    ['faults', { feed: 'fuel_stations', fault: 'old_layout' }, 'no other layout'],
    ['faults', [], 'feed'],
    ['elsewhere', {}, 'GET /_control/state'],
  ] as const) {
    const answer = await post(path, body)
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, expect.stringContaining(word)])
  }
  const junk = await fetch(`${publishers.url}/_control/faults`, { method: 'POST', body: '{' })
  expect(junk.status).toBe(400)
})
