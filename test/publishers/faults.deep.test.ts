import { get } from 'node:http'
import { createGunzip } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { FAULTS, type FaultName, parseFault } from '../../scripts/stand-in/faults.ts'
import { STAND_INS } from '../../scripts/stand-in/publishers/list.ts'
import type { Publishers } from '../../scripts/stand-in/server.ts'
import { bytesOf, PATHS, standIn } from './helpers.ts'
import { structureOf } from './structure.ts'

/** Every feed with the path of its document, resolved through a redirect or two steps. */
const FEEDS = STAND_INS.map(({ feed, hosts, path, route }) => {
  const first = route(path, new URL(path, 'http://publisher').searchParams)
  return [feed, `/${hosts[0]}${first && first.kind !== 'document' ? first.to : path}`] as const
})

/** An XML document and a zip: transport faults treat both alike. */
const TWO = FEEDS.filter(([feed]) => feed === 'dgt_incidents' || feed === 'renfe_gtfs_cercanias')

const MONTH_MS = 31 * 86_400_000
/** Time between two contents of a feed that publishes each of them several times. */
const CONTENT_MS: Readonly<Record<string, number>> = {
  ...{ madrid_air: 3_600_000, metar: 1_800_000, madrid_counts: MONTH_MS, madrid_history: MONTH_MS },
}
/** Feeds whose document stays the same: a map of streets, and years that are over. */
const LASTING = [
  ...['barcelona_sections', 'eurocontrol_traffic', 'eurocontrol_arrival_delays', 'eurocontrol_enroute_ansp', 'eurocontrol_enroute_fir'],
]

const DECADE_MS = 10 * 365.25 * 86_400_000

let publishers: Publishers

beforeAll(async () => {
  publishers = await standIn()
})
afterEach(() => publishers.clearFaults())
afterAll(() => publishers.close())

test.each(TWO)('%s: latency waits, and ends by its count', async (feed, path) => {
  await bytesOf(publishers, path)
  publishers.setFault({ feed, fault: 'latency', ms: 700, count: 1 })
  const begun = performance.now()
  await bytesOf(publishers, path)
  expect(performance.now() - begun).toBeGreaterThanOrEqual(690)
  await expect(fetch(publishers.url + path, { signal: AbortSignal.timeout(10_000) })).resolves.toMatchObject({ status: 200 })
  publishers.setFault({ feed, fault: 'latency', ms: 60_000 })
  await expect(fetch(publishers.url + path, { signal: AbortSignal.timeout(100) })).rejects.toThrow()
})

test.each(TWO)('%s: an error status, as often as its count', async (feed, path) => {
  publishers.setFault({ feed, fault: 'status', status: 502, count: 2 })
  const status = async (): Promise<number> => (await fetch(publishers.url + path)).status
  expect([await status(), await status(), await status()]).toEqual([502, 502, 200])
  const { '502': refused = 0 } = publishers.served()[feed] ?? {}
  expect(refused).toBe(2)
})

test.each(TWO)('%s: a cut connection announces more than it sends', async (feed, path) => {
  const whole = await bytesOf(publishers, path)
  publishers.setFault({ feed, fault: 'cut', share: 0.25 })
  const { announced, received, isAborted } = await rawGet(publishers, path)
  expect([announced, isAborted]).toEqual([whole.length, true])
  expect(received).toBeLessThanOrEqual(whole.length / 4)
  await expect(bytesOf(publishers, path)).rejects.toThrow()
})

test.each(TWO)('%s: a truncated document is complete for HTTP', async (feed, path) => {
  const whole = await bytesOf(publishers, path)
  publishers.setFault({ feed, fault: 'truncated', share: 0.4 })
  const part = await bytesOf(publishers, path)
  expect(part.equals(whole.subarray(0, Math.floor(whole.length * 0.4)))).toBe(true)
})

test.each(TWO)('%s: HTML and a wrong content type', async (feed, path) => {
  const whole = await bytesOf(publishers, path)
  publishers.setFault({ feed, fault: 'html' })
  const page = await fetch(publishers.url + path)
  expect([page.status, page.headers.get('content-type'), (await page.text()).slice(0, 15)]).toEqual([
    200,
    'text/html; charset=utf-8',
    '<!DOCTYPE html>',
  ])
  publishers.clearFaults(feed)
  publishers.setFault({ feed, fault: 'wrong_type', type: 'application/octet-stream' })
  const odd = await fetch(publishers.url + path)
  expect([odd.status, odd.headers.get('content-type'), Buffer.from(await odd.arrayBuffer()).equals(whole)]).toEqual([
    200,
    'application/octet-stream',
    true,
  ])
})

test.each(TWO)('%s: a gzip bomb is small, begins as the document does, and expands to more than a gigabyte', async (feed, path) => {
  const whole = await bytesOf(publishers, path)
  publishers.setFault({ feed, fault: 'gzip_bomb' })
  const { encoding, received, head, expanded } = await rawGet(publishers, path, feed === TWO[0]?.[0] ? 2 ** 31 : 50_000_000)
  expect([encoding, head.equals(whole.subarray(0, 200))]).toEqual(['gzip', true])
  expect(received).toBeLessThan(2_000_000)
  expect(expanded).toBeGreaterThan(feed === TWO[0]?.[0] ? 2 ** 30 : 50_000_000)
})

test.each(TWO)('%s: an XML bomb is a document type of entities, each ten of the last', async (feed, path) => {
  publishers.setFault({ feed, fault: 'xml_bomb' })
  const text = (await bytesOf(publishers, path)).toString()
  expect(text.length).toBeLessThan(2000)
  const entities = [...text.matchAll(/<!ENTITY (\w+) "([^"]+)">/g)]
  const size = new Map<string, number>()
  for (const [, name, value] of entities as unknown as [string, string, string][]) {
    const references = value.match(/&(\w+);/g) ?? []
    size.set(name, references.length === 0 ? value.length : references.length * (size.get((references[0] as string).slice(1, -1)) ?? 0))
  }
  expect(Math.max(...size.values())).toBe(3_000_000_000)
  expect(text).toContain(`<payload>&${entities.at(-1)?.[1]};</payload>`)
})

test.each(TWO)('%s: a redirect loop never ends', async (feed, path) => {
  publishers.setFault({ feed, fault: 'redirect_loop' })
  let next = path as string
  for (let turn = 1; turn < 30; turn++) {
    const response = await fetch(publishers.url + next, { redirect: 'manual' })
    expect(response.status).toBe(302)
    next = response.headers.get('location') as string
    expect(next).toBe(`${path}${path.includes('?') ? '&' : '?'}turn=${turn}`)
  }
  await expect(fetch(publishers.url + path)).rejects.toThrow()
})

test('every feed has new publications, except for borders, which never change', () => {
  const once = STAND_INS.filter(({ feed }) => newerAfter(feed, publishers.now()) === null)
  expect(once.map(({ feed }) => feed)).toEqual(['mitma_zone_areas'])
})

test('stale: an older publication, with its own times', async () => {
  for (const [feed, path] of FEEDS) {
    await using moving = await standIn()
    const wait = newerAfter(feed, moving.now())
    if (wait === null) continue
    const older = await bytesOf(moving, path)
    moving.advance(wait)
    expect((await bytesOf(moving, path)).equals(older), feed).toBe(LASTING.includes(feed))
    moving.setFault({ feed, fault: 'stale', age_s: wait / 1000 })
    expect((await bytesOf(moving, path)).equals(older)).toBe(true)
  }
})

test('repeated: the publication at the start of the fault, without validators', async () => {
  for (const [feed, path] of FEEDS) {
    await using moving = await standIn()
    const wait = newerAfter(feed, moving.now())
    if (wait === null) continue
    const first = await bytesOf(moving, path)
    moving.setFault({ feed, fault: 'repeated' })
    moving.advance(wait)
    const again = await fetch(moving.url + path, { headers: { 'if-none-match': '*' } })
    expect([again.status, again.headers.get('etag'), again.headers.get('last-modified')]).toEqual([200, null, null])
    expect(Buffer.from(await again.arrayBuffer()).equals(first)).toBe(true)
    moving.clearFaults()
    expect((await bytesOf(moving, path)).equals(first), feed).toBe(LASTING.includes(feed))
  }
})

test('clock skew: the same data under another time', async () => {
  const times = async (): Promise<string[]> => [
    /publicationTime>([^<]+)/.exec(await text(publishers, PATHS.incidents))?.[1] ?? '',
    /fecha_hora>([^<]+)/.exec(await text(publishers, PATHS.traffic))?.[1] ?? '',
    /"Fecha":"([^"]+)"/.exec(await text(publishers, PATHS.fuel))?.[1] ?? '',
    (await fetch(publishers.url + PATHS.sensors)).headers.get('last-modified') ?? '',
    (await fetch(publishers.url + PATHS.catalonia)).headers.get('last-modified') ?? '',
  ]
  const right = await times()
  for (const [feed] of FEEDS) publishers.setFault({ feed, fault: 'clock_skew' })
  const ahead = await times()
  expect(right.map((time) => time.slice(0, 10))).toEqual(['2026-03-11', '11/03/2026', '11\\/03\\/20', 'Sat, 28 Fe', 'Wed, 11 Ma'])
  expect(
    ahead.map((time, at) => time.replace('13', '11').replace('Mon, 02 Mar', 'Sat, 28 Feb').replace('Fri, ', 'Wed, ') === right[at]),
  ).toEqual([true, true, true, true, true])
  publishers.setFault({ feed: 'madrid_traffic', fault: 'clock_skew', by_s: -86_400 })
  expect(await text(publishers, PATHS.traffic)).toContain('<fecha_hora>10/03/2026 08:25:')
})

test('half-empty: half of the records in a whole document', async () => {
  const before = await recordCounts(publishers)
  for (const [feed] of FEEDS) publishers.setFault({ feed, fault: 'half_empty' })
  const after = await recordCounts(publishers)
  for (const [at, count] of after.entries()) expect(count / (before[at] as number)).toSatisfy((n: number) => n > 0.48 && n < 0.54)
})

test('missing blocks: the M-30, the emergency centres, the restricted stations, a province', async () => {
  expect(await text(publishers, PATHS.catalonia)).toMatch(/<cite:carretera>(T|TP|TV)-\d/)
  const [whole, trafficWhole] = [await text(publishers, PATHS.fuel), await text(publishers, PATHS.traffic)]
  expect([whole.includes('"Tipo Venta":"R"'), trafficWhole.includes('<velocidad>')]).toEqual([true, true])
  for (const [feed] of FEEDS) publishers.setFault({ feed, fault: 'block_missing' })
  const fuel = await text(publishers, PATHS.fuel)
  // As on 2026-04-29: about one station in sixteen disappears.
  const share = fuel.split('"IDEESS"').length / whole.split('"IDEESS"').length
  expect([fuel.includes('"Tipo Venta":"R"'), share > 0.92 && share < 0.95]).toEqual([false, true])
  const traffic = await text(publishers, PATHS.traffic)
  expect([traffic.includes('<velocidad>'), traffic.split('<pm>').length]).toEqual([
    false,
    trafficWhole.split('<pm>').length - trafficWhole.split('<velocidad>').length + 1,
  ])
  expect(await text(publishers, PATHS.incidents)).not.toContain('<com:sourceIdentification>112<')
  expect(await text(publishers, PATHS.catalonia)).not.toMatch(/<cite:carretera>(T|TP|TV)-\d/)
  expect(await text(publishers, PATHS.sensors)).not.toContain('"M30"')
  publishers.setFault({ feed: 'fuel_stations', fault: 'block_missing', blocks: ['08', '28'] })
  const provinces = new Set([...(await text(publishers, PATHS.fuel)).matchAll(/"IDProvincia":"(\d\d)"/g)].map(([, code]) => code))
  expect([provinces.size, provinces.has('08'), provinces.has('28')]).toEqual([50, false, false])
})

test('unknown codes: well-formed documents with codes that no list contains', async () => {
  for (const [feed] of FEEDS) publishers.setFault({ feed, fault: 'unknown_codes' })
  const incidents = await text(publishers, PATHS.incidents)
  expect(() => structureOf(incidents)).not.toThrow()
  expect(incidents).toContain('<sit:causeType>solarFlare</sit:causeType>')
  expect(await text(publishers, PATHS.catalonia)).toContain('<cite:tipus>9</cite:tipus><cite:subtipus>99</cite:subtipus>')
  expect(await text(publishers, PATHS.traffic)).toMatch(/<nivelServicio>7<.*<error>Z</s)
  expect(await text(publishers, PATHS.sensors)).toContain('\n"DRON";7;')
  const { ListaEESSPrecio: stations } = JSON.parse(await text(publishers, PATHS.fuel)) as { ListaEESSPrecio: Record<string, string>[] }
  expect(new Set(stations.map((station) => station['Precio Queroseno']))).toEqual(new Set(['', '0,987']))
  expect(stations.some((station) => station['Margen'] === 'X' && station['Tipo Venta'] === 'Q')).toBe(true)
})

test('faults are set and cleared over the control endpoint, and leave the other feeds alone', async () => {
  const control = `${publishers.url}/_control/faults`
  const set = await fetch(control, { method: 'POST', body: JSON.stringify({ feed: 'madrid_traffic', fault: 'html' }) })
  expect(((await set.json()) as { faults: unknown[] }).faults).toEqual([{ feed: 'madrid_traffic', fault: 'html', since: publishers.now() }])
  expect((await text(publishers, PATHS.traffic)).startsWith('<!DOCTYPE html>')).toBe(true)
  expect((await text(publishers, PATHS.incidents)).startsWith('<?xml')).toBe(true)
  await fetch(`${control}?feed=madrid_traffic`, { method: 'DELETE' })
  expect((await text(publishers, PATHS.traffic)).startsWith('\uFEFF<pms>')).toBe(true)
})

test('the command line writes a fault as feed=fault:option=value', () => {
  expect(parseFault('madrid_traffic=html')).toEqual({ feed: 'madrid_traffic', fault: 'html' })
  expect(parseFault('dgt_incidents=status:status=500,count=3')).toEqual({ feed: 'dgt_incidents', fault: 'status', status: 500, count: 3 })
  expect(parseFault('fuel_stations=block_missing:blocks=08+28')).toEqual({
    feed: 'fuel_stations',
    fault: 'block_missing',
    blocks: ['08', '28'],
  })
  expect(() => parseFault('html')).toThrow('feed=fault')
  expect(() => parseFault('madrid_traffic=status:status=abc')).not.toThrow()
  expect(() => parseFault('madrid_traffic=nothing')).toThrow(Object.keys(FAULTS).join(', '))
})

test('every fault is tested above', async () => {
  const tried: FaultName[] = [
    'latency',
    'status',
    'cut',
    'truncated',
    'html',
    'wrong_type',
    'gzip_bomb',
    'xml_bomb',
    'redirect_loop',
    'stale',
    'repeated',
    'clock_skew',
    'half_empty',
    'block_missing',
    'unknown_codes',
    'old_layout',
  ]
  expect(tried.sort()).toEqual(Object.keys(FAULTS).sort())
})

/**
 * Ms after which a feed certainly has a new publication: twice the time to the next one, in doubling steps. Null for a feed with
 * a single publication: none follows within a decade.
 */
function newerAfter(feed: string, now: number): number | null {
  const { publishedAt } = STAND_INS.find((one) => one.feed === feed) as (typeof STAND_INS)[number]
  for (let wait = CONTENT_MS[feed] ?? 60_000; wait < DECADE_MS; wait *= 2)
    if (publishedAt(1, now + wait) !== publishedAt(1, now)) return 2 * wait
  return null
}

async function text(publishers: Publishers, path: string): Promise<string> {
  return (await bytesOf(publishers, path)).toString('utf8')
}

async function recordCounts(publishers: Publishers): Promise<number[]> {
  const marks = [
    [PATHS.incidents, '<sit:situation '],
    [PATHS.catalonia, '<gml:featureMember>'],
    [PATHS.traffic, '<pm>'],
    [PATHS.sensors, '\n"'],
    [PATHS.fuel, '"IDEESS"'],
  ] as const
  const counts: number[] = []
  for (const [path, mark] of marks) counts.push((await text(publishers, path)).split(mark).length - 1)
  return counts
}

interface Raw {
  readonly announced: number
  readonly encoding: string | undefined
  readonly received: number
  /** First 200 bytes, expanded. */
  readonly head: Buffer
  readonly expanded: number
  readonly isAborted: boolean
}

/** A request without fetch: the announced, received and expanded sizes, up to `most` bytes. */
function rawGet(publishers: Publishers, path: string, most = 0): Promise<Raw> {
  return new Promise((resolve, reject) => {
    get(publishers.url + path, { agent: false }, (response) => {
      let received = 0
      let expanded = 0
      let head = Buffer.alloc(0)
      let isAborted = false
      const encoding = response.headers['content-encoding']
      const done = (): void =>
        resolve({ announced: Number(response.headers['content-length']), encoding, received, head, expanded, isAborted })
      response.on('data', (chunk: Buffer) => {
        received += chunk.length
      })
      response.on('error', () => {
        isAborted = true
        done()
      })
      if (encoding !== 'gzip') return void response.on('end', done)
      const expand = createGunzip()
      expand.on('data', (chunk: Buffer) => {
        if (head.length < 200) head = Buffer.concat([head, chunk]).subarray(0, 200)
        expanded += chunk.length
        if (expanded <= most) return
        response.destroy()
        expand.destroy()
        done()
      })
      expand.on('end', done)
      expand.on('error', reject)
      response.pipe(expand)
    }).on('error', reject)
  })
}
