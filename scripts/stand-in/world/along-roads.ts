import { chance } from '../random.ts'
import { type RoadPoint, roadNetwork, type Stretch } from './road-network.ts'
import type { World } from './world.ts'

/** Catalonia and the Basque Country have their own traffic authorities. */
export const CATALONIA: ReadonlySet<string> = new Set(['08', '17', '25', '43'])
export const BASQUE_COUNTRY: ReadonlySet<string> = new Set(['01', '20', '48'])

/** A place on a road of the generated Spain. */
export interface PlaceOnRoad {
  readonly stretch: Stretch
  readonly point: RoadPoint
}

/**
 * About `count` places along the roads of some provinces, evenly spaced, the first of each stretch at random. `word` makes the
 * places of one kind of thing differ from those of another.
 */
export function placesAlong(
  world: World,
  { count, word, isIn, onlyMain = false }: { count: number; word: string; isIn: (province: string) => boolean; onlyMain?: boolean },
): PlaceOnRoad[] {
  const network = world.part(roadNetwork)
  const stretches = [...network.stretches]
    .filter(([province]) => isIn(province))
    .flatMap(([, all]) => all)
    .filter(({ road }) => road.isMain || !onlyMain)
  const apart = stretches.reduce((sum, { from_km, to_km }) => sum + to_km - from_km, 0) / count
  const found: PlaceOnRoad[] = []
  // What is left of the way to the next place when a stretch ends is carried over, so that short stretches get their share.
  let rest = apart * chance(world.seed, word)
  for (const stretch of stretches) {
    let km = stretch.from_km + rest
    for (; km < stretch.to_km; km += apart) {
      const point = network.pointAt(stretch.road, Math.round(km * 20) / 20)
      if (point) found.push({ stretch, point })
    }
    rest = km - stretch.to_km
  }
  return found
}

/**
 * Places along the main roads outside Catalonia and the Basque Country, `madrid` or `elsewhere` km apart. The first of each road
 * is at random; `steps` is the number of possible kilometres in one.
 */
export function placesEvery(
  world: World,
  {
    madrid,
    elsewhere,
    word,
    steps,
  }: { readonly madrid: number; readonly elsewhere: number; readonly word: string; readonly steps: number },
): PlaceOnRoad[] {
  const network = world.part(roadNetwork)
  const found: PlaceOnRoad[] = []
  for (const [province, stretches] of network.stretches) {
    if (CATALONIA.has(province) || BASQUE_COUNTRY.has(province)) continue
    const apart = province === '28' ? madrid : elsewhere
    for (const stretch of stretches.filter(({ road }) => road.isMain)) {
      const first = stretch.from_km + apart * chance(world.seed, word, stretch.road.name, province)
      for (let km = first; km < stretch.to_km; km += apart) {
        const point = network.pointAt(stretch.road, Math.round(km * steps) / steps)
        if (point) found.push({ stretch, point })
      }
    }
  }
  return found
}
