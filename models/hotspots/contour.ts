import type { Raster } from './density.ts'

/** A closed ring of positions in metres, counter-clockwise. */
export type Ring = readonly (readonly [x: number, y: number])[]

/** A raster cell with a peak, and its density. */
interface PeakCell {
  readonly cell: number
  readonly density: number
}

/** The cells of a raster that belong to a peak. */
export interface Region {
  /** The density of its contour. */
  readonly level: number
  readonly cells: ReadonlySet<number>
}

/** Number of bisections of a saddle's level: down to a 4,000th of the peak. */
const HALVINGS = 12

/**
 * The connected cells around a peak with at least half its density. If they would reach a higher or a taken cell, the level rises
 * to the saddle before it.
 */
export function regionOf(raster: Raster, values: Float64Array, peak: PeakCell, taken: ReadonlySet<number>): Region {
  const half = peak.density / 2
  const whole = cellsAbove(raster, values, { peak, level: half, taken })
  if (whole) return { level: half, cells: whole }
  let [low, high] = [half, peak.density]
  let cells: ReadonlySet<number> = new Set([peak.cell])
  for (let turn = 0; turn < HALVINGS; turn++) {
    const level = (low + high) / 2
    const found = cellsAbove(raster, values, { peak, level, taken })
    if (found) {
      cells = found
      high = level
    } else low = level
  }
  return { level: high, cells }
}

const SIDES = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const

/** The cells with at least a density that are connected to a peak; null if they include a higher or a taken cell. */
function cellsAbove(
  { columns, rows }: Raster,
  values: Float64Array,
  { peak, level, taken }: { readonly peak: PeakCell; readonly level: number; readonly taken: ReadonlySet<number> },
): ReadonlySet<number> | null {
  const found = new Set([peak.cell])
  const next = [peak.cell]
  for (let cell = next.pop(); cell !== undefined; cell = next.pop()) {
    if ((values[cell] as number) > peak.density || taken.has(cell)) return null
    const [column, row] = [cell % columns, Math.floor(cell / columns)]
    for (const [dx, dy] of SIDES) {
      const beside = cell + dy * columns + dx
      if (column + dx < 0 || column + dx >= columns || row + dy < 0 || row + dy >= rows) continue
      if (found.has(beside) || (values[beside] as number) < level) continue
      found.add(beside)
      next.push(beside)
    }
  }
  return found
}

/**
 * The outer contour of a region at its level, by marching squares between cell centres (Lorensen and Cline 1987 in two
 * dimensions); cells of other regions count as below the level. Counter-clockwise and closed.
 */
export function contourOf(raster: Raster, values: Float64Array, { level, cells }: Region): Ring {
  const { columns } = raster
  const valueAt = (cell: number): number => {
    const value = values[cell] ?? 0
    return cells.has(cell) || value < level ? value : 0.9 * level
  }
  const isIn = (cell: number): boolean => cells.has(cell)
  const links = new Map<number, number[]>()
  const link = (one: number, other: number): void => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const)
      links.set(from, [...(links.get(from) ?? []), to])
  }
  const squares = new Set([...cells].flatMap((cell) => [cell, cell - 1, cell - columns, cell - columns - 1]))
  for (const square of squares) {
    // Corners and sides from the south-west, counter-clockwise; a side is identified by its first cell and its direction.
    const corners = [square, square + 1, square + columns + 1, square + columns]
    const sides = [2 * square, 2 * (square + 1) + 1, 2 * (square + columns), 2 * square + 1]
    const crossed = sides.filter((_, at) => isIn(corners[at] as number) !== isIn(corners[(at + 1) % 4] as number))
    if (crossed.length === 2) link(crossed[0] as number, crossed[1] as number)
    if (crossed.length < 4) continue
    // Two opposite corners are inside: cells that touch only at a corner are not connected, so each corner is cut off.
    const first = isIn(corners[0] as number) ? 0 : 1
    for (const at of [first, first + 2]) link(sides[(at + 3) % 4] as number, sides[at] as number)
  }
  const place = (side: number): readonly [number, number] => {
    const from = Math.floor(side / 2)
    const to = from + (side % 2 === 0 ? 1 : columns)
    const [one, other] = [valueAt(from), valueAt(to)]
    const share = (level - one) / (other - one)
    const [x, y] = [raster.x + (from % columns) * raster.step_m, raster.y + Math.floor(from / columns) * raster.step_m]
    return side % 2 === 0 ? [x + share * raster.step_m, y] : [x, y + share * raster.step_m]
  }
  let outer: Ring = []
  const done = new Set<number>()
  for (const start of links.keys()) {
    if (done.has(start)) continue
    const ring: (readonly [number, number])[] = []
    let side: number | undefined = start
    while (side !== undefined && !done.has(side)) {
      done.add(side)
      ring.push(place(side))
      side = links.get(side)?.find((one) => !done.has(one))
    }
    ring.push(ring[0] as readonly [number, number])
    if (Math.abs(areaOf(ring)) > Math.abs(areaOf(outer))) outer = ring
  }
  return areaOf(outer) < 0 ? [...outer].reverse() : outer
}

/** The area of a ring (m²), positive if counter-clockwise. */
export function areaOf(ring: Ring): number {
  let twice = 0
  for (let at = 1; at < ring.length; at++) {
    const [[x0, y0], [x1, y1]] = [ring[at - 1], ring[at]] as [readonly [number, number], readonly [number, number]]
    twice += x0 * y1 - x1 * y0
  }
  return twice / 2
}
