import { pointToUtm, utmToPoint } from '../../../lake/places/utm.ts'
import { between, chance, hash } from '../random.ts'
import { BASQUE_COUNTRY, CATALONIA, placesAlong } from './along-roads.ts'
import { madridSensors } from './madrid-sensors.ts'
import { type RoadPoint, roadNetwork } from './road-network.ts'
import { defineWorldPart } from './world.ts'

/** A speed camera of DGT; `to` is the end of a section. */
export interface DgtSpeedCamera {
  readonly id: number
  readonly road: string
  readonly isPositive: boolean
  readonly from: RoadPoint
  readonly to: RoadPoint | null
  readonly destination: string | null
}

/** A line of one of Catalonia's lists: texts as published. */
export interface CatalanSpeedCamera {
  readonly road: string
  readonly km: string
  readonly limit: number
  readonly x: string
  readonly y: string
}

/** A speed camera of Madrid's streets. */
export interface MadridSpeedCamera {
  readonly number: number
  readonly name: string
  readonly at: MadridPlace
  /** The begin of a section. */
  readonly from: MadridPlace | null
  readonly limit: number
}

interface MadridPlace {
  readonly x: number
  readonly y: number
  readonly lon: number
  readonly lat: number
}

/** Numbers of cameras, of 2026 or just enough. */
const COUNTS = { full: { dgt: 730, sct: 247, trailers: 60, madrid: 36 }, small: { dgt: 24, sct: 40, trailers: 6, madrid: 8 } } as const
const FIRST_ID = 120_000
const LIMITS = [120, 120, 100, 90, 80] as const

/** DGT's speed cameras: one in eight is a section, at some also in the other direction. */
export const dgtSpeedCameras = defineWorldPart((world): readonly DgtSpeedCamera[] => {
  const network = world.part(roadNetwork)
  const isIn = (province: string): boolean => !CATALONIA.has(province) && !BASQUE_COUNTRY.has(province)
  return placesAlong(world, { count: COUNTS[world.scale].dgt, word: 'speed cameras', isIn }).map(({ stretch, point }, nth) => {
    const isPositive = chance(world.seed, 'speed camera direction', nth) < 0.65
    const length_km = between(15, 60, chance(world.seed, 'section length', nth)) / 10
    const end =
      nth % 8 === 3 ? network.pointAt(stretch.road, Math.round(10 * (point.km + (isPositive ? length_km : -length_km))) / 10) : null
    // A section ends in the province where it begins.
    const to = end?.municipality.province === point.municipality.province ? end : null
    const destination = nth % 2 === 0 ? (isPositive ? point.municipality.name.toUpperCase() : 'MADRID') : null
    return { id: FIRST_ID + nth, road: stretch.road.name, isPositive, from: point, to, destination }
  })
})

const comma = (value: number, decimals: number): string => String(Math.round(value * 10 ** decimals) / 10 ** decimals).replace('.', ',')

/** Catalonia's speed cameras: one in twenty is a section, one in fourteen has broken coordinates. */
export const catalanSpeedCameras = defineWorldPart((world): readonly CatalanSpeedCamera[] => {
  const isIn = (province: string): boolean => CATALONIA.has(province)
  return placesAlong(world, { count: COUNTS[world.scale].sct, word: 'catalan speed cameras', isIn }).map(({ stretch, point }, nth) => {
    const [x, y] = coordinates(point, 4)
    const broken = nth % 28 === 9 ? [x.replace(',', ''), y.replace(',', '')] : nth % 28 === 23 ? [x.replace(/(?=\d,)/, '9'), y] : [x, y]
    const km = comma(point.km, 3)
    const road = nth % 30 === 4 ? `${stretch.road.name} ${nth % 60 === 4 ? 'nord' : 'sud'}` : stretch.road.name
    const end_km = point.km + (nth % 40 === 7 || point.km < 1 ? 3 : -1)
    return {
      ...{ road, km: nth % 20 === 7 ? `${km}-${comma(end_km, 3)}` : km },
      ...{ limit: limitOf(nth), x: broken[0] as string, y: broken[1] as string },
    }
  })
})

/** Sites of Catalonia's cameras on trailers: on dual carriageways one in each direction. */
export const catalanTrailers = defineWorldPart((world): readonly CatalanSpeedCamera[] => {
  const isIn = (province: string): boolean => CATALONIA.has(province)
  return placesAlong(world, { count: COUNTS[world.scale].trailers / 2, word: 'trailers', isIn }).flatMap(({ stretch, point }, nth) =>
    [0, 12].map((aside_m) => {
      const { easting_m, northing_m } = pointToUtm(point, 31)
      const [x, y] = [comma(easting_m + aside_m, 4), comma(northing_m - aside_m, 3)]
      return { road: stretch.road.name, km: comma(point.km, 3), limit: limitOf(nth), x, y }
    }),
  )
})

/** Madrid's speed cameras, at some of its traffic sensors: one in four is a section. */
export const madridSpeedCameras = defineWorldPart((world): readonly MadridSpeedCamera[] => {
  const sensors = world.part(madridSensors)
  const count = COUNTS[world.scale].madrid
  const placeAt = (nth: number): MadridPlace & { readonly name: string } => {
    const { name, position } = sensors[hash(world.seed, 'madrid speed camera', nth) % sensors.length] as (typeof sensors)[number]
    return { name: name.toUpperCase().replaceAll(/[;"]/g, ' '), ...position, ...utmToPoint(position.x, position.y, 30) }
  }
  return Array.from({ length: count }, (_, nth) => {
    const { name, ...at } = placeAt(nth)
    const { x, y } = { x: at.x + 900, y: at.y - 300 }
    return {
      number: nth + 1,
      name,
      at,
      from: nth % 4 === 3 ? { x, y, ...utmToPoint(x, y, 30) } : null,
      limit: [50, 70, 90][nth % 3] as number,
    }
  })
})

function limitOf(nth: number): number {
  return LIMITS[nth % LIMITS.length] as number
}

function coordinates(point: RoadPoint, decimals: number): [x: string, y: string] {
  const { easting_m, northing_m } = pointToUtm(point, 31)
  return [comma(easting_m, decimals), comma(northing_m, decimals)]
}
