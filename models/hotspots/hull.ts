import { pointToUtm, utmToPoint } from '../../lake/places/utm.ts'
import type { Line, Point } from '../../lake/schema/columns.ts'
import { areaOf } from './contour.ts'

/** Corners of a circle. */
const CORNERS = 16

/**
 * The convex hull of circles (positions and radii, m) as a closed ring, counter-clockwise, and its area in m². Computed in the
 * UTM zone of the first one. By Andrew's monotone chain.
 */
export function hullOf(circles: readonly (readonly [Point, radius_m: number])[]): { readonly ring: Line; readonly area_m2: number } {
  const zone = Math.floor(((circles[0] as readonly [Point, number])[0].lon + 180) / 6) + 1
  const corners = circles
    .flatMap(([position, radius_m]) => {
      const { easting_m, northing_m } = pointToUtm(position, zone)
      return Array.from({ length: CORNERS }, (_, at) => {
        const angle = (2 * Math.PI * at) / CORNERS
        return [easting_m + radius_m * Math.cos(angle), northing_m + radius_m * Math.sin(angle)] as const
      })
    })
    .sort(([x, y], [otherX, otherY]) => x - otherX || y - otherY)
  const below = chainOf(corners)
  const above = chainOf(corners.toReversed())
  const ring = [...below, ...above.slice(1)]
  return {
    ring: ring.map(([x, y]) => {
      const { lon, lat } = utmToPoint(x, y, zone)
      return [lon, lat] as const
    }),
    area_m2: areaOf(ring),
  }
}

type Corner = readonly [x: number, y: number]

/** The corners of one side of the hull: each turn is to the left. */
function chainOf(corners: readonly Corner[]): Corner[] {
  const chain: Corner[] = []
  for (const corner of corners) {
    while (chain.length > 1 && !isLeft(chain.at(-2) as Corner, chain.at(-1) as Corner, corner)) chain.pop()
    chain.push(corner)
  }
  return chain
}

const isLeft = ([ax, ay]: Corner, [bx, by]: Corner, [cx, cy]: Corner): boolean => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0
