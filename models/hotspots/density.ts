/** A point in metres of a grid, with its weight. */
export interface Mark {
  readonly x: number
  readonly y: number
  readonly weight: number
}

/** The kernels, in two dimensions, each with an integral of 1. */
export const KERNELS = ['EPANECHNIKOV', 'GAUSSIAN'] as const
export type Kernel = (typeof KERNELS)[number]

/** Radius of a kernel, in bandwidths. Epanechnikov's is one; beyond 8, the Gaussian is below 1e-13 of its value at the centre. */
const REACH: Readonly<Record<Kernel, number>> = { EPANECHNIKOV: 1, GAUSSIAN: 8 }

/** The value of a kernel (1/m²) at a squared distance (m²). */
export function kernelAt(kernel: Kernel, squared: number, bandwidth_m: number): number {
  const u2 = squared / bandwidth_m ** 2
  if (kernel === 'GAUSSIAN') return Math.exp(-u2 / 2) / (2 * Math.PI * bandwidth_m ** 2)
  return u2 >= 1 ? 0 : (2 * (1 - u2)) / (Math.PI * bandwidth_m ** 2)
}

/**
 * Creates the weighted kernel density function of marks: marks per m² at a position. Marks are indexed by cells as wide as the
 * kernel's radius.
 */
export function densityOf(marks: readonly Mark[], kernel: Kernel, bandwidth_m: number): (x: number, y: number) => number {
  const reach = REACH[kernel] * bandwidth_m
  const keyOf = (column: number, row: number): string => `${column},${row}`
  const cells = Map.groupBy(marks, ({ x, y }) => keyOf(Math.floor(x / reach), Math.floor(y / reach)))
  return (x, y) => {
    const [column, row] = [Math.floor(x / reach), Math.floor(y / reach)]
    let sum = 0
    for (let dx = -1; dx <= 1; dx++)
      for (let dy = -1; dy <= 1; dy++)
        for (const mark of cells.get(keyOf(column + dx, row + dy)) ?? []) {
          const squared = (mark.x - x) ** 2 + (mark.y - y) ** 2
          if (squared <= reach * reach) sum += mark.weight * kernelAt(kernel, squared, bandwidth_m)
        }
    return sum
  }
}

/** A grid of cells in metres: centre of the south-west cell, cell width, and number of cells. */
export interface Raster {
  readonly x: number
  readonly y: number
  readonly step_m: number
  readonly columns: number
  readonly rows: number
}

/**
 * A raster over all marks, with a margin on all sides. Throws a `RangeError` above `mostCells`: a mark is far from the others.
 */
export function rasterOver(
  marks: readonly Mark[],
  options: { readonly step_m: number; readonly margin_m: number; readonly mostCells: number },
): Raster {
  const { step_m, margin_m, mostCells } = options
  let [west, south, east, north] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { x, y } of marks) {
    west = Math.min(west, x)
    east = Math.max(east, x)
    south = Math.min(south, y)
    north = Math.max(north, y)
  }
  const [x, y] = [Math.floor((west - margin_m) / step_m) * step_m, Math.floor((south - margin_m) / step_m) * step_m]
  const columns = Math.ceil((east + margin_m - x) / step_m) + 1
  const rows = Math.ceil((north + margin_m - y) / step_m) + 1
  if (!(columns * rows <= mostCells)) throw new RangeError(`a raster of ${columns} × ${rows} cells, at most ${mostCells} are made`)
  return { x, y, step_m, columns, rows }
}

/** Radius of the Gaussian kernel on a raster, in bandwidths: 0.03 % of its volume is beyond it. */
const RASTER_REACH = 4

/** Adds the kernels of marks to a raster's cells (`values`, row by row from the south), evaluated at cell centres. */
export function addToRaster(
  raster: Raster,
  values: Float64Array,
  of: { readonly marks: Iterable<Mark>; readonly kernel: Kernel; readonly bandwidth_m: number },
): void {
  const { x, y, step_m, columns, rows } = raster
  const { kernel, bandwidth_m } = of
  const reach = Math.min(REACH[kernel], RASTER_REACH) * bandwidth_m
  for (const mark of of.marks) {
    const west = Math.max(0, Math.ceil((mark.x - reach - x) / step_m))
    const east = Math.min(columns - 1, Math.floor((mark.x + reach - x) / step_m))
    const south = Math.max(0, Math.ceil((mark.y - reach - y) / step_m))
    const north = Math.min(rows - 1, Math.floor((mark.y + reach - y) / step_m))
    for (let row = south; row <= north; row++) {
      const dy2 = (y + row * step_m - mark.y) ** 2
      for (let column = west; column <= east; column++) {
        const squared = (x + column * step_m - mark.x) ** 2 + dy2
        const at = row * columns + column
        if (squared <= reach * reach) values[at] = (values[at] as number) + mark.weight * kernelAt(kernel, squared, bandwidth_m)
      }
    }
  }
}

/** A kernel at the centres of cells around a mark at the centre of its own cell. */
export interface Stamp {
  /** Cells covered on each side. */
  readonly reach: number
  /** Row by row, 2 × reach + 1 each. */
  readonly values: Float64Array
}

/** Radius of the Gaussian stamp, in bandwidths: it covers 98.9 % of the volume. */
const STAMP_REACH = 3

/** Creates the stamp of a kernel for a cell width. */
export function stampOf(kernel: Kernel, bandwidth_m: number, step_m: number): Stamp {
  const reach = Math.floor((Math.min(REACH[kernel], STAMP_REACH) * bandwidth_m) / step_m)
  const wide = 2 * reach + 1
  const values = new Float64Array(wide * wide)
  for (let row = -reach; row <= reach; row++)
    for (let column = -reach; column <= reach; column++)
      values[(row + reach) * wide + column + reach] = kernelAt(kernel, (column ** 2 + row ** 2) * step_m ** 2, bandwidth_m)
  return { reach, values }
}

/**
 * Like `addToRaster` with each mark moved to the centre of its cell: equally good for comparing sets of marks, and ten times as
 * fast.
 */
export function addStamps(
  raster: Raster,
  values: Float64Array,
  { marks, stamp }: { readonly marks: Iterable<Mark>; readonly stamp: Stamp },
): void {
  const { x, y, step_m, columns, rows } = raster
  const { reach } = stamp
  const wide = 2 * reach + 1
  for (const mark of marks) {
    const column = Math.round((mark.x - x) / step_m)
    const row = Math.round((mark.y - y) / step_m)
    const [west, east] = [Math.max(0, column - reach), Math.min(columns - 1, column + reach)]
    for (let one = Math.max(0, row - reach); one <= Math.min(rows - 1, row + reach); one++) {
      const from = (one - row + reach) * wide + reach - column
      for (let other = west; other <= east; other++) {
        const at = one * columns + other
        values[at] = (values[at] as number) + mark.weight * (stamp.values[from + other] as number)
      }
    }
  }
}
