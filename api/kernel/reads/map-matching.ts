import { metresAway, nearestShare, roundedLine } from '../../../lake/places/lines.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { EARTH_M } from './geo.ts'

/** A path from place to place, in order. */
export interface Way {
  /** Null for fewer than two places. */
  readonly line: Line | null
  /** Number of parts between places, and how many of them follow the given line. */
  readonly parts: number
  readonly following: number
}

type Position = Line[number]

/** Where the line passes a place: closer than just before and just after. */
interface Passing {
  /** First point of the segment; nearest point on it; metres of line up to that point; metres from it to the place. */
  readonly segment: number
  readonly point: Position
  readonly at_m: number
  readonly away_m: number
}

/** Position of the path at a place: a passing of the line, followed forwards (1) or backwards (-1), or off the line. */
interface Step {
  readonly passing: Passing | null
  readonly direction: 1 | -1
}

/** A part may be this many times as long as the straight path plus twice the distance bound; longer ones leave the line. */
const MOST_DETOUR = 5
/** Excess metres of line that cost 1. */
const EXCESS_M = 1000
/** Lengths below this count as zero, m. */
const NOISE_M = 0.1
const DEGREE_M = (Math.PI / 180) * EARTH_M
/** Share of the distance bound that costs 1/2. */
const USUAL_SHARE = 0.1

/**
 * Matches a path to a line past places in order, cut at the first and last; straight where the line is over `within_m` metres
 * away. Takes the cheapest passings: (10 d / within_m)² / 2 for d off the line or between two passings of a place, 1 per km
 * longer than straight, 50 for a part off a line near both places. It never turns back on the line.
 */
export function matchPath(line: Line, places: Line, within_m: number): Way {
  const parts = Math.max(0, places.length - 1)
  if (parts === 0) return { line: null, parts, following: 0 }
  const metres = metresAlong(line)
  // How the path arrives at each place, and how it goes on.
  const layers = places.flatMap((place) => {
    const passings = passingsOf(line, place, metres, within_m)
    const steps = passings.flatMap((passing) => [{ passing, direction: 1 } as const, { passing, direction: -1 } as const])
    return Array<Step[]>(2).fill(steps.length > 0 ? steps : [{ passing: null, direction: 1 }])
  })
  const straight_m = places.map((place, at) => metresAway(place, places[at + 1] ?? place, places[at + 1] ?? place))
  const cost = (from: Step, to: Step, layer: number): number =>
    layer % 2 === 0 ? costOfStay(from, to, within_m) : costOfPart(from, to, straight_m[(layer - 1) / 2] as number, within_m)
  const steps = cheapest(layers, cost)
  const points: Position[] = []
  let following = 0
  // Where the path joined the line.
  let begin: Step | null = null
  for (const [at, place] of places.entries()) {
    const [arrived, from, to] = [steps[2 * at] as Step, steps[2 * at + 1] as Step, steps[2 * at + 2]]
    const follows = to !== undefined && metresOnLine(from, to, straight_m[at] as number, within_m) !== null
    if (!begin && !follows) points.push(place)
    if (begin && (!follows || from !== arrived)) points.push(...pointsOnLine(line, begin, arrived))
    if (follows) following++
    begin = follows ? (begin && from === arrived ? begin : from) : null
  }
  return { line: roundedLine(points), parts, following }
}

/** Metres of the line up to each of its points. */
function metresAlong(line: Line): Float64Array {
  const metres = new Float64Array(line.length)
  for (let at = 1; at < line.length; at++) {
    const [before, here] = [line[at - 1] as Position, line[at] as Position]
    metres[at] = (metres[at - 1] as number) + metresAway(before, here, here)
  }
  return metres
}

/** Passings of a place within the bound, in the order of the line. */
function passingsOf(line: Line, place: Position, metres: Float64Array, within_m: number): Passing[] {
  const passings: Passing[] = []
  const [north, south] = [place[1] + within_m / DEGREE_M, place[1] - within_m / DEGREE_M]
  let wasAtEnd = true
  for (let segment = 0; segment < line.length - 1; segment++) {
    const [from, to] = [line[segment] as Position, line[segment + 1] as Position]
    // Most of a line is far north or south of a place: a cheap check skips it.
    const isFar = (from[1] > north && to[1] > north) || (from[1] < south && to[1] < south)
    const share = isFar ? 0 : nearestShare(place, from, to)
    // At its end a segment is nearest only if the next one leads away; then it counts.
    const isNearest = !isFar && (share > 0 || wasAtEnd) && (share < 1 || segment === line.length - 2)
    wasAtEnd = share === 1
    if (!isNearest) continue
    const point = [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])] as const
    const away_m = metresAway(place, point, point)
    if (away_m <= within_m) passings.push({ segment, point, at_m: (metres[segment] as number) + metresAway(from, point, point), away_m })
  }
  return passings
}

function costOfDistance(metres: number, within_m: number): number {
  return (metres / (USUAL_SHARE * within_m)) ** 2 / 2
}

/** Cost of the distance between the line and a place, and of a change to another passing there. */
function costOfStay(from: Step, to: Step, within_m: number): number {
  if (!from.passing || !to.passing) return 0
  if (from.direction !== to.direction) return Number.POSITIVE_INFINITY
  const away = costOfDistance(from.passing.away_m, within_m)
  if (from.passing === to.passing) return away
  const gap_m = metresAway(from.passing.point, to.passing.point, to.passing.point)
  return away + costOfDistance(to.passing.away_m, within_m) + costOfDistance(gap_m, within_m)
}

/** Cost of a part of the path. */
function costOfPart(from: Step, to: Step, straight_m: number, within_m: number): number {
  if (!from.passing || !to.passing) return 0
  const metres = metresOnLine(from, to, straight_m, within_m)
  return metres === null ? costOfDistance(within_m, within_m) : Math.max(0, metres - straight_m) / EXCESS_M
}

/** Length of a part on the line; null if it does not follow the line. */
function metresOnLine(from: Step, to: Step, straight_m: number, within_m: number): number | null {
  if (!from.passing || !to.passing || from.direction !== to.direction) return null
  const metres = (to.passing.at_m - from.passing.at_m) * from.direction
  return metres > -NOISE_M && metres <= MOST_DETOUR * straight_m + 2 * within_m ? metres : null
}

/** Points of the line from one passing to another. */
function pointsOnLine(line: Line, { passing: from, direction }: Step, { passing: to }: Step): Position[] {
  const [begin, end] = [from as Passing, to as Passing]
  const between =
    direction === 1 ? line.slice(begin.segment + 1, end.segment + 1) : line.slice(end.segment + 1, begin.segment + 1).toReversed()
  return [begin.point, ...between, end.point]
}

/** Picks one item per layer with the least total cost between neighbours. */
function cheapest<T>(layers: readonly (readonly T[])[], cost: (from: T, to: T, layer: number) => number): T[] {
  let costs: number[] = (layers[0] ?? []).map(() => 0)
  const best: number[][] = []
  for (const [layer, nodes] of layers.slice(1).entries()) {
    const before = layers[layer] as readonly T[]
    const from: number[] = []
    const next = nodes.map((to) => {
      const sums = before.map((node, at) => (costs[at] as number) + cost(node, to, layer))
      const least = Math.min(...sums)
      from.push(sums.indexOf(least))
      return least
    })
    best.push(from)
    costs = next
  }
  let at = costs.indexOf(Math.min(...costs))
  const chosen = [layers.at(-1)?.[at] as T]
  for (let layer = layers.length - 2; layer >= 0; layer--) {
    at = best[layer]?.[at] as number
    chosen.unshift(layers[layer]?.[at] as T)
  }
  return chosen
}
