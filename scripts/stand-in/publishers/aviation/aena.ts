import { defineStandIn } from '../../define.ts'
import { aenaList, type FlightType } from '../../formats/aena-json.ts'
import { keptOf } from '../../publisher.ts'
import { AIRPORTS } from '../../world/aviation/airports.ts'
import { flightPlan } from '../../world/aviation/flights.ts'

const HOUR = 3_600_000
const AENA_PATH = '/sites/Satellite'
/** The 24 hours that a list shows around its time. */
const [BEFORE, AFTER] = [10 * HOUR, 14 * HOUR]
const BY_IATA = new Map(AIRPORTS.map((airport) => [airport.iata, airport]))

/** Aena: the flights of each airport for some 24 hours, by direction. */
export const aena = defineStandIn('aena_flights', {
  path: `${AENA_PATH}?pagename=AENA_ConsultarVuelos&airport=MAD&flightType=S`,
  route(path, query) {
    if (path !== AENA_PATH || query.get('pagename') !== 'AENA_ConsultarVuelos') return null
    const [airport, type] = [query.get('airport') ?? '', query.get('flightType') ?? '']
    return BY_IATA.has(airport) && /^[SL]$/.test(type) ? `${airport}-${type}` : null
  },
  contentType: 'application/json;charset=UTF-8',
  validators: 'none',
  blocks: { known: /^[A-Z]{3}$/, usual: ['MAD'] },
  write(world, { resource, publishedAt: now, variant }) {
    const [iata = '', type] = resource.split('-') as [string, FlightType]
    const airport = BY_IATA.get(iata)
    if (!airport || variant.missingBlocks.includes(iata)) return '[]'
    const [from, to] = [now - BEFORE, now + AFTER]
    const listed = world
      .part(flightPlan)(from, to)
      .filter((flight) => {
        const [end, scheduled] = type === 'S' ? [flight.from, flight.departs] : [flight.to, flight.arrives]
        return end.iata === iata && scheduled >= from && scheduled < to
      })
    const inOrder = listed.toSorted((one, other) => (type === 'S' ? one.departs - other.departs : one.arrives - other.arrives))
    return aenaList(keptOf(inOrder, variant), { airport, type, now, hasUnknownCodes: variant.hasUnknownCodes })
  },
})
