import type { Feed } from '../define.ts'
import { aenaFlights } from './aena-flights.ts'
import { airportList } from './airports.ts'
import { eurocontrolAnsp, eurocontrolArrivalDelays, eurocontrolFir, eurocontrolTraffic } from './eurocontrol.ts'
import { metar } from './metar.ts'

/** Feeds about aviation. */
export const feeds: readonly Feed[] = Object.freeze([
  airportList,
  aenaFlights,
  metar,
  eurocontrolTraffic,
  eurocontrolArrivalDelays,
  eurocontrolAnsp,
  eurocontrolFir,
])
