/** Allowed range of a figure; a side that is absent is open. */
export interface Limit {
  readonly min?: number
  readonly max?: number
}

/** An out-of-sample error statistic of a model. */
export interface Figure {
  readonly model: string
  /** The forecast series. */
  readonly series: string
  /** First and last day of the outcomes. */
  readonly window: string
  readonly horizon: string
  readonly metric: string
  readonly value: number
  /** The same statistic of the plain baseline in the same run; null if there is none. */
  readonly baseline: number | null
  readonly limit: Limit | null
  readonly ok: boolean
  /** Number of outcomes. */
  readonly points: number
}

/** Seasons of errors. */
export const SEASONS = ['WINTER', 'SPRING', 'SUMMER', 'AUTUMN'] as const

/** The season of a date (YYYY-MM-DD) by its month: winter is December to February. */
export function seasonOf(date: string): (typeof SEASONS)[number] {
  return SEASONS[Math.floor((Number(date.slice(5, 7)) % 12) / 3)] as (typeof SEASONS)[number]
}

/** Days, both inclusive, YYYY-MM-DD. */
export interface Window {
  readonly from: string
  readonly to: string
}

/** What a figure measured; baseline and limit are null by default. */
type Measured = Pick<Figure, 'value' | 'points'> & Partial<Pick<Figure, 'baseline' | 'limit'>>

/** Makes a figure, with whether its value is within its limit. */
export function figureOf(
  about: Pick<Figure, 'model' | 'series' | 'window' | 'horizon'>,
  metric: string,
  { value, points, baseline = null, limit = null }: Measured,
): Figure {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limit ?? {}
  return { ...about, metric, value, baseline, limit, ok: limit === null || (value >= min && value <= max), points }
}
