import { ferryRoutes, ferryTrips } from '../../../lake/datasets/maritime/ferry-timetable.ts'
import { ports } from '../../../lake/datasets/maritime/ports.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import { localDate } from '../../../lake/schema/time.ts'
import { meaning, nested, optional, pick, type ValueOf } from '../../kernel/fields.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { withExample } from '../common-fields.ts'
import { SEASONS } from './codes.ts'
import type { FerryConnection } from './ferry-network.ts'
import { nextSailing, seasonsOf, weekFrom } from './frequency.ts'
import type { PortCatalogue } from './port-catalogue.ts'

const { columns } = ferryRoutes
const { is_car_allowed, is_bike_allowed, is_wheelchair_accessible, headway_s } = ferryTrips.columns
const SOME = 'on some of its sailings; false if none states it and some deny it, null if not stated'

/** Fields of sailings on some days. */
export const frequencyFields = {
  from: field.date('First day in the timetable.', '2026-08-01'),
  to: field.date('Last day in the timetable.', '2026-08-31'),
  days: field.integer('Number of days in the timetable.', '1', 31),
  days_with_sailings: field.integer('Days with a sailing.', '1', 31),
  sailings: field.integer('Sailings on these days.', '1', 124),
  sailings_per_week: field.decimal('Sailings for seven days.', '1', 1, 28),
} as const

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
export type FerryRoute = ValueOf<typeof ferryRouteFields>

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
