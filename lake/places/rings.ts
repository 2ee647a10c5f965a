import type { Line, MultiPolygon } from '../schema/columns.ts'
import { EARTH_M } from './distance.ts'

/** Twice the signed area of a closed ring in the units of its coordinates: positive if counter-clockwise. */
export function ringArea(ring: Line): number {
  // Relative to the first point, so that a distant origin costs no precision.
  const [x0, y0] = ring[0] as Line[0]
  let sum = 0
  for (let at = 1; at < ring.length; at++) {
    const [x, y] = ring[at - 1] as Line[0]
    const [toX, toY] = ring[at] as Line[0]
    sum += (x - x0) * (toY - y0) - (toX - x0) * (y - y0)
  }
  return sum
}

/** True for a point in a closed ring, by the even-odd rule; undefined on its border. */
export function isInRing(ring: Line, [x, y]: Line[0]): boolean {
  let isInside = false
  for (let at = 1; at < ring.length; at++) {
    const [fromX, fromY] = ring[at - 1] as Line[0]
    const [toX, toY] = ring[at] as Line[0]
    if (fromY > y !== toY > y && x < fromX + ((toX - fromX) * (y - fromY)) / (toY - fromY)) isInside = !isInside
  }
  return isInside
}

/** True for a point in one of the polygons and in none of its holes. */
export function isInPolygons(polygons: MultiPolygon, at: Line[0]): boolean {
  return polygons.some((rings) => rings.filter((ring) => isInRing(ring, at)).length % 2 === 1)
}

const METRES_PER_DEGREE = (EARTH_M * Math.PI) / 180

/** Area of a closed ring over ground, m², on a plane at its latitude: for rings of some kilometres. */
export function ringAreaM2(ring: Line): number {
  const middle = ring.reduce((sum, [, lat]) => sum + lat, 0) / ring.length
  return (Math.abs(ringArea(ring)) / 2) * METRES_PER_DEGREE ** 2 * Math.cos((middle * Math.PI) / 180)
}

/** Area of polygons without their holes, m², like `ringAreaM2`. */
export function polygonsAreaM2(polygons: MultiPolygon): number {
  return polygons.flat().reduce((sum, ring) => sum + Math.sign(ringArea(ring)) * ringAreaM2(ring), 0)
}
