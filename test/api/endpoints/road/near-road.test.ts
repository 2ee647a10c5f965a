import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reply } from '../../service.ts'
import { startWeatherService, type WeatherService } from '../weather/weather-service.ts'

let weather: WeatherService
beforeAll(async () => {
  weather = await startWeatherService({ roads: false })
})
afterAll(() => weather?.service.close())

test.each([
  '/api/clima/estaciones?road=A-7',
  '/api/weather?road=A-7',
  '/api/clima/historico?road=A-7&interval=1d',
  '/api/clima/historico?road=A-7',
])('%s: while no road has located points that is no fault of the road', async (path) => {
  const response = await weather.service.get(path)
  const { code, detail } = (await response.json()) as Reply
  expect([response.status, code, detail]).toEqual([404, 'no-data-yet', expect.stringContaining('No road points are known yet')])
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
})
