import { hasLines, RAIL_OPERATORS } from '../../../lake/datasets/rail/codes.ts'
import { operatorOf } from '../../../lake/datasets/rail/networks.ts'
import { railRoutes, railShapes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import { optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { field, maybe } from '../../kernel/reply-fields.ts'
import { withExample } from '../common-fields.ts'
import { GEOMETRY_SOURCES, productField, timetableUntil } from './codes.ts'
import type { NetworkRoute, RailNetwork } from './network.ts'
import { TRACK_REACH_M, TRACK_TOLERANCE_M } from './route-way.ts'

const { columns } = railRoutes
const terminus = (about: string, example: string) => withExample(optional(railStations.columns.stop_id, about), example)
const COMMONEST = 'of the stop sequence of most of its trips'

/** Fields of a route. */
export const routeFields = {
  id: columns.route_id,
  network: columns.network,
  nucleo_code: columns.nucleo_code,
  operator: field.code('Company that operates its trains.', RAIL_OPERATORS, 'RENFE'),
  line: withExample(optional(columns.short_name, 'Line; null for long and medium distance.'), 'C1'),
  product: productField('Product of long and medium distance; null for other networks.'),
  ...pick(columns, 'route_type', 'color', 'text_color'),
  origin_id: terminus(`First ${COMMONEST}; null without trips, or if only one stop is published.`, '17000'),
  origin: withExample(
    optional(columns.origin_name, 'Its name; for a route without a first stop, from the name or id of the route.'),
    'Madrid-Chamartín-Clara Campoamor',
  ),
  destination_id: terminus(`Last ${COMMONEST}; null without trips, or if only one stop is published.`, '98305'),
  destination: withExample(
    optional(columns.destination_name, 'Its name; for a route without a last stop, from the name or id of the route.'),
    'Aeropuerto T4',
  ),
  in_service: field.boolean('True if it has trips in the newest timetable.', true),
  trips: field.integer(
    'Trips in the newest timetable on any day: for commuter rail one per train and day, for other trains one per train number, regardless of its parts and periods.',
    '1',
    872,
  ),
  patterns: field.integer('Number of different stop sequences of its trips.', '1', 2),
  stop_ids: field.list('Stations in the stop order of most of its trips.', field.text('Station code.'), [
    '17000',
    '98003',
    '98304',
    '98305',
  ]),
  geometry_source: maybe.code('Source of the geometry; null without geometry.', GEOMETRY_SOURCES, 'SHAPE'),
  geometry: optional(
    railShapes.columns.geometry,
    `The path through the stations of stop_ids, in order: the published track from the first to the last, at most ${TRACK_TOLERANCE_M} m off. Straight between stations that the track does not pass within ${TRACK_REACH_M} m or in this order, and without a published track. Null for fewer than two stations.`,
  ),
  timetable_until: timetableUntil('its network'),
} as const

/** A route with its geometry. */
export const railRoute = record('RailRoute', 'A route: the trips of a line or product between two termini.', routeFields)

/** A route, ready for replies. */
export type Route = ValueOf<typeof routeFields>

/** The routes of a network in reply form, cached per network. */
export const routesOf = memo((network: RailNetwork): readonly Route[] =>
  [...network.routes.values()].map((route) => routeOf(route, network)),
)

/** A route as replies have it. */
export function routeOf(route: NetworkRoute, { stations }: Pick<RailNetwork, 'stations'>): Route {
  const isWhole = route.stop_ids.length > 1
  const [origin_id, destination_id] = isWhole ? [route.stop_ids.at(0) ?? null, route.stop_ids.at(-1) ?? null] : [null, null]
  const nameOf = (stop_id: string | null): string | null => (stop_id === null ? null : (stations.get(stop_id)?.name ?? null))
  const isOfLine = hasLines(route.network)
  return {
    id: route.route_id,
    ...pick(route, 'network', 'nucleo_code', 'route_type', 'color', 'text_color', 'trips', 'patterns', 'stop_ids', 'geometry_source'),
    ...pick(route, 'geometry', 'timetable_until'),
    operator: operatorOf(route.network, route.short_name),
    line: isOfLine ? route.short_name : null,
    product: isOfLine ? null : route.short_name,
    origin_id,
    origin: nameOf(origin_id) ?? route.named.origin,
    destination_id,
    destination: nameOf(destination_id) ?? route.named.destination,
    in_service: route.trips > 0,
  }
}
