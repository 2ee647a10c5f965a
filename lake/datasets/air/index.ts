import type { Dataset } from '../../schema/dataset.ts'
import { airMeasurements, airQualityIndex, airQualityStations } from './air-quality.ts'

/** Datasets about the quality of the air, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([airQualityStations, airQualityIndex, airMeasurements])
