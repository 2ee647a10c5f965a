import type { Point } from '../schema/columns.ts'

/** Boxes around Spain with its coast: peninsula and Balearics, Canaries, Ceuta, Melilla. Degrees. */
const BOXES = [
  { south: 35.95, north: 43.9, west: -9.5, east: 4.5 },
  { south: 27.5, north: 29.6, west: -18.4, east: -13.2 },
  { south: 35.84, north: 35.95, west: -5.42, east: -5.24 },
  { south: 35.24, north: 35.36, west: -3.02, east: -2.88 },
] as const

/** Problems of a position, as texts for counters. */
export type LocateProblem =
  | 'latitude and longitude were swapped'
  | 'position is 0, 0'
  | 'position lies outside Spain'
  | 'position is no position'

/** The trustworthy part of a position. */
export interface Located {
  readonly position: Point | null
  readonly problem: LocateProblem | null
}

/**
 * Checks a published position. Swapped coordinates are corrected: this is unambiguous, since Spain's latitudes are not among its
 * longitudes. Anything else outside its boxes becomes null.
 */
export function locate({ lat, lon }: Point): Located {
  if (!Number.isFinite(lat) || !Number.isFinite(lon)) return { position: null, problem: 'position is no position' }
  if (isSpain(lat, lon)) return { position: { lat, lon }, problem: null }
  if (lat === 0 && lon === 0) return { position: null, problem: 'position is 0, 0' }
  if (isSpain(lon, lat)) return { position: { lat: lon, lon: lat }, problem: 'latitude and longitude were swapped' }
  return { position: null, problem: 'position lies outside Spain' }
}

function isSpain(lat: number, lon: number): boolean {
  return BOXES.some((box) => lat >= box.south && lat <= box.north && lon >= box.west && lon <= box.east)
}
