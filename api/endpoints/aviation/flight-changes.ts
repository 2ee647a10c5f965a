import { flights } from '../../../lake/datasets/aviation/flights.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'
import { ABOUT_CHANGES, changedBy, changeFields, changesReturn } from '../changes.ts'
import { changedOf, flight, flightFilters, toFlight } from './flight.ts'

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
  domain: 'aviation',
  plan: 'PRO',
  summary: 'Flights that appeared, changed or left the lists since a cursor',
  summary_es: 'Vuelos que aparecieron, cambiaron o salieron de la lista desde un cursor',
  about: `A flight is ENDED once the lists of its airport no longer contain it, some hours after its time. ${ABOUT_CHANGES}`,
  params: {},
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
