import type { Line, Polygon } from '../schema/columns.ts'
import { ringArea } from './rings.ts'

/** Units per degree: coordinates are whole numbers of them. With five decimals, all results are exact. */
const PARTS = 100_000
/** More units than from pole to pole, so that each place gets a unique number. */
const SPAN = 40_000_000

type Corner = readonly [x: number, y: number]

/** A side of a ring between two corners, in whole units; the polygon is on its left. */
interface Side {
  readonly from: Corner
  readonly to: Corner
  readonly west: number
  readonly east: number
  readonly ring: number
  /** Its index in its ring, and the ring's number of sides. */
  readonly nth: number
  readonly of: number
}

/** A place where rings touch, and the sides that meet there. */
interface Touch {
  readonly at: Corner
  readonly sides: Set<Side>
}

/**
 * True if polygons form one valid geometry (OGC 06-103r4, sections 6.1.11 and 6.1.14) at five decimals: sides do not cross or
 * overlap, rings do not touch themselves, interiors are connected, holes lie in their outer ring and polygons only in holes.
 * Rings may touch at points; their direction is ignored, and so are rings of one point.
 */
export function isValidArea(polygons: readonly Polygon[]): boolean {
  const rings = polygons.flatMap((polygon) => polygon.map((ring, nth) => ({ ring, isHole: nth > 0 }))).map(sidesOf)
  const touches = touchesOf(rings.flat())
  if (touches === null || !touches.every(doAlternate)) return false
  const groups = groupsOf(rings.length, touches)
  // Rings that touch in a cycle enclose a piece of the area.
  if (polygons.length === 1 && groups.haveCircle) return false
  if (!arePlaced(rings, groups.of)) return false
  // The whole may be valid even though a hole is in another polygon than its own.
  return polygons.length === 1 || polygons.every((polygon) => polygon.length === 1 || isValidArea([polygon]))
}

function sidesOf({ ring, isHole }: { readonly ring: Line; readonly isHole: boolean }, number: number): Side[] {
  const corners = ring
    .map(([x, y]): Corner => [Math.round(x * PARTS), Math.round(y * PARTS)])
    .filter(([x, y], at, all) => at === 0 || x !== all[at - 1]?.[0] || y !== all[at - 1]?.[1])
  if (ringArea(corners) > 0 === isHole) corners.reverse()
  return corners.slice(1).map((to, nth) => {
    const from = corners[nth] as Corner
    return { from, to, west: Math.min(from[0], to[0]), east: Math.max(from[0], to[0]), ring: number, nth, of: corners.length - 1 }
  })
}

/** The touches between rings; null if a ring touches itself, or sides cross or overlap. */
function touchesOf(sides: Side[]): readonly Touch[] | null {
  sides.sort((one, other) => one.west - other.west)
  const touches = new Map<number, Touch>()
  const open: Side[] = []
  for (const side of sides) {
    let left = 0
    for (const other of open) {
      if (other.east < side.west) continue
      open[left++] = other
      if (!doMeet(side, other)) continue
      const places = placesOf(side, other)
      if (places === null) return null
      for (const at of places) {
        const key = at[0] * SPAN + at[1]
        const touch = touches.get(key) ?? { at, sides: new Set() }
        touches.set(key, touch)
        touch.sides.add(side).add(other)
      }
    }
    open.length = left
    open.push(side)
  }
  return [...touches.values()]
}

/** True if the boxes of two sides intersect, whose west-east spans are known to. */
function doMeet({ from: [, y], to: [, toY] }: Side, { from: [, otherY], to: [, otherToY] }: Side): boolean {
  return Math.min(y, toY) <= Math.max(otherY, otherToY) && Math.min(otherY, otherToY) <= Math.max(y, toY)
}

/** Places where sides of two rings touch; null for contacts that valid polygons cannot have. */
function placesOf(one: Side, other: Side): readonly Corner[] | null {
  const [begin, end] = [turn(one, other.from), turn(one, other.to)]
  const [otherBegin, otherEnd] = [turn(other, one.from), turn(other, one.to)]
  if (begin * end < 0 && otherBegin * otherEnd < 0) return null
  const places = [
    ...(begin === 0 && isWithin(one, other.from) ? [other.from] : []),
    ...(end === 0 && isWithin(one, other.to) ? [other.to] : []),
    ...(otherBegin === 0 && isWithin(other, one.from) ? [one.from] : []),
    ...(otherEnd === 0 && isWithin(other, one.to) ? [one.to] : []),
  ]
  if (places.length === 0) return places
  if (begin === 0 && end === 0 && doRunTogether(one, other)) return null
  if (one.ring !== other.ring) return places
  return areNeighbours(one, other) ? [] : null
}

/** For two sides on one straight line: true if they share more than a point. */
function doRunTogether(one: Side, other: Side): boolean {
  const axis = one.from[0] === one.to[0] ? 1 : 0
  const [low, high] = [one, other].map(({ from, to }) => [from[axis], to[axis]].sort((a, b) => a - b)) as [number[], number[]]
  return Math.min(low[1] as number, high[1] as number) > Math.max(low[0] as number, high[0] as number)
}

function areNeighbours(one: Side, other: Side): boolean {
  const apart = Math.abs(one.nth - other.nth)
  return apart === 1 || apart === one.of - 1
}

/** The side of a line that a point is on: positive to the left. */
function turn({ from, to }: Side, [x, y]: Corner): number {
  return Math.sign((to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]))
}

function isWithin({ from, to, west, east }: Side, [x, y]: Corner): boolean {
  return x >= west && x <= east && y >= Math.min(from[1], to[1]) && y <= Math.max(from[1], to[1])
}

/** The direction from a place along one of its sides; `isOut` if the side runs that way. */
interface Way {
  readonly x: number
  readonly y: number
  readonly isOut: boolean
}

/** True if the sectors between the sides around a place are alternately covered and free: else rings cross or overlap there. */
function doAlternate({ at, sides }: Touch): boolean {
  const ways = [...sides].flatMap((side) => waysOf(side, at)).sort((one, other) => halfOf(one) - halfOf(other) || -across(one, other))
  return ways.every(({ isOut }, nth) => isOut !== ways[(nth + 1) % ways.length]?.isOut)
}

function waysOf({ from, to }: Side, [x, y]: Corner): Way[] {
  const ways = [
    { x: to[0] - x, y: to[1] - y, isOut: true },
    { x: from[0] - x, y: from[1] - y, isOut: false },
  ]
  return ways.filter((way) => way.x !== 0 || way.y !== 0)
}

/** 0 for directions north and due east, 1 for south and due west: the counter-clockwise order starts in the east. */
function halfOf({ x, y }: Way): 0 | 1 {
  return y > 0 || (y === 0 && x > 0) ? 0 : 1
}

/** Positive if the other direction is to the left of the one. */
function across(one: Way, other: Way): number {
  return Math.sign(one.x * other.y - one.y * other.x)
}

/** The connected groups of touching rings: the group number of each ring; `haveCircle` if touches form a cycle. */
function groupsOf(count: number, touches: readonly Touch[]): { readonly of: readonly number[]; readonly haveCircle: boolean } {
  const parents = Array.from({ length: count }, (_, ring) => ring)
  const rootOf = (ring: number): number => {
    let root = ring
    for (let next = parents[root] as number; next !== root; next = parents[root] as number) {
      parents[root] = parents[next] as number
      root = next
    }
    return root
  }
  let haveCircle = false
  for (const { sides } of touches) {
    const [first, ...others] = new Set([...sides].map(({ ring }) => ring))
    for (const other of others) {
      const [root, otherRoot] = [rootOf(first as number), rootOf(other)]
      if (root === otherRoot) haveCircle = true
      parents[otherRoot] = root
    }
  }
  return { of: parents.map((_, ring) => rootOf(ring)), haveCircle }
}

/**
 * True if each group of rings is placed validly among the others, by winding numbers: an outer ring outside their area, a hole
 * inside it. Sectors alternate around touches, so one place per group decides: its westernmost corner.
 */
function arePlaced(rings: readonly (readonly Side[])[], groupOf: readonly number[]): boolean {
  const boxes = rings.map(boxOf)
  const west = new Map<number, Touch>()
  for (const side of rings.flat())
    for (const at of [side.from, side.to]) {
      const group = groupOf[side.ring] as number
      const found = west.get(group)
      const before = found ? at[0] - found.at[0] || at[1] - found.at[1] : -1
      if (before < 0) west.set(group, { at, sides: new Set([side]) })
      else if (before === 0) found?.sides.add(side)
    }
  return [...west].every(([group, { at, sides }]) => {
    // No direction from there leads west: take the southernmost.
    const [first] = [...sides].flatMap((side) => waysOf(side, at)).sort((one, other) => -across(one, other))
    let windings = 0
    for (const [ring, box] of boxes.entries())
      if (groupOf[ring] !== group && isInBox(box, at)) windings += windingsOf(rings[ring] as readonly Side[], at)
    return windings === (first?.isOut ? 0 : 1)
  })
}

type Box = readonly [west: number, south: number, east: number, north: number]

function boxOf(ring: readonly Side[]): Box {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { from, west, east } of ring) {
    box[0] = Math.min(box[0], west)
    box[1] = Math.min(box[1], from[1])
    box[2] = Math.max(box[2], east)
    box[3] = Math.max(box[3], from[1])
  }
  return box
}

function isInBox([west, south, east, north]: Box, [x, y]: Corner): boolean {
  return x > west && x < east && y > south && y < north
}

/** Winding number of a ring around a place that is not on it, counter-clockwise. */
function windingsOf(ring: readonly Side[], at: Corner): number {
  let windings = 0
  for (const side of ring) {
    const [isBelow, isToBelow] = [side.from[1] <= at[1], side.to[1] <= at[1]]
    if (isBelow !== isToBelow && turn(side, at) === (isBelow ? 1 : -1)) windings += isBelow ? 1 : -1
  }
  return windings
}
