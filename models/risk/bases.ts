/** Data and settings of a risk model. */
export interface RiskBasis {
  /** Id of the model. */
  readonly model: string
  /** Which accidents it covers: a code of `risk_basis`. */
  readonly basis: 'ANIMALS' | 'CASUALTY'
  /** Its series in `model_scores`. */
  readonly series: string
  /** Number of newest years to fit. */
  readonly years: number
  /** True if accidents vary by hour of the week, false if only by hour of the day: animals do not know weekdays. */
  readonly byWeekday: boolean
}

/** Accidents with animals, whose file has dates. */
export const ANIMALS: RiskBasis = Object.freeze({
  ...{ model: 'risk', basis: 'ANIMALS', series: 'animal_accidents', years: 1, byWeekday: false },
} as const)

/**
 * Accidents with someone killed or hurt from the national table, which has month, weekday and hour. Three years, since they are
 * fewer per road.
 */
export const CASUALTIES: RiskBasis = Object.freeze({
  ...{ model: 'risk_casualties', basis: 'CASUALTY', series: 'casualty_accidents', years: 3, byWeekday: true },
} as const)

/** All risk models. */
export const RISK_MODELS: readonly RiskBasis[] = Object.freeze([ANIMALS, CASUALTIES])
