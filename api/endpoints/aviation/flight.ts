import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { FLIGHT_DIRECTIONS } from '../../../lake/datasets/aviation/codes.ts'
import { flights, PUNCTUAL_MINUTES } from '../../../lake/datasets/aviation/flights.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { maybe, nested, pick, projection, record, type StateRow, type ValueOf } from '../../kernel/fields.ts'
import { codeParam, listOf, type Param, param, plainText, required } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { changedMembers } from '../../kernel/reads/changed.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
import { originFields } from '../common-fields.ts'

/** The IATA code of an airport; case is ignored. */
export const iataParam: Param<string | null> = param({
  about: 'IATA code of the airport.',
  schema: { type: 'string', pattern: '^[A-Za-z]{3}$' },
  parse: (text) => {
    if (!/^[A-Za-z]{3}$/.test(text)) throw new InvalidParam('expected the three letters of an IATA code, such as MAD')
    return text.toUpperCase()
  },
  example: 'MAD',
})

/** The same as a path parameter: any other text is not found. */
export const airportIata: Param<string> = required(
  param({
    about: 'IATA code of the airport.',
    schema: { type: 'string', minLength: 1, maxLength: 10 },
    parse: (text) => plainText(text, 10).toUpperCase(),
    example: 'MAD',
  }),
)

/** A flight number in one spelling, such as `VY3917`: an airline's IATA or ICAO code, and the number without leading zeros. */
const flightNumberParam: Param<string | null> = param({
  about: "Flight number: the airline's IATA or ICAO code and the number. Case, a space or hyphen and leading zeros do not matter.",
  schema: { type: 'string', minLength: 3, maxLength: 12 },
  parse: (text) => {
    const parts = /^\s*([A-Z]{3}|[A-Z][A-Z\d]|\d[A-Z])[\s-]*0*(\d{1,4}[A-Z]?)\s*$/i.exec(text)
    if (!parts) throw new InvalidParam('expected the code of an airline and a number, such as VY3917')
    return `${parts[1]}${parts[2]}`.toUpperCase()
  },
  example: 'VY3917',
})

/** Departures or arrivals. */
const directionParam = codeParam('Departures or arrivals; by default both.', FLIGHT_DIRECTIONS, { example: 'DEPARTURE' })

const { columns } = flights

/** Fields of a flight. */
export const flight = record('Flight', 'A flight at an airport.', {
  id: columns.flight_id,
  ...pick(columns, 'airport', 'direction', 'flight_number', 'airline', 'airline_iata', 'airline_icao', 'codeshares'),
  ...pick(columns, 'other_airport', 'other_city', 'flight_date', 'scheduled_at', 'estimated_at', 'actual_at', 'delay_minutes'),
  ...pick(columns, 'state', 'terminal', 'gate', 'baggage_belt', 'checkin_desks', 'aircraft_type', 'source_state'),
  ...originFields(columns),
})

export type Flight = ValueOf<typeof flight.fields>

/** Converts a row to a flight. */
export const toFlight: (row: StateRow<typeof flights>) => Flight = projection(flights, flight)

/** True for a late flight, which no longer counts as punctual. */
export function isLate({ delay_minutes }: Pick<Flight, 'delay_minutes'>): boolean {
  return (delay_minutes ?? 0) > PUNCTUAL_MINUTES
}

/** Names of the changed members, from the changed columns. */
export const changedOf = changedMembers(flights, flight.fields)

/** Fields of the airport in a flight. */
export const airportFields = {
  airport_name: maybe.text(
    'Name of the airport in the requested language, else in Spanish; null if it is not in the catalogue.',
    'Aeropuerto Adolfo Suárez Madrid-Barajas',
  ),
  position: airports.columns.position,
} as const

/** Filter of flights by a number as `flightNumberParam` returns it: their own, a codeshare's, or one with the ICAO code. */
const numberFilter = defineMemoryFilter({
  name: 'flight',
  param: flightNumberParam,
  matches: (wanted) => (one: Pick<Flight, 'flight_number' | 'codeshares' | 'airline_iata' | 'airline_icao'>) =>
    one.flight_number === wanted ||
    one.codeshares.includes(wanted) ||
    (one.airline_iata !== null && `${one.airline_icao}${one.flight_number.slice(one.airline_iata.length)}` === wanted),
  present: { flight: ({ flight_number }) => flight_number },
})

/** Filters of flights by number, airport and direction. */
export const flightFilters = [
  numberFilter,
  columnFilter('airport', listOf(iataParam), 'airport'),
  columnFilter('direction', directionParam, 'direction'),
] as const

/** One change of a flight. */
const flightChange = record('FlightChange', 'A change of a flight.', {
  id: flights.columns.flight_id,
  ...changeFields(flights.columns.observed_at),
  flight: nested.object('The flight after the change; if it is no longer published, its last state.', flight.fields),
})

/** The change feed of flights. */
export const flightChanges = defineEndpoint({
  path: '/api/aviacion/changes',
  isExtra: true,
  plan: 'PRO',
  summary: 'Flights that appeared, changed or left the lists since a cursor',
  summary_es: 'Vuelos que aparecieron, cambiaron o salieron de la lista desde un cursor',
  about: `A flight is ENDED once the lists of its airport no longer contain it, some hours after its time. ${ABOUT_CHANGES}`,
  explained: CHANGES_PAGE,
  filters: flightFilters,
  returns: changesReturn(flightChange, ['id', 'at']),
  read: {
    kind: 'changes',
    from: [flights],
    thing: ({ row }) => toFlight(row),
    entry: (one, change) => ({
      ...{ id: one.id, kind: change.kind, at: change.at, changed: changedBy(change, changedOf) },
      flight: change.kind === 'ENDED' ? { ...one, status: 'ENDED' } : one,
    }),
  },
  example: { limit: '10' },
})
