import { type Dice, diceOf, hash, pick, pickWeighted, weights } from '../random.ts'
import { type Municipality, readGazetteer } from './municipalities.ts'
import { defineWorldPart } from './world.ts'

/** Quantities that a station measures besides precipitation, temperature and humidity. */
export interface Instruments {
  readonly hasWind: boolean
  readonly hasPressure: boolean
  /** Soil, sunshine, visibility and deviations of the wind: airports and offices. */
  readonly isStaffed: boolean
  readonly hasWindRun: boolean
  readonly hasSnow: boolean
  readonly hasUltrasonic: boolean
}

/** A weather station. */
export interface WeatherStation extends Instruments {
  readonly id: string
  readonly name: string
  readonly municipality: Municipality
  readonly lat: number
  readonly lon: number
  readonly altitude_m: number
  readonly synop: string | null
  /** True if it has hourly observations; the inventory also has other stations, and lacks some. */
  readonly isObserved: boolean
  readonly isListed: boolean
}

/**
 * Observed stations, listed ones among them, and listed ones without observations: 832, 815 and 132 in the recorded publications.
 */
const COUNTS = { full: { observed: 832, listed: 815, others: 132 }, small: { observed: 120, listed: 118, others: 18 } } as const

/** The station in the API's examples, whose requests must have data from any publisher. */
const SHOWN = { id: '3195', name: 'MADRID, RETIRO', municipality: '28079', lat: 40.411804, lon: -3.678095, altitude_m: 667, synop: '08222' }

/** Id of the station that is always in the inventory, for examples. */
export const SHOWN_ID = SHOWN.id

type Kind = 'plain' | 'still' | 'run' | 'pressure' | 'staffed' | 'mountain'

/** Of 832 stations 444 report wind, temperature and rain, 106 no wind; the others report more. */
const KINDS = weights<Kind>('plain:53 still:13 run:8 pressure:14 staffed:11 mountain:1')

/** Spain's weather stations, distributed over its provinces. */
export const weatherStations = defineWorldPart(({ seed, scale }): readonly WeatherStation[] => {
  const { observed, listed, others } = COUNTS[scale]
  const { ofProvince } = readGazetteer()
  const provinces = [...ofProvince.keys()].sort()
  return Array.from({ length: observed + others }, (_, index): WeatherStation => {
    const dice = diceOf(seed, 'weather station', index)
    // In turn by province, so that even a small Spain has stations in each.
    const province = provinces[index % provinces.length] as string
    const municipality = pick(ofProvince.get(province) as readonly Municipality[], dice())
    const shown = index === provinces.indexOf('28')
    const about = {
      ...placed(municipality, dice),
      ...instruments(shown ? 'staffed' : pickWeighted(KINDS, dice()), dice),
      id: idOf(index),
      name: nameOf(municipality.name, dice()),
      municipality,
      synop: null,
      isObserved: index < observed,
      isListed: index < listed || index >= observed,
    }
    if (shown) return { ...about, ...SHOWN, municipality: madridOf(ofProvince) }
    return about.isStaffed ? { ...about, synop: `08${String(100 + (index % 890)).padStart(3, '0')}` } : about
  })
})

function madridOf(ofProvince: ReadonlyMap<string, readonly Municipality[]>): Municipality {
  return ofProvince.get('28')?.find(({ code }) => code === SHOWN.municipality) as Municipality
}

/** Four digits of a river basin, and a letter if there are more stations than digits. */
function idOf(index: number): string {
  const number = String((hash('weather station id', index) % 9) * 1000 + index + 10).padStart(4, '0')
  return `${number}${['X', 'E', '', 'Y', 'A'][index % 5]}`
}

function nameOf(municipality: string, u: number): string {
  const upper = municipality.toUpperCase()
  if (u < 0.1) return `${upper} (AUTOMÁTICA)`
  return u < 0.2 ? `${upper}  AEROPUERTO` : upper
}

/** Near the centre of the municipality; inland is high, the coast low. */
function placed(municipality: Municipality, dice: Dice): Pick<WeatherStation, 'lat' | 'lon' | 'altitude_m'> {
  const lat = Math.round((municipality.centre.lat + (dice() - 0.5) * 0.004) * 1e6) / 1e6
  const lon = Math.round((municipality.centre.lon + (dice() - 0.5) * 0.004) * 1e6) / 1e6
  return { lat, lon, altitude_m: Math.round(altitudeAt(lat, lon) + 1400 * dice() ** 6) }
}

/** The altitude of a place without a mountain, m. */
export function altitudeAt(lat: number, lon: number): number {
  return 5 + 850 * Math.max(0, 1 - ((lat - 40.6) / 2.7) ** 2 - ((lon + 3.8) / 4.6) ** 2)
}

function instruments(kind: Kind, dice: Dice): Instruments {
  const isStaffed = kind === 'staffed'
  return {
    hasWind: kind !== 'still',
    hasPressure: kind === 'pressure' || kind === 'mountain' || isStaffed,
    isStaffed,
    hasWindRun: kind === 'run',
    hasSnow: kind === 'mountain',
    hasUltrasonic: isStaffed && dice() < 0.05,
  }
}
