import { afterAll, beforeAll, expect, test } from 'vitest'
import { accidentPositions } from '../../../../lake/datasets/safety/accident-places.ts'
import { accidentHotspots } from '../../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../../lake/datasets/safety/road-accidents.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const NOW = Date.UTC(2026, 0, 10)

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await service.land(accidentHotspots, SPOTS, NOW)
  await service.land(roadAccidents, ACCIDENTS, NOW)
  // Exact enough for 500 m, not for 250 m.
  await service.land(accidentPositions, [exampleTableRow(accidentPositions, { accident_id: '2', error_m: 200 })], NOW)
})
afterAll(() => service?.close())

const spot = (set: string, id: string, values: AnyRow = {}): AnyRow => {
  const [source, kernel = '', bandwidth, weighting = ''] = set.split('.')
  const parameters = { source, kernel: kernel.toUpperCase(), bandwidth_m: Number(bandwidth), weighting: weighting.toUpperCase() }
  return exampleTableRow(accidentHotspots, { hotspot_set: set, hotspot_id: id, ...parameters, ...values })
}
const SPOTS: readonly AnyRow[] = [
  spot('madrid.epanechnikov.250.none', 'hs_a', { rank: 1, score: 100 }),
  spot('madrid.epanechnikov.250.none', 'hs_b', { rank: 2, score: 50, peak: { lat: 40.5, lon: -3.7 } }),
  spot('madrid.gaussian.250.none', 'hs_c'),
  spot('madrid.epanechnikov.100.severity', 'hs_d'),
  spot('dgt_accidents.epanechnikov.500.none', 'hs_f', { province_code: '18', position_error_m: 140 }),
  spot('barcelona.epanechnikov.250.none', 'hs_e', { province_code: '08', municipality_code: '08019', rank: 1, years: [2022] }),
]
const ofMadrid = (accident_id: string, values: AnyRow = {}): AnyRow =>
  exampleTableRow(roadAccidents, {
    ...{ source: 'madrid', edition: 'madrid-2025', year: 2025, province_code: '28', municipality_code: '28079', accident_id },
    ...values,
  })
const ACCIDENTS: readonly AnyRow[] = [
  exampleTableRow(roadAccidents, { accident_id: '1', province_code: '28', municipality_code: null }),
  exampleTableRow(roadAccidents, { accident_id: '2', province_code: '18' }),
  ofMadrid('3', { position: { lat: 40.4, lon: -3.7 } }),
  ofMadrid('4'),
  ofMadrid('5', { is_casualty: false }),
  ofMadrid('6', { edition: 'madrid-2020', year: 2020 }),
]
const list = (query = ''): Promise<Reply> => service.json(`/api/accidentes/hotspots?${query}`)
const ids = async (query = ''): Promise<string[]> => (await list(query)).hotspots.map((one: Reply) => one.id)

test('of one set of parameters for each source, in order of rank', async () => {
  expect((await ids()).sort()).toEqual(['hs_a', 'hs_b', 'hs_e'])
  expect(await ids('source=madrid')).toEqual(['hs_a', 'hs_b'])
  expect(await ids('source=madrid&kernel=gaussian')).toEqual(['hs_c'])
  expect(await ids('bandwidth=100&weighting=severity')).toEqual(['hs_d'])
  expect(await ids('province=Barcelona')).toEqual(['hs_e'])
  expect(await ids('source=madrid&min_score=60')).toEqual(['hs_a'])
  expect(await ids('bbox=-3.8,40.45,-3.6,40.6')).toEqual(['hs_b'])
  expect(await ids('years=2022')).toEqual(['hs_e'])
})

test('the reply names the places with located accidents, so that the rest does not look safe', async () => {
  const dgt = { source: 'dgt_accidents', accidents: 1, located: 0, share: 0, located_years: [] }
  const granada = [{ ...dgt, province_code: '18', municipality_code: '18087' }]
  const madrid = [
    { ...dgt, province_code: '28', municipality_code: null },
    {
      ...{ source: 'madrid', province_code: '28', municipality_code: '28079', accidents: 3, located: 1 },
      ...{ share: 0.3333, located_years: [2025] },
    },
  ]
  expect((await list('province=Granada')).coverage).toEqual(granada)
  expect((await list('province=Madrid')).coverage).toEqual(madrid)
  // A municipality shows the data of its province: the city's accidents are located, those of other places are not.
  expect((await list('municipality=Getafe')).coverage).toEqual(madrid)
  expect((await list('municipality=Getafe&province=Madrid')).coverage).toEqual(madrid)
  expect((await list()).coverage).toEqual([...granada, ...madrid])
  // As GeoJSON too, which most ask for.
  expect(await (await service.get('/api/accidentes/hotspots?province=Granada')).json()).toMatchObject({ features: [], coverage: granada })
  expect(await ids('province=Granada')).toEqual([])
})

test('on roads, by accidents whose position is exact enough for the bandwidth, with their error', async () => {
  const { hotspots, coverage } = await list('bandwidth=500&province=Granada')
  expect(hotspots).toMatchObject([{ id: 'hs_f', source: 'dgt_accidents', position_error_m: 140 }])
  expect(coverage).toMatchObject([{ source: 'dgt_accidents', located: 1, share: 1, located_years: [2024] }])
  expect((await list('bandwidth=100&province=Granada')).coverage).toMatchObject([{ located: 0 }])
  expect((await list('source=madrid')).hotspots[0].position_error_m).toBeNull()
})

test('as GeoJSON, the default representation, a black spot is its polygon, with a box around all', async () => {
  const reply = (await (await service.get('/api/accidentes/hotspots?source=madrid')).json()) as Reply
  expect(reply).toEqual(await list('source=madrid&format=geojson'))
  const [{ geometry, properties, id }] = reply.features
  expect([id, geometry.type, geometry.coordinates[0]]).toEqual(['hs_a', 'Polygon', expect.arrayContaining([[-3.6671, 40.3973]])])
  expect(properties).toMatchObject({ score: 100, bandwidth_m: 250, peak: { lat: 40.3983, lon: -3.6661 } })
  expect(reply.bbox).toEqual([-3.6671, 40.3973, -3.6651, 40.3993])
})

test('one by its id, with its accidents counted', async () => {
  const one = await service.json('/api/accidentes/hotspots/hs_a')
  expect(one).toMatchObject({
    id: 'hs_a',
    province: 'Madrid',
    by_hour: [
      { value: '14', accidents: 5 },
      { value: '9', accidents: 2 },
    ],
    by_type: [{ value: 'REAR_END', accidents: 12 }],
  })
  expect((await service.get('/api/accidentes/hotspots/hs_zz')).status).toBe(404)
})

test.each([
  ['bandwidth=300', 'bandwidth'],
  ['kernel=uniform', 'kernel'],
  ['source=sct_accidents', 'source'],
  ['years=2010', 'years'],
])('%s is refused', async (query, parameter) => {
  const response = await service.get(`/api/accidentes/hotspots?${query}`)
  expect([response.status, ((await response.json()) as Reply).errors[0].parameter]).toEqual([400, parameter])
})
