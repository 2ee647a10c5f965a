import type { Point } from '../../lake/schema/columns.ts'

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

/** Mean radius of the Earth (IUGG R1), in metres. */
export const EARTH_M = 6_371_008.8

/** Great-circle distance of two positions by the haversine formula, in metres; off by at most 0.5 % on the ellipsoid. */
export function distanceM(one: Point, other: Point): number {
  const rad = Math.PI / 180
  const lat = ((other.lat - one.lat) * rad) / 2
  const lon = ((other.lon - one.lon) * rad) / 2
  const part = Math.sin(lat) ** 2 + Math.cos(one.lat * rad) * Math.cos(other.lat * rad) * Math.sin(lon) ** 2
  return 2 * EARTH_M * Math.asin(Math.sqrt(part))
}

/** True where a position lies in the area, its edge included; never for an unknown position. */
export function isInside(area: Area, at: Point | null): boolean {
  if (!at) return false
  if (area.kind === 'box') return at.lat >= area.south && at.lat <= area.north && at.lon >= area.west && at.lon <= area.east
  return distanceM(area, at) <= area.radius_m
}
