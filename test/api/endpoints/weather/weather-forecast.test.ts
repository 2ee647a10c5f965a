import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { drivingOf, forecastConditions } from '../../../../api/endpoints/weather/forecast-driving.ts'
import { roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import { weatherForecastDaily, weatherForecastHourly } from '../../../../lake/datasets/weather/forecasts.ts'
import { openRedis } from '../../../../lake/live/connect.ts'
import { recordAnswers } from '../../../../lake/live/demand.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { deepTest } from '../../../helpers/tier.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-01-09T12:20:00Z')
const FEED = 'aemet_forecast_hourly'
const [MADRID, GETAFE, ALCALA] = ['28079', '28065', '28005']
/** Points in these municipalities. */
const AT = { [MADRID]: { lat: 40.4168, lon: -3.7038 }, [GETAFE]: { lat: 40.305, lon: -3.731 }, [ALCALA]: { lat: 40.482, lon: -3.364 } }

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => NOW })
  await publish([...hoursOf(MADRID, NOW - HOUR), ...hoursOf(GETAFE, NOW - HOUR)])
  const days = [0, 1, 2].flatMap((day) => [24, 12].map((period_h) => dayRow(day, period_h)))
  await service.publish(weatherForecastDaily, days, { at: NOW, feed: 'aemet_forecast_daily' })
  const point = (road: string, km: number, position: { lat: number; lon: number }): AnyRow =>
    exampleTableRow(roadPoints, { month: '2026-01', road, province_code: '28', km, position })
  const points = [point('A-42', 4, AT[MADRID] as never), point('A-42', 9.5, AT[GETAFE] as never), point('A-42', 14, AT[GETAFE] as never)]
  await service.land(roadPoints, [...points, point('A-2', 30, AT[ALCALA] as never)], NOW)
})
afterAll(() => service?.close())

/** Hours of a municipality from the given issue, from 09:00 on. */
function hoursOf(municipality_code: string, issued_at: number, values: (hour: number) => AnyRow = () => ({})): AnyRow[] {
  const first = Date.parse('2026-01-09T09:00:00Z')
  return Array.from({ length: 48 }, (_, hour) => {
    const valid_from = first + hour * HOUR
    const own = { municipality_code, valid_from, valid_to: valid_from + HOUR, issued_at, updated_at: issued_at }
    return exampleRow(weatherForecastHourly, { ...own, phenomenon: 'NONE', precipitation_mm: 0, snow_mm: 0, ...values(hour) })
  })
}

function dayRow(day: number, period_h: number): AnyRow {
  const valid_from = Date.parse('2026-01-08T23:00:00Z') + day * 24 * HOUR
  return exampleRow(weatherForecastDaily, {
    ...{ municipality_code: MADRID, valid_from, valid_to: valid_from + period_h * HOUR, issued_at: NOW - HOUR, period_h, temp_max_c: day },
  })
}

const publish = (rows: AnyRow[]): Promise<void> => service.publish(weatherForecastHourly, rows, { at: NOW, feed: FEED })
const get = (query: string): Promise<Reply> => service.json(`/api/weather/forecast?${query}`)

test('one municipality, from the hour that it is, by code, name or point', async () => {
  const { forecasts, pending, total, meta } = await get(`municipality=${MADRID}&hours=3`)
  expect([total, pending]).toEqual([1, 0])
  expect(meta.sources[0]).toMatchObject({ id: 'aemet', commercial_use: 'yes' })
  const [one] = forecasts
  expect(one).toMatchObject({
    ...{ id: MADRID, municipality: 'Madrid', province: 'Madrid', road: null, issued_at: new Date(NOW - HOUR).toISOString() },
    ...{ valid_from: '2026-01-09T12:00:00.000Z', valid_to: '2026-01-09T16:00:00.000Z', source: 'aemet' },
  })
  expect(one.hours.map(({ valid_from }: Reply) => valid_from.slice(11, 16))).toEqual(['12:00', '13:00', '14:00', '15:00'])
  expect((await get('municipality=madrid&province=Madrid&hours=3')).forecasts).toEqual(forecasts)
  expect((await get('lat=40.4168&lon=-3.7038&hours=3')).forecasts).toEqual(forecasts)
  expect((await get(`municipality=${MADRID}`)).forecasts[0].hours.length).toBe(45)
  const later = (await get(`municipality=${MADRID}&from=2026-01-10T18:00:00Z&hours=2`)).forecasts[0]
  expect([later.valid_from, later.hours.length]).toEqual(['2026-01-10T18:00:00.000Z', 2])
})

test('without a place, all available ones, of a province or anywhere', async () => {
  expect((await get('hours=1')).forecasts.map(({ id }: Reply) => id)).toEqual([GETAFE, MADRID])
  expect((await get('hours=1&province=Sevilla')).forecasts).toEqual([])
})

test('along a road, the municipalities that hold its points, and how many are awaited', async () => {
  const { forecasts } = await get('road=a42&hours=1&sort=km_from')
  expect(forecasts.map(({ id, road, km_from, km_to }: Reply) => [id, road, km_from, km_to])).toEqual([
    [MADRID, 'A-42', 4, 4],
    [GETAFE, 'A-42', 9.5, 14],
  ])
  expect((await get('road=A-42&km_from=8&hours=1')).forecasts.map(({ id }: Reply) => id)).toEqual([GETAFE])
  for (const query of [
    'road=A-99',
    'road=A-42&km_from=90',
    'lat=40',
    'lat=30&lon=-30',
    'municipality=Madrid&road=A-42',
    'km_from=3',
    'municipality=Nowhere',
  ])
    expect([query, (await service.get(`/api/weather/forecast?${query}`)).status]).toEqual([query, 400])
})

deepTest('a place without a forecast is requested, and waited for a moment', async () => {
  const missing = await service.get(`/api/weather/forecast?municipality=${ALCALA}`)
  expect(missing.status).toBe(404)
  expect(missing.headers.get('retry-after')).toBe('5')
  expect(await missing.json()).toMatchObject({
    type: expect.stringContaining('no-data-yet'),
    detail: expect.stringContaining('Alcalá de Henares (28005)'),
    waits_for: [expect.stringContaining(FEED)],
    missing: ['weather_forecast_hourly'],
  })
  const redis = openRedis(service.redisUrl)
  onTestFinished(() => redis.disconnect())
  expect(await redis.zrange(`demand:wanted:${FEED}`, 0, '-1')).toContain(ALCALA)
})

test('a forecast in progress is answered as soon as it comes; an unavailable one at once', async () => {
  const redis = openRedis(service.redisUrl)
  onTestFinished(() => redis.disconnect())
  const [first, coming] = [performance.now(), get('road=A-2&hours=1')]
  setTimeout(async () => {
    await publish([...hoursOf(MADRID, NOW - HOUR), ...hoursOf(GETAFE, NOW - HOUR), ...hoursOf(ALCALA, NOW)])
    await recordAnswers(redis, FEED, new Map([[ALCALA, { outcome: 'FETCHED', until: NOW + HOUR }]]))
  }, 300)
  expect((await coming).forecasts.map(({ id }: Reply) => id)).toEqual([ALCALA])
  expect(performance.now() - first).toBeLessThan(2000)
  await recordAnswers(redis, FEED, new Map([['28006', { outcome: 'ABSENT', until: NOW + HOUR }]]))
  const absent = await service.get('/api/weather/forecast?municipality=28006')
  expect([absent.status, ((await absent.json()) as Reply).errors[0].parameter]).toEqual([400, 'municipality'])
  await recordAnswers(redis, FEED, new Map([['28007', { outcome: 'FAILED', until: NOW + 300_000 }]]))
  const failed = await service.get('/api/weather/forecast?municipality=28007')
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([404, '300'])
})

test('days: whole ones, or their parts', async () => {
  const ask = async (query: string) =>
    (await service.json(`/api/weather/forecast/daily?municipality=${MADRID}${query}`)).forecasts[0].periods
  expect((await ask('')).map(({ period_h, temp_max_c }: Reply) => [period_h, temp_max_c])).toEqual([
    [24, 0],
    [24, 1],
    [24, 2],
  ])
  expect((await ask('&days=1')).length).toBe(2)
  // The first half of the first day is over.
  expect((await ask('&period=part')).map(({ period_h }: Reply) => period_h)).toEqual([12, 12])
  expect((await ask('&period=all')).map(({ period_h }: Reply) => period_h)).toEqual([24, 24, 12, 24, 12])
})

const calm = {
  ...{ valid_from: 0, phenomenon: 'NONE', precipitation_mm: 0, precipitation_flag: null, snow_mm: 0, snow_flag: null },
  ...{ temp_c: 10, wind_mean_m_s: 1, gust_m_s: 1.2 },
}

test.each([
  [{}, [], { rain: 'NONE', snow: 'NONE', fog: 'NONE', wind: 'CALM' }],
  [{ precipitation_flag: 'TRACE' }, ['RAIN'], { rain: 'LIGHT' }],
  [{ precipitation_mm: 2 }, ['RAIN'], { rain: 'LIGHT', rain_max_mm: 2 }],
  [{ precipitation_mm: 2.1 }, ['RAIN'], { rain: 'MODERATE' }],
  [{ precipitation_mm: 30.1 }, ['RAIN'], { rain: 'VERY_HEAVY' }],
  [{ precipitation_mm: 61 }, ['RAIN'], { rain: 'TORRENTIAL' }],
  [{ precipitation_mm: 0.2, temp_c: 1 }, ['SNOWFALL'], { rain: 'LIGHT', snow: 'NONE', temp_min_c: 1 }],
  [{ precipitation_mm: 0.6, snow_mm: 0.6 }, ['SNOWFALL'], { snow: 'MODERATE', snow_total_mm: 0.6 }],
  [{ snow_flag: 'TRACE' }, ['SNOWFALL'], { snow: 'LIGHT' }],
  [{ phenomenon: 'LIGHT_SNOW' }, ['SNOWFALL'], { snow: 'NONE' }],
  [{ phenomenon: 'FOG' }, ['FOG'], { fog: 'FOG' }],
  [{ phenomenon: 'MIST' }, [], { fog: 'MIST' }],
  [{ gust_m_s: 19.4 }, ['STRONG_WIND'], { wind: 'STRONG', gust_max_m_s: 19.4 }],
  [{ gust_m_s: 19.8 }, ['STRONG_WIND'], { wind: 'VERY_STRONG' }],
  [{ gust_m_s: null, wind_mean_m_s: 5.6 }, [], { wind: 'LIGHT', gust_max_m_s: 1.2 }],
])('an hour with %j makes driving harder by %j: %j', (values, conditions, driving) => {
  const hour = { ...calm, ...values } as Parameters<typeof forecastConditions>[0]
  expect(forecastConditions(hour)).toEqual(conditions)
  expect(drivingOf([calm as typeof hour, { ...hour, valid_from: HOUR }])).toMatchObject({
    ...{ conditions, first_condition_at: conditions.length > 0 ? HOUR : null },
    ...driving,
  })
})
