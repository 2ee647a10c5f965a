import type { Dataset } from '../../schema/dataset.ts'
import { accidentCodebook } from './accident-codebook.ts'
import { accidentPositions, animalAccidentPositions } from './accident-positions.ts'
import { accidentSections } from './accident-sections.ts'
import { animalAccidents } from './animal-accidents.ts'
import { accidentHotspots } from './hotspots.ts'
import { riskEstimates } from './risk-estimates.ts'
import { riskProfiles } from './risk-profiles.ts'
import { roadAccidents } from './road-accidents.ts'

/** Datasets about road safety, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  roadAccidents,
  accidentSections,
  accidentPositions,
  animalAccidents,
  animalAccidentPositions,
  accidentCodebook,
  accidentHotspots,
  riskEstimates,
  riskProfiles,
])
