import { LRUCache } from 'lru-cache'
import type { Line, MultiPolygon } from '../schema/columns.ts'
import type { Area } from './atlas.ts'
import { outlinesOf } from './outlines.ts'
import { repairedArea } from './repaired-area.ts'
import { polygonsOfRing, polygonsOfRings } from './simple-rings.ts'

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
