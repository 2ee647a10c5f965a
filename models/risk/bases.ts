/** What a model of risk rests on, and how it is fitted. */
export interface RiskBasis {
  /** Id of the model. */
  readonly model: string
  /** Which accidents: a code of `risk_basis`. */
  readonly basis: 'ANIMALS' | 'CASUALTY'
  /** Its series in `model_scores`. */
  readonly series: string
  /** How many years it is fitted to, the newest. */
  readonly years: number
  /** True where accidents spread over the hours of the week, false where over those of the day: animals know no Sunday. */
  readonly byWeekday: boolean
}

/** Accidents with animals, whose file tells dates. */
export const ANIMALS: RiskBasis = Object.freeze({
  ...{ model: 'risk', basis: 'ANIMALS', series: 'animal_accidents', years: 1, byWeekday: false },
} as const)

/** Accidents with somebody killed or hurt of the national table, which tells month, weekday and hour: three years, for they are fewer by road. */
export const CASUALTIES: RiskBasis = Object.freeze({
  ...{ model: 'risk_casualties', basis: 'CASUALTY', series: 'casualty_accidents', years: 3, byWeekday: true },
} as const)

/** All of them. */
export const RISK_MODELS: readonly RiskBasis[] = Object.freeze([ANIMALS, CASUALTIES])
