import type { Dataset } from '../../schema/dataset.ts'
import { fuelArchivePrices } from './archive-prices.ts'
import { fuelBulletin } from './bulletin.ts'
import { fuelDays } from './days.ts'
import { fuelForecasts } from './forecasts.ts'
import { fuelMinistryDays } from './ministry-days.ts'
import { fuelPrices } from './prices.ts'
import { fuelStations } from './stations.ts'

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
