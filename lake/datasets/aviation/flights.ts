import { col, orNull } from '../../schema/columns.ts'
import { aviationDataset } from '../domains.ts'
import { FLIGHT_DIRECTIONS, FLIGHT_STATES } from './codes.ts'
import { aena } from './sources.ts'

const NONE = { nullable: true } as const

/** Greatest delay of a punctual flight, min: the industry's A15 and D15. */
export const PUNCTUAL_MINUTES = 15

/** Flights at Aena's airports: one row per state of a flight at an airport. A flight between two of them appears twice. */
export const flights = aviationDataset({
  id: 'flights',
  title: 'Flights',
  about: "Departures and arrivals at Aena's airports, with every state. A codeshare flight is one flight, under its lowest number.",
  sources: [aena],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'aena' }),
    flight_id: col.string(2, 'Id of the flight at this airport: date, airport, direction and number.', {
      example: '2026-10-26.MAD.DEPARTURE.IB438',
    }),
    airport: col.string(3, 'IATA code of the airport.', { example: 'MAD' }),
    direction: col.code(4, 'Departure or arrival.', FLIGHT_DIRECTIONS, { example: 'DEPARTURE' }),
    flight_date: col.local_date(5, 'Scheduled date at the airport.', { example: '2026-10-26' }),
    flight_number: col.string(6, "The airline's IATA code and the number, without leading zeros.", { example: 'IB438' }),
    observed_at: col.instant(7, 'Publication that gave this state.', { example: '2026-10-26T12:30:00.000Z' }),
    airline_iata: col.string(8, 'IATA code of the airline.', orNull('IB')),
    airline_icao: col.string(9, 'ICAO code of the airline.', orNull('IBE')),
    airline: col.string(10, 'Name of the airline as published.', orNull('IBERIA')),
    codeshares: col.list([11, 12], 'Other flight numbers of a codeshare; sorted.', col.string(0, 'Flight number.'), {
      example: ['AA8765', 'BA7054'],
    }),
    other_airport: col.string(13, 'IATA code of the destination (departures) or origin (arrivals).', orNull('BCN')),
    other_city: col.string(14, 'Name of that airport as published.', orNull('BARCELONA-EL PRAT JOSEP TARRADELLAS')),
    scheduled_at: col.instant(15, 'Scheduled time of departure or arrival.', { example: '2026-10-26T11:45:00.000Z' }),
    estimated_at: col.instant(16, 'Estimated or actual time.', orNull('2026-10-26T12:21:00.000Z')),
    actual_at: col.instant(17, 'Actual time of departure or arrival; null before that.', orNull('2026-10-26T12:21:00.000Z')),
    delay_minutes: col.integer(18, 'Estimated or actual time minus scheduled time; negative if early, null if cancelled or diverted.', {
      ...{ ...NONE, unit: 'min', example: 36, min: -1440, max: 2880 },
    }),
    state: col.code(19, 'State of the flight.', FLIGHT_STATES, { example: 'DEPARTED' }),
    source_state: col.string(20, "The source's own code of the state.", { example: 'FLY' }),
    terminal: col.string(21, 'Terminal.', orNull('T4')),
    gate: col.string(22, 'Gate.', orNull('J46')),
    baggage_belt: col.string(23, 'Baggage belt.', orNull(null)),
    checkin_desks: col.string(24, 'First and last check-in desk.', orNull('780-799')),
    aircraft_type: col.string(25, 'Type of aircraft as published.', orNull('320')),
  },
  entity: ['source', 'airport', 'direction', 'flight_date', 'flight_number'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  order: ['airport', 'flight_date', 'flight_number', 'direction', 'observed_at'],
})
