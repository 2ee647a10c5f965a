import { type Figure, figureOf } from '../../../models/figures.ts'

/** A figure of the axes of roads; by default without a baseline and without a limit. */
export function roadFigure({
  series,
  window,
  metric,
  ...measured
}: Pick<Figure, 'series' | 'window' | 'metric'> & Parameters<typeof figureOf>[2]): Figure {
  return figureOf({ model: 'roads', horizon: '', series, window }, metric, measured)
}

/** A quantile of numbers in any order; NaN without any. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
