import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { areaHint } from '../../../api/kernel/params/area-hint.ts'
import type { Area } from '../../../api/kernel/reads/geo.ts'
import { exampleService } from '../example-service.ts'
import type { Reply } from '../service.ts'

const MADRID = { lat: 40.4, lon: -3.7 }

/** The names of all request parameters. */
const paramsOf = ({ params }: (typeof endpoints)[number]): string[] =>
  Object.entries(params).flatMap(([name, one]) => (one.kind === 'group' ? Object.keys(one.members) : [name]))

/** Every endpoint whose parameters are an area or a point. */
const located = endpoints
  .filter((endpoint) => paramsOf(endpoint).some((name) => name === 'bbox' || name === 'lat'))
  .map((endpoint) => [endpoint.path, endpoint] as const)

test('an area outside all data, with the swapped one inside', () => {
  expect(areaHint({ geo: { kind: 'circle', lat: -3.7, lon: 40.4, radius_m: 5000 } })).toMatch(
    /outside all data.* swapped it lies inside: lat=40.4&lon=-3.7\.$/,
  )
  expect(areaHint({ geo: { kind: 'box', west: 40.2, south: -4, east: 40.6, north: -3.4 } })).toMatch(
    /swapped it lies inside: bbox=-4,40.2,-3.4,40.6\.$/,
  )
  expect(areaHint({ near: { lat: 28.1, lon: -15.4 }, province: null, q: 'x', limit: 7, ids: ['a'] })).toBe(null)
  expect(areaHint({ geo: { kind: 'circle', lat: 60, lon: 100, radius_m: 1 } })).toMatch(/outside all data.*46\.$/)
  // The edge of the circle reaches the data.
  expect(areaHint({ geo: { kind: 'circle', lat: 46.5, lon: 0, radius_m: 100_000 } })).toBe(null)
})

test('a path with swapped coordinates, or read with a decimal too many', async () => {
  const service = await exampleService()
  const key = await service.key('PRO')
  const hintOf = async (path: string, precision = 5): Promise<Reply> => {
    const response = await service.get(`/api/trafico/ruta?${new URLSearchParams({ path, precision: String(precision) })}`, {
      'X-API-Key': key,
    })
    return ((await response.json()) as Reply).meta.hint
  }
  const geoJson = (...coordinates: (readonly [number, number])[]): string => JSON.stringify({ type: 'LineString', coordinates })
  expect(await hintOf(geoJson([40.4, -3.7], [40.5, -3.6]))).toMatch(/swapped it lies inside: GeoJSON has the longitude first\.$/)
  expect(await hintOf(geoJson([-3.7, 40.4], [-3.6, 40.5]))).toBeUndefined()
  // 40.4, -3.7 to 40.5, -3.6 with five decimals; then the same with the longitude first.
  expect(await hintOf('_orsF~~uUoxPopR', 6)).toMatch(/precision=5\.$/)
  expect(await hintOf('~~uU_orsFopRoxP')).toMatch(/an encoded polyline has the latitude first\.$/)
  expect(await hintOf('_orsF~~uUoxPopR')).toBeUndefined()
})

test('no place with data has a hint, and every one has the swapped hint when its coordinates are swapped', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 27, max: 45, noNaN: true }),
      fc.double({ min: -19, max: 5, noNaN: true }),
      fc.integer({ min: 1, max: 50_000 }),
      (lat, lon, radius_m) => {
        const hintOf = (area: Area): string | null => areaHint({ geo: area })
        expect(hintOf({ kind: 'circle', lat, lon, radius_m })).toBe(null)
        expect(hintOf({ kind: 'circle', lat: lon, lon: lat, radius_m })).toContain(`lat=${lat}&lon=${lon}.`)
        const box = { west: lon - 0.1, east: lon + 0.1, south: lat - 0.1, north: lat + 0.1 }
        expect(hintOf({ kind: 'box', ...box })).toBe(null)
        expect(hintOf({ kind: 'box', west: box.south, south: box.west, east: box.north, north: box.east })).toContain('swapped')
      },
    ),
  )
})

describe.each(located)('%s', (path, endpoint) => {
  test('says that a swapped place is outside all data, or refuses it, and nothing of a right one', async () => {
    const service = await exampleService()
    const key = await service.key('ENTERPRISE')
    const metaOf = async (point: { readonly lat: number; readonly lon: number }): Promise<Reply> => {
      const { pathname, searchParams } = new URL(requestOf(endpoint), service.url)
      const byBox = !paramsOf(endpoint).includes('lat')
      for (const name of ['lat', 'lon', 'radius', 'bbox', 'municipality', 'road', 'km']) searchParams.delete(name)
      const { lat, lon } = point
      const bbox = [lon - 0.1, lat - 0.1, lon + 0.1, lat + 0.1].map((edge) => edge.toFixed(1)).join()
      if (byBox) searchParams.set('bbox', bbox)
      else for (const [name, value] of Object.entries(point)) searchParams.set(name, String(value))
      const response = await service.get(`${pathname}?${searchParams}`, { 'X-API-Key': key })
      const reply = (await response.json()) as Reply
      return response.status === 200 ? reply.meta : reply
    }
    const swapped = await metaOf({ lat: MADRID.lon, lon: MADRID.lat })
    const isRefused = swapped.status === 400 && swapped.errors[0].parameter === 'lat'
    expect(isRefused || swapped.hint, `${path} ${JSON.stringify(swapped)}`).toEqual(
      isRefused || expect.stringContaining('swapped it lies inside'),
    )
    expect(await metaOf(MADRID)).not.toHaveProperty('hint')
  })
})
