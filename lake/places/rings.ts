import type { Line, Polygon } from '../schema/columns.ts'

/** Twice the signed area of a closed ring in the units of its coordinates: positive where it goes round counter-clockwise. */
export function ringArea(ring: Line): number {
  // From the first point on, so that digits are not lost to how far away the origin is.
  const [x0, y0] = ring[0] as Line[0]
  let sum = 0
  for (let at = 1; at < ring.length; at++) {
    const [x, y] = ring[at - 1] as Line[0]
    const [toX, toY] = ring[at] as Line[0]
    sum += (x - x0) * (toY - y0) - (toX - x0) * (y - y0)
  }
  return sum
}

/** True for a point within a closed ring, by the even-odd rule; what lies on its border may be either. */
export function isInRing(ring: Line, [x, y]: Line[0]): boolean {
  let isInside = false
  for (let at = 1; at < ring.length; at++) {
    const [fromX, fromY] = ring[at - 1] as Line[0]
    const [toX, toY] = ring[at] as Line[0]
    if (fromY > y !== toY > y && x < fromX + ((toX - fromX) * (y - fromY)) / (toY - fromY)) isInside = !isInside
  }
  return isInside
}

/** Parts of a degree that coordinates are whole numbers of: with five decimals, all that is computed of them is exact. */
const PARTS = 100_000

/** A side of a ring between two corners, in whole parts of a degree. */
interface Side {
  readonly from: readonly [number, number]
  readonly to: readonly [number, number]
  readonly ring: number
  /** Which side of its ring it is, and of how many. */
  readonly nth: number
  readonly of: number
}

/**
 * True where a side of the polygons, whose coordinates have five decimals at most, crosses another one, or where a ring touches itself: what OGC 06-103r4
 * (section 6.1.11) calls no valid polygon. Rings may touch each other in points.
 */
export function hasCrossing(polygons: readonly Polygon[]): boolean {
  const sides = polygons.flat().flatMap(sidesOf)
  const least = ({ from, to }: Side): number => Math.min(from[0], to[0])
  sides.sort((one, other) => least(one) - least(other))
  let open: Side[] = []
  for (const side of sides) {
    const begin = least(side)
    open = open.filter(({ from, to }) => Math.max(from[0], to[0]) >= begin)
    if (open.some((other) => areCrossing(side, other))) return true
    open.push(side)
  }
  return false
}

function sidesOf(ring: Line, number: number): Side[] {
  const corners = ring
    .map(([x, y]) => [Math.round(x * PARTS), Math.round(y * PARTS)] as const)
    .filter(([x, y], at, all) => at === 0 || x !== all[at - 1]?.[0] || y !== all[at - 1]?.[1])
  return corners.slice(1).map((to, nth) => ({ from: corners[nth] as Side['from'], to, ring: number, nth, of: corners.length - 1 }))
}

function areCrossing(one: Side, other: Side): boolean {
  if (!doOverlap(one, other, 1)) return false
  const [begin, end] = [turn(one, other.from), turn(one, other.to)]
  const [otherBegin, otherEnd] = [turn(other, one.from), turn(other, one.to)]
  if (begin * end < 0 && otherBegin * otherEnd < 0) return true
  const isTouching =
    (begin === 0 && isWithin(one, other.from)) ||
    (end === 0 && isWithin(one, other.to)) ||
    (otherBegin === 0 && isWithin(other, one.from)) ||
    (otherEnd === 0 && isWithin(other, one.to))
  if (!isTouching) return false
  if (begin === 0 && end === 0) return doRunTogether(one, other)
  return one.ring === other.ring && !areNeighbours(one, other)
}

/** Of two sides on one straight line: true where they have more than a point in common, or touch though they are no neighbours. */
function doRunTogether(one: Side, other: Side): boolean {
  const axis = one.from[0] === one.to[0] ? 1 : 0
  const [low, high] = [one, other].map(({ from, to }) => [from[axis], to[axis]].sort((a, b) => a - b)) as [number[], number[]]
  const common = Math.min(low[1] as number, high[1] as number) - Math.max(low[0] as number, high[0] as number)
  return common > 0 || (one.ring === other.ring && !areNeighbours(one, other))
}

function areNeighbours(one: Side, other: Side): boolean {
  const apart = Math.abs(one.nth - other.nth)
  return apart === 1 || apart === one.of - 1
}

/** On which side of a line a point lies: positive to the left. */
function turn({ from, to }: Side, [x, y]: Side['from']): number {
  return Math.sign((to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]))
}

function isWithin({ from, to }: Side, [x, y]: Side['from']): boolean {
  return x >= Math.min(from[0], to[0]) && x <= Math.max(from[0], to[0]) && y >= Math.min(from[1], to[1]) && y <= Math.max(from[1], to[1])
}

function doOverlap(one: Side, other: Side, axis: 0 | 1): boolean {
  return (
    Math.min(one.from[axis], one.to[axis]) <= Math.max(other.from[axis], other.to[axis]) &&
    Math.min(other.from[axis], other.to[axis]) <= Math.max(one.from[axis], one.to[axis])
  )
}
