/** What a figure must lie within; an open side is not told. */
export interface Limit {
  readonly min?: number
  readonly max?: number
}

/** A figure of a model's errors out of sample. */
export interface Figure {
  readonly model: string
  /** What was forecast. */
  readonly series: string
  /** First and last day of the outcomes. */
  readonly window: string
  readonly horizon: string
  readonly metric: string
  readonly value: number
  /** The same of the plain baseline, measured in the same run; null where there is none. */
  readonly baseline: number | null
  readonly limit: Limit | null
  readonly ok: boolean
  /** Outcomes that it is made of. */
  readonly points: number
}

/** Days, both inclusive, YYYY-MM-DD. */
export interface Window {
  readonly from: string
  readonly to: string
}

/** Whether a value lies within its limit; true where there is none. */
export function isWithin(value: number, limit: Limit | null): boolean {
  return limit === null || (value >= (limit.min ?? Number.NEGATIVE_INFINITY) && value <= (limit.max ?? Number.POSITIVE_INFINITY))
}
