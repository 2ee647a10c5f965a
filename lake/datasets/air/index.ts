import type { Dataset } from '../../schema/dataset.ts'
import { airMeasurements } from './air-measurements.ts'
import { airQualityIndex } from './air-quality-index.ts'
import { airQualityStations } from './air-quality-stations.ts'

/** Datasets about the quality of the air, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([airQualityStations, airQualityIndex, airMeasurements])
