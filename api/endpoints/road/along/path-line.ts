import { distanceM, EARTH_M } from '../../../../lake/places/distance.ts'
import type { Line, Point } from '../../../../lake/schema/columns.ts'

const RAD = Math.PI / 180
/** Metres of a degree of latitude. */
const DEG_M = EARTH_M * RAD
/** Cell size of the grid of segments, m, and the spacing at which long segments are put into it. */
const CELL_M = 1000
const STEP_M = 450
/** The bearing of a path at a place is that between points this far before and after it, m: corners of the line do not matter. */
export const BEARING_M = 150

/** The cosine of the largest angle, 50 degrees, at which roads that meet do not cross. */
export const LEAST_COSINE = Math.cos(50 * RAD)
/** Of places that a path passes more than once, as there and back on two carriageways, offsets differ by less than this, m. */
const SAME_M = 50
/** A way there and back that is shorter than this is one pass, m. */
export const SHORT_M = 500

/** Where a point lies beside a path. */
export interface Beside {
  /** Distance along the path to the nearest point of it, m. */
  readonly along_m: number
  /** Distance from the path, m. */
  readonly offset_m: number
  /** Positive left of the path, in its direction; negative right of it. */
  readonly turn: number
}

/** A path over ground with a grid of its segments: which points are near it, and where along it. Distances are spherical. */
export class PathLine {
  readonly length_m: number
  readonly #lons: Float64Array
  readonly #lats: Float64Array
  /** Distance of each vertex from the start, m. */
  readonly #starts: Float64Array
  readonly #west: number
  readonly #south: number
  /** Cells per degree. */
  readonly #perLon: number
  readonly #perLat: number
  readonly #columns: number
  readonly #rows: number
  /** Segments by cell: those of cell c are from `#first[c]` to `#first[c + 1]` of `#segments`. */
  readonly #first: Uint32Array
  readonly #segments: Uint32Array
  /** By cell, the quadrants in which its segments run, a bit each. */
  readonly #quadrants: Uint8Array
  /** What a search has found: segments, and the squares of their distances in degrees. */
  readonly #found: Uint32Array
  readonly #aways: Float64Array
  /** Whether a cell is within `reach` cells of a segment, by reach. */
  readonly #near = new Map<number, Uint8Array>()

  /** A line of at least two positions, in the order of travel. */
  constructor(line: Line) {
    this.#lons = Float64Array.from(line, ([lon]) => lon)
    this.#lats = Float64Array.from(line, ([, lat]) => lat)
    this.#starts = new Float64Array(line.length)
    for (let at = 1; at < line.length; at++)
      this.#starts[at] = (this.#starts[at - 1] as number) + distanceM(this.#vertex(at - 1), this.#vertex(at))
    this.length_m = this.#starts.at(-1) as number
    const [west, east] = rangeOf(this.#lons)
    const [south, north] = rangeOf(this.#lats)
    this.#west = west
    this.#south = south
    this.#perLat = DEG_M / CELL_M
    // As narrow as they get: a cell is at least `CELL_M` wide everywhere.
    this.#perLon = this.#perLat * Math.max(0.05, Math.cos(Math.min(89, Math.max(Math.abs(south), Math.abs(north)) + 0.1) * RAD))
    this.#columns = Math.floor((east - west) * this.#perLon) + 1
    this.#rows = Math.floor((north - south) * this.#perLat) + 1
    const cells: number[] = []
    const segments: number[] = []
    for (let at = 0; at + 1 < line.length; at++) {
      let last = -1
      const steps = Math.max(1, Math.ceil(((this.#starts[at + 1] as number) - (this.#starts[at] as number)) / STEP_M))
      for (let step = 0; step <= steps; step++) {
        const { lon, lat } = this.#between(at, step / steps)
        const cell = this.#cellOf(lon, lat)
        if (cell === last) continue
        cells.push(cell)
        segments.push(at)
        last = cell
      }
    }
    this.#first = new Uint32Array(this.#columns * this.#rows + 1)
    for (const cell of cells) this.#first[cell + 1] = (this.#first[cell + 1] as number) + 1
    for (let cell = 1; cell < this.#first.length; cell++)
      this.#first[cell] = (this.#first[cell] as number) + (this.#first[cell - 1] as number)
    this.#segments = new Uint32Array(segments.length)
    this.#found = new Uint32Array(segments.length)
    this.#aways = new Float64Array(segments.length)
    this.#quadrants = new Uint8Array(this.#columns * this.#rows)
    const next = this.#first.slice()
    for (const [at, cell] of cells.entries()) {
      const segment = segments[at] as number
      this.#segments[next[cell] as number] = segment
      const east = (this.#lons[segment + 1] as number) - (this.#lons[segment] as number)
      const north = (this.#lats[segment + 1] as number) - (this.#lats[segment] as number)
      this.#quadrants[cell] = (this.#quadrants[cell] as number) | quadrant(east, north)
      next[cell] = (next[cell] as number) + 1
    }
  }

  /** The longitudes between which positions may be at most `within_m` from the path. */
  longitudes(within_m: number): readonly [west: number, east: number] {
    const wide = (reachOf(within_m) + 1) / this.#perLon
    return [this.#west - wide, this.#west + this.#columns / this.#perLon + wide]
  }

  /**
   * Returns a quick test for many positions: false only for one that is certainly farther than `within_m` from the path.
   */
  nearness(within_m: number): (lon: number, lat: number) => boolean {
    const reach = reachOf(within_m)
    const near = this.#nearCells(reach)
    const [west, south, perLon, perLat] = [this.#west, this.#south, this.#perLon, this.#perLat]
    const [columns, rows] = [this.#columns + 2 * reach, this.#rows + 2 * reach]
    return (lon, lat) => {
      const column = Math.floor((lon - west) * perLon) + reach
      const row = Math.floor((lat - south) * perLat) + reach
      return column >= 0 && row >= 0 && column < columns && row < rows && near[row * columns + column] === 1
    }
  }

  /**
   * Where the path passes a position, in the order of travel: at most `within_m` away, and `SAME_M` farther than where it is
   * nearest. With a heading, degrees, only where the path runs as it, up to 50° off.
   */
  passes(lon: number, lat: number, within_m: number, heading_deg: number | null = null): Beside[] {
    const reach = reachOf(within_m)
    const column = Math.floor((lon - this.#west) * this.#perLon)
    const row = Math.floor((lat - this.#south) * this.#perLat)
    const scale = Math.cos(lat * RAD)
    const [lons, lats, found, aways] = [this.#lons, this.#lats, this.#found, this.#aways]
    const [east, north] = heading_deg === null ? [0, 0] : [Math.sin(heading_deg * RAD), Math.cos(heading_deg * RAD)]
    const [west, south] = [Math.max(0, column - reach), Math.max(0, row - reach)]
    const [last, top] = [Math.min(this.#columns - 1, column + reach), Math.min(this.#rows - 1, row + reach)]
    if (heading_deg !== null && !this.#runs(heading_deg, { west, south, last, top })) return []
    const most = (within_m / DEG_M) ** 2
    let [best, limit] = [most, most]
    let [count, nearest] = [0, -1]
    for (let y = south; y <= top; y++)
      for (let x = west; x <= last; x++) {
        const cell = y * this.#columns + x
        const end = this.#first[cell + 1] as number
        for (let at = this.#first[cell] as number; at < end; at++) {
          const segment = this.#segments[at] as number
          const fromX = ((lons[segment] as number) - lon) * scale
          const fromY = (lats[segment] as number) - lat
          const dx = ((lons[segment + 1] as number) - lon) * scale - fromX
          const dy = (lats[segment + 1] as number) - lat - fromY
          const square = dx * dx + dy * dy
          const share = square === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * dx + fromY * dy) / square))
          const px = fromX + share * dx
          const py = fromY + share * dy
          const away = px * px + py * py
          if (away > limit || (heading_deg !== null && dx * east + dy * north < LEAST_COSINE * Math.sqrt(square))) continue
          found[count] = segment
          aways[count++] = away
          if (away > best || (nearest >= 0 && away === best && segment >= nearest)) continue
          best = away
          limit = Math.min(most, (Math.sqrt(best) + SAME_M / DEG_M) ** 2)
          nearest = segment
        }
      }
    if (nearest < 0) return []
    let [low, high] = [nearest, nearest]
    for (let at = 0; at < count; at++) {
      const segment = found[at] as number
      if ((aways[at] as number) > limit) continue
      if (segment < low) low = segment
      else if (segment > high) high = segment
    }
    // A straight path has no two such places farther from each other.
    const straight_m = 2 * Math.sqrt(limit - best) * DEG_M + 1
    if ((this.#starts[high + 1] as number) - (this.#starts[low] as number) <= straight_m + SHORT_M) return [this.#beside(nearest, lon, lat)]
    const passes: Beside[] = []
    let before_m = Number.NEGATIVE_INFINITY
    for (const segment of found
      .subarray(0, count)
      .filter((_, at) => (aways[at] as number) <= limit)
      .sort()) {
      const beside = this.#beside(segment, lon, lat)
      const last = beside.along_m - before_m <= straight_m ? passes.pop() : undefined
      passes.push(last && last.offset_m <= beside.offset_m ? last : beside)
      before_m = beside.along_m
    }
    return passes
  }

  /** The position at a distance along the path, m; its ends beyond them. */
  at(along_m: number): Point {
    let [low, high] = [0, this.#starts.length - 1]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] as number) <= along_m) low = middle
      else high = middle
    }
    const [from, to] = [this.#starts[low] as number, this.#starts[low + 1] as number]
    return this.#between(low, to === from ? 0 : Math.min(1, Math.max(0, (along_m - from) / (to - from))))
  }

  /** The direction of travel at a distance along the path, degrees clockwise from north. */
  bearingAt(along_m: number): number {
    return bearing(this.at(Math.max(0, along_m - BEARING_M)), this.at(Math.min(this.length_m, along_m + BEARING_M)))
  }

  /** Whether a segment in some cells may run within 50° of a heading. */
  #runs(
    heading_deg: number,
    cells: { readonly west: number; readonly south: number; readonly last: number; readonly top: number },
  ): boolean {
    const wanted = [-50, 0, 50].reduce((bits, off) => {
      const angle = (heading_deg + off) * RAD
      return bits | quadrant(Math.sin(angle), Math.cos(angle))
    }, 0)
    for (let y = cells.south; y <= cells.top; y++)
      for (let x = cells.west; x <= cells.last; x++) if ((this.#quadrants[y * this.#columns + x] as number) & wanted) return true
    return false
  }

  /** The nearest place on a segment to a position. */
  #beside(segment: number, lon: number, lat: number): Beside {
    const scale = Math.cos(lat * RAD)
    const [fromX, fromY] = [((this.#lons[segment] as number) - lon) * scale, (this.#lats[segment] as number) - lat]
    const [dx, dy] = [((this.#lons[segment + 1] as number) - lon) * scale - fromX, (this.#lats[segment + 1] as number) - lat - fromY]
    const square = dx * dx + dy * dy
    const share = square === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * dx + fromY * dy) / square))
    const [from, to] = [this.#starts[segment] as number, this.#starts[segment + 1] as number]
    const offset_m = Math.sqrt((fromX + share * dx) ** 2 + (fromY + share * dy) ** 2) * DEG_M
    return { along_m: from + share * (to - from), offset_m, turn: dy * fromX - dx * fromY }
  }

  #vertex(at: number): Point {
    return { lon: this.#lons[at] as number, lat: this.#lats[at] as number }
  }

  #between(segment: number, share: number): Point {
    const [one, other] = [this.#vertex(segment), this.#vertex(segment + 1)]
    return { lon: one.lon + share * (other.lon - one.lon), lat: one.lat + share * (other.lat - one.lat) }
  }

  #cellOf(lon: number, lat: number): number {
    const column = Math.min(this.#columns - 1, Math.floor((lon - this.#west) * this.#perLon))
    const row = Math.min(this.#rows - 1, Math.floor((lat - this.#south) * this.#perLat))
    return row * this.#columns + column
  }

  /** Marks the cells with a segment at most `reach` cells away, in a grid that is `reach` cells larger on each side. */
  #nearCells(reach: number): Uint8Array {
    const known = this.#near.get(reach)
    if (known) return known
    const columns = this.#columns + 2 * reach
    const marked = new Uint8Array(columns * (this.#rows + 2 * reach))
    for (let cell = 0; cell + 1 < this.#first.length; cell++) {
      if (this.#first[cell] === this.#first[cell + 1]) continue
      const [row, column] = [Math.floor(cell / this.#columns), cell % this.#columns]
      for (let y = row; y <= row + 2 * reach; y++) marked.fill(1, y * columns + column, y * columns + column + 2 * reach + 1)
    }
    this.#near.set(reach, marked)
    return marked
  }
}

/** The bit of the quadrant of a direction. */
const quadrant = (east: number, north: number): number => 1 << (2 * Number(east > 0) + Number(north > 0))

/** Rings of cells that have to be searched: a segment is in a cell at most half a step from where it is nearest. */
function reachOf(within_m: number): number {
  return Math.ceil((within_m + STEP_M / 2) / CELL_M)
}

function rangeOf(values: Float64Array): [least: number, most: number] {
  return [values.reduce((least, one) => Math.min(least, one)), values.reduce((most, one) => Math.max(most, one))]
}

/** The direction from one position to another, degrees clockwise from north; for short distances. */
export function bearing(from: Point, to: Point): number {
  const east = (to.lon - from.lon) * Math.cos(((from.lat + to.lat) / 2) * RAD)
  return (Math.atan2(east, to.lat - from.lat) / RAD + 360) % 360
}
