import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { adsbLolPositions, CIRCLE_NM, CIRCLES } from '../../../jobs/feeds/aviation/adsb-lol.ts'
import { withholdAircraft, withholdStates } from '../../../jobs/feeds/aviation/aircraft-blocked.ts'
import { openskyStates } from '../../../jobs/feeds/aviation/opensky.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { collect } from '../../../jobs/ingest/collect.ts'
import { warningLines } from '../../../jobs/ingest/diagnostics.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { AIRPORTS } from '../../../scripts/stand-in/world/aviation/airports.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { PROJECT } from '../../laws/sources.ts'
import { standIn } from '../../publishers/helpers.ts'

const shared = sharedFolder()
const fixture = (name: string): Buffer => readFileSync(join(PROJECT, 'test/fixtures', name))
const AT = Date.UTC(2027, 0, 1)

/** The area of the circles: the peninsula and the Balearics with their approaches, the Canaries, and the way between them. */
const COVERED = [
  { south: 34.5, north: 44.5, west: -11.5, east: 5.5 },
  { south: 26, north: 31, west: -20, east: -11.5 },
  { south: 31, north: 34.5, west: -16, east: -6 },
]

async function rowsOf(feed: Feed, bodies: Readonly<Record<string, Buffer>>): Promise<{ rows: AnyRow[]; warnings: string[] }> {
  const named = Object.entries(bodies).map(([name, bytes]) => ({ name, bytes }))
  const { rows, report } = await parsePublication(feed, named, AT)
  expect([report.quarantined, report.unknownCodes]).toEqual([{}, {}])
  return { rows: rows.get(feed.into[0]?.id as string) ?? [], warnings: warningLines(report) }
}

describe('the circles', () => {
  const isCovered = (lat: number, lon: number): boolean =>
    Object.values(CIRCLES).some((centre) => distanceM(centre, { lat, lon }) <= CIRCLE_NM * 1852)

  test('cover Spain, its islands and its approaches', () => {
    const missed: string[] = []
    for (const { south, north, west, east } of COVERED)
      for (let lat = south; lat <= north; lat += 0.25)
        for (let lon = west; lon <= east; lon += 0.25) if (!isCovered(lat, lon)) missed.push(`${lat} ${lon}`)
    expect(missed).toEqual([])
  })

  test('reach every airport and 100 km around it', () => {
    const rim = AIRPORTS.flatMap(({ iata, lat, lon }) => [0, 90, 180, 270].map((angle) => [iata, ...shifted(lat, lon, angle)] as const))
    expect(rim.filter(([, lat, lon]) => !isCovered(lat, lon))).toEqual([])
  })

  const shifted = (lat: number, lon: number, angle: number): [number, number] => {
    const [north, east] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]
    return [lat + north * 0.9, lon + (east * 0.9) / Math.cos((lat * Math.PI) / 180)]
  }
})

test.skipIf(!shared)('the captures of adsb.lol and OpenSky of one minute: 19 and 9 aircraft that agree in SI units', async () => {
  const capture = (path: string): Buffer => readFileSync(join(shared as string, 'feeds', path))
  const { rows: ours } = await rowsOf(adsbLolPositions, { castilla: capture('adsb-lol/v2_point_pyrenees_20261006T083240Z.json') })
  const { rows: theirs } = await rowsOf(openskyStates, { peninsula: capture('opensky/states_all_pyrenees_20261006T083237Z.json') })
  expect([ours.length, theirs.length]).toEqual([19, 9])
  const pairs = theirs.flatMap((one) => {
    const other = ours.find(({ icao24 }) => icao24 === one['icao24'])
    return other && Math.abs((other['observed_at'] as number) - (one['observed_at'] as number)) < 6000 ? [[one, other] as const] : []
  })
  expect(pairs).toHaveLength(8)
  // The largest change within six seconds: feet for metres, knots for m/s or minutes for seconds would differ by far more.
  const most = { altitude_m: 20, altitude_geometric_m: 20, ground_speed_m_s: 2, vertical_rate_m_s: 1, track_deg: 5 }
  for (const [one, other] of pairs)
    for (const [name, limit] of Object.entries(most))
      expect(Math.abs((one[name] as number) - (other[name] as number)), `${one['icao24']} ${name}`).toBeLessThanOrEqual(limit)
})

test('one aircraft in two circles is one row, with its newest position', async () => {
  const [castilla, baleares] = ['castilla', 'baleares'].map((name) => fixture(`adsb_lol/merged.parts/${name}.json`)) as [Buffer, Buffer]
  const { rows } = await rowsOf(adsbLolPositions, { castilla, baleares })
  const { rows: swapped } = await rowsOf(adsbLolPositions, { baleares, castilla })
  const of = (list: readonly AnyRow[]): AnyRow[] => list.filter(({ icao24 }) => icao24 === '34510a')
  expect(of(rows)).toMatchObject([{ altitude_m: 2743.2, position: { lat: 40.638211, lon: -3.411905 } }])
  expect(of(swapped)).toEqual(of(rows))
})

test('a blocked aircraft is in no bytes that are kept and in no row, nor is one of the operator', async () => {
  await using publishers = await standIn({ at: Date.parse('2026-03-11T10:30:00Z') })
  const options = {
    ...{ origin: (url: string) => `${publishers.url}/${url.slice('https://'.length)}`, last: null, userAgent: 'test' },
    ...{ signal: AbortSignal.timeout(20_000), now: () => publishers.now() },
  }
  const all = await collect(
    { ...adsbLolPositions, plans: [{ requests: adsbLolPositions.plans[0]?.requests.map(({ withhold: _, ...rest }) => rest) ?? [] }] },
    options,
  )
  const raw = JSON.stringify(all.kind === 'bodies' && all.received.map(({ received }) => received.toString()))
  const blocked = [...raw.matchAll(/\\"hex\\":\\"(~?\w+)\\"[^}]*?\\"dbFlags\\":[48]\b/g)].map(([, hex]) => hex as string)
  expect(new Set(blocked).size).toBeGreaterThan(3)
  const [listed] = [...raw.matchAll(/\\"hex\\":\\"(34f\w+)\\"/g)].map(([, hex]) => hex as string).filter((hex) => !blocked.includes(hex))
  const got = await collect(adsbLolPositions, { ...options, listed: () => new Set([(listed as string).toUpperCase()]) })
  if (got.kind !== 'bodies') throw new Error('nothing was collected')
  const kept = got.received.map(({ received }) => received.toString()).join('\n')
  for (const hex of [...blocked, listed as string]) expect(kept).not.toContain(`"${hex}"`)
  const { rows, warnings } = await rowsOf(adsbLolPositions, Object.fromEntries(got.decoded.map(({ name, bytes }) => [name, bytes])))
  expect(rows.length).toBeGreaterThan(200)
  expect(rows.length).toBeLessThan(420)
  expect(new Set(rows.map(({ icao24 }) => icao24)).size).toBe(rows.length)
  expect(warnings).not.toContain('an aircraft whose registration is blocked')
  expect(rows.some(({ is_on_ground }) => is_on_ground === true)).toBe(true)
})

test('bytes without a blocked aircraft stay as they are; an invalid reply is refused', () => {
  const bytes = fixture('adsb_lol/merged.parts/baleares.json')
  expect(withholdAircraft.from(bytes, new Set())).toBe(bytes)
  expect(JSON.parse(withholdAircraft.from(bytes, new Set(['T.18-9'])).toString())).toMatchObject({ total: 1, ac: [{ hex: '34510a' }] })
  expect(() => withholdAircraft.from(Buffer.from('{"ac":[{"hex":'), new Set())).toThrow('no JSON')
  expect(() => withholdAircraft.from(Buffer.from('{"now":1}'), new Set())).toThrow('no now and ac')
  const states = fixture('opensky/states.json')
  expect(withholdStates.from(states, new Set(['T.18-9']))).toBe(states)
  expect(JSON.parse(withholdStates.from(states, new Set(['34510A'])).toString()).states).toHaveLength(4)
})

describe('the token of OpenSky', () => {
  const servers: ReturnType<typeof createServer>[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  async function serve(handler: RequestListener): Promise<string> {
    const server = createServer(handler)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const textOf = async (request: IncomingMessage): Promise<string> => Buffer.concat(await request.toArray()).toString()

  test('is requested with the client, kept, and renewed where it is no longer accepted', async () => {
    let given = 0
    const forms: string[] = []
    const asked: (string | undefined)[] = []
    const url = await serve(async (request, response) => {
      if (request.method === 'POST') {
        forms.push(await textOf(request))
        response.end(JSON.stringify({ access_token: `t${++given}`, expires_in: 1800 }))
      } else {
        asked.push(request.headers.authorization)
        response.statusCode = request.headers.authorization === 'Bearer t1' && asked.length > 2 ? 401 : 200
        response.end(fixture('opensky/states.json'))
      }
    })
    const run = (secret: string | null) =>
      collect(openskyStates, {
        ...{ origin: (address: string) => url + new URL(address).pathname, last: null, userAgent: 'test', patience: 0 },
        ...{ signal: AbortSignal.timeout(10_000), now: Date.now, secret: () => secret },
      })
    await run('me:s e')
    await run('me:s e')
    expect(forms[0]).toBe('grant_type=client_credentials&client_id=me&client_secret=s+e')
    expect(asked.at(-1)).toBe('Bearer t2')
    expect(given).toBeLessThanOrEqual(3)
    await expect(run(null)).rejects.toThrow('OPENSKY_CLIENT is not set')
  })

  test('is not had: the error has no secret', async () => {
    const url = await serve((request, response) => {
      request.resume()
      response.statusCode = 401
      response.end('{"error":"invalid_client"}')
    })
    const failed = collect(openskyStates, {
      ...{ origin: (address: string) => url + new URL(address).pathname, last: null, userAgent: 'test', patience: 0 },
      ...{ signal: AbortSignal.timeout(10_000), now: Date.now, secret: () => 'other:verysecret' },
    })
    await expect(failed).rejects.toThrow('openid-connect/token answered 401')
    await expect(failed).rejects.not.toThrow('verysecret')
  })
})
