import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Posts } from '../../../../api/endpoints/road/posts.ts'
import { distanceM } from '../../../../api/kernel/reads/geo.ts'
import { roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import type { Post } from '../../../../lake/places/place-on-road.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { golden } from '../../../helpers/golden.ts'
import { until } from '../../../helpers/until.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const AT = Date.UTC(2026, 0, 2)
/** Degrees of latitude of a metre, the precision of distances in replies. */
const M = 180 / (Math.PI * 6_371_008.8)
const post = (km: number, north_m: number, rest: Partial<Post> = {}): Post => ({
  ...{ road: 'A-3', province_code: '16', km, position: { lat: 40 + north_m * M, lon: -2 } },
  ...{ source: 'dgt', records: 1, error_m: 100 },
  ...rest,
})

describe('posts', () => {
  test('a place between two posts is at its fraction of the line, off by as much as the road can be bent', () => {
    const posts = new Posts([post(10, 0), post(12, 1600, { error_m: 130 })])
    const [found] = posts.at('A3', 11, null)
    // 2 km of road over 1600 m of line: at the middle at most half of the root of 2000² - 1600².
    expect([found?.km, Math.abs((found?.error_m ?? 0) - (130 + 600)) <= 1]).toEqual([11, true])
    expect(distanceM(found?.position ?? { lat: 0, lon: 0 }, post(11, 800).position)).toBeLessThan(1)
    expect(posts.at('A3', 10.04, null)).toMatchObject([{ km: 10, error_m: 100 }])
  })

  test('nothing is located beyond the last post, in a gap of more than 5 km, or between posts that contradict each other', () => {
    const posts = new Posts([post(10, 0), post(15, 5000), post(20.1, 10_100), post(21, 20_000)])
    const found = (km: number): number => posts.at('A3', km, null).length
    expect([9.9, 10, 12, 15, 17, 20.1, 20.5, 21, 21.1].map(found)).toEqual([0, 1, 1, 1, 0, 1, 0, 1, 0])
    expect(posts.nearest(post(0, 7500).position, 1000, null)).toEqual([])
  })

  test('roads of one name in two provinces are two places, and a road goes on over a border', () => {
    const far = (km: number, north_m: number): Post =>
      post(km, north_m, { province_code: '46', position: { lat: 39 + north_m * M, lon: -1 } })
    const two = new Posts([post(1, 0), post(3, 2000), far(1, 0), far(2, 1000), far(3, 2000)])
    expect(two.at('A3', 2.5, null).map(({ province_code }) => province_code)).toEqual(['16', '46'])
    expect(two.at('A3', 2.5, '46')).toHaveLength(1)
    const border = new Posts([post(1, 0), post(2, 1000), post(4, 3000, { province_code: '46' })])
    expect(border.at('A3', 3.5, null)).toMatchObject([{ km: 3.5, province_code: '46' }])
    expect(border.at('A3', 3.5, '16')).toEqual([])
  })

  test('whatever way a road takes, its true places lie within the error, and a place leads back to its kilometre', () => {
    const turn = fc.record({ length_m: fc.integer({ min: 50, max: 900 }), heading: fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }) })
    fc.assert(
      fc.property(fc.array(turn, { minLength: 2, maxLength: 5 }), fc.double({ min: 0.02, max: 0.98, noNaN: true }), (turns, f) => {
        const length_m = turns.reduce((sum, one) => sum + one.length_m, 0)
        const truth = (along_m: number): Post['position'] => {
          let [left, lat, lon] = [along_m, 40, -2]
          for (const { length_m: most, heading } of turns) {
            const step = Math.min(left, most)
            lat += step * Math.cos(heading) * M
            lon += (step * Math.sin(heading) * M) / Math.cos((40 * Math.PI) / 180)
            left -= step
          }
          return { lat, lon }
        }
        const end = { km: 10 + length_m / 1000, position: truth(length_m), error_m: 2 }
        const posts = new Posts([post(10, 0, { error_m: 2 }), { ...post(0, 0), ...end }])
        const km = 10 + (f * length_m) / 1000
        const [found] = posts.at('A3', km, null)
        if (!found || found.before === found.after) return
        expect(distanceM(found.position, truth(f * length_m))).toBeLessThanOrEqual(found.error_m + 2)
        const [back] = posts.nearest(found.position, 100, 'A3')
        expect(back?.distance_m).toBeLessThan(1)
        // On a line that leads back nearly to where it began, metres are kilometres of road.
        if (distanceM(posts.at('A3', 10, null)[0]?.position as Post['position'], end.position) > length_m / 2)
          expect(back?.place.km).toBeCloseTo(km, 2)
      }),
      { numRuns: 200 },
    )
  })

  test('among thousands of stretches the nearest one is found, as by testing each', () => {
    const place = fc.record({ lat: fc.double({ min: 39, max: 40, noNaN: true }), lon: fc.double({ min: -3, max: -2, noNaN: true }) })
    fc.assert(
      fc.property(fc.array(place, { minLength: 5, maxLength: 60 }), place, (places, asked) => {
        const all = places.flatMap((position, at) => {
          const end = { lat: position.lat + 0.02, lon: position.lon + 0.01 }
          return [post(1, 0, { road: `X-${at}`, position }), post(4, 0, { road: `X-${at}`, position: end })]
        })
        const found = new Posts(all).nearest(asked, 5000, null)
        const byRoad = places.flatMap((_, at) => new Posts(all.slice(2 * at, 2 * at + 2)).nearest(asked, 5000, null))
        expect(found.map(({ distance_m }) => distance_m)).toEqual(
          byRoad.map(({ distance_m }) => distance_m).sort((one, other) => one - other),
        )
      }),
      { numRuns: 100 },
    )
  })
})

describe('/api/geo/pk', () => {
  let service: TestService
  const row = (km: number, lat: number, rest: AnyRow = {}): AnyRow =>
    exampleTableRow(roadPoints, { road: 'N-II', province_code: '08', km, position: { lat, lon: 2 + km / 1000 }, observed_at: AT, ...rest })
  beforeAll(async () => {
    service = await startService()
    expect((await service.get('/api/geo/pk?road=A-2&km=1')).status).toBe(404)
    await service.land(
      roadPoints,
      [
        row(600, 41.4),
        row(601.5, 41.41, { error_m: 600, source: 'sct' }),
        row(603, 41.42),
        // A position from a month before no longer counts.
        row(650, 41.9, { month: '2025-12' }),
        row(601, 42.9, { month: '2025-12' }),
      ],
      AT,
    )
    await until('the posts are known', async () => (await service.get('/api/geo/pk?road=N-2&km=600')).status === 200)
  })
  afterAll(() => service?.close())
  const placesOf = async (query: string): Promise<Reply[]> => (await service.json(`/api/geo/pk?${query}`)).places

  test.each([600.4, 601.2, 602.75])('a kilometre between posts is where plain SQL over the files has it: %f', async (km) => {
    const [expected] = await golden(
      service.lake,
      [roadPoints],
      `WITH posts AS (SELECT * FROM road_points WHERE month = (SELECT max(month) FROM road_points) AND road = 'N-II'),
        ends AS (
          SELECT (SELECT max_by({k: km, lat: position_lat, lon: position_lon, e: error_m}, km) FROM posts WHERE km <= ${km}) AS a,
            (SELECT min_by({k: km, lat: position_lat, lon: position_lon, e: error_m}, km) FROM posts WHERE km >= ${km}) AS b
        ),
        parts AS (
          SELECT *, (${km} - a.k) / (b.k - a.k) AS f, 1000 * (b.k - a.k) AS l,
            2 * 6371008.8 * asin(sqrt(sin(radians(b.lat - a.lat) / 2) ** 2 + cos(radians(a.lat)) * cos(radians(b.lat)) * sin(radians(b.lon - a.lon) / 2) ** 2)) AS c
          FROM ends
        )
      SELECT round(a.lat + f * (b.lat - a.lat), 6) AS lat, round(a.lon + f * (b.lon - a.lon), 6) AS lon,
        ceil(greatest(a.e, b.e) + sqrt(f * (1 - f) * abs(l * l - c * c))) AS error_m
      FROM parts`,
    )
    const [found] = await placesOf(`road=N2&km=${km}`)
    expect(found).toMatchObject({ road: 'N-2', province: 'Barcelona', km, error_m: expected?.['error_m'], distance_m: null })
    expect(found.lat).toBeCloseTo(expected?.['lat'] as number, 6)
    expect(found.lon).toBeCloseTo(expected?.['lon'] as number, 6)
  })

  test('a position is at the nearest place of each road, as GeoJSON too', async () => {
    const [here] = await placesOf('road=n-2&km=601.2')
    const [back, ...others] = await placesOf(`lat=${here.lat}&lon=${here.lon}`)
    expect(others).toEqual([])
    expect(back).toMatchObject({ road: 'N-2', km: 601.2, distance_m: 0, posts: [{ km: 600 }, { km: 601.5, source: 'sct', error_m: 600 }] })
    const { features } = await service.json(`/api/geo/pk?lat=${here.lat}&lon=${here.lon}&format=geojson`)
    expect(features[0].geometry.coordinates).toEqual([here.lon, here.lat])
    expect(await placesOf(`lat=${here.lat}&lon=${here.lon + 0.02}`)).toEqual([])
    expect(await placesOf(`lat=${here.lat}&lon=${here.lon + 0.02}&radius=5000`)).toHaveLength(1)
    expect(await placesOf(`lat=${here.lat}&lon=${here.lon}&road=A-7`)).toEqual([])
  })

  test('a place that is not located is an empty list, with the method of locating and the sources', async () => {
    const reply = await service.json('/api/geo/pk?road=N-II&km=650')
    expect([reply.total, reply.places]).toEqual([0, []])
    expect(reply.meta).toMatchObject({ grain: 'One place on one road.', method: expect.stringContaining('at most 5 km apart') })
    expect(reply.meta.sources.map(({ id }: Reply) => id)).toEqual(['dgt', 'sct', 'miteco', 'ign'])
    expect(await placesOf('road=ZZ-999&km=1')).toEqual([])
  })

  test.each([
    ['', 'road'],
    ['road=A-2', 'km'],
    ['km=5', 'road'],
    ['lat=41', 'lon'],
    ['lon=2', 'lat'],
    ['lat=41&lon=2&km=3', 'km'],
    ['lat=41&lon=2&province=Madrid', 'province'],
    ['road=A-2&km=5&radius=10', 'radius'],
    ['lat=41&lon=2&direction=POSITIVE', 'direction'],
  ])('refuses a query that it cannot answer: %s', async (query, parameter) => {
    const response = await service.get(`/api/geo/pk?${query}`)
    expect(response.status).toBe(400)
    expect(((await response.json()) as Reply).errors[0].parameter).toBe(parameter)
  })
})
