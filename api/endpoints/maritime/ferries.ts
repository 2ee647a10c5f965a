import { FERRY_OPERATORS, ferryRoutes, ferryStopTimes, ferryTrips } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { foldName } from '../../../lake/places/names.ts'
import { isIsland, isWithinRegion, regionOf } from '../../../lake/places/regions.ts'
import { dayBounds, localDate, madridDate } from '../../../lake/schema/time.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { dayFromToday, onlyOfRows } from '../../kernel/example.ts'
import { field, maybe, meaning, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { booleanParam, codeParam, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { dateParam } from '../../kernel/params/params-time.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { appliedByRead, columnFilter } from '../../kernel/reads/filter.ts'
import { nearest } from '../../kernel/reads/suggest.ts'
import { withExample } from '../common-fields.ts'
import { keyOf, type ServiceDay } from '../transit/service-day.ts'
import { checkCovered } from '../transit/timetable-versions.ts'
import { SEASONS } from './codes.ts'
import { type FerryConnection, type FerryTerminal, ferryNetwork } from './ferry-network.ts'
import { ferryDay, ferryFeeds, ferrySpans, ferryTimetables, type Sailing } from './ferry-timetables.ts'
import { frequencyFields, monthsOf, nextSailing, seasonsOf, weekFrom } from './frequency.ts'
import { listedPorts, type Port, type PortCatalogue, portCatalogue } from './port-catalogue.ts'

const { columns } = ferryRoutes
const { is_car_allowed, is_bike_allowed, is_wheelchair_accessible, headway_s } = ferryTrips.columns
const SOME = 'on some of its sailings; false if none states it and some deny it, null if not stated'

const seconds = (about: string, example: number) => maybe.integer(about, 's', example)

/** Fields of a ferry route. */
export const ferryRouteFields = {
  id: field.text('Operator, published route, first and last terminal.', 'BALEARIA.DEN-IBZ.DEN.IBZ'),
  operator: meaning(columns.network, 'Operator.'),
  operator_name: meaning(columns.agency_name, 'Operator as its timetable names it.'),
  operator_url: columns.agency_url,
  route_id: columns.route_id,
  name: field.text('Name of this direction: its first and last port.', 'Dénia – Ibiza'),
  published_name: withExample(optional(columns.long_name, 'Published name of the route, often that of both directions.'), 'Dénia - Ibiza'),
  kind: columns.kind,
  origin_id: meaning(ports.columns.port_id, 'Port of departure, as in /api/maritimo/puertos.'),
  origin: meaning(withExample(ports.columns.name, 'Dénia'), 'Its name.'),
  origin_timezone: maybe.text('Its time zone; null if the port is not in Spain.', 'Europe/Madrid'),
  destination_id: meaning(ports.columns.port_id, 'Port of arrival, as in /api/maritimo/puertos.'),
  destination: meaning(withExample(ports.columns.name, 'Ibiza'), 'Its name.'),
  calls: nested.objects('Ports in the call order of most sailings, including origin and destination.', {
    port_id: ports.columns.port_id,
    name: meaning(ports.columns.name, 'Name of the port.'),
    terminal: field.text('Terminal name of the operator.', 'Dénia'),
    position: optional(ports.columns.position, 'Position of the terminal.'),
  }),
  duration_s: seconds('Median time from origin to destination, including calls.', 8100),
  duration_min_s: seconds('Shortest time.', 7200),
  duration_max_s: seconds('Longest time.', 9000),
  sailings_per_week: field.integer('Sailings on the seven days from today.', '1', 28),
  next_sailing_at: maybe.instant('Next departure from the origin; null if the timetable has no more.', '2026-08-22T18:30:00.000Z'),
  in_service: field.boolean('True if the timetable has a future sailing.', true),
  frequency: nested.objects('Sailings by season, from trips and calendar, for the days of the timetable.', {
    season: field.code('Season.', SEASONS, 'SUMMER'),
    ...frequencyFields,
  }),
  is_car_allowed: meaning(is_car_allowed, `True if cars are carried ${SOME}.`),
  is_bike_allowed: meaning(is_bike_allowed, `True if bicycles are carried ${SOME}.`),
  is_wheelchair_accessible: meaning(is_wheelchair_accessible, `True if there is access for a wheelchair ${SOME}.`),
  headway_s: meaning(headway_s, 'Shortest time between departures, if the timetable states it instead of exact times; else null.'),
  timezone: columns.timezone,
} as const

/** A ferry route, ready for replies. */
type FerryRoute = ValueOf<typeof ferryRouteFields>

/** A ferry route in reply form at an instant (ms). */
export function ferryRouteOf(connection: FerryConnection, { portOf }: PortCatalogue, now: number): FerryRoute {
  const calls = connection.calls.map((terminal) => ({ terminal, port: portOf(terminal) }))
  const [origin, destination] = [calls[0]?.port, calls.at(-1)?.port]
  if (!origin || !destination) throw new Error(`${connection.id} has no terminal`)
  const next_sailing_at = nextSailing(connection, now)
  return {
    ...pick(connection, 'id', 'route_id', 'kind', 'is_car_allowed', 'is_bike_allowed', 'is_wheelchair_accessible', 'headway_s', 'timezone'),
    operator: connection.network,
    operator_name: connection.agency_name,
    operator_url: connection.agency_url,
    name: `${origin.name} – ${destination.name}`,
    published_name: connection.name,
    origin_id: origin.id,
    origin: origin.name,
    origin_timezone: origin.province_code === null ? null : zoneOf(origin.province_code),
    destination_id: destination.id,
    destination: destination.name,
    calls: calls.map(({ terminal, port }) => ({ port_id: port.id, name: port.name, terminal: terminal.name, position: terminal.position })),
    duration_s: connection.duration?.median_s ?? null,
    duration_min_s: connection.duration?.shortest_s ?? null,
    duration_max_s: connection.duration?.longest_s ?? null,
    sailings_per_week: weekFrom(connection, localDate(now, connection.timezone)),
    next_sailing_at,
    in_service: next_sailing_at !== null,
    frequency: seasonsOf(connection),
  }
}

/** The next sailing changes with the clock: at most a minute late. */
export const CLOCK_S = 60

const portParam = (what: string, example: string) =>
  textParam(`Only routes ${what} a port: its id, words of its name, or an island; accents and case are ignored.`, { max: 60, example })

/** Ferry routes. */
export const ferryList = defineEndpoint({
  path: '/api/maritimo/ferries',
  plan: 'FREE',
  summary: 'Ferry routes with operator, frequency, duration and next sailing',
  summary_es: 'Rutas de ferri con operador, frecuencia, duración y próxima salida',
  about:
    'Routes of the timetables in force today and of later ones that are published already, one per direction. Frequencies are counted from trips and calendar. By default only routes with a future sailing; in_service=false shows the others.',
  filters: [
    appliedByRead('origin', portParam('from', 'Dénia')),
    appliedByRead('destination', portParam('to', 'Ibiza')),
    columnFilter('operator', codeParam('Operator.', FERRY_OPERATORS, { example: 'BALEARIA' }), 'operator'),
    columnFilter(
      'in_service',
      withDefault(booleanParam('Only routes with a future sailing (true) or without (false).'), true),
      'in_service',
    ),
  ],
  returns: listReturn('routes', record('FerryRoute', 'A ferry route in one direction.', ferryRouteFields), {
    sorts: ['id', 'origin', 'destination', 'duration_s', 'sailings_per_week', 'next_sailing_at'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: [...ferryTimetables.all, ports],
    needs: ferryTimetables.all,
    parts: ({ operator }) => ferryFeeds(operator),
    clockGranularity_s: CLOCK_S,
    answer: async ({ cached }, { origin, destination }, now) => {
      const { connections } = await cached(ferryNetwork, madridDate(now))
      const catalogue = portCatalogue(await cached(listedPorts, ''), connections)
      const [from, to] = [portsOf('origin', origin, catalogue), portsOf('destination', destination, catalogue)]
      return connections
        .filter(({ calls }) => isAt(calls[0], from, catalogue) && isAt(calls.at(-1), to, catalogue))
        .map((connection) => ferryRouteOf(connection, catalogue, now))
    },
  },
  example: { origin: 'Dénia', in_service: onlyOfRows('false') },
})

function isAt(
  terminal: FerryConnection['calls'][number] | undefined,
  wanted: ReadonlySet<Port> | null,
  { portOf }: PortCatalogue,
): boolean {
  return wanted === null || (terminal !== undefined && wanted.has(portOf(terminal)))
}

/** The ports with ferries that match an id or words; null without a text. Throws `InvalidParam` without a match. */
function portsOf(parameter: string, text: string | null, { ports: all }: PortCatalogue): ReadonlySet<Port> | null {
  if (text === null) return null
  const withFerries = [...all.values()].filter(({ connections }) => connections.length > 0)
  const byId = withFerries.filter(({ id }) => id.toLowerCase() === text.toLowerCase())
  const found = byId.length > 0 ? byId : bestNamed(withFerries, text)
  if (found.length > 0) return new Set(found)
  const names = withFerries.map(({ name }) => name).sort()
  throw new InvalidParam(`expected a port with ferries: ${names.join(', ')}`, {
    ...{ parameter, value: text, allowed: names, near: () => nearest(text, names) },
  })
}

/** The ports that a text names: wholly, else those of its island, else by first words, by any words, or by their beginnings. */
function bestNamed(all: readonly Port[], text: string): readonly Port[] {
  const folded = foldName(text)
  const wanted = folded.split(' ').filter((word) => word !== '')
  if (wanted.length === 0) return []
  const region = regionOf(text)
  const onIsland = region && isIsland(region) ? isWithinRegion(region) : () => false
  const named =
    (isNamed: (name: string) => boolean) =>
    ({ name, listed }: Port): boolean =>
      [name, listed?.alternate_name ?? '', ...name.split('/')].map(foldName).some(isNamed)
  const tiers: readonly ((port: Port) => boolean)[] = [
    named((name) => name === folded),
    onIsland,
    named((name) => name.startsWith(`${folded} `)),
    named((name) => wanted.every((one) => name.split(' ').includes(one))),
    named((name) => wanted.every((one) => name.split(' ').some((word) => word.startsWith(one)))),
  ]
  return tiers.map((isMeant) => all.filter(isMeant)).find((found) => found.length > 0) ?? []
}

const { columns: times } = ferryStopTimes
const START = '2026-08-22T06:00:00.000Z'
const at = (about: string) => maybe.instant(about, START)

const callFields = {
  port_id: ports.columns.port_id,
  name: meaning(ports.columns.name, 'Name of the port.'),
  ...pick(times, 'stop_id', 'stop_sequence', 'arrival', 'departure'),
  arrival_at: at('Arrival as an instant.'),
  departure_at: at('Departure as an instant.'),
  ...pick(times, 'pickup_type', 'drop_off_type'),
} as const

const sailingFields = {
  id: ferryTrips.columns.trip_id,
  ...pick(ferryTrips.columns, 'short_name', 'headsign'),
  departure: optional(times.departure, "Departure from the origin on the operator's clock; 24:00:00 or later is after midnight."),
  arrival: optional(times.arrival, 'Arrival at the destination, on the same clock.'),
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
    answer: async ({ cached }, p, now) => {
      const ferries = await cached(ferryNetwork, madridDate(now))
      const connection = ferries.connections.find(({ id }) => id === p.id)
      if (!connection) return null
      const date = p.date ?? localDate(now, connection.timezone)
      const { network } = connection
      if (p.date !== null)
        checkCovered(await cached(ferrySpans, ''), {
          at: dayBounds(date).start,
          parameter: 'date',
          value: p.date,
          networks: [network],
          tables: ferryTimetables,
        })
      const catalogue = portCatalogue(await cached(listedPorts, ''), ferries.connections)
      return {
        ...ferryRouteOf(connection, catalogue, now),
        months: monthsOf(connection),
        date,
        sailings: sailingsOf(connection, await cached(ferryDay, `${network} ${date}`), (stop_id) => {
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
