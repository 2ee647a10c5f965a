import { distanceM } from '../../../lake/places/distance.ts'
import { nearestShare } from '../../../lake/places/lines.ts'
import { isInPolygons } from '../../../lake/places/rings.ts'
import type { Line, MultiPolygon, Point } from '../../../lake/schema/columns.ts'

export { distanceM, EARTH_M } from '../../../lake/places/distance.ts'

/** A box in degrees. */
export interface Box {
  readonly kind: 'box'
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** A requested area: a box in degrees, or a circle with its radius in metres. */
export type Area = Box | { readonly kind: 'circle'; readonly lat: number; readonly lon: number; readonly radius_m: number }

/** True if a position is in the area, including its edge; never for an unknown position. */
export function isInside(area: Area, at: Point | null): boolean {
  if (!at) return false
  if (area.kind === 'box') return at.lat >= area.south && at.lat <= area.north && at.lon >= area.west && at.lon <= area.east
  return distanceM(area, at) <= area.radius_m
}

/** True if polygons share a point with the area, including its edge. */
export function touches(area: Area, polygons: MultiPolygon): boolean {
  const corner: Line[0] = area.kind === 'box' ? [area.west, area.south] : [area.lon, area.lat]
  // If no side meets the area, it is entirely inside or outside.
  return (
    isInPolygons(polygons, corner) ||
    polygons.flat().some((ring) => ring.some((to, at) => at > 0 && meets(area, ring[at - 1] as Line[0], to)))
  )
}

/** True for a side of a polygon with a point in the area. */
function meets(area: Area, from: Line[0], to: Line[0]): boolean {
  return area.kind === 'box' ? crossesBox(area, from, to) : distanceToSideM(area, from, to) <= area.radius_m
}

/** The distance of a point from polygons, in metres; 0 inside them. */
export function distanceToPolygonsM(centre: Point, polygons: MultiPolygon): number {
  if (isInPolygons(polygons, [centre.lon, centre.lat])) return 0
  let least = Number.POSITIVE_INFINITY
  for (const ring of polygons.flat())
    for (let at = 1; at < ring.length; at++) least = Math.min(least, distanceToSideM(centre, ring[at - 1] as Line[0], ring[at] as Line[0]))
  return least
}

function distanceToSideM(centre: Point, from: Line[0], to: Line[0]): number {
  const share = nearestShare([centre.lon, centre.lat], from, to)
  return distanceM(centre, { lon: from[0] + share * (to[0] - from[0]), lat: from[1] + share * (to[1] - from[1]) })
}

/** Clips the side at each edge of the box in turn (Liang and Barsky): the remainder is inside. */
function crossesBox({ west, south, east, north }: Box, [x, y]: Line[0], [toX, toY]: Line[0]): boolean {
  let [begin, end] = [0, 1]
  const cuts = [
    [x - toX, x - west],
    [toX - x, east - x],
    [y - toY, y - south],
    [toY - y, north - y],
  ] as const
  for (const [run, room] of cuts) {
    if (run === 0 && room < 0) return false
    if (run < 0) begin = Math.max(begin, room / run)
    if (run > 0) end = Math.min(end, room / run)
  }
  return begin <= end
}
