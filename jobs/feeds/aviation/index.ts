import type { Feed } from '../define.ts'
import { adsbLolPositions } from './adsb-lol.ts'
import { aenaFlights } from './aena-flights.ts'
import { airportList } from './airports.ts'
import { eurocontrolAnsp, eurocontrolArrivalDelays, eurocontrolFir, eurocontrolTraffic } from './eurocontrol.ts'
import { metar } from './metar.ts'
import { openskyStates } from './opensky.ts'

/** Feeds about aviation. */
export const feeds: readonly Feed[] = Object.freeze([
  airportList,
  aenaFlights,
  metar,
  adsbLolPositions,
  openskyStates,
  eurocontrolTraffic,
  eurocontrolArrivalDelays,
  eurocontrolAnsp,
  eurocontrolFir,
])
