import { afterAll, beforeAll, expect, test } from 'vitest'
import { airports } from '../../lake/datasets/aviation/airports.ts'
import { AIRPORTS } from '../../scripts/stand-in/world/airports.ts'
import { AT, liveRows } from './aviation-service.ts'
import { type Reply, startService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.publish(airports, await liveRows('airports', airports), { at: AT, feed: 'airports' })
})
afterAll(() => service?.close())

test('airports: the catalogue by province, area and code', async () => {
  const { airports: all, total } = await service.json('/api/aviacion/aeropuertos?limit=1000')
  // Each day's edition lacks one of the smallest.
  expect(total).toBe(AIRPORTS.length - 1)
  expect(all.find((one: Reply) => one.id === 'MAD')).toMatchObject({
    ...{ icao: 'LEMD', name: 'Adolfo Suárez Madrid–Barajas Airport', type: 'LARGE_AIRPORT', province: 'Madrid', elevation_m: 609 },
    ...{ has_scheduled_service: true, time_zone: 'Europe/Madrid', keywords: 'Barajas', lat: 40.4719, lon: -3.5626, source: 'ourairports' },
  })
  const idsOf = async (query: string): Promise<string[]> =>
    (await service.json(`/api/aviacion/aeropuertos?${query}`)).airports.map((one: Reply) => one.id)
  expect(await idsOf('province=Illes%20Balears')).toEqual(['IBZ', 'MAH', 'PMI'])
  expect(await idsOf('ids=VGO,XXX')).toEqual(['VGO'])
  expect(await idsOf('lat=28.3&lon=-16.5&radius=40000')).toEqual(['TFN', 'TFS'])
})
