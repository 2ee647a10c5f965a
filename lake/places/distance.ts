import type { Point } from '../schema/columns.ts'

/** Mean radius of the Earth (IUGG R1), in metres. */
export const EARTH_M = 6_371_008.8

/** Great-circle distance between two positions by the haversine formula, in metres; error up to 0.5 % on the ellipsoid. */
export function distanceM(one: Point, other: Point): number {
  const rad = Math.PI / 180
  const lat = ((other.lat - one.lat) * rad) / 2
  const lon = ((other.lon - one.lon) * rad) / 2
  const part = Math.sin(lat) ** 2 + Math.cos(one.lat * rad) * Math.cos(other.lat * rad) * Math.sin(lon) ** 2
  return 2 * EARTH_M * Math.asin(Math.sqrt(part))
}
