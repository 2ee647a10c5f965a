import type { Dataset } from '../../schema/dataset.ts'
import { marinePrices } from './marine-prices.ts'
import { marineStations } from './marine-stations.ts'

/** Datasets about the sea, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([marineStations, marinePrices])
