import type { Dataset } from '../../schema/dataset.ts'
import { aircraftPositions, openskyPositions } from './aircraft-positions.ts'
import { airportDays, airportObservedDays, airportTraffic, arrivalAtfmDelays, enrouteAtfmDelays } from './airport-days.ts'
import { airports, airportWeather } from './airports.ts'
import { flights } from './flights.ts'

/** Datasets about aviation, in the order in which documentation shows them. */
export const datasets: readonly Dataset[] = Object.freeze([
  airports,
  flights,
  airportWeather,
  airportTraffic,
  arrivalAtfmDelays,
  enrouteAtfmDelays,
  airportDays,
  aircraftPositions,
  openskyPositions,
  airportObservedDays,
])
