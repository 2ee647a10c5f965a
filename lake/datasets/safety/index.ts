import type { Dataset } from '../../schema/dataset.ts'
import { accidentCodebook } from './accident-codebook.ts'
import { accidentPositions, accidentSections, animalAccidentPositions } from './accident-places.ts'
import { animalAccidents } from './animal-accidents.ts'
import { accidentHotspots } from './hotspots.ts'
import { riskEstimates, riskProfiles } from './risk.ts'
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
