import { ferryStopTimes, ferryTrips } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { dayBounds, localDate, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { meaning, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { dateParam } from '../../kernel/params/params-time.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { keyOf, type ServiceDay } from '../transit/service-day.ts'
import { checkCovered } from '../transit/timetable-span.ts'
import { CLOCK_S } from './ferries.ts'
import { type FerryConnection, type FerryTerminal, ferryNetwork } from './ferry-network.ts'
import { ferryRouteFields, ferryRouteOf, frequencyFields } from './ferry-route.ts'
import { ferryDay, ferryFeeds, ferrySpans, ferryTimetables, type Sailing } from './ferry-timetables.ts'
import { monthsOf } from './frequency.ts'
import { listedPorts, type Port, portCatalogue } from './port-catalogue.ts'

const { columns } = ferryStopTimes
const START = '2026-08-22T06:00:00.000Z'
const at = (about: string) => maybe.instant(about, START)

const callFields = {
  port_id: ports.columns.port_id,
  name: meaning(ports.columns.name, 'Name of the port.'),
  ...pick(columns, 'stop_id', 'stop_sequence', 'arrival', 'departure'),
  arrival_at: at('Arrival as an instant.'),
  departure_at: at('Departure as an instant.'),
  ...pick(columns, 'pickup_type', 'drop_off_type'),
} as const

const sailingFields = {
  id: ferryTrips.columns.trip_id,
  ...pick(ferryTrips.columns, 'short_name', 'headsign'),
  departure: optional(columns.departure, "Departure from the origin on the operator's clock; 24:00:00 or later is after midnight."),
  arrival: optional(columns.arrival, 'Arrival at the destination, on the same clock.'),
  departure_at: at('Departure as an instant.'),
  arrival_at: at('Arrival as an instant.'),
  duration_s: maybe.integer('Time from origin to destination, including calls.', 's', 8100),
  ...pick(ferryTrips.columns, 'is_car_allowed', 'is_bike_allowed', 'is_wheelchair_accessible', 'headway_s'),
  calls: nested.objects('Its calls in order.', callFields),
} as const

const detail = record('FerryRouteDetail', 'A ferry route with its sailings of a day and its months.', {
  ...ferryRouteFields,
  months: nested.objects('Sailings by month, for the days of the timetable.', {
    month: field.text('Month, YYYY-MM.', '2026-08'),
    ...frequencyFields,
  }),
  date: field.date('Service day of the sailings; they may continue after midnight.', '2026-08-22'),
  sailings: nested.objects('Sailings of the day in order of departure.', sailingFields),
})

/** One ferry route with its timetable. */
export const ferryById = defineEndpoint({
  path: '/api/maritimo/ferries/{id}',
  domain: 'maritime',
  plan: 'FREE',
  summary: 'One ferry route with its timetable of a day and its seasons',
  summary_es: 'Una ruta de ferri con el horario de un día y sus temporadas',
  about:
    "Sailings of the timetable version in force on the day. Times are on the operator's clock. Times of 24:00:00 or later are after midnight; departure_at and arrival_at give the instant.",
  params: {
    id: required(textParam('Id of the route, as /api/maritimo/ferries lists it.', { max: 200, example: 'BALEARIA.DEN-IBZ.DEN.IBZ' })),
    date: dateParam("Service day; by default today in the operator's time zone.", '2026-08-22'),
  },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: [],
    lake: [...ferryTimetables.all, ports],
    needs: ferryTimetables.all,
    parts: ({ id }) => ferryFeeds(id.split('.')[0] ?? null),
    clockGranularity_s: CLOCK_S,
    answer: async ({ cached: slice }, p, now) => {
      const ferries = await slice(ferryNetwork, madridDate(now))
      const connection = ferries.connections.find(({ id }) => id === p.id)
      if (!connection) return null
      const date = p.date ?? localDate(now, connection.timezone)
      const { network } = connection
      if (p.date !== null)
        checkCovered(await slice(ferrySpans, ''), {
          at: dayBounds(date).start,
          parameter: 'date',
          value: p.date,
          networks: [network],
          tables: ferryTimetables,
        })
      const catalogue = portCatalogue(await slice(listedPorts, ''), ferries.connections)
      return {
        ...ferryRouteOf(connection, catalogue, now),
        months: monthsOf(connection),
        date,
        sailings: sailingsOf(connection, await slice(ferryDay, `${network} ${date}`), (stop_id) => {
          const terminal = ferries.terminals.get(keyOf(network, stop_id))
          return terminal ? { terminal, port: catalogue.portOf(terminal) } : null
        }),
      }
    },
  },
  example: { id: 'BALEARIA.DEN-IBZ.DEN.IBZ', date: dayFromToday(0, '2026-08-22') },
})

type Call = { readonly terminal: FerryTerminal; readonly port: Port }
type SailingRecord = ValueOf<typeof sailingFields>

/** The sailings of a day between the first and last terminal of a route. */
function sailingsOf(
  connection: FerryConnection,
  day: ServiceDay<Sailing>,
  callAt: (stop_id: string) => Call | null,
): readonly SailingRecord[] {
  const [origin, destination] = [connection.calls[0]?.stop_id, connection.calls.at(-1)?.stop_id]
  return day.tripsOfRoute(connection.network, connection.route_id).flatMap((trip) => {
    const stops = day.stopsOf(trip)
    const [first, last] = [stops[0], stops.at(-1)]
    if (!first || !last) return []
    const [begin, end] = [callAt(first.stop_id), callAt(last.stop_id)]
    if (begin?.terminal.stop_id !== origin || end?.terminal.stop_id !== destination) return []
    const [departure, arrival] = [first.departure_s ?? first.arrival_s, last.arrival_s ?? last.departure_s]
    return {
      id: trip.trip_id,
      ...pick(trip, 'short_name', 'headsign', 'is_car_allowed', 'is_bike_allowed', 'is_wheelchair_accessible', 'headway_s'),
      departure,
      arrival,
      departure_at: first.departure_at ?? first.arrival_at,
      arrival_at: last.arrival_at ?? last.departure_at,
      duration_s: departure === null || arrival === null ? null : arrival - departure,
      calls: stops.flatMap((stop) => {
        const call = callAt(stop.stop_id)
        return call ? [{ ...stop, port_id: call.port.id, name: call.port.name, arrival: stop.arrival_s, departure: stop.departure_s }] : []
      }),
    }
  })
}
