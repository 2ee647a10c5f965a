import { defineStandIn } from '../../define.ts'
import { keptOf } from '../../publisher.ts'
import { AIRPORTS, type Airport } from '../../world/aviation/airports.ts'
import { type Flight, flightPlan } from '../../world/aviation/flights.ts'
import { localText } from '../../world/rhythm.ts'

const MINUTE = 60_000

/** Departures from an airport, or arrivals at it. */
type FlightType = 'S' | 'L'

/** A flight's state at an instant, at one end. */
interface Standing {
  readonly state: string
  readonly estimated: number
}

/** The list of an airport in one direction as Aena's page receives it: a record for each flight number of a flight. */
function aenaList(
  flights: readonly Flight[],
  of: { readonly airport: Airport; readonly type: FlightType; readonly now: number; readonly hasUnknownCodes: boolean },
): string {
  const records = flights.flatMap((flight, at) => {
    const strange = of.hasUnknownCodes && at % 30 === 3 ? { estado: 'ZZZ', embarqueRemoto: 'SI' } : {}
    return recordsOf(flight, of).map((record) => ({ ...record, ...strange }))
  })
  return JSON.stringify(records)
}

function recordsOf(flight: Flight, of: { readonly airport: Airport; readonly type: FlightType; readonly now: number }): object[] {
  const { airport, type, now } = of
  const isDeparture = type === 'S'
  const [scheduled, other] = isDeparture ? [flight.departs, flight.to] : [flight.arrives, flight.from]
  const { state, estimated } = isDeparture ? departure(flight, now) : arrival(flight, now)
  const local = (at: number, pattern: string): string => localText(at, pattern, airport.zone)
  // Gates and belts are announced an hour before.
  const isNear = now > estimated - 60 * MINUTE
  const { airline, number } = flight
  const sold = [[airline.iata, airline.icao, airline.name, number] as const].concat(
    airline.partners.map(([iata, icao, name], at) => [iata, icao, name, flight.partnerNumbers[at] as number] as const),
  )
  return sold.map(([iata, icao, name, own]) => ({
    tipoVuelo: type,
    ...{ iataCompania: iata, compania: icao, oaciCompania: icao, nombreCompania: name, numVuelo: String(own).padStart(4, '0') },
    ...{ iataAena: airport.iata, iataOtro: other.iata, ciudadIataOtro: other.city },
    ...{ fecha: local(scheduled, 'DD/MM/YYYY'), horaProgramada: local(scheduled, 'hh:mm:ss'), estado: state },
    ...{ fechaEstimada: local(estimated, 'DD/MM/YYYY'), horaEstimada: local(estimated, 'hh:mm:ss') },
    terminal: terminalOf(airport, airline.iata),
    puertaPrimera: isDeparture && isNear ? flight.gate : null,
    puertaSegunda: null,
    cintaPrimera: !isDeparture && isNear ? flight.belt : 'null',
    mostradorDesde: isDeparture ? String(flight.desk) : null,
    mostradorHasta: isDeparture ? String(flight.desk + 8) : null,
    tipoAeronave: flight.aircraft,
  }))
}

/** The announced delay at an instant: none before its announcement. */
function known(flight: Flight, delay: number, now: number): number {
  return now >= flight.departs - flight.announced * MINUTE ? delay : 0
}

function departure(flight: Flight, now: number): Standing {
  const { departs, departureDelay, announced, isCancelled } = flight
  if (isCancelled && now >= departs - announced * MINUTE) return { state: 'CAN', estimated: departs }
  const delay = known(flight, departureDelay, now)
  const estimated = departs + delay * MINUTE
  const left = (estimated - now) / MINUTE
  if (left <= 0) return { state: 'FLY', estimated }
  if (left <= 10) return { state: 'CER', estimated }
  if (left <= 20) return { state: 'ULL', estimated }
  if (left <= 40) return { state: 'EMB', estimated }
  return { state: before(delay, left), estimated }
}

function arrival(flight: Flight, now: number): Standing {
  const { departs, arrives, departureDelay, arrivalDelay, announced, isCancelled, isDiverted } = flight
  if (isCancelled && now >= departs - announced * MINUTE) return { state: 'CAN', estimated: arrives }
  const delay = known(flight, arrivalDelay, now)
  const estimated = arrives + delay * MINUTE
  const left = (estimated - now) / MINUTE
  if (now < departs + departureDelay * MINUTE) return { state: before(delay, left), estimated }
  if (left > 15) return { state: 'FLY', estimated }
  if (isDiverted) return { state: 'DES', estimated }
  if (left > 0) return { state: 'FNL', estimated }
  return { state: left > -8 ? 'LND' : 'IBK', estimated }
}

function before(delay: number, left: number): string {
  if (delay > 15) return 'RET'
  return left < 180 ? 'HOR' : 'SCH'
}

function terminalOf({ iata }: Airport, airline: string): string {
  if (iata === 'MAD') return ['IB', 'VY', 'YW'].includes(airline) ? 'T4' : ['UX', 'KL', 'DL'].includes(airline) ? 'T2' : 'T1'
  if (iata === 'BCN') return ['FR', 'U2'].includes(airline) ? 'T2' : 'T1'
  return 'T1'
}

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
