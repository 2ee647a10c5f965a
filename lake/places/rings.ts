import type { Line, MultiPolygon } from '../schema/columns.ts'

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
