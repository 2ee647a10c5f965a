import type { Dataset } from '../../schema/dataset.ts'
import { apiUsage } from './api-usage.ts'
import { modelCards, modelScores } from './models.ts'

/** Datasets about the service itself, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([modelScores, modelCards, apiUsage])
