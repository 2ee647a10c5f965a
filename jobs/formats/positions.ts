import { ringArea } from '../../lake/places/rings.ts'
import type { Line, Point } from '../../lake/schema/columns.ts'

/** Receives what was left out, one call for each. */
type Warn = (text: string) => void

/** Receivers without a fix and empty cells give 0, 0; nothing on land or in a harbour is within 0.001° (111 m) of it. */
const NOWHERE_DEG = 0.001

/** True within 0.001° of 0, 0. */
export function isNowhere(lat: number, lon: number): boolean {
  return Math.abs(lat) <= NOWHERE_DEG && Math.abs(lon) <= NOWHERE_DEG
}

/** A position in degrees; null without one: a missing, unreadable or impossible coordinate, or a place at 0, 0. */
export function knownPosition(lat: number | null | undefined, lon: number | null | undefined): Point | null {
  if (lat == null || lon == null || !(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return null
  return isNowhere(lat, lon) ? null : { lat, lon }
}

/** `knownPosition` of what a publisher states of a thing (`a train`); an implausible one is reported. */
export function statedPosition(
  stated: { readonly lat: number | null; readonly lon: number | null } | null,
  thing: string,
  warn: Warn,
): Point | null {
  if (stated === null || stated.lat === null || stated.lon === null) return null
  const position = knownPosition(stated.lat, stated.lon)
  if (position === null) warn(`implausible position of ${thing}`)
  return position
}

/** Edges in degrees, which belong to the box. */
export interface Box {
  readonly south: number
  readonly north: number
  readonly west: number
  readonly east: number
}

/** True for a position in one of the boxes. */
export function isInBoxes({ lat, lon }: Point, boxes: readonly Box[]): boolean {
  return boxes.some(({ south, north, west, east }) => lat >= south && lat <= north && lon >= west && lon <= east)
}

/** The known points of a line as [lon, lat], in order; each other one is left out and reported. */
export function knownPoints(points: Iterable<Point | null>, warn: Warn): Line[0][] {
  const known: Line[0][] = []
  for (const point of points)
    if (point === null) warn('a point of a line or area is unreadable or out of range: left out')
    else known.push([point.lon, point.lat])
  return known
}

/** The line if it has at least two points; otherwise null, reported. */
export function lineOf(points: Line, warn: Warn): Line | null {
  if (points.length >= 2) return points
  warn('a line with fewer than two readable points: left out')
  return null
}

/** A closed ring of at least four corners with an area, counter-clockwise; otherwise null, reported. Closes an open one. */
export function ringOf(corners: Line, warn: Warn): Line | null {
  const [first, last] = [corners[0], corners.at(-1)]
  const ring = first && last && (first[0] !== last[0] || first[1] !== last[1]) ? [...corners, first] : corners
  if (ring.length >= 4 && ringArea(ring) !== 0) return ringArea(ring) < 0 ? ring.toReversed() : ring
  warn('a ring with fewer than three different readable corners: left out')
  return null
}
