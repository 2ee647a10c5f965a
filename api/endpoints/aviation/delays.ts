import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { flights, PUNCTUAL_MINUTES } from '../../../lake/datasets/aviation/flights.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type State } from '../../define/endpoint.ts'
import { record, type ValueOf } from '../../define/fields.ts'
import { defineMemoryFilter } from '../../define/filter.ts'
import { memo } from '../../define/memo.ts'
import { integerParam, withDefault } from '../../define/params.ts'
import { openPeriodParams } from '../../define/params-time.ts'
import { areaFilter } from '../../filters/area.ts'
import { airportFields, flight, flightFilters, toFlight } from './flight.ts'

const delayed = record('DelayedFlight', 'A flight that is late, cancelled or diverted, at its airport.', {
  ...flight.fields,
  ...airportFields,
})

type Delayed = ValueOf<typeof delayed.fields>

const isUndone = ({ state }: Pick<Delayed, 'state'>): boolean => state === 'CANCELLED' || state === 'DIVERTED'

const periodFilter = defineMemoryFilter({
  name: 'period',
  param: openPeriodParams(),
  matches:
    ({ from, to }) =>
    ({ scheduled_at }: Pick<Delayed, 'scheduled_at'>) =>
      (from === null || scheduled_at >= from) && (to === null || scheduled_at < to),
})

const delayFilter = defineMemoryFilter({
  name: 'min_delay',
  param: withDefault(
    integerParam('Flights that are at least so late; those that are cancelled or diverted are listed whatever it is.', {
      ...{ min: 0, max: 2880, unit: 'min', example: '60' },
    }),
    PUNCTUAL_MINUTES + 1,
  ),
  matches: (minutes) => (one: Pick<Delayed, 'state' | 'delay_minutes'>) =>
    isUndone(one) || (one.delay_minutes !== null && one.delay_minutes >= minutes),
})

/** The flights of a state with their airports. */
const flightsOf = memo((state: State<typeof flights>, catalogue: State<typeof airports>): readonly Delayed[] => {
  const byIata = new Map(catalogue.rows.map((row) => [row.iata, row]))
  return state.rows.map((row) => {
    const at = byIata.get(row.airport)
    return { ...toFlight(row), airport_name: at?.name ?? null, position: at?.position ?? null }
  })
})

const counted = (about: string, example: number): ReturnType<typeof col.integer> =>
  col.integer(0, `${about}, of all airports, directions and times of the publication.`, { unit: '1', example })

/** Delays and cancellations now. */
export const delayList = defineEndpoint({
  path: '/api/aviacion',
  domain: 'aviation',
  plan: 'PRO',
  summary: 'Flights that are late, cancelled or diverted at Spanish airports now',
  about:
    'Of the flights that airports show now, some 24 hours around the present, those that are more than 15 minutes late, cancelled or diverted. `from` and `to` select by the scheduled time; earlier days are in the history of each airport. A flight between two Spanish airports is listed at both. ' +
    'Codeshares are one flight. `meta.missing` names the sources that the answer does without: without `flights` the list is empty.',
  params: {},
  filters: [...flightFilters, periodFilter, delayFilter, areaFilter],
  returns: listReturn('flights', delayed, {
    sorts: ['id', 'scheduled_at', 'estimated_at', 'delay_minutes', 'airport', 'updated_at'],
    order: 'scheduled_at',
    counts: {
      shown_flights: counted('Flights', 5432),
      late_flights: counted(`Flights that are more than ${PUNCTUAL_MINUTES} minutes late`, 861),
      cancelled_flights: counted('Cancelled flights', 52),
      diverted_flights: counted('Diverted flights', 7),
    },
  }),
  read: {
    kind: 'memory',
    from: [flights, airports],
    isOfAny: true,
    reportsMissing: true,
    answer: ({ states: [state, catalogue] }) => {
      const records = flightsOf(state, catalogue)
      const count = (is: (one: Delayed) => boolean): number => records.filter(is).length
      return {
        records,
        counts: {
          shown_flights: records.length,
          late_flights: count(({ delay_minutes }) => (delay_minutes ?? 0) > PUNCTUAL_MINUTES),
          cancelled_flights: count((one) => one.state === 'CANCELLED'),
          diverted_flights: count((one) => one.state === 'DIVERTED'),
        },
      }
    },
  },
  example: { airport: 'MAD', limit: '5' },
})
