import { utmToPoint } from '../../../lake/places/utm.ts'
import { chance, hash } from '../random.ts'
import { BASQUE_COUNTRY, CATALONIA, placesAlong } from './along-roads.ts'
import { madridSensors } from './madrid-sensors.ts'
import type { RoadPoint } from './road-network.ts'
import { defineWorldPart, type World } from './world.ts'

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

/** A camera on the map of the Servei Català de Trànsit. */
export interface CatalanCamera {
  readonly lon: number
  readonly lat: number
  /** A road, or a crossing of streets. */
  readonly road: string
  readonly place: string
  readonly km: number | null
  readonly link: string
  readonly operator: 'SCT' | 'IMI' | 'Terrassa' | 'Andorra'
}

/** A camera of Madrid's streets. */
export interface MadridCamera {
  readonly number: string
  readonly name: string
  readonly lon: number
  readonly lat: number
}

/** Numbers of cameras, of 2026 or just enough. */
const COUNTS = {
  full: { dgt: 1950, roads: 112, barcelona: 34, terrassa: 8, andorra: 10, madrid: 357 },
  small: { dgt: 30, roads: 12, barcelona: 3, terrassa: 2, andorra: 2, madrid: 12 },
} as const
/** The API documents the camera 176130. */
const FIRST_ID = 176_120
const DAY = 86_400_000

/** DGT's cameras, along the main roads. */
export const dgtCameras = defineWorldPart((world): readonly DgtCamera[] => {
  const { seed, scale } = world
  const isIn = (province: string): boolean => !CATALONIA.has(province) && !BASQUE_COUNTRY.has(province)
  return placesAlong(world, { count: COUNTS[scale].dgt, word: 'cameras', isIn, onlyMain: true }).map(({ stretch, point }, nth) => {
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

/** The cameras on Catalonia's map; one in forty is listed twice. */
export const catalanCameras = defineWorldPart((world): readonly CatalanCamera[] => {
  const counts = COUNTS[world.scale]
  const roads = placesAlong(world, { count: counts.roads, word: 'catalan cameras', isIn: (province) => CATALONIA.has(province) })
  const all = [
    ...roads.map(
      ({ stretch, point }, nth): CatalanCamera => ({
        ...{ lon: point.lon, lat: point.lat, road: stretch.road.name, place: point.municipality.name.toUpperCase() },
        ...{ km: nth % 4 === 3 ? null : point.km, operator: 'SCT' },
        link: `http://mct.gencat.cat/mct2bo/RenderService?sctidcam=s${nth}.jpg`,
      }),
    ),
    ...around(world, 'IMI', counts.barcelona, [2.165, 41.395]),
    ...around(world, 'Terrassa', counts.terrassa, [2.01, 41.563]),
    ...around(world, 'Andorra', counts.andorra, [1.52, 42.507]),
  ]
  return [...all, ...all.filter((_, nth) => nth % 40 === 5)]
})

const LINKS = {
  IMI: (nth: number) => `http://www.bcn.cat/transit/imatges/Cruilla${nth}.gif?a=1`,
  Terrassa: (nth: number) => `http://emap.terrassa.cat/it_terrassa/cam${nth}.jpeg \r\n`,
  Andorra: (nth: number) => `http://app.mobilitat.ad/mapa/fotos/cam${nth}.jpg?a=1`,
} as const
const PLACES = { IMI: 'Barcelona', Terrassa: 'Terrassa', Andorra: 'Andorra' } as const

/** Cameras of a town, within some hundred metres of its centre. */
function around({ seed }: World, operator: keyof typeof LINKS, count: number, [lon, lat]: readonly [number, number]): CatalanCamera[] {
  const aside = (nth: number, axis: string): number => Math.round(1e6 * 0.012 * (chance(seed, operator, nth, axis) - 0.5)) / 1e6
  return Array.from({ length: count }, (_, nth) => ({
    ...{ lon: Math.round(1e6 * (lon + aside(nth, 'x'))) / 1e6, lat: Math.round(1e6 * (lat + aside(nth, 'y'))) / 1e6 },
    ...{ road: `Carrer ${nth + 1} - Avinguda ${(nth % 7) + 1}`, place: PLACES[operator], km: null, link: LINKS[operator](nth), operator },
  }))
}

/** Madrid's cameras, at some of its traffic sensors. */
export const madridCameras = defineWorldPart((world): readonly MadridCamera[] => {
  const sensors = world.part(madridSensors)
  const count = Math.min(COUNTS[world.scale].madrid, sensors.length)
  return Array.from({ length: count }, (_, nth) => {
    const { name, position } = sensors[Math.floor((nth * sensors.length) / count)] as (typeof sensors)[number]
    return { number: String(nth + 1).padStart(5, '0'), name: name.toUpperCase(), ...utmToPoint(position.x, position.y, 30) }
  })
})
