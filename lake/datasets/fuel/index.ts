import type { Dataset } from '../../schema/dataset.ts'
import { fuelBulletin } from './bulletin.ts'
import { fuelForecasts } from './forecasts.ts'
import { fuelArchivePrices, fuelDays, fuelMinistryDays, fuelPrices, fuelStations } from './prices.ts'

/** Datasets about fuel, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  fuelStations,
  fuelPrices,
  fuelArchivePrices,
  fuelDays,
  fuelBulletin,
  fuelMinistryDays,
  fuelForecasts,
])
