import { type HourlyWeather, weatherOf } from '../weather.ts'
import type { Airport } from './airports.ts'

const HOUR = 3_600_000
const METRES_PER_FOOT = 0.3048

/** The weather at an airport in the hour of an instant (ms), consistent with the weather stations. */
export function airportWeather(seed: number, { icao, lat, lon, elevation_ft }: Airport, instant: number): HourlyWeather {
  return weatherOf(seed, { id: icao, lat, lon, altitude_m: elevation_ft * METRES_PER_FOOT }, Math.ceil(instant / HOUR) * HOUR)
}

/** True in fog and strong wind, which delay flights. */
export function isAdverse(seed: number, airport: Airport, instant: number): boolean {
  const { vis, vmax } = airportWeather(seed, airport, instant)
  return vis < 1.5 || vmax > 17
}
