import { zoneOf } from '../../../lake/places/clocks.ts'
import { type Municipality, readGazetteer } from './municipalities.ts'
import { type HourlyWeather, weatherOf } from './weather.ts'
import { altitudeAt, weatherStations } from './weather-stations.ts'
import type { World } from './world.ts'

const HOUR = 3_600_000

/** The place of a forecast, with its clock. */
export interface ForecastPlace {
  readonly municipality: Municipality
  readonly zone: string
  /** The weather of the hour that starts at an instant (ms): stations there observe the same once it has come. */
  readonly hour: (begin: number) => HourlyWeather
}

/** The place of a municipality by its code, at its station if it has one; null for an unknown code. */
export function forecastPlace(world: World, code: string): ForecastPlace | null {
  const municipality = municipalityOf(code)
  if (!municipality) return null
  const { lat, lon } = municipality.centre
  const station = world.part(weatherStations).find((one) => one.municipality.code === code && one.isObserved)
  const place = station ?? { id: `municipality ${code}`, lat, lon, altitude_m: altitudeAt(lat, lon) }
  return { municipality, zone: zoneOf(municipality.province), hour: (begin) => weatherOf(world.seed, place, begin + HOUR) }
}

/** The municipality with a code; undefined if unknown. */
export function municipalityOf(code: string): Municipality | undefined {
  return readGazetteer()
    .ofProvince.get(code.slice(0, 2))
    ?.find((one) => one.code === code)
}
