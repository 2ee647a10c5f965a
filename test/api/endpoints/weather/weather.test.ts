import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conditionsOf } from '../../../../api/endpoints/weather/weather.ts'
import { distanceM } from '../../../../api/kernel/reads/geo.ts'
import type { Point } from '../../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import type { Reply, TestService } from '../../service.ts'
import { END, HOUR, M, RETIRO, startWeatherService } from './weather-service.ts'

let service: TestService
let landed: readonly AnyRow[]
let places: ReadonlyMap<string, Point>
beforeAll(async () => {
  ;({ service, landed, places } = await startWeatherService())
})
afterAll(() => service?.close())

test('stations: the inventory goes first, the observations fill the gaps', async () => {
  const { stations, total } = await service.json('/api/clima/estaciones?limit=20000')
  expect(total).toBe(stations.length)
  const listings = Map.groupBy(stations as Reply[], (one) => one.listings.join())
  expect([...listings.keys()].sort()).toEqual(['INVENTORY', 'INVENTORY,OBSERVATION', 'OBSERVATION'])
  const retiro = stations.find((one: Reply) => one.id === '3195')
  expect(retiro).toMatchObject({
    ...{
      name: 'MADRID, RETIRO',
      province: 'Madrid',
      province_code: '28',
      municipality_code: '28079',
      altitude_m: 667,
      synop_code: '08222',
    },
    ...{ listings: ['INVENTORY', 'OBSERVATION'], source: 'aemet', source_id: '3195', status: 'ACTIVE', is_stale: false },
  })
  // Degrees, minutes and seconds are good to 31 m.
  expect(Math.abs(retiro.lat - 40.411804)).toBeLessThan(0.0003)
  const madrid = (await service.json('/api/clima/estaciones?province=Madrid&limit=20000')).stations
  expect(madrid.every((one: Reply) => one.province_code === '28')).toBe(true)
  expect(madrid.length).toBe(stations.filter((one: Reply) => one.province_code === '28').length)
  const near = (await service.json('/api/clima/estaciones?lat=40.41&lon=-3.68&radius=1000')).stations
  expect(near.map((one: Reply) => one.id)).toContain('3195')
})

test('one station, with its last hour', async () => {
  const one = await service.json('/api/clima/estaciones/3195')
  const last = landed
    .filter((row) => row['station_id'] === '3195')
    .sort((a, b) => (b['observed_at'] as number) - (a['observed_at'] as number))[0]
  expect(one).toMatchObject({ id: '3195', name: 'MADRID, RETIRO' })
  expect(one.last_observation).toMatchObject({
    observed_at: new Date(last?.['observed_at'] as number).toISOString(),
    temp_c: last?.['temp_c'],
    pressure_hpa: last?.['pressure_hpa'],
    snow_cm: null,
    period_s: 3600,
  })
  const { stations } = await service.json('/api/clima/estaciones?limit=20000')
  const silent = stations.find((station: Reply) => station.listings.join() === 'INVENTORY')
  expect((await service.json(`/api/clima/estaciones/${silent.id}`)).last_observation).toBeNull()
  expect((await service.get('/api/clima/estaciones/NONE')).status).toBe(404)
})

test('driving weather: the newest hour of each station of the last three, with its place and conditions', async () => {
  const { weather, total, meta } = await service.json('/api/weather?limit=20000')
  expect(meta.sources[0]).toMatchObject({ id: 'aemet', commercial_use: 'yes' })
  expect(total).toBe(weather.length)
  expect(weather.length).toBeGreaterThan(100)
  expect(weather.some((one: Reply) => one.id === 'LATE')).toBe(false)
  for (const one of weather) {
    expect(Date.parse(one.observed_at)).toBeGreaterThanOrEqual(END - 3 * HOUR)
    expect([one.id, one.conditions]).toEqual([one.id, conditionsOf(one)])
    expect([one.province_code === null, one.lat === null]).toEqual([false, false])
  }
  const code = weather.find((one: Reply) => one.conditions.length > 0)?.conditions[0] ?? 'RAIN'
  const picked = (await service.json(`/api/weather?condition=${code}&limit=20000`)).weather
  expect(picked.map((one: Reply) => one.id)).toEqual(
    weather.filter((one: Reply) => one.conditions.includes(code)).map((one: Reply) => one.id),
  )
  const sevilla = (await service.json('/api/weather?province=Sevilla&limit=20000')).weather
  expect(sevilla.length).toBe(weather.filter((one: Reply) => one.province_code === '41').length)
  expect((await service.get('/api/weather?condition=HAIL')).status).toBe(400)
})

describe('near a road', () => {
  const near = (at: Point, north_m: number): boolean => distanceM(at, { lat: RETIRO.lat + north_m * M, lon: RETIRO.lon }) <= 10_000

  test('stations within 10 km of its located points, each with the nearest, alike now and in the catalogue', async () => {
    const { stations } = await service.json('/api/clima/estaciones?road=m999&limit=20000')
    const retiro = stations.find((one: Reply) => one.id === '3195')
    // The inventory's position is good to 31 m.
    expect(retiro).toMatchObject({ road: 'M-999', km: 12, distance_m: expect.toSatisfy((m: number) => Math.abs(m - 900) < 35) })
    const { weather } = await service.json('/api/weather?road=M-999&sort=distance_m&limit=20000')
    expect(weather[0]).toMatchObject({ id: '3195', road: 'M-999', km: 12, distance_m: retiro.distance_m })
    for (const { km, distance_m } of weather) expect([km < 20, distance_m <= 10_000]).toEqual([true, true])
    const stretch = (await service.json('/api/weather?road=M-999&km_from=13&km_to=15')).weather
    expect(stretch.find((one: Reply) => one.id === '3195')).toMatchObject({
      km: 14,
      distance_m: expect.toSatisfy((m: number) => Math.abs(m - 9000) < 35),
    })
    expect((await service.json('/api/weather?road=M-999&km_from=80')).total).toBe(0)
    expect((await service.json('/api/weather?limit=1')).weather[0]).toMatchObject({ road: null, km: null, distance_m: null })
  })

  test('a road or stretch without located points is refused by name, as is a stretch without a road', async () => {
    const refused = async (path: string): Promise<unknown> => {
      const response = await service.get(path)
      return [response.status, ((await response.json()) as Reply).errors?.[0].parameter]
    }
    expect(await refused('/api/weather?road=A-1')).toEqual([400, 'road'])
    expect(await refused('/api/clima/estaciones?road=A-1')).toEqual([400, 'road'])
    expect(await refused('/api/weather?road=M-999&km_from=20&km_to=30')).toEqual([400, 'km_from'])
    expect(await refused('/api/weather?km_from=20')).toEqual([400, 'road'])
    expect(await refused('/api/clima/historico?road=A-1')).toEqual([400, 'road'])
    expect(await refused('/api/clima/historico?road=M-999&station=3195')).toEqual([400, 'station'])
    expect(await refused('/api/clima/historico')).toEqual([400, 'station'])
  })

  test('series of the stations near it are listed apart', async () => {
    const { history } = await service.json('/api/clima/historico?road=M-999&interval=1d&from=2026-10-24&to=2026-10-27&limit=1000')
    const expected = [...places].filter(([, at]) => [5000, -900, 9000].some((north_m) => near(at, north_m))).map(([id]) => id)
    expect([...new Set(history.map((one: Reply) => one.station_id))].sort()).toEqual(expected.sort())
    expect(history.find((one: Reply) => one.station_id === '3195')).toMatchObject({ road: 'M-999', km: 12, distance_m: 900 })
    const twice = (await service.json('/api/clima/historico?station=3195,3195&interval=1d&from=2026-10-24&to=2026-10-25')).history
    expect(twice).toMatchObject([{ station_id: '3195', road: null, km: null, distance_m: null }])
  })
})

test('conditions: thresholds, and none where a measure is missing', () => {
  const of = (values: AnyRow): string[] =>
    conditionsOf({
      precipitation_mm: null,
      solid_precipitation_mm: null,
      temp_c: null,
      snow_cm: null,
      visibility_m: null,
      gust_m_s: null,
      ...values,
    })
  expect(of({})).toEqual([])
  expect(of({ precipitation_mm: 0, visibility_m: 1000, gust_m_s: 19.3, snow_cm: 0 })).toEqual([])
  expect(of({ precipitation_mm: 0.1 })).toEqual(['RAIN'])
  expect(of({ precipitation_mm: 0.1, temp_c: 1.1 })).toEqual(['RAIN'])
  expect(of({ precipitation_mm: 0.1, temp_c: 1 })).toEqual(['SNOWFALL'])
  expect(of({ precipitation_mm: 2, solid_precipitation_mm: 0.1, temp_c: 5, snow_cm: 3, visibility_m: 999, gust_m_s: 19.4 })).toEqual([
    'SNOWFALL',
    'SNOW_ON_GROUND',
    'FOG',
    'STRONG_WIND',
  ])
})
