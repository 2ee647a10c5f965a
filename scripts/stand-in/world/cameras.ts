import { utmToPoint } from '../../../lake/places/utm.ts'
import { between, chance, hash } from '../random.ts'
import { BASQUE_COUNTRY, CATALONIA, placesAlong } from './along-roads.ts'
import { madridSensors } from './madrid-sensors.ts'
import { type RoadPoint, roadNetwork } from './road-network.ts'
import { defineWorldPart } from './world.ts'

/** A camera of DGT. */
export interface DgtCamera {
  readonly id: number
  readonly road: string
  readonly point: RoadPoint
  readonly direction: 'positive' | 'negative' | 'both'
  readonly destination: string | null
  /** When its record was last changed, ms. */
  readonly changedAt: number
}

/** A camera of Madrid's streets. */
export interface MadridCamera {
  readonly number: string
  readonly name: string
  readonly lon: number
  readonly lat: number
}

/** A speed camera of DGT; `to` is the end of a section. */
export interface DgtSpeedCamera {
  readonly id: number
  readonly road: string
  readonly isPositive: boolean
  readonly from: RoadPoint
  readonly to: RoadPoint | null
  readonly destination: string | null
}

/** Numbers of cameras, of 2026 or just enough. */
const COUNTS = { full: { dgt: 1950, speed: 730, madrid: 357 }, small: { dgt: 30, speed: 24, madrid: 12 } } as const
/** The API documents the camera 176130. */
const FIRST_ID = 176_120
const FIRST_SPEED_ID = 120_000
const DAY = 86_400_000

/** True for provinces without a traffic authority of their own. */
const isOfDgt = (province: string): boolean => !CATALONIA.has(province) && !BASQUE_COUNTRY.has(province)

/** DGT's cameras, along the main roads. */
export const dgtCameras = defineWorldPart((world): readonly DgtCamera[] => {
  const { seed, scale } = world
  return placesAlong(world, { count: COUNTS[scale].dgt, word: 'cameras', isIn: isOfDgt, onlyMain: true }).map(({ stretch, point }, nth) => {
    const u = chance(seed, 'camera direction', nth)
    const direction = u < 0.49 ? 'negative' : u < 0.96 ? 'positive' : 'both'
    const isStated = direction !== 'both' && chance(seed, 'camera destination', nth) < 0.55
    return {
      id: FIRST_ID + nth,
      road: stretch.road.name,
      point,
      direction,
      destination: isStated ? (direction === 'positive' ? point.municipality.name.toUpperCase() : 'MADRID') : null,
      changedAt: Date.UTC(2024, 0, 1) + (hash(seed, 'camera changed', nth) % 600) * DAY,
    }
  })
})

/** Madrid's cameras, at some of its traffic sensors. */
export const madridCameras = defineWorldPart((world): readonly MadridCamera[] => {
  const sensors = world.part(madridSensors)
  const count = Math.min(COUNTS[world.scale].madrid, sensors.length)
  return Array.from({ length: count }, (_, nth) => {
    const { name, position } = sensors[Math.floor((nth * sensors.length) / count)] as (typeof sensors)[number]
    return { number: String(nth + 1).padStart(5, '0'), name: name.toUpperCase(), ...utmToPoint(position.x, position.y, 30) }
  })
})

/** DGT's speed cameras: one in eight is a section, at some also in the other direction. */
export const dgtSpeedCameras = defineWorldPart((world): readonly DgtSpeedCamera[] => {
  const network = world.part(roadNetwork)
  return placesAlong(world, { count: COUNTS[world.scale].speed, word: 'speed cameras', isIn: isOfDgt }).map(({ stretch, point }, nth) => {
    const isPositive = chance(world.seed, 'speed camera direction', nth) < 0.65
    const length_km = between(15, 60, chance(world.seed, 'section length', nth)) / 10
    const end =
      nth % 8 === 3 ? network.pointAt(stretch.road, Math.round(10 * (point.km + (isPositive ? length_km : -length_km))) / 10) : null
    // A section ends in the province where it begins.
    const to = end?.municipality.province === point.municipality.province ? end : null
    const destination = nth % 2 === 0 ? (isPositive ? point.municipality.name.toUpperCase() : 'MADRID') : null
    return { id: FIRST_SPEED_ID + nth, road: stretch.road.name, isPositive, from: point, to, destination }
  })
})
