import { distanceM } from '../../lake/places/distance.ts'
import type { Point } from '../../lake/schema/columns.ts'

export { distanceM, EARTH_M } from '../../lake/places/distance.ts'

/** A box in degrees. */
export interface Box {
  readonly kind: 'box'
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** An area that a caller asks for: a box in degrees, or a circle with its radius in metres. */
export type Area = Box | { readonly kind: 'circle'; readonly lat: number; readonly lon: number; readonly radius_m: number }

/** True where a position lies in the area, its edge included; never for an unknown position. */
export function isInside(area: Area, at: Point | null): boolean {
  if (!at) return false
  if (area.kind === 'box') return at.lat >= area.south && at.lat <= area.north && at.lon >= area.west && at.lon <= area.east
  return distanceM(area, at) <= area.radius_m
}
