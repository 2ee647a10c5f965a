import type { roadAxes } from '../datasets/road/road-network.ts'
import { firstIndex } from '../first-index.ts'
import type { Line, Point } from '../schema/columns.ts'
import type { Row } from '../schema/dataset.ts'
import { distanceM } from './distance.ts'
import { lengthM, longestRoadM, nearestShare } from './lines.ts'
import type { PlaceOnRoad, Post, RoadLine } from './place-on-road.ts'
import { foldRoad } from './road-key.ts'

/** A row of `road_axes`, as far as it is used. */
export type AxisRow = Pick<
  Row<typeof roadAxes>,
  'province' | 'road' | 'direction' | 'chain' | 'km_from' | 'km_to' | 'geometry' | 'kilometres' | 'errors_m' | 'posts'
>

/** A measured line of a carriageway; its points are in the arrays of `Axes`, from `begin` up to `end`. */
export interface Axis {
  readonly road: string
  readonly province_code: string
  readonly direction: string
  readonly km_from: number
  readonly km_to: number
  readonly posts: readonly number[]
  readonly begin: number
  readonly end: number
}

/** Ends of a stretch of a road; kilometres in the order of travel. */
export interface Ends {
  readonly km_from: number
  readonly km_to: number
  readonly province_code: string | null
  readonly direction?: string | null
  /** Where it begins, if known: a road may have the kilometre twice. */
  readonly near?: Point | null
}

/** Cells of the grid of segments, degrees. */
const CELL_DEG = 0.02
const COLUMNS = 100_000
/** Parts of a road go on into each other, as at the border of a province, if this much of kilometre is missing at most. */
const JOIN_KM = 0.3
/** A place at the end of a line is still on it. */
const END_KM = 0.05
/** Carriageways of one road are at most this far apart, m. */
const CARRIAGEWAYS_M = 3000
const POST_M = 30

/** The measured axes of all roads, with an index: at national scale some two million points, in typed arrays. */
export class Axes {
  readonly #roads: ReadonlyMap<string, readonly Axis[]>
  readonly #lons: Float64Array
  readonly #lats: Float64Array
  readonly #kms: Float64Array
  readonly #errors: Int32Array
  readonly #axisOf: readonly Axis[]
  readonly #cells = new Map<number, number[]>()

  /** Axes in any order. */
  constructor(rows: Iterable<AxisRow>) {
    const all = [...rows]
    const points = all.reduce((sum, { kilometres }) => sum + kilometres.length, 0)
    this.#lons = new Float64Array(points)
    this.#lats = new Float64Array(points)
    this.#kms = new Float64Array(points)
    this.#errors = new Int32Array(points)
    let at = 0
    this.#axisOf = all.map(({ province, road, direction, geometry, kilometres, errors_m, posts }) => {
      const begin = at
      for (const [point, km] of kilometres.entries()) {
        const [lon, lat] = geometry[point] as Line[0]
        this.#lons[at] = lon
        this.#lats[at] = lat
        this.#kms[at] = km
        this.#errors[at++] = errors_m[point] ?? (errors_m[point - 1] as number)
      }
      const [km_from, km_to] = [kilometres[0] as number, kilometres.at(-1) as number]
      return { road, province_code: province, direction, km_from, km_to, posts, begin, end: at }
    })
    this.#roads = Map.groupBy(
      this.#axisOf.toSorted((one, other) => one.km_from - other.km_from),
      ({ road }) => foldRoad(road),
    )
    for (const [axis, { begin, end }] of this.#axisOf.entries())
      for (let segment = begin; segment + 1 < end; segment++) this.#put(axis, segment)
  }

  /** Folded designations of the measured roads. */
  get roads(): Iterable<string> {
    return this.#roads.keys()
  }

  /** The lines of a road in the order of their kilometres. */
  of(road: string): readonly Axis[] {
    return this.#roads.get(road) ?? []
  }

  /**
   * The places of a kilometre, those of the direction and nearest to `near` first. Of carriageways beside each other one, that of
   * the direction; a province has several if the road is re-numbered there.
   */
  at(road: string, km: number, of: Omit<Ends, 'km_from' | 'km_to'>): PlaceOnRoad[] {
    const there = this.of(road).filter(
      (axis) =>
        km >= axis.km_from - END_KM && km <= axis.km_to + END_KM && (of.province_code === null || axis.province_code === of.province_code),
    )
    const rank = ({ direction }: PlaceOnRoad): number => (direction === of.direction ? 0 : direction === 'NEGATIVE' ? 2 : 1)
    const away = ({ position }: PlaceOnRoad): number => (of.near ? distanceM(of.near, position) : 0)
    const places: PlaceOnRoad[] = []
    for (const place of there
      .map((axis) => this.#placeAt(axis, km))
      .sort((one, other) => rank(one) - rank(other) || away(one) - away(other) || one.error_m - other.error_m))
      if (!places.some((one) => isSame(one, place))) places.push(place)
    return places
  }

  /** The nearest place on each road to a position, at most `radius_m` away. */
  nearest(
    position: Point,
    radius_m: number,
    road: string | null,
  ): Map<string, { readonly place: PlaceOnRoad; readonly distance_m: number }> {
    const best = new Map<string, { readonly axis: Axis; readonly segment: number; readonly share: number; readonly distance_m: number }>()
    const here = [position.lon, position.lat] as const
    const seen = new Set<number>()
    for (const [axisNo, segment] of this.#around(position, radius_m)) {
      if (seen.has(segment)) continue
      seen.add(segment)
      const axis = this.#axisOf[axisNo] as Axis
      const key = foldRoad(axis.road)
      if (road !== null && key !== road) continue
      const share = nearestShare(here, this.#corner(segment), this.#corner(segment + 1))
      const distance_m = distanceM(position, this.#between(segment, share))
      if (distance_m <= radius_m && distance_m < (best.get(key)?.distance_m ?? Number.POSITIVE_INFINITY))
        best.set(key, { axis, segment, share, distance_m })
    }
    return new Map(
      [...best].map(([key, { axis, segment, share, distance_m }]) => [key, { place: this.#placeIn(axis, segment, share), distance_m }]),
    )
  }

  /**
   * The line between two kilometres along the carriageway of the direction, in the order of the ends, and its error; null if a
   * part of it is not measured, or if it is longer than 1.6 times the kilometres and 1.5 km: it is then another way.
   */
  line(road: string, { km_from, km_to, province_code, direction, near }: Ends): RoadLine | null {
    const [low, high] = km_from <= km_to ? [km_from, km_to] : [km_to, km_from]
    const travel = km_from <= km_to ? 'POSITIVE' : 'NEGATIVE'
    const path = this.#path(road, {
      low,
      high,
      province_code,
      direction: direction === 'POSITIVE' || direction === 'NEGATIVE' ? direction : travel,
      away: (axis) => (near ? distanceM(near, this.#placeAt(axis, km_from).position) : 0),
    })
    if (!path || path.line.length < 2 || path.length_m > longestRoadM(high - low)) return null
    return { line: km_from <= km_to ? path.line : path.line.toReversed(), error_m: path.error_m }
  }

  /** The points of an axis between two kilometres, with the place of each end; fewer than two if it does not reach there. */
  part(axis: Axis, low: number, high: number): { readonly line: Line; readonly kilometres: readonly number[]; readonly error_m: number } {
    const [from, to] = [Math.max(low, axis.km_from), Math.min(high, axis.km_to)]
    const line: Line[0][] = []
    const kilometres: number[] = []
    let error_m = 0
    const push = ({ lon, lat }: Point, km: number): void => {
      const last = line.at(-1)
      if (last && last[0] === lon && last[1] === lat) return
      line.push([lon, lat])
      kilometres.push(km)
    }
    if (to < from) return { line, kilometres, error_m }
    push(this.#placeAt(axis, from).position, from)
    for (let at = this.#segment(axis, from); at < axis.end && (this.#kms[at] as number) < to; at++) {
      error_m = Math.max(error_m, this.#errors[at] as number)
      if ((this.#kms[at] as number) > from) push(this.#point(at), this.#kms[at] as number)
    }
    push(this.#placeAt(axis, to).position, to)
    return { line, kilometres, error_m }
  }

  /** The points of an axis as lon, lat, lon, lat, …, degrees. */
  coordinates({ begin, end }: Axis): Float64Array {
    const points = new Float64Array(2 * (end - begin))
    for (let at = begin; at < end; at++) {
      points[2 * (at - begin)] = this.#lons[at] as number
      points[2 * (at - begin) + 1] = this.#lats[at] as number
    }
    return points
  }

  /** Length of the measured parts of a road, m; of two carriageways that of growing kilometres. */
  lengthM(road: string): number {
    const own = this.of(road).filter(({ direction }) => direction !== 'NEGATIVE')
    return own.reduce((sum, axis) => sum + lengthM(this.part(axis, axis.km_from, axis.km_to).line), 0)
  }

  /** The posts that measure an axis, on its line. */
  marks(axis: Axis): Post[] {
    return axis.posts.map((km) => this.#post(axis, km))
  }

  /** The path through the parts that cover a stretch one after the other. */
  #path(road: string, { low, high, direction, province_code, away }: Stretch): Path | null {
    const wanted = this.of(road).filter((axis) => axis.km_to >= low - END_KM && axis.km_from <= high + END_KM)
    // A dual carriageway may go on as a single one. The province's own lines come first; others only go on where they end.
    const rank = (axis: Axis): number => 2 * Number(axis.province_code === province_code) + Number(axis.direction === direction)
    const ordered = wanted
      .filter((axis) => axis.direction === direction || axis.direction === 'BOTH')
      .sort((one, other) => rank(other) - rank(one) || away(one) - away(other))
    let [line, error_m, km] = [[] as Line[0][], 0, low]
    let before: Point | null = null
    for (;;) {
      const next = ordered.find((axis) => axis.km_from <= km + (before ? JOIN_KM : END_KM) && axis.km_to > km + END_KM)
      if (!next) return null
      const part = this.part(next, km, high)
      const [first] = part.line
      if (!first) return null
      // Another road of the same name begins elsewhere.
      if (before && distanceM(before, { lon: first[0], lat: first[1] }) > longestRoadM(0)) return null
      line = [...line, ...part.line]
      error_m = Math.max(error_m, part.error_m)
      if (next.km_to >= high - END_KM) return { line, error_m, length_m: lengthM(line) }
      km = next.km_to
      const last = part.line.at(-1) as Line[0]
      before = { lon: last[0], lat: last[1] }
    }
  }

  #placeAt(axis: Axis, km: number): PlaceOnRoad {
    const segment = this.#segment(axis, km)
    const [from, to] = [this.#kms[segment] as number, this.#kms[segment + 1] as number]
    return this.#placeIn(axis, segment, to === from ? 0 : Math.min(1, Math.max(0, (km - from) / (to - from))))
  }

  /** The segment of an axis with a kilometre, or its first or last one. */
  #segment({ begin, end }: Axis, km: number): number {
    return firstIndex(begin + 1, end - 1, (at) => (this.#kms[at] as number) >= km) - 1
  }

  #placeIn(axis: Axis, segment: number, share: number): PlaceOnRoad {
    const { road, province_code, direction, posts } = axis
    const [from, to] = [this.#kms[segment] as number, this.#kms[segment + 1] as number]
    const km = Math.round(1000 * (from + share * (to - from))) / 1000
    // Beyond the last post, the two before it.
    const at = posts.findIndex((post) => post >= km)
    const next = at < 0 ? posts.length - 1 : posts[at] === km ? at : Math.max(1, at)
    const after = posts[next] as number
    const before = after === km ? after : (posts[next - 1] ?? after)
    const position = this.#between(segment, share)
    const first = this.#post(axis, before)
    return {
      ...{ road, province_code, direction, km, position: { lat: fine(position.lat), lon: fine(position.lon) } },
      // At a post the path does not count.
      error_m: before === after ? POST_M : (this.#errors[segment] as number),
      before: first,
      after: before === after ? first : this.#post(axis, after),
    }
  }

  #post(axis: Axis, km: number): Post {
    const segment = this.#segment(axis, km)
    const [from, to] = [this.#kms[segment] as number, this.#kms[segment + 1] as number]
    const position = this.#between(segment, to === from ? 0 : (km - from) / (to - from))
    return { road: axis.road, province_code: axis.province_code, km, position, source: 'ign', records: 1, error_m: POST_M }
  }

  #point(at: number): Point {
    return { lon: this.#lons[at] as number, lat: this.#lats[at] as number }
  }

  #corner(at: number): Line[0] {
    return [this.#lons[at] as number, this.#lats[at] as number]
  }

  #between(segment: number, share: number): Point {
    const [one, other] = [this.#point(segment), this.#point(segment + 1)]
    return { lon: one.lon + share * (other.lon - one.lon), lat: one.lat + share * (other.lat - one.lat) }
  }

  #put(axis: number, segment: number): void {
    const [one, other] = [this.#point(segment), this.#point(segment + 1)]
    for (const cell of cellsOf(one, other)) {
      const held = this.#cells.get(cell)
      if (held) held.push(axis, segment)
      else this.#cells.set(cell, [axis, segment])
    }
  }

  *#around({ lat, lon }: Point, radius_m: number): Generator<readonly [axis: number, segment: number]> {
    const north = radius_m / 111_000
    const east = north / Math.max(0.1, Math.cos(((Math.abs(lat) + north) * Math.PI) / 180))
    for (const cell of cellsOf({ lat: lat - north, lon: lon - east }, { lat: lat + north, lon: lon + east })) {
      const held = this.#cells.get(cell) ?? []
      for (let at = 0; at < held.length; at += 2) yield [held[at] as number, held[at + 1] as number]
    }
  }
}

interface Stretch {
  readonly low: number
  readonly high: number
  readonly province_code: string | null
  readonly direction: string
  /** How far an axis is from where the stretch begins, m; 0 if that is unknown. */
  readonly away: (axis: Axis) => number
}

interface Path extends RoadLine {
  readonly length_m: number
}

/** Whether two places of a kilometre differ by no more than their errors, or by the other carriageway. */
const isSame = (one: PlaceOnRoad, other: PlaceOnRoad): boolean =>
  one.province_code === other.province_code &&
  distanceM(one.position, other.position) <= (one.direction === other.direction ? one.error_m + other.error_m : CARRIAGEWAYS_M)

function* cellsOf(one: Point, other: Point): Generator<number> {
  const [west, east] = [Math.min(one.lon, other.lon), Math.max(one.lon, other.lon)].map((lon) => Math.floor((lon + 180) / CELL_DEG)) as [
    number,
    number,
  ]
  const [south, north] = [Math.min(one.lat, other.lat), Math.max(one.lat, other.lat)].map((lat) => Math.floor((lat + 90) / CELL_DEG)) as [
    number,
    number,
  ]
  for (let y = south; y <= north; y++) for (let x = west; x <= east; x++) yield y * COLUMNS + x
}

const fine = (degrees: number): number => Math.round(degrees * 1e6) / 1e6
