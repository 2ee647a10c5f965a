import type { Line, MultiPolygon, Point } from '../schema/columns.ts'
import { distanceM } from './distance.ts'
import { lengthM } from './lines.ts'
import { ringArea } from './rings.ts'

const pointOf = ([lon, lat]: Line[0]): Point => ({ lat, lon })

/** The midpoint along a line, to six decimals. */
export function lineMiddle(line: Line): Point {
  let left = lengthM(line) / 2
  for (let at = 1; at < line.length; at++) {
    const [from, to] = [line[at - 1] as Line[0], line[at] as Line[0]]
    const length = distanceM(pointOf(from), pointOf(to))
    if (length > 0 && left <= length) {
      const share = left / length
      return rounded([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])])
    }
    left -= length
  }
  return rounded(line.at(-1) as Line[0])
}

/** The centroid of the largest polygon's outer ring, to six decimals; it may be outside a bent area. */
export function areaMiddle(area: MultiPolygon): Point {
  const rings = area.map(([outer]) => outer as Line)
  const ring = rings.reduce((largest, one) => (Math.abs(ringArea(one)) > Math.abs(ringArea(largest)) ? one : largest))
  const [x0, y0] = ring[0] as Line[0]
  let [x, y] = [0, 0]
  for (let at = 1; at < ring.length; at++) {
    const [fromX, fromY] = ring[at - 1] as Line[0]
    const [toX, toY] = ring[at] as Line[0]
    const cross = (fromX - x0) * (toY - y0) - (toX - x0) * (fromY - y0)
    x += (fromX + toX - 2 * x0) * cross
    y += (fromY + toY - 2 * y0) * cross
  }
  const area6 = 3 * ringArea(ring)
  return area6 === 0 ? rounded([x0, y0]) : rounded([x0 + x / area6, y0 + y / area6])
}

function rounded([lon, lat]: Line[0]): Point {
  return { lat: Math.round(lat * 1e6) / 1e6, lon: Math.round(lon * 1e6) / 1e6 }
}
