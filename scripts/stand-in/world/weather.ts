import { chance, wander } from '../random.ts'
import type { WeatherStation } from './weather-stations.ts'

const HOUR = 3_600_000
const DAY_H = 24

/** A place with weather. */
type Place = Pick<WeatherStation, 'id' | 'lat' | 'lon' | 'altitude_m'>

/** A station's measurements in an hour, in AEMET's units: mm, °C, %, m/s, degrees, hPa, km, minutes, hm, cm. */
export interface HourlyWeather {
  readonly prec: number
  readonly ta: number
  readonly tamin: number
  readonly tamax: number
  readonly hr: number
  readonly vv: number
  readonly dv: number
  readonly vmax: number
  readonly dmax: number
  readonly stdvv: number
  readonly stddv: number
  readonly pres: number
  readonly pres_nmar: number
  readonly tpr: number
  readonly ts: number
  readonly vis: number
  readonly inso: number
  readonly rviento: number
  readonly nieve: number
}

/**
 * The weather of the hour that ends at an instant (ms): fronts pass from west to east; nights and heights are colder, valleys
 * have fog.
 */
export function weatherOf(seed: number, station: Place, end: number): HourlyWeather {
  const hour = Math.floor(end / HOUR)
  const own = (name: string): number => chance(seed, name, station.id, hour)
  const front = wander(hour / 9 - station.lon * 0.35 + station.lat * 0.1, seed, 'front')
  const wet = Math.max(0, front - 0.3) * 1.4
  const shower = wet * own('shower') ** 2
  const prec = shower > 0.05 ? sixSteps((step) => tenths(shower * chance(seed, 'ten minutes', station.id, hour, step))) : 0
  const at = (instant: number): number => temperature(seed, station, instant, wet)
  const [ta, before] = [at(end), at(end - HOUR)]
  const wind = Math.max(0, 1.2 + 5 * Math.abs(wander(hour / 14 - station.lon * 0.3, seed, 'wind')) * (1 + wet) + own('breeze') - 0.5)
  const dv = Math.round(180 + 170 * wander(hour / 20 - station.lon * 0.2, seed, 'wind from'))
  const night = 1 - sun(station, end)
  const isFoggy = wet === 0 && night > 0.8 && wind < 1.6 && wander(hour / 10, seed, 'fog', station.id) > 0.45
  const hr = Math.round(Math.min(100, isFoggy ? 99 : 45 + 25 * night + 30 * wet + 8 * own('damp')))
  const nmar = 1016 - 14 * front + wander(hour / 30, seed, 'pressure') * 6
  return {
    prec,
    ta: tenths(ta),
    tamin: tenths(Math.min(ta, before) - 0.3 * own('low')),
    tamax: tenths(Math.max(ta, before) + 0.3 * own('high')),
    hr,
    vv: tenths(wind),
    dv,
    vmax: tenths(wind * (1.5 + 0.7 * own('gust')) + 0.4),
    dmax: (dv + Math.round(30 * (own('veer') - 0.5)) + 360) % 361,
    stdvv: tenths(0.2 + wind * 0.15),
    stddv: Math.round(6 + 12 * own('veer')),
    pres: tenths(nmar * Math.exp(-station.altitude_m / 8200)),
    pres_nmar: tenths(nmar),
    tpr: tenths(ta - (100 - hr) / 5),
    ts: tenths(ta - 2 * night + 3 * (1 - night)),
    vis: isFoggy ? tenths(0.1 + 0.7 * own('fog')) : Math.round(Math.max(2, 30 - 22 * wet)),
    inso: wet > 0 ? 0 : Math.round(60 * (1 - night) ** 0.3 * (1 - night > 0.05 ? 1 : 0)),
    rviento: Math.round(wind * 36),
    nieve: ta < 3 ? tenths(Math.max(0, (station.altitude_m - 700) / 25) * (0.5 + wander(hour / 200, seed, 'snow', station.id) / 2)) : 0,
  }
}

/** Precipitation of six times ten minutes, added as doubles: this causes the noise in published values (0.6000000000000001). */
function sixSteps(of: (step: number) => number): number {
  return [0, 1, 2, 3, 4, 5].reduce((sum, step) => sum + of(step), 0)
}

function temperature(seed: number, station: Place, instant: number, wet: number): number {
  const day = instant / (DAY_H * HOUR)
  const season = -Math.cos((2 * Math.PI * ((day % 365.25) - 20)) / 365.25)
  const isIsland = station.lat < 30
  const mean = (isIsland ? 21 : 17 - (station.lat - 40) * 0.7) + season * (isIsland ? 3.5 : 9)
  const swing = (isIsland ? 2.5 : 5) * (1 - 0.6 * wet) * (2 * sun(station, instant - 2 * HOUR) - 1)
  return mean - station.altitude_m * 0.006 + swing + 3.5 * wander(day / 3 - station.lon * 0.1, seed, 'air')
}

/** The height of the sun, 0 at night to 1 at noon, by the station's longitude. */
function sun(station: Place, instant: number): number {
  const hour = (instant / HOUR + station.lon / 15) % DAY_H
  return Math.max(0, Math.sin((Math.PI * (hour - 6)) / 12))
}

const tenths = (value: number): number => Math.round(value * 10) / 10
