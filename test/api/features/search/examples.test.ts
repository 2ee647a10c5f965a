import { beforeAll, expect, test } from 'vitest'
import { exampleService } from '../../example-service.ts'
import type { Reply, TestService } from '../../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

test('every collection has documents of its datasets, and their URLs answer', async () => {
  const { collections } = await service.json('/api/search/collections')
  const searchable = collections.filter((one: Reply) => one.unavailable_reason === null)
  expect(searchable.filter((one: Reply) => one.documents === 0).map((one: Reply) => one.id)).toEqual([])
  const { things } = await service.json('/api/search/nearby?lat=40.4168&lon=-3.7038&radius=100000&limit=1000')
  const shown = new Map<string, string>(things.map((one: Reply) => [one.collection, one.url]))
  for (const { id } of searchable) {
    const { hits } = await service.json(`/api/search?q=${WORDS[id] ?? 'madrid'}&collections=${id}`)
    if (hits.length > 0) shown.set(id, hits[0].url)
  }
  expect(searchable.map((one: Reply) => one.id).filter((id: string) => !shown.has(id))).toEqual([])
  for (const [collection, url] of shown) {
    const { status } = await service.get(url)
    expect(status, `${collection} ${url}`).toBe(200)
  }
})

/** The search terms that find the examples of a collection, where that is not Madrid. */
const WORDS: Readonly<Record<string, string>> = {
  'gas-stations': 'repsol',
  cameras: 'camara',
  'charging-sites': 'recargas palma',
  'speed-cameras': 'radar',
  corridors: 'A-6',
  roads: 'A-2',
  incidents: 'obras',
  hotspots: 'albufera',
  'rail-alerts': 'avisos',
  'rail-routes': 'linea',
  'rolling-stock': '449',
  vessels: 'example',
  sensors: 'sensor',
  'weather-alerts': 'vientos',
  airports: 'barajas',
  ports: 'barcelona',
  ferries: 'ferry',
  'marine-stations': 'repsol',
  datasets: 'incidents',
}
