/** Radius of the kernel, in standard deviations. */
const REACH = 4

/** Parameters of smoothing a grid of values, stored row by row. */
interface Smoothing {
  readonly rows: number
  /** Standard deviation of the kernel, in rows or columns. */
  readonly width: number
  readonly along: 'rows' | 'columns'
}

/** Kernel sums of the values (Gaussian with 1 at its centre) along rows or columns, which are cyclic. */
export function smoothed(grid: Float64Array, { rows, width, along }: Smoothing): Float64Array {
  const columns = grid.length / rows
  const around = along === 'rows' ? rows : columns
  const reach = Math.min(Math.ceil(REACH * width), Math.floor((around - 1) / 2))
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, at) => Math.exp(-0.5 * ((at - reach) / width) ** 2))
  const sums = new Float64Array(grid.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let sum = 0
      for (let step = -reach; step <= reach; step++) {
        const at =
          along === 'rows' ? ((row + step + around) % around) * columns + column : row * columns + ((column + step + around) % around)
        sum += (kernel[step + reach] as number) * (grid[at] as number)
      }
      sums[row * columns + column] = sum
    }
  return sums
}
