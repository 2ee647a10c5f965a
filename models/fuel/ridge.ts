/** A linear ridge regression without intercept, to which observations are added one by one. */
export interface Ridge {
  /** Adds an observation: its features and its outcome. */
  add(features: ArrayLike<number>, outcome: number): void
  /**
   * The coefficients from all observations so far, minimizing the squared errors plus `penalty` times the squared coefficients.
   * Observations of another regression with the same features are added with a weight of `share`.
   */
  fit(beside?: { readonly ridge: Ridge; readonly share: number }): Float64Array
  /** Sums over observations: the lower triangle of XᵀX, and Xᵀy. */
  readonly sums: { readonly squares: Float64Array; readonly products: Float64Array }
}

/** Creates a regression with `width` features; `penalty` is greater than 0, so that there is always one solution. */
export function makeRidge(width: number, penalty: number): Ridge {
  const squares = new Float64Array(width * width)
  const products = new Float64Array(width)
  return {
    add(features, outcome) {
      for (let row = 0; row < width; row++) {
        const feature = features[row] as number
        if (feature === 0) continue
        products[row] = (products[row] as number) + feature * outcome
        for (let at = 0; at <= row; at++)
          squares[row * width + at] = (squares[row * width + at] as number) + feature * (features[at] as number)
      }
    },
    fit(beside) {
      const [matrix, values] = [squares.slice(), products.slice()]
      if (beside) {
        addTo(matrix, beside.ridge.sums.squares, beside.share)
        addTo(values, beside.ridge.sums.products, beside.share)
      }
      for (let at = 0; at < width; at++) matrix[at * width + at] = (matrix[at * width + at] as number) + penalty
      return solve(matrix, values, width)
    },
    sums: { squares, products },
  }
}

/** The outcome that coefficients predict from features. */
export function predicted(weights: ArrayLike<number>, features: readonly number[]): number {
  return features.reduce((sum, feature, nth) => sum + feature * (weights[nth] as number), 0)
}

/** The conformal quantile of absolute errors at a level, of at least one: that of the next error (split conformal prediction). */
export function conformal(errors: readonly number[], level: number): number {
  const sorted = errors.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length, Math.ceil(level * (sorted.length + 1))) - 1] as number
}

function addTo(into: Float64Array, values: Float64Array, share: number): void {
  for (let at = 0; at < into.length; at++) into[at] = (into[at] as number) + share * (values[at] as number)
}

/** Solves a positive definite system in place, by Cholesky decomposition of the lower triangle. */
function solve(matrix: Float64Array, values: Float64Array, width: number): Float64Array {
  const of = (row: number, at: number): number => matrix[row * width + at] as number
  for (let row = 0; row < width; row++) {
    for (let at = 0; at <= row; at++) {
      let rest = of(row, at)
      for (let k = 0; k < at; k++) rest -= of(row, k) * of(at, k)
      matrix[row * width + at] = row === at ? Math.sqrt(rest) : rest / of(at, at)
    }
    let rest = values[row] as number
    for (let k = 0; k < row; k++) rest -= of(row, k) * (values[k] as number)
    values[row] = rest / of(row, row)
  }
  for (let row = width - 1; row >= 0; row--) {
    let rest = values[row] as number
    for (let k = row + 1; k < width; k++) rest -= of(k, row) * (values[k] as number)
    values[row] = rest / of(row, row)
  }
  return values
}
