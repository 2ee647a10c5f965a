import type { Line, Polygon } from '../schema/columns.ts'
import { isInRing, ringArea, ringAreaM2 } from './rings.ts'

type Corner = Line[0]

/** A side of a ring, with its span from west to east. */
interface Side {
  readonly nth: number
  readonly from: Corner
  readonly to: Corner
  readonly west: number
  readonly east: number
}

/** A place where a ring meets itself: after corner `first` and again after corner `second`. */
interface Meeting {
  readonly first: number
  readonly second: number
  readonly at: Corner
}

/** A ring that meets itself more often is no outline of anything. */
const MOST_MEETINGS = 1000

/**
 * The polygons that a closed ring encloses by the non-zero rule, whatever its direction: a ring that crosses or touches itself
 * gives several, or holes (publishers draw holes by a cut). Loops below `least_m2` are left out. Null if it meets itself more
 * than 1,000 times.
 */
export function polygonsOfRing(ring: Line, least_m2: number): Polygon[] | null {
  const loops = simpleRings(ring)
    ?.filter((loop) => ringAreaM2(loop) >= least_m2)
    .toSorted((one, other) => Math.abs(ringArea(other)) - Math.abs(ringArea(one)))
  if (!loops) return null
  // A loop in the direction of the ring around it covers what is covered already.
  return nested(loops, (loop, outer) => ringArea(loop) > 0 !== ringArea(outer) > 0)
}

/** The polygons of rings that do not cross, whatever their directions: each ring inside of another one is its hole. */
export function polygonsOfRings(rings: readonly Line[]): Polygon[] {
  return nested(
    rings.toSorted((one, other) => Math.abs(ringArea(other)) - Math.abs(ringArea(one))),
    () => true,
  )
}

/** Polygons of loops, the largest first; `isHole` decides about a loop inside of a ring. */
function nested(loops: readonly Line[], isHole: (loop: Line, outer: Line) => boolean): Polygon[] {
  const polygons: { readonly outer: Line; readonly holes: Line[] }[] = []
  for (const loop of loops) {
    const around = polygons.find(({ outer, holes }) => isMostlyIn(outer, loop) && !holes.some((hole) => isMostlyIn(hole, loop)))
    if (!around) polygons.push({ outer: loop, holes: [] })
    else if (isHole(loop, around.outer)) around.holes.push(loop)
  }
  return polygons.map(({ outer, holes }) => [turned(outer, 1), ...holes.map((hole) => turned(hole, -1))])
}

/** True if a ring contains another one that it only touches: then most corners are inside. */
function isMostlyIn(ring: Line, other: Line): boolean {
  return 2 * other.filter((corner) => isInRing(ring, corner)).length > other.length
}

function turned(ring: Line, sign: 1 | -1): Line {
  return Math.sign(ringArea(ring)) === sign ? ring : ring.toReversed()
}

/**
 * Splits a closed ring where it crosses or touches itself: the loops between the meetings are closed and simple. A ring that
 * does not meet itself is the only result. Null for a ring with more than 1,000 meetings.
 */
function simpleRings(ring: Line): Line[] | null {
  const simple: Line[] = []
  const open: Line[] = [ring]
  for (let part = open.pop(); part; part = open.pop()) {
    const meeting = firstMeeting(part)
    if (meeting === null) simple.push(part)
    else if (simple.length + open.length > MOST_MEETINGS) return null
    else {
      const { first, second, at } = meeting
      const loop = withoutRepeats([at, ...part.slice(first + 1, second + 1), at])
      const rest = withoutRepeats([...part.slice(0, first + 1), at, ...part.slice(second + 1)])
      open.push(...[rest, loop].filter(({ length }) => length >= 4))
    }
  }
  return simple
}

function withoutRepeats(points: Line): Line {
  return points.filter(([x, y], at) => at === 0 || x !== points[at - 1]?.[0] || y !== points[at - 1]?.[1])
}

/** Any meeting of a ring with itself, found in one pass from west to east; null for a simple ring. */
function firstMeeting(ring: Line): Meeting | null {
  const sides = ring.slice(1).map((to, nth): Side => {
    const from = ring[nth] as Corner
    return { nth, from, to, west: Math.min(from[0], to[0]), east: Math.max(from[0], to[0]) }
  })
  const last = sides.length - 1
  const open: Side[] = []
  for (const side of sides.toSorted((one, other) => one.west - other.west)) {
    let left = 0
    for (const other of open) {
      if (other.east < side.west) continue
      open[left++] = other
      const [one, two] = side.nth < other.nth ? [side, other] : [other, side]
      const apart = two.nth - one.nth
      if (apart === 1 || (one.nth === 0 && two.nth === last)) continue
      const at = meetingOf(one, two)
      if (at) return { first: one.nth, second: two.nth, at }
    }
    open.length = left
    open.push(side)
  }
  return null
}

/** The place where two sides that are no neighbours meet; null if they do not, or only run along each other. */
function meetingOf(one: Side, two: Side): Corner | null {
  const [x, y] = one.from
  const [dx, dy] = [one.to[0] - x, one.to[1] - y]
  const [ex, ey] = [two.to[0] - two.from[0], two.to[1] - two.from[1]]
  const across = dx * ey - dy * ex
  if (across === 0)
    return [two.from, two.to].find((corner) => isOn(one, corner)) ?? [one.from, one.to].find((end) => isOn(two, end)) ?? null
  const [fx, fy] = [two.from[0] - x, two.from[1] - y]
  const along = (fx * ey - fy * ex) / across
  const alongTwo = (fx * dy - fy * dx) / across
  if (along < 0 || along > 1 || alongTwo < 0 || alongTwo > 1) return null
  // The exact corner where one ends on the other, so that the parts share it.
  if (alongTwo === 0 || alongTwo === 1) return alongTwo === 0 ? two.from : two.to
  if (along === 0 || along === 1) return along === 0 ? one.from : one.to
  return [x + along * dx, y + along * dy]
}

function isOn({ from, to, west, east }: Side, [x, y]: Corner): boolean {
  const turn = (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
  return turn === 0 && x >= west && x <= east && y >= Math.min(from[1], to[1]) && y <= Math.max(from[1], to[1])
}
