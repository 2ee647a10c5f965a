import type { Point } from '../schema/columns.ts'
import type { Area } from './atlas.ts'

/** Metres per degree of latitude, and of longitude at the equator (mean earth radius 6,371,009 m). */
const METRES_PER_DEGREE = 111_195
/** Side of a grid cell, degrees: about 5 km, a municipality's size. */
const CELL = 0.05

/** Areas in a grid index, to find those that contain a point. */
export interface AreaIndex {
  /** The area that contains the point; undefined outside all. */
  at(point: Point): Area | undefined
  /** The nearest area with a border at most `within_m` metres away (0 inside). `within_m` is at most 4,000. */
  nearest(point: Point, within_m: number): { readonly area: Area; readonly distance_m: number } | undefined
}

/** Builds the index of areas. */
export function indexAreas(areas: readonly Area[]): AreaIndex {
  const west = Math.min(...areas.map((area) => area.west))
  const south = Math.min(...areas.map((area) => area.south))
  const columns = Math.floor((Math.max(...areas.map((area) => area.east)) - west) / CELL) + 1
  const rows = Math.floor((Math.max(...areas.map((area) => area.north)) - south) / CELL) + 1
  const column = (lon: number): number => Math.floor((lon - west) / CELL)
  const row = (lat: number): number => Math.floor((lat - south) / CELL)
  const cells = Array.from({ length: columns * rows }, (): number[] => [])
  for (const [nth, area] of areas.entries())
    for (let y = row(area.south); y <= row(area.north); y++)
      for (let x = column(area.west); x <= column(area.east); x++) cells[y * columns + x]?.push(nth)
  // Packed, which takes a tenth of the memory: those of a cell begin at its start, and end at the next one.
  const members = Uint16Array.from(cells.flat())
  const starts = new Uint32Array(cells.length + 1)
  for (const [cell, { length }] of cells.entries()) starts[cell + 1] = (starts[cell] as number) + length
  const inCell = (cell: number): Area[] => Array.from(members.subarray(starts[cell], starts[cell + 1]), (nth) => areas[nth] as Area)
  const cellAt = (x: number, y: number): readonly Area[] => (x < 0 || y < 0 || x >= columns || y >= rows ? [] : inCell(y * columns + x))
  const at = (point: Point): Area | undefined => cellAt(column(point.lon), row(point.lat)).find((area) => contains(area, point))
  return {
    at,
    nearest(point, within_m) {
      const inside = at(point)
      if (inside) return { area: inside, distance_m: 0 }
      const x = column(point.lon)
      const y = row(point.lat)
      const around = new Set<Area>()
      for (const dy of [-1, 0, 1]) for (const dx of [-1, 0, 1]) for (const area of cellAt(x + dx, y + dy)) around.add(area)
      let best: { area: Area; distance_m: number } | undefined
      for (const area of around) {
        const distance_m = distanceTo(area, point)
        if (distance_m <= within_m && (!best || distance_m < best.distance_m)) best = { area, distance_m }
      }
      return best
    },
  }
}

/** Whether an area contains a point, by the even-odd rule over all its rings. */
export function contains(area: Area, { lat, lon }: Point): boolean {
  if (lon < area.west || lon > area.east || lat < area.south || lat > area.north) return false
  let inside = false
  for (const ring of area.rings)
    for (let at = 2; at < ring.length; at += 2) {
      const y1 = ring[at - 1] as number
      const y2 = ring[at + 1] as number
      if (y1 > lat === y2 > lat) continue
      const x1 = ring[at - 2] as number
      if (lon < x1 + (((ring[at] as number) - x1) * (lat - y1)) / (y2 - y1)) inside = !inside
    }
  return inside
}

/** Metres from a point to an area's border, 0 inside. Computed on the tangent plane, so only for short distances. */
export function distanceTo(area: Area, point: Point): number {
  if (contains(area, point)) return 0
  const scale = Math.cos((point.lat * Math.PI) / 180)
  let least = Number.POSITIVE_INFINITY
  for (const ring of area.rings) {
    let x1 = ((ring[0] as number) - point.lon) * scale
    let y1 = (ring[1] as number) - point.lat
    for (let at = 2; at < ring.length; at += 2) {
      const x2 = ((ring[at] as number) - point.lon) * scale
      const y2 = (ring[at + 1] as number) - point.lat
      least = Math.min(least, squareToSegment(x1, y1, x2, y2))
      x1 = x2
      y1 = y2
    }
  }
  return Math.sqrt(least) * METRES_PER_DEGREE
}

/** Square of the distance from the origin to the segment from (x1, y1) to (x2, y2). */
function squareToSegment(x1: number, y1: number, x2: number, y2: number): number {
  const dx = x2 - x1
  const dy = y2 - y1
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / length))
  const x = x1 + share * dx
  const y = y1 + share * dy
  return x * x + y * y
}
