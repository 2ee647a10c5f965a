/** Standard deviations that a kernel reaches. */
const REACH = 4

/** How a grid of values, row by row, is smoothed. */
interface Smoothing {
  readonly rows: number
  /** Standard deviation of the kernel, in rows or columns. */
  readonly width: number
  readonly along: 'rows' | 'columns'
}

/** Sums of the values around each under a Gaussian kernel with 1 in its middle, along rows or columns, whose last is followed by the first. */
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
