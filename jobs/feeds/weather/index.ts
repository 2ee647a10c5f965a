import type { Feed } from '../define.ts'
import { aemetDaily } from './aemet-daily.ts'
import { aemetForecastDaily } from './aemet-forecast-daily.ts'
import { aemetForecastHourly } from './aemet-forecast-hourly.ts'
import { aemetObservation } from './aemet-observation.ts'
import { aemetStations } from './aemet-stations.ts'
import { aemetWarnings } from './aemet-warnings.ts'

/** Feeds about the weather. */
export const feeds: readonly Feed[] = Object.freeze([
  aemetObservation,
  aemetStations,
  aemetDaily,
  aemetWarnings,
  aemetForecastHourly,
  aemetForecastDaily,
])
