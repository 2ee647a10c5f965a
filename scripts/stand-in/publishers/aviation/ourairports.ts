import { capturesNamed, defineStandIn } from '../../define.ts'
import { airportsCsv, openflightsDat } from '../../formats/airport-lists.ts'
import { keptOf, type Publisher } from '../../publisher.ts'
import { AIRPORTS } from '../../world/aviation/airports.ts'

const DAY = 86_400_000
const PATH = '/ourairports-data/airports.csv'
const FALLBACK = '/jpatokal/openflights/master/data/airports.dat'

const airports = defineStandIn('airports', {
  hosts: ['davidmegginson.github.io', 'raw.githubusercontent.com'],
  route(path) {
    if (path === PATH) return { kind: 'document', resource: 'ourairports' }
    return path === FALLBACK ? { kind: 'document', resource: 'openflights' } : null
  },
  contentType: 'text/csv; charset=utf-8',
  contentTypes: { openflights: 'text/plain; charset=utf-8' },
  // Copies from before the addition of `icao_code`.
  hasOldLayout: true,
  write(world, { resource, publishedAt, variant }) {
    // Each day's edition omits a different one of the smallest airports, because volunteers edit the list.
    const absent = AIRPORTS.length - 1 - (Math.floor(publishedAt / DAY) % 3)
    const listed = keptOf(
      AIRPORTS.filter((_, at) => at !== absent),
      variant,
    )
    return resource === 'openflights' ? openflightsDat(listed) : airportsCsv(listed, { seed: world.seed, scale: world.scale, variant })
  },
  captures: {
    folder: 'openflights',
    // The only recorded list of airports; its last update is from 2019.
    capturedAt: capturesNamed(/^airports\.dat\.gz$/, '2019-06-01'),
  },
})

/** OurAirports' daily list, and OpenFlights' under its own address. */
export const ourairports: Publisher = { name: 'OurAirports', feeds: [airports] }
