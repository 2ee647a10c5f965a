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
    const next = this.#first.slice()
    for (const [at, cell] of cells.entries()) {
      this.#segments[next[cell] as number] = segments[at] as number
      next[cell] = (next[cell] as number) + 1
    }
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

  /** The nearest place on the path to a position; null if it is farther than `within_m`. Of equally near ones the first. */
  nearest(lon: number, lat: number, within_m: number): Beside | null {
    const reach = reachOf(within_m)
    const column = Math.floor((lon - this.#west) * this.#perLon)
    const row = Math.floor((lat - this.#south) * this.#perLat)
    const scale = Math.cos(lat * RAD)
    const [lons, lats] = [this.#lons, this.#lats]
    let best = (within_m / DEG_M) ** 2
    let [nearest, nearestShare, cross] = [-1, 0, 0]
    for (let y = Math.max(0, row - reach); y <= Math.min(this.#rows - 1, row + reach); y++)
      for (let x = Math.max(0, column - reach); x <= Math.min(this.#columns - 1, column + reach); x++) {
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
          if (away > best || (nearest >= 0 && away === best && segment >= nearest)) continue
          best = away
          nearest = segment
          nearestShare = share
          cross = dy * fromX - dx * fromY
        }
      }
    if (nearest < 0) return null
    const [from, to] = [this.#starts[nearest] as number, this.#starts[nearest + 1] as number]
    return { along_m: from + nearestShare * (to - from), offset_m: Math.sqrt(best) * DEG_M, turn: cross }
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
