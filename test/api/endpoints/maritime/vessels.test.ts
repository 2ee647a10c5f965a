import { afterAll, beforeAll, expect, test } from 'vitest'
import { vesselPositions, vessels } from '../../../../lake/datasets/maritime/vessels.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleRow, exampleTableRow, startService, type TestService } from '../../service.ts'

const START = Date.parse('2026-08-27T05:00:00Z')
const MINUTE = 60_000
let service: TestService
let headers: Record<string, string>

/** A ship that sails west for two hours, is silent for one, and sails north. */
const track = Array.from({ length: 120 }, (_, at) => ({
  observed_at: START + (at < 60 ? at : at + 60) * MINUTE,
  position: at < 60 ? { lat: 36, lon: -5 - at * 0.005 } : { lat: 36 + (at - 60) * 0.004, lon: -5.3 },
}))

beforeAll(async () => {
  service = await startService()
  headers = { 'X-API-Key': await service.key('PRO') }
  const last = track.at(-1) as (typeof track)[number]
  const live = (row: AnyRow): AnyRow => exampleRow(vesselPositions, row)
  await service.publish(vesselPositions, [
    live({ source: 'ais_receivers', mmsi: '224123450', ...last }),
    live({ source: 'aisstream', mmsi: '224123450', observed_at: last.observed_at - MINUTE, position: { lat: 30, lon: -14 } }),
    live({ source: 'ais_receivers', mmsi: '256000020', observed_at: last.observed_at, position: { lat: 39.5, lon: 2.6 } }),
  ])
  await service.publish(vessels, [exampleRow(vessels, { source: 'aisstream', mmsi: '224123450', vessel_type: 'TANKER' })])
  const landed = track.map((row) => exampleTableRow(vesselPositions, { source: 'ais_receivers', mmsi: '224123450', speed_kn: 10, ...row }))
  const gone = exampleTableRow(vesselPositions, { source: 'ais_receivers', mmsi: '229000001', observed_at: START })
  await service.land(vesselPositions, [...landed, gone], last.observed_at)
  const [described_at, again] = [START - 60 * MINUTE, START - 30 * MINUTE]
  const said = (row: AnyRow): AnyRow => exampleTableRow(vessels, { source: 'aisstream', mmsi: '229000001', ...row })
  const states = [
    said({ name: 'OLD NAME', observed_at: START - 90 * MINUTE, updated_at: START - 90 * MINUTE }),
    said({ name: 'NEW NAME', observed_at: again, updated_at: described_at }),
  ]
  await service.land(vessels, states, last.observed_at)
}, 30_000)
afterAll(() => service.close())

const get = (path: string) => service.json(path)

test('shows each vessel once, by its newest position, described by any source', async () => {
  const { vessels: found } = await get('/api/maritimo/buques?bbox=-6,35,-5,37')
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({
    mmsi: '224123450',
    source: 'ais_receivers',
    vessel_type: 'TANKER',
    name: 'EXAMPLE STAR',
    draught_m: 11.4,
  })
  expect((await get('/api/maritimo/buques?bbox=-15,29,-13,31')).vessels).toEqual([])
  expect((await get('/api/maritimo/buques?lat=39.5&lon=2.6&radius=5000')).vessels[0]).toMatchObject({ mmsi: '256000020', name: null })
  expect((await get('/api/maritimo/buques?bbox=-20,25,6,45&type=TANKER')).vessels).toHaveLength(1)
})

test('a list of vessels needs an area', async () => {
  const without = await fetch(`${service.url}/api/maritimo/buques`, { headers })
  expect([without.status, await without.json()]).toMatchObject([400, { errors: [{ parameter: 'bbox' }] }])
})

test('finds a vessel that is no longer heard by its last position', async () => {
  expect(await get('/api/maritimo/buques/229000001')).toMatchObject({
    ...{ mmsi: '229000001', is_stale: true, source: 'ais_receivers', observed_at: '2026-08-27T05:00:00.000Z' },
    ...{ name: 'NEW NAME', vessel_type: 'CARGO', described_at: '2026-08-27T04:00:00.000Z' },
  })
  expect((await fetch(`${service.url}/api/maritimo/buques/229999999`, { headers })).status).toBe(404)
})

test('a track is a line for each leg, simplified within its tolerance', async () => {
  const path = '/api/maritimo/buques/224123450/recorrido?from=2026-08-27T05:00:00Z&to=2026-08-27T12:00:00Z'
  const { legs } = await get(path)
  expect(legs.map((leg: AnyRow) => [leg['started_at'], leg['positions']])).toEqual([
    ['2026-08-27T05:00:00.000Z', 60],
    ['2026-08-27T07:00:00.000Z', 60],
  ])
  // 59 steps of 0.005° along the parallel of 36° are 26.5 km.
  expect(legs[0].distance_m).toBeGreaterThan(26_400)
  expect(legs[0].distance_m).toBeLessThan(26_600)
  const simple = await get(`${path}&simplify=50`)
  expect(simple.legs[0]).toMatchObject({ positions: 2, times: ['2026-08-27T05:00:00.000Z', '2026-08-27T05:59:00.000Z'] })
  expect(simple.legs[0].geometry).toMatchObject({
    type: 'LineString',
    coordinates: [
      [-5, 36],
      [-5.295, 36],
    ],
  })
  const { features } = await get(`${path}&format=geojson`)
  expect(features.map((one: AnyRow) => (one['geometry'] as AnyRow)['type'])).toEqual(['LineString', 'LineString'])
})

test('a track of more than 7 days is refused', async () => {
  const reply = await fetch(`${service.url}/api/maritimo/buques/224123450/recorrido?from=2026-08-01&to=2026-08-10`, { headers })
  expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'range-too-large', errors: [{ parameter: 'from' }] }])
})
