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

/** Days, both inclusive, YYYY-MM-DD. */
export interface Window {
  readonly from: string
  readonly to: string
}

/** Whether a value is within its limit; true without a limit. */
export function isWithin(value: number, limit: Limit | null): boolean {
  return limit === null || (value >= (limit.min ?? Number.NEGATIVE_INFINITY) && value <= (limit.max ?? Number.POSITIVE_INFINITY))
}
