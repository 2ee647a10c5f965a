import { zoneOf } from '../../../lake/places/clocks.ts'
import { type Municipality, readGazetteer } from './municipalities.ts'
import { type HourlyWeather, weatherOf } from './weather.ts'
import { altitudeAt, weatherStations } from './weather-stations.ts'
import type { World } from './world.ts'

const HOUR = 3_600_000

/** Where a forecast is of, with its clock. */
export interface ForecastPlace {
  readonly municipality: Municipality
  readonly zone: string
  /** The weather of the hour that begins at an instant (ms): that which stations there observe, once it has come. */
  readonly hour: (begin: number) => HourlyWeather
}

/** The place of a municipality by its code: at its station, where it has one; null for no municipality. */
export function forecastPlace(world: World, code: string): ForecastPlace | null {
  const municipality = municipalityOf(code)
  if (!municipality) return null
  const { lat, lon } = municipality.centre
  const station = world.part(weatherStations).find((one) => one.municipality.code === code && one.isObserved)
  const place = station ?? { id: `municipality ${code}`, lat, lon, altitude_m: altitudeAt(lat, lon) }
  return { municipality, zone: zoneOf(municipality.province), hour: (begin) => weatherOf(world.seed, place, begin + HOUR) }
}

/** The municipality of a code; undefined for none. */
export function municipalityOf(code: string): Municipality | undefined {
  return readGazetteer()
    .ofProvince.get(code.slice(0, 2))
    ?.find((one) => one.code === code)
}
