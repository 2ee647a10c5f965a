import type { AirPollutant } from '../../../lake/datasets/air/codes.ts'
import { diceOf, hash, pick, pickWeighted, wander, weights } from '../random.ts'
import { type Municipality, readGazetteer } from './municipalities.ts'
import { demand, localTime } from './rhythm.ts'
import { defineWorldPart } from './world.ts'

const HOUR = 3_600_000

/** A station of the national index. */
export interface AirStation {
  /** INE's code of the municipality and three digits. */
  readonly id: string
  readonly name: string
  readonly type: 'FONDO' | 'INDUSTRIAL' | 'TRAFICO'
  readonly lat: number
  readonly lon: number
  readonly isActive: boolean
  readonly measures: readonly AirPollutant[]
}

/** All stations, and the inactive ones among them, as in the recorded publication. */
const COUNTS = { full: { all: 624, inactive: 58 }, small: { all: 120, inactive: 10 } } as const

/** Stations of the two cities whose hours are published. */
const CITIES = {
  '28079': [4, 8, 11, 16, 17, 18, 24, 27, 35, 36, 38, 39, 40, 47, 48, 49, 50, 54, 55, 56, 57, 58, 59, 60],
  '08019': [4, 42, 43, 44, 50, 54, 57, 58],
} as const
export type AirCity = keyof typeof CITIES

const TYPES = weights<AirStation['type']>('FONDO:274 INDUSTRIAL:216 TRAFICO:134')

/** Spain's air quality stations: those of the two cities first, the others spread over its provinces. */
export const airStations = defineWorldPart(({ seed, scale }): readonly AirStation[] => {
  const { ofProvince } = readGazetteer()
  const provinces = [...ofProvince.keys()].sort()
  const { all, inactive } = COUNTS[scale]
  const cities = Object.entries(CITIES).flatMap(([code, numbers]) => {
    const city = ofProvince.get(code.slice(0, 2))?.find((one) => one.code === code) as Municipality
    return numbers.map((number) => stationIn(seed, city, number, true))
  })
  const others = Array.from({ length: all - cities.length }, (_, index) => {
    const dice = diceOf(seed, 'air station', index)
    const municipality = pick(ofProvince.get(provinces[index % provinces.length] as string) as readonly Municipality[], dice())
    return stationIn(seed, municipality, 101 + index, index >= inactive)
  })
  return [...cities, ...others]
})

/** The stations of a city with published hours. */
export function stationsOfCity(stations: readonly AirStation[], city: AirCity): readonly AirStation[] {
  return stations.filter(({ id }) => id.startsWith(city) && (CITIES[city] as readonly number[]).includes(Number(id.slice(5))))
}

function stationIn(seed: number, { code, name, centre }: Municipality, number: number, isActive: boolean): AirStation {
  const id = `${code}${String(number % 1000).padStart(3, '0')}`
  const dice = diceOf(seed, 'air station of', id)
  const type = pickWeighted(TYPES, dice())
  const [lat, lon] = [centre.lat, centre.lon].map((degrees) => degrees + (dice() - 0.5) * 0.004) as [number, number]
  const measures = (['O3', 'PM10', 'PM2_5', 'SO2', 'CO'] as const).filter(() => dice() < 0.55)
  return { id, name: `${name.toUpperCase()} ${number}`, type, lat, lon, isActive, measures: ['NO2', 'NO', 'NOX', ...measures] }
}

/** Mean of a typical hour, µg/m3 (CO: mg/m3), and its variation. */
const USUAL: Readonly<Partial<Record<AirPollutant, readonly [mean: number, spread: number]>>> = {
  NO2: [24, 12],
  O3: [62, 24],
  PM10: [20, 11],
  PM2_5: [9, 5],
  SO2: [4, 3],
  CO: [0.3, 0.15],
}

/** The concentration at a station in the hour that starts at an instant (ms): whole µg/m3, for CO tenths of mg/m3. */
export function concentrationOf(seed: number, { id, type }: AirStation, pollutant: AirPollutant, begins: number): number {
  const no2 = (): number => concentrationOf(seed, { id, type } as AirStation, 'NO2', begins)
  if (pollutant === 'NO') return Math.round(0.4 * no2())
  if (pollutant === 'NOX') return Math.round(1.6 * no2())
  const [mean, spread] = USUAL[pollutant] ?? [1, 0.5]
  const time = localTime(begins)
  const traffic = demand(time) * (type === 'TRAFICO' ? 1.3 : type === 'FONDO' ? 0.6 : 0.9)
  const sun = Math.max(0, Math.sin(((time.hour - 7) / 14) * Math.PI))
  const rhythm = pollutant === 'O3' ? 0.5 + sun - 0.3 * traffic : pollutant === 'NO2' || pollutant === 'CO' ? 0.4 + traffic : 1
  const days = wander(begins / (60 * HOUR), seed, 'air', pollutant, id)
  const hours = wander(begins / (5 * HOUR), seed, 'air hours', pollutant, id)
  const value = Math.max(0, mean * rhythm + spread * (0.8 * days + 0.3 * hours))
  return pollutant === 'CO' ? Math.round(value * 10) / 10 : Math.round(value)
}

/** True if an analyser's hour is invalid: one in eighty. */
export function isInvalid(seed: number, { id }: AirStation, pollutant: AirPollutant, begins: number): boolean {
  return hash(seed, 'air invalid', id, pollutant, begins / HOUR) % 80 === 0
}
