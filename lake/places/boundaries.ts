import { LRUCache } from 'lru-cache'
import { union } from 'polyclip-ts'
import type { Line, MultiPolygon } from '../schema/columns.ts'
import type { Area } from './atlas.ts'
import { roundedLine } from './lines.ts'
import { outlinesOf } from './outlines.ts'
import { polygonsOfRing, polygonsOfRings } from './simple-rings.ts'
import { isValidArea } from './valid-area.ts'

/** Metres of a pixel of web maps at the equator at zoom 0, with tiles of 256 pixels. */
const PIXEL_M = 156_543
/** The boundaries of a map or two; all of Spain at every zoom would be 130 MB. */
const known = new LRUCache<string, MultiPolygon>({ max: 1000 })

/**
 * The boundary of an area of the atlas, simplified to a pixel of a web map at a zoom in the middle of Spain. The last ones are
 * cached; valid, even where the rings of the atlas run along or cross each other; empty for an area without extent.
 */
export function boundaryOf(area: Area, zoom: number): MultiPolygon {
  const key = `${area.code} ${zoom}`
  let boundary = known.get(key)
  if (!boundary) {
    const rings = area.rings.map(
      (ring): Line => Array.from({ length: ring.length / 2 }, (_, at) => [ring[2 * at] as number, ring[2 * at + 1] as number]),
    )
    // Some rings of the atlas touch themselves.
    const simple = rings.flatMap((ring) => polygonsOfRing(ring, 1)?.flat() ?? [ring])
    const tolerance_m = Math.max(1, (PIXEL_M * Math.cos((40 * Math.PI) / 180)) / 2 ** zoom)
    const polygons = polygonsOfRings(simple)
    boundary = polygons.length === 0 ? [] : repairedArea(outlinesOf([polygons], tolerance_m)[0] as MultiPolygon)
    known.set(key, boundary)
  }
  return boundary
}

/** Units per degree of 5 decimals. */
const PARTS = 100_000
/** Rounds in which an area is repaired: rounding to 5 decimals may make rings meet again. */
const ROUNDS = 4

/**
 * The area without rings that cross, overlap or run along each other, at 5 decimals: its parts united. A valid area stays as it
 * is, and so does one without extent.
 */
export function repairedArea(area: MultiPolygon): MultiPolygon {
  let united = area
  for (let round = 0; round < ROUNDS && !isValidArea(united); round++) {
    const [first, ...others] = united.map((polygon) => [
      polygon.map((ring) => ring.map(([lon, lat]): [number, number] => [Math.round(lon * PARTS), Math.round(lat * PARTS)])),
    ])
    if (!first) return area
    united = union(first, ...others).map((rings) => rings.map((ring) => roundedLine(ring.map(([x, y]) => [x / PARTS, y / PARTS] as const))))
  }
  return united.length > 0 ? united : area
}
