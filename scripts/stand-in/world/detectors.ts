import { chance, hash } from '../random.ts'
import { type PlaceOnRoad, placesEvery } from './along-roads.ts'
import { demand, localTime } from './rhythm.ts'
import type { RoadPoint } from './road-network.ts'
import { defineWorldPart, type World } from './world.ts'

/** A traffic detector: one lane at a point of a road. */
export interface Detector {
  readonly id: number
  readonly road: string
  readonly point: RoadPoint
  readonly isPositive: boolean
  readonly destination: string
  /** `singularity`, as published. */
  readonly site: string
  /** Vehicles in the busiest minute. */
  readonly busiest: number
  /** Speed of free traffic, km/h. */
  readonly free_kmh: number
}

/** A detector's measurements; null for a quantity that it does not provide. */
export interface Measurement {
  readonly detector: number
  readonly at: number
  readonly flow_veh_h: number | null
  readonly speed_kmh: number | null
  readonly headway_m: number | null
  readonly occupancy_pct: number | null
  readonly long_pct: number | null
  /** True if the share of long vehicles is in the same element as the occupancy. */
  readonly isLongWithOccupancy: boolean
}

const MADRID = '28'
/** Distance between points with detectors, km: each file has some 18 MB, like the publisher's. */
const SPACING = { full: { madrid: 2.5, elsewhere: 15 }, small: { madrid: 60, elsewhere: 5000 } } as const
const FIRST_ID = 133_000
/** The publication at which frozen detectors stopped, as in the notes. */
const STUCK_SINCE = Date.UTC(2025, 5, 30, 9, 5)
/** Detectors in the measurements that are missing in the catalogue. */
const UNLISTED = [990_001, 990_002]
const PERIOD = 300_000
const HOUR = 12 * PERIOD

/** The detectors, along the roads. */
export const detectors = defineWorldPart((world): readonly Detector[] => {
  const found: Detector[] = []
  for (const place of placesEvery(world, { ...SPACING[world.scale], word: 'first detector', steps: 20 }))
    for (const isPositive of [true, false]) found.push(...lanesAt(world, { ...place, isPositive, first: found.length }))
  return found
})

interface Carriageway extends PlaceOnRoad {
  readonly isPositive: boolean
  /** Number of earlier detectors. */
  readonly first: number
}

/** The lanes of a carriageway, sometimes with an entry, an exit or a bus lane beside them. */
function lanesAt({ seed }: World, { stretch, point, isPositive, first }: Carriageway): Detector[] {
  const { name } = stretch.road
  const isMotorway = /^(A|AP|M|R|C)-/.test(name)
  const lanes = stretch.province === MADRID && isMotorway ? 3 : isMotorway ? 2 : 1
  const usual = isMotorway ? (/^M-\d0$/.test(name) ? 'CIRCUNVALACIÓN' : 'AUTOPISTA / AUTOVÍA') : 'CARRETERA NACIONAL'
  const beside = chance(seed, 'beside', name, point.km, Number(isPositive))
  const other =
    beside < 0.06 ? 'SALIDA' : beside < 0.12 ? 'ENTRADA' : beside < 0.13 ? 'BUS-VAO' : beside < 0.15 ? 'CARRETERA AUTONÓMICA' : null
  const sites = [...Array.from({ length: lanes }, () => usual), ...(other ? [other] : []), ...(beside > 0.99 ? ['NINGUNA'] : [])]
  return sites.map((site, lane) => ({
    id: FIRST_ID + first + lane,
    road: name,
    point,
    isPositive,
    destination: (isPositive ? point.municipality.name : 'Madrid').toUpperCase(),
    site,
    busiest: (site === usual ? (isMotorway ? 26 : 12) : 8) * (0.5 + 0.6 * chance(seed, 'busiest', name, point.km, lane)),
    free_kmh: site === usual ? (isMotorway ? 118 - 14 * lane : 88) : 62,
  }))
}

/** When the values of a publication at an instant (ms) were measured. */
export function measuredAt(publishedAt: number): number {
  return Math.floor(publishedAt / PERIOD) * PERIOD
}

/**
 * The measurements in a publication. Of the catalogued detectors one in nine is omitted, one in thirty is frozen, one in twenty
 * is dead and reports 0, and some lack a quantity. A pure function of seed, detector and instant.
 */
export function measurementsAt(world: World, publishedAt: number): Measurement[] {
  const { seed } = world
  const at = measuredAt(publishedAt)
  const busy = demand(localTime(at))
  const hour = Math.floor(at / HOUR)
  const all = world.part(detectors)
  const [model] = all
  const unlisted = model ? UNLISTED.map((id) => ({ ...model, id })) : []
  return [...all, ...unlisted].flatMap((detector, nth) => {
    const kind = hash(seed, 'detector kind', detector.id) % 180
    // The first ones always report, so that the smallest world has some of each.
    if (nth >= 6 && (kind < 20 || hash(seed, 'detector out', detector.id, hour) % 200 === 0)) return []
    const isStuck = nth === 1 || (nth >= 6 && kind < 26)
    const isDead = nth === 2 || (nth >= 6 && kind >= 26 && kind < 35)
    const dice = (what: string): number => chance(seed, what, detector.id, isStuck ? 0 : at)
    const vehicles = isDead ? 0 : Math.max(0, Math.round(detector.busiest * busy * (0.7 + 0.6 * dice('vehicles'))))
    const crowding = Math.max(0, vehicles - 18) / 10
    const speed = vehicles === 0 ? 0 : Math.round(detector.free_kmh * (0.9 + 0.2 * dice('speed')) * (1 - 0.6 * Math.min(1, crowding)))
    const hasLong = vehicles > 0 && kind % 3 === 0
    return [
      {
        detector: detector.id,
        at: isStuck ? STUCK_SINCE : at,
        flow_veh_h: nth === 3 || kind === 40 ? null : vehicles * 60,
        speed_kmh: nth === 4 || kind === 41 || kind === 42 ? null : speed,
        headway_m: kind === 43 ? null : vehicles === 0 ? 0 : Math.min(900, Math.round((speed * 1000) / (vehicles * 60))),
        occupancy_pct: kind === 44 ? null : vehicles === 0 ? 0 : Math.min(100, Math.round((vehicles * 60 * 0.6) / Math.max(5, speed))),
        long_pct: hasLong ? Math.floor(30 * dice('long') ** 2) : null,
        isLongWithOccupancy: kind % 2 === 0,
      },
    ]
  })
}
