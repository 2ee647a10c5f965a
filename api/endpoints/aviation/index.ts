import { defineDomain } from '../../kernel/domain.ts'
import { aircraftByIcao24, aircraftList } from './aircraft.ts'
import { airportByIata, airportListing } from './airports.ts'
import { delayList } from './delays.ts'
import { flightChanges } from './flight.ts'
import { airportHistory } from './history.ts'

/** Endpoints about aviation, in the order in which documentation shows them. */
export const aviation = defineDomain({
  id: 'aviation',
  title: { es: 'Aviación', en: 'Aviation' },
  endpoints: [delayList, flightChanges, airportListing, airportByIata, airportHistory, aircraftList, aircraftByIcao24],
})
