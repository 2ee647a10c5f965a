import { defineDomain } from '../../define/domain.ts'
import { airportListing } from './airports.ts'

/** Endpoints about aviation, in the order in which documentation shows them. */
export const aviation = defineDomain({
  id: 'aviation',
  title: { es: 'Aviación', en: 'Aviation' },
  endpoints: [airportListing],
})
