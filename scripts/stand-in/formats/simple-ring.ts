import { ringArea } from '../../../lake/places/rings.ts'
import { isValidArea } from '../../../lake/places/valid-area.ts'
import type { Line } from '../../../lake/schema/columns.ts'

/** Corners are whole multiples of this part of a degree, so that computations are exact. */
const PARTS = 100_000

type Side = readonly [Line[0], Line[0]]

/** A closed ring without the loops in which it crosses or touches itself: at each such place it keeps the larger part. */
export function withoutLoops(ring: Line): Line {
  if (isValidArea([[ring]])) return ring
  let left = distinct(ring)
  for (let loop = loopIn(left); loop; loop = loopIn(left)) {
    const [begin, end] = loop
    const place = meetingOf([left[begin], left[begin + 1]] as Side, [left[end], left[end + 1]] as Side)
    const inner = distinct([place, ...left.slice(begin + 1, end + 1), place])
    const outer = distinct([...left.slice(0, begin + 1), place, ...left.slice(end + 1)])
    left = Math.abs(ringArea(inner)) > Math.abs(ringArea(outer)) ? inner : outer
  }
  return ringArea(left) > 0 === ringArea(ring) > 0 ? left : left.toReversed()
}

/** A rounded ring without repeated corners. */
function distinct(ring: Line): Line {
  const corners = ring.map(([lon, lat]) => [Math.round(lon * PARTS) / PARTS, Math.round(lat * PARTS) / PARTS] as const)
  return corners.filter(([lon, lat], at) => at === 0 || lon !== corners[at - 1]?.[0] || lat !== corners[at - 1]?.[1])
}

/** The intersection of two sides; for collinear sides a corner of one that is on the other. */
function meetingOf([a, b]: Side, [c, d]: Side): Line[0] {
  const across = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
  if (across === 0) return !isApart([c, c], [a, b]) ? c : !isApart([d, d], [a, b]) ? d : a
  const share = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / across
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
}

/** The numbers of two intersecting sides of a ring that are not neighbours; null if there are none. */
function loopIn(ring: Line): readonly [number, number] | null {
  const corners = ring.map(([lon, lat]) => [Math.round(lon * PARTS), Math.round(lat * PARTS)] as const)
  const sides = corners.length - 1
  for (let one = 0; one < sides; one++)
    for (let other = one + 2; other < sides; other++) {
      const areEnds = one === 0 && other === sides - 1
      if (!areEnds && doMeet([corners[one], corners[one + 1]] as Side, [corners[other], corners[other + 1]] as Side)) return [one, other]
    }
  return null
}

function doMeet([a, b]: Side, [c, d]: Side): boolean {
  return !isApart([a, b], [c, d]) && turn(c, [a, b]) * turn(d, [a, b]) <= 0 && turn(a, [c, d]) * turn(b, [c, d]) <= 0
}

function isApart([a, b]: Side, [c, d]: Side): boolean {
  return ([0, 1] as const).some(
    (axis) => Math.max(a[axis], b[axis]) < Math.min(c[axis], d[axis]) || Math.max(c[axis], d[axis]) < Math.min(a[axis], b[axis]),
  )
}

function turn([x, y]: Line[0], [from, to]: Side): number {
  return Math.sign((to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]))
}
