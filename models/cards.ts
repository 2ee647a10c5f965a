import { fuelCard } from './fuel/card.ts'
import { fuelDailyCard } from './fuel-daily/card.ts'
import { riskCard, riskCasualtiesCard } from './risk/card.ts'
import { trafficCard, trafficCountsCard } from './traffic/card.ts'

/** What is declared of a model; what was found of it is in `model_cards` and `model_scores`. */
export interface ModelCard {
  /** As in all that it writes. */
  readonly id: string
  readonly title: string
  /** What it is for, and what not. */
  readonly purpose: string
  readonly not_for: string
  readonly data: string
  readonly features: string
  readonly method: string
  /** How errors and intervals are measured, and what the errors are held against. */
  readonly evaluation: string
}

/** The cards of all models. */
export const modelCardTexts: readonly ModelCard[] = Object.freeze([
  fuelCard,
  fuelDailyCard,
  trafficCard,
  trafficCountsCard,
  riskCasualtiesCard,
  riskCard,
])
