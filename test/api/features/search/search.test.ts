import { afterAll, beforeAll, expect, test } from 'vitest'
import { withKindIn } from '../../../../api/endpoints/search/kinds.ts'
import { fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await publish('OLOT OIL')
})
afterAll(() => service?.close())

async function publish(brand: string): Promise<void> {
  const row = (id: string, more: AnyRow): AnyRow => ({ ...exampleRow(fuelStations), station_id: id, ...more })
  await service.publish(fuelStations, [
    row('1', { brand, municipality: 'Olot', municipality_code: '17114', province_code: '17', position: { lat: 42.18, lon: 2.49 } }),
    row('2', { brand: 'REPSOL' }),
    row('3', { position: { lat: 41.5147, lon: 1.898 }, position_issue: 'OTHER_PROVINCE' }),
  ])
}

test('a search without a key finds stations, towns and roads, says how many of each and which plan shows them', async () => {
  const response = await service.open('/api/search?q=olot')
  expect(response.status).toBe(200)
  const { hits, counts, total, meta } = (await response.json()) as Reply
  expect(hits.slice(0, 2).map((hit: Reply) => [hit.collection, hit.title, hit.province, hit.plan])).toEqual([
    ['municipalities', 'Olot', 'Girona', 'FREE'],
    ['gas-stations', 'OLOT OIL, Olot', 'Girona', 'FREE'],
  ])
  expect(hits[1]).toMatchObject({ id: '1', url: '/api/gas-stations/1', lat: 42.18, lon: 2.49 })
  expect(counts.reduce((sum: number, one: Reply) => sum + one.hits, 0)).toBe(total)
  expect(meta.source_mode).toBe('simulated')
  expect(meta.sources.map((one: Reply) => one.id)).toEqual(expect.arrayContaining(['miteco', 'dgt', 'renfe', 'aemet']))
  const { hits: corridors } = await service.json('/api/search?q=autovia%20del%20noroeste&collections=corridors')
  expect(corridors[0]).toMatchObject({ id: 'a-6', url: '/api/movilidad/corredores/a-6', plan: 'PRO' })
})

test('the tag changes when documents do, and not before', async () => {
  const first = await service.get('/api/search?q=olot')
  const etag = first.headers.get('etag') as string
  expect((await service.get('/api/search?q=olot', { 'If-None-Match': etag })).status).toBe(304)
  await publish('GARROTXA')
  await until('the new name is found', async () => (await service.json('/api/search?q=garrotxa&collections=gas-stations')).total === 1)
  const again = await service.get('/api/search?q=olot', { 'If-None-Match': etag })
  expect(again.status).toBe(200)
  expect(again.headers.get('etag')).not.toBe(etag)
})

test('the time of an answer is that of its sources, so that every process tells the same', async () => {
  const [stations, search] = [await service.json('/api/gas-stations'), await service.json('/api/search?q=olot')]
  expect(search.updated_at).toBe(stations.updated_at)
})

test('says of what kind a hit is in the language of the reply, and highlights what it shows', async () => {
  const hitOf = async (q: string, lang: string): Promise<Reply> => (await service.json(`/api/search?q=${q}&lang=${lang}`)).hits[0]
  expect((await hitOf('girona&collections=provinces', 'es')).subtitle).toBe('Provincia')
  expect((await hitOf('girona&collections=provinces', 'en')).subtitle).toBe('Province')
  const hit = { collection: 'airports', subtitle: 'Aeropuerto, Barajas', highlights: [{ field: 'subtitle', start: 12, length: 7 }] }
  const english = withKindIn(hit, 'en')
  expect(english).toEqual({
    collection: 'airports',
    subtitle: 'Airport, Barajas',
    highlights: [{ field: 'subtitle', start: 9, length: 7 }],
  })
  expect([withKindIn(hit, 'ca'), withKindIn({ ...hit, subtitle: 'Puertollano' }, 'en').subtitle]).toEqual([hit, 'Puertollano'])
  const address = { collection: 'charging-sites', subtitle: 'Puerto, s/n, 07001' }
  expect(withKindIn(address, 'en')).toBe(address)
  const inKind = {
    collection: 'airports',
    subtitle: 'Aeropuerto',
    highlights: [
      { field: 'subtitle', start: 0, length: 10 },
      { field: 'title', start: 0, length: 4 },
    ],
  }
  expect(withKindIn(inKind, 'en')).toEqual({
    collection: 'airports',
    subtitle: 'Airport',
    highlights: [{ field: 'title', start: 0, length: 4 }],
  })
  expect(withKindIn({ collection: 'cameras', subtitle: 'sentido Madrid, Getafe' }, 'en').subtitle).toBe('towards Madrid, Getafe')
})

test('suggestions and nearest results', async () => {
  const { suggestions } = await service.json('/api/search/suggest?q=abre&limit=3')
  expect(suggestions[0]).toMatchObject({ collection: 'municipalities', title: 'Abrera' })
  const { things, counts } = await service.json('/api/search/nearby?lat=41.5146&lon=1.8979&radius=1000')
  expect(things[0]).toMatchObject({ collection: 'gas-stations', id: '2', distance_m: 4 })
  // The third is not where its position says.
  expect(counts[0]).toEqual({ collection: 'gas-stations', hits: 1 })
  const { features } = await service.json('/api/search/nearby?lat=41.5146&lon=1.8979&radius=1000&format=geojson')
  expect(features[0].geometry).toEqual({ type: 'Point', coordinates: [1.897944, 41.514583] })
})

test('collections list their contents', async () => {
  const { collections, total } = await service.json('/api/search/collections')
  expect(total).toBe(27)
  const of = (id: string): Reply => collections.find((one: Reply) => one.id === id)
  expect(of('gas-stations')).toMatchObject({ documents: 3, detail_path: '/api/gas-stations/{id}', plan: 'FREE', unavailable_reason: null })
  expect(of('municipalities').documents).toBeGreaterThan(8000)
  expect(of('low-emission-zones')).toMatchObject({ detail_path: '/api/zbe/{id}', plan: 'FREE', unavailable_reason: null })
})

test('wrong requests are refused by name', async () => {
  for (const [path, parameter] of [
    ['/api/search', 'q'],
    ['/api/search?q=a&lat=40', 'lon'],
    ['/api/search?q=a&collections=nonsense', 'collections'],
    ['/api/search?q=a&sort=distance_m', 'sort'],
    ['/api/search/nearby?lat=40', 'lon'],
  ] as const) {
    const response = await service.get(path)
    expect(response.status, path).toBe(400)
    expect(((await response.json()) as Reply).errors.map((one: Reply) => one.parameter)).toContain(parameter)
  }
  // A query of marks alone finds nothing.
  expect((await service.json('/api/search?q=%3F%21')).total).toBe(0)
})
