import { fuelCard } from './fuel/card.ts'
import { fuelDailyCard } from './fuel-daily/card.ts'
import { riskCard, riskCasualtiesCard } from './risk/card.ts'
import { trafficCard, trafficCountsCard, trafficDetectorsCard } from './traffic/card.ts'

/** The declared part of a model card; results of its runs are in `model_cards` and `model_scores`. */
export interface ModelCard {
  /** The model id used in all of its rows. */
  readonly id: string
  readonly title: string
  /** Intended uses, and uses that it is not for. */
  readonly purpose: string
  readonly not_for: string
  readonly data: string
  readonly features: string
  readonly method: string
  /** How errors and intervals are measured, and which baseline they are compared with. */
  readonly evaluation: string
}

/** The cards of all models. */
export const modelCardTexts: readonly ModelCard[] = Object.freeze([
  fuelCard,
  fuelDailyCard,
  trafficCard,
  trafficCountsCard,
  trafficDetectorsCard,
  riskCasualtiesCard,
  riskCard,
])
