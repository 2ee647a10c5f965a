import FlatQueue from 'flatqueue'
import { distanceM, EARTH_M } from '../../../../lake/places/distance.ts'
import { nearestShare } from '../../../../lake/places/lines.ts'
import type { Line, Point } from '../../../../lake/schema/columns.ts'
import { Turn } from '../../../kernel/http/turns.ts'

/** A line of a road that can be driven, in the direction of growing kilometres. */
export interface DrivenLine {
  readonly road: string
  /** Direction of its traffic: POSITIVE or NEGATIVE for one of two carriageways, else both ways. */
  readonly direction: string
  readonly line: Line
  /** True for a measured axis, false for a line through located kilometres. */
  readonly isMeasured: boolean
}

/** A part of a way that stays on one road, in the order of travel. */
export interface Leg {
  readonly road: string
  readonly line: Line
  readonly length_m: number
  readonly duration_s: number
}

const RAD = Math.PI / 180
/** Cells of the grid of segments, degrees. */
const CELL_DEG = 0.02
const COLUMNS = 100_000
/** Roads join where one ends this near to the other, m: ramps have no kilometres, and located kilometres are some apart. */
const JOIN_M = 300
const LOCATED_JOIN_M = 1500
/** How far a road may go on behind a gap, m: its axis ends before a border, or kilometres between have no place. */
const GAP_M = 3000
/** Farthest road of a place, m, and how many lines of roads around it are tried: at first, then if those lead nowhere. */
const NEAR_M = 5000
const TRIES = [
  { radius_m: NEAR_M, lines: 16 },
  { radius_m: 10_000, lines: 400 },
] as const
/** Assumed speeds, km/h: on one of two carriageways, on a single one, and beside the roads with a line. */
const SPEEDS = { dual: 105, single: 75, beside: 30 }
/** What a change of road costs, s: it keeps a way on its road where another is hardly faster. */
const TURN_S = 30

const perS = (km_h: number): number => km_h / 3.6
const FASTEST = perS(SPEEDS.dual)

/** A line in the graph: its points are from `begin` up to `end`. */
interface Piece {
  readonly road: string
  readonly isForward: boolean
  readonly isBackward: boolean
  readonly speed_m_s: number
  readonly join_m: number
  readonly begin: number
  readonly end: number
}

/** A place on a line, `at_m` metres from its begin, and how far away the wanted place is. */
interface Spot {
  readonly piece: number
  readonly at_m: number
  readonly away_m: number
}

/** A way through the graph that was found: its places on lines, in the order of travel. */
type Stops = readonly (readonly [piece: number, at_m: number])[]

/**
 * The roads as a graph: lines that cross, or end at each other, are joined there. Levels are unknown, so every crossing counts
 * as a junction.
 */
export class RoadGraph {
  readonly #pieces: Piece[] = []
  readonly #lons: Float64Array
  readonly #lats: Float64Array
  /** Distance of each point from the begin of its line, m. */
  readonly #ats: Float64Array
  /** Segments by cell. */
  readonly #cells = new Map<number, number[]>()
  readonly #pieceOf: Int32Array
  /** Joints in the order of their line and place on it; each is joined to one of another line. */
  #joints: { readonly pieces: Int32Array; readonly at_m: Float64Array; readonly twins: Int32Array; readonly apart_m: Float32Array }
  /** The first joint of each line, and the end of the last. */
  #first: Int32Array

  private constructor(lines: readonly DrivenLine[]) {
    const count = lines.reduce((sum, { line }) => sum + line.length, 0)
    this.#lons = new Float64Array(count)
    this.#lats = new Float64Array(count)
    this.#ats = new Float64Array(count)
    this.#pieceOf = new Int32Array(count)
    this.#joints = { pieces: new Int32Array(0), at_m: new Float64Array(0), twins: new Int32Array(0), apart_m: new Float32Array(0) }
    this.#first = new Int32Array(lines.length + 1)
    let at = 0
    for (const { road, direction, line, isMeasured } of lines) {
      const begin = at
      for (const [lon, lat] of line) {
        this.#lons[at] = lon
        this.#lats[at] = lat
        this.#ats[at] = at === begin ? 0 : (this.#ats[at - 1] as number) + distanceM(this.#point(at - 1), this.#point(at))
        this.#pieceOf[at++] = this.#pieces.length
      }
      this.#pieces.push({
        ...{ road, begin, end: at, isForward: direction !== 'NEGATIVE', isBackward: direction !== 'POSITIVE' },
        speed_m_s: perS(direction === 'POSITIVE' || direction === 'NEGATIVE' ? SPEEDS.dual : SPEEDS.single),
        join_m: isMeasured ? JOIN_M : LOCATED_JOIN_M,
      })
    }
  }

  /** Makes the graph of lines of at least two points, in small turns of the event loop. */
  static async of(lines: readonly DrivenLine[]): Promise<RoadGraph> {
    const graph = new RoadGraph(lines)
    await graph.#join(new Turn())
    return graph
  }

  /** Whether a road is within 5 km of a place. */
  isNear(place: Point): boolean {
    return this.#near(place, TRIES[0]).length > 0
  }

  /** The fastest way between two places at assumed speeds, by roads; null if none leads there. */
  way(from: Point, to: Point): Leg[] | null {
    for (const how of TRIES) {
      const stops = this.#search(this.#near(from, how), this.#near(to, how), to)
      if (stops) return this.#legs(stops)
    }
    return null
  }

  async #join(turn: Turn): Promise<void> {
    const found: number[] = []
    const put = (one: number, one_m: number, other: number, other_m: number, apart_m: number): void => {
      found.push(one, one_m, other, other_m, apart_m)
    }
    for (const { begin, end } of this.#pieces) {
      for (let segment = begin; segment + 1 < end; segment++)
        for (const cell of this.#cellsOf(segment)) {
          const there = this.#cells.get(cell)
          if (there) there.push(segment)
          else this.#cells.set(cell, [segment])
        }
      if (turn.isOver) await turn.next()
    }
    for (const [cell, segments] of this.#cells) {
      for (const [at, one] of segments.entries())
        for (let next = at + 1; next < segments.length; next++) this.#cross(one, segments[next] as number, cell, put)
      if (turn.isOver) await turn.next()
    }
    for (const [no, { road, begin, end, join_m }] of this.#pieces.entries()) {
      for (const at of [begin, end - 1]) {
        const near = this.#around(this.#point(at), join_m).filter(({ piece }) => this.#canJoin(no, piece))
        const goesOn = near.some(({ piece }) => this.#pieces[piece]?.road === road)
        for (const { piece, at_m, away_m } of goesOn ? near : [...near, ...this.#behindGap(no, this.#point(at))])
          put(no, this.#ats[at] as number, piece, at_m, away_m)
      }
      if (turn.isOver) await turn.next()
    }
    this.#keep(found)
  }

  /** Where the road of a line goes on behind a gap at its end: the nearest place on its other lines, if there is one. */
  #behindGap(no: number, end: Point): Spot[] {
    const { road } = this.#pieces[no] as Piece
    const others = this.#around(end, GAP_M).filter(({ piece }) => this.#pieces[piece]?.road === road && this.#canJoin(no, piece))
    return others.sort((one, other) => one.away_m - other.away_m).slice(0, 1)
  }

  /** Joins two segments that cross within a cell. */
  #cross(one: number, other: number, cell: number, put: (...joint: [number, number, number, number, number]) => void): void {
    const [mine, theirs] = [this.#pieceOf[one] as number, this.#pieceOf[other] as number]
    if (!this.#canJoin(mine, theirs)) return
    const [x, y] = [this.#lons[one] as number, this.#lats[one] as number]
    const [ax, ay] = [(this.#lons[one + 1] as number) - x, (this.#lats[one + 1] as number) - y]
    const [bx, by] = [
      (this.#lons[other + 1] as number) - (this.#lons[other] as number),
      (this.#lats[other + 1] as number) - (this.#lats[other] as number),
    ]
    const turn = ax * by - ay * bx
    if (turn === 0) return
    const [cx, cy] = [(this.#lons[other] as number) - x, (this.#lats[other] as number) - y]
    const [share, theirShare] = [(cx * by - cy * bx) / turn, (cx * ay - cy * ax) / turn]
    if (share < 0 || share > 1 || theirShare < 0 || theirShare > 1) return
    if (cellAt(x + share * ax, y + share * ay) !== cell) return
    put(mine, this.#atShare(one, share), theirs, this.#atShare(other, theirShare), 0)
  }

  /** Carriageways of a road do not meet each other. */
  #canJoin(one: number, other: number): boolean {
    const [a, b] = [this.#pieces[one] as Piece, this.#pieces[other] as Piece]
    return one !== other && (a.road !== b.road || (a.isForward && b.isForward) || (a.isBackward && b.isBackward))
  }

  /** Keeps joints, five numbers each, in the order of their line and place. */
  #keep(found: readonly number[]): void {
    const count = (2 * found.length) / 5
    const number = (joint: number, of: 0 | 1): number => found[5 * (joint >> 1) + ((joint & 1) === 0 ? of : 2 + of)] as number
    const order = Int32Array.from({ length: count }, (_, joint) => joint).sort(
      (one, other) => number(one, 0) - number(other, 0) || number(one, 1) - number(other, 1),
    )
    const place = new Int32Array(count)
    for (const [at, joint] of order.entries()) place[joint] = at
    this.#joints = {
      pieces: Int32Array.from(order, (joint) => number(joint, 0)),
      at_m: Float64Array.from(order, (joint) => number(joint, 1)),
      twins: Int32Array.from(order, (joint) => place[joint ^ 1] as number),
      apart_m: Float32Array.from(order, (joint) => found[5 * (joint >> 1) + 4] as number),
    }
    for (const piece of this.#joints.pieces) this.#first[piece + 1] = (this.#first[piece + 1] as number) + 1
    for (let piece = 0; piece < this.#pieces.length; piece++)
      this.#first[piece + 1] = (this.#first[piece + 1] as number) + (this.#first[piece] as number)
  }

  /** The first joint of a line at or after a place; the end of its joints without one. */
  #jointAfter(piece: number, at_m: number): number {
    let [low, high] = [this.#first[piece] as number, this.#first[piece + 1] as number]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#joints.at_m[middle] as number) < at_m) low = middle + 1
      else high = middle
    }
    return low
  }

  #search(starts: readonly Spot[], ends: readonly Spot[], to: Point): Stops | null {
    const { pieces, at_m, twins, apart_m } = this.#joints
    const costs = new Float64Array(pieces.length).fill(Number.POSITIVE_INFINITY)
    const before = new Int32Array(pieces.length)
    const open = new FlatQueue<number>()
    let best: { cost: number; stops: (() => Stops) | null } = { cost: Number.POSITIVE_INFINITY, stops: null }
    const offer = (joint: number, cost: number, from: number): void => {
      if (cost >= (costs[joint] as number)) return
      costs[joint] = cost
      before[joint] = from
      open.push(joint, cost + distanceM(this.#placeOf(pieces[joint] as number, at_m[joint] as number), to) / FASTEST)
    }
    /** The joints beside a place on its line that can be driven to from there, or from which it can be driven to. */
    const beside = ({ piece, at_m: here }: Spot, isFrom: boolean): number[] => {
      const { isForward, isBackward } = this.#pieces[piece] as Piece
      const next = this.#jointAfter(piece, here)
      const [after, prior] = isFrom ? [isForward, isBackward] : [isBackward, isForward]
      return [
        ...(after && next < (this.#first[piece + 1] as number) ? [next] : []),
        ...(prior && next > (this.#first[piece] as number) ? [next - 1] : []),
      ]
    }
    const driven = (piece: number, one_m: number, other_m: number): number =>
      Math.abs(one_m - other_m) / (this.#pieces[piece] as Piece).speed_m_s
    const access = ({ away_m }: Spot): number => away_m / perS(SPEEDS.beside)
    const goals = new Map<number, Spot[]>()
    for (const spot of ends) for (const joint of beside(spot, false)) goals.set(joint, [...(goals.get(joint) ?? []), spot])
    for (const [no, spot] of starts.entries()) {
      const { piece, at_m: here } = spot
      for (const joint of beside(spot, true)) offer(joint, access(spot) + driven(piece, here, at_m[joint] as number), -1 - no)
      // Both places may be on one line.
      for (const end of ends) {
        const { isForward, isBackward } = this.#pieces[piece] as Piece
        if (end.piece !== piece || !(end.at_m >= here ? isForward : isBackward)) continue
        const cost = access(spot) + driven(piece, here, end.at_m) + access(end)
        if (cost < best.cost) best = { cost, stops: () => [[piece, here] as const, [piece, end.at_m] as const] }
      }
    }
    while (open.length > 0 && (open.peekValue() as number) < best.cost) {
      const joint = open.pop() as number
      const [piece, here, cost] = [pieces[joint] as number, at_m[joint] as number, costs[joint] as number]
      for (const end of goals.get(joint) ?? []) {
        const whole = cost + driven(piece, here, end.at_m) + access(end)
        if (whole < best.cost) best = { cost: whole, stops: () => [...this.#stopsTo(joint, before, starts), [piece, end.at_m] as const] }
      }
      const { road, isForward, isBackward, speed_m_s } = this.#pieces[piece] as Piece
      if (isForward && joint + 1 < (this.#first[piece + 1] as number))
        offer(joint + 1, cost + driven(piece, here, at_m[joint + 1] as number), joint)
      if (isBackward && joint > (this.#first[piece] as number))
        offer(joint - 1, cost + driven(piece, here, at_m[joint - 1] as number), joint)
      const twin = twins[joint] as number
      const isSame = (this.#pieces[pieces[twin] as number] as Piece).road === road
      offer(twin, cost + (apart_m[joint] as number) / (isSame ? speed_m_s : perS(SPEEDS.beside)) + (isSame ? 0 : TURN_S), joint)
    }
    return best.stops?.() ?? null
  }

  #stopsTo(joint: number, before: Int32Array, starts: readonly Spot[]): Stops {
    const stops: (readonly [number, number])[] = []
    let at = joint
    for (; at >= 0; at = before[at] as number) stops.push([this.#joints.pieces[at] as number, this.#joints.at_m[at] as number])
    const { piece, at_m } = starts[-1 - at] as Spot
    return [...stops, [piece, at_m] as const].reverse()
  }

  #legs(stops: Stops): Leg[] {
    const legs: { road: string; line: Line[0][]; length_m: number; duration_s: number }[] = []
    for (const [at, [piece, to_m]] of stops.entries()) {
      const [last, from_m] = stops[at - 1] ?? [-1, 0]
      if (piece !== last) continue
      const { road, speed_m_s } = this.#pieces[piece] as Piece
      const length_m = Math.abs(to_m - from_m)
      if (length_m === 0) continue
      const before = legs.at(-1)
      const leg = before?.road === road ? before : { road, line: before?.line.slice(-1) ?? [], length_m: 0, duration_s: 0 }
      if (leg !== before) legs.push(leg)
      const part = this.#part(piece, from_m, to_m)
      const [end, begin] = [leg.line.at(-1), part[0] as Line[0]]
      // Where roads end beside each other, the way between them is not known.
      const gap_m = end ? distanceM(pointOf(end), pointOf(begin)) : 0
      leg.line.push(...(end && gap_m < 1 ? part.slice(1) : part))
      leg.length_m += gap_m
      leg.duration_s += gap_m / (leg === before ? speed_m_s : perS(SPEEDS.beside))
      leg.length_m += length_m
      leg.duration_s += length_m / speed_m_s
    }
    return legs.filter(({ line }) => line.length > 1)
  }

  /** The points of a line between two places on it, in this order. */
  #part(piece: number, from_m: number, to_m: number): Line[0][] {
    const { begin, end } = this.#pieces[piece] as Piece
    const [low, high] = [Math.min(from_m, to_m), Math.max(from_m, to_m)]
    const between: Line[0][] = []
    for (let at = begin; at < end; at++) {
      const here = this.#ats[at] as number
      if (here > low && here < high) between.push([this.#lons[at] as number, this.#lats[at] as number])
    }
    const [first, last] = [this.#placeOf(piece, low), this.#placeOf(piece, high)]
    const line = [[first.lon, first.lat] as const, ...between, [last.lon, last.lat] as const]
    return from_m <= to_m ? line : line.reverse()
  }

  #near(place: Point, { radius_m, lines }: (typeof TRIES)[number]): Spot[] {
    return this.#around(place, radius_m)
      .sort((one, other) => one.away_m - other.away_m)
      .slice(0, lines)
  }

  /** The nearest place on each line within a distance. */
  #around(place: Point, radius_m: number): Spot[] {
    const best = new Map<number, Spot>()
    const here = [place.lon, place.lat] as const
    const seen = new Set<number>()
    const north = radius_m / (RAD * EARTH_M)
    const east = north / Math.max(0.1, Math.cos((Math.abs(place.lat) + north) * RAD))
    for (const cell of cellsIn(place.lon - east, place.lat - north, place.lon + east, place.lat + north))
      for (const segment of this.#cells.get(cell) ?? []) {
        if (seen.has(segment)) continue
        seen.add(segment)
        const share = nearestShare(here, this.#corner(segment), this.#corner(segment + 1))
        const [from, to] = [this.#point(segment), this.#point(segment + 1)]
        const away_m = distanceM(place, { lon: from.lon + share * (to.lon - from.lon), lat: from.lat + share * (to.lat - from.lat) })
        const piece = this.#pieceOf[segment] as number
        if (away_m <= radius_m && away_m < (best.get(piece)?.away_m ?? Number.POSITIVE_INFINITY))
          best.set(piece, { piece, at_m: this.#atShare(segment, share), away_m })
      }
    return [...best.values()]
  }

  #atShare(segment: number, share: number): number {
    const [from, to] = [this.#ats[segment] as number, this.#ats[segment + 1] as number]
    return from + share * (to - from)
  }

  #placeOf(piece: number, at_m: number): Point {
    const { begin, end } = this.#pieces[piece] as Piece
    let [low, high] = [begin, end - 2]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#ats[middle] as number) <= at_m) low = middle
      else high = middle - 1
    }
    const [from_m, to_m] = [this.#ats[low] as number, this.#ats[low + 1] as number]
    const share = to_m === from_m ? 0 : Math.min(1, Math.max(0, (at_m - from_m) / (to_m - from_m)))
    const [from, to] = [this.#point(low), this.#point(low + 1)]
    return { lon: from.lon + share * (to.lon - from.lon), lat: from.lat + share * (to.lat - from.lat) }
  }

  #point(at: number): Point {
    return { lon: this.#lons[at] as number, lat: this.#lats[at] as number }
  }

  #corner(at: number): Line[0] {
    return [this.#lons[at] as number, this.#lats[at] as number]
  }

  #cellsOf(segment: number): Iterable<number> {
    const [one, other] = [this.#corner(segment), this.#corner(segment + 1)]
    return cellsIn(Math.min(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[0], other[0]), Math.max(one[1], other[1]))
  }
}

const pointOf = ([lon, lat]: Line[0]): Point => ({ lon, lat })
const columnOf = (lon: number): number => Math.floor((lon + 180) / CELL_DEG)
const rowOf = (lat: number): number => Math.floor((lat + 90) / CELL_DEG)
const cellAt = (lon: number, lat: number): number => rowOf(lat) * COLUMNS + columnOf(lon)

function* cellsIn(west: number, south: number, east: number, north: number): Generator<number> {
  for (let y = rowOf(south); y <= rowOf(north); y++) for (let x = columnOf(west); x <= columnOf(east); x++) yield y * COLUMNS + x
}
