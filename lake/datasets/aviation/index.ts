import type { Dataset } from '../../schema/dataset.ts'
import { aircraftPositions, openskyPositions } from './aircraft-positions.ts'
import { airportDays } from './airport-days.ts'
import { airportObservedDays } from './airport-observed-days.ts'
import { airportWeather } from './airport-weather.ts'
import { airports } from './airports.ts'
import { airportTraffic, arrivalAtfmDelays, enrouteAtfmDelays } from './eurocontrol-days.ts'
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
