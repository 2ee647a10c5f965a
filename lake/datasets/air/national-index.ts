import { AIR_QUALITY_LEVELS, type AirPollutant, type AirQualityLevel } from './codes.ts'

const HOUR_MS = 3_600_000
/** Hours of the moving mean of particles. */
const MEAN_HOURS = 24
/** A moving mean needs three quarters of its hours. */
const MEAN_NEEDS = 18

/** Levels from best to worst. The category number of a level is its position here, from 1. */
export const LEVELS = Object.freeze(Object.keys(AIR_QUALITY_LEVELS.codes)) as readonly AirQualityLevel[]

/** Upper limits of the first five levels, µg/m3 (Orden TEC/351/2019 as amended by the Resolución of 2 September 2020). */
const BANDS: Readonly<Partial<Record<AirPollutant, readonly number[]>>> = {
  NO2: [40, 90, 120, 230, 340],
  O3: [50, 100, 130, 240, 380],
  PM10: [20, 40, 50, 100, 150],
  PM2_5: [10, 20, 25, 50, 75],
  SO2: [100, 200, 350, 500, 750],
}
const MOVING: ReadonlySet<AirPollutant> = new Set<AirPollutant>(['PM10', 'PM2_5'])

/** The pollutants that make the index. */
export const INDEX_POLLUTANTS = Object.freeze(Object.keys(BANDS)) as readonly AirPollutant[]

/** Hourly concentrations of a station, µg/m3, by pollutant and begin of the hour (ms). */
export type StationHours = ReadonlyMap<string, ReadonlyMap<number, number>>

/** The index of a station at an instant. */
export interface ComputedIndex {
  readonly level: AirQualityLevel
  readonly is_partial: boolean
  readonly pollutants: readonly AirPollutant[]
}

/** The level of a concentration, in whole µg/m3 as the bands are. */
export function levelOf(pollutant: AirPollutant, concentration: number): AirQualityLevel {
  const rounded = Math.round(concentration)
  const found = (BANDS[pollutant] ?? []).findIndex((limit) => rounded <= limit)
  return LEVELS[found < 0 ? LEVELS.length - 1 : found] as AirQualityLevel
}

/**
 * The national index (ICA) of the hour that ends at `ends_at` (ms): gases by that hour, particles by the 24-hour mean. Partial if
 * a pollutant that the station measured in any given hour has no value. Null if there is no value at all.
 */
export function nationalIndex(station: StationHours, ends_at: number): ComputedIndex | null {
  const measured = INDEX_POLLUTANTS.filter((pollutant) => station.get(pollutant)?.size)
  const levels = measured.flatMap((pollutant) => {
    const value = concentrationOf(pollutant, station.get(pollutant) as ReadonlyMap<number, number>, ends_at)
    return value === null ? [] : [{ pollutant, place: LEVELS.indexOf(levelOf(pollutant, value)) }]
  })
  if (levels.length === 0) return null
  const worst = Math.max(...levels.map(({ place }) => place))
  return {
    level: LEVELS[worst] as AirQualityLevel,
    is_partial: levels.length < measured.length,
    pollutants: levels.filter(({ place }) => place === worst).map(({ pollutant }) => pollutant),
  }
}

function concentrationOf(pollutant: AirPollutant, hours: ReadonlyMap<number, number>, ends_at: number): number | null {
  if (!MOVING.has(pollutant)) return hours.get(ends_at - HOUR_MS) ?? null
  const values = Array.from({ length: MEAN_HOURS }, (_, back) => hours.get(ends_at - (back + 1) * HOUR_MS))
  const present = values.filter((value) => value !== undefined)
  return present.length < MEAN_NEEDS ? null : present.reduce((sum, value) => sum + value, 0) / present.length
}
