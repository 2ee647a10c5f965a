import { hasLines, RAIL_OPERATORS } from '../../../lake/datasets/rail/codes.ts'
import { operatorOf } from '../../../lake/datasets/rail/networks.ts'
import { railRoutes, railShapes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { field, maybe, nested, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { searchFilter } from '../../kernel/filters.ts'
import { booleanParam, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { boxParam } from '../../kernel/params/params-place.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import type { Box } from '../../kernel/reads/geo.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { withExample } from '../common-fields.ts'
import { ALERT_STATES, alertsField, alertsOf, currentAlerts, inLanguages } from './alert-trains.ts'
import { GEOMETRY_SOURCES, productField, timetableUntil } from './codes.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, type NetworkRoute, type RailNetwork, railNetwork, TRACK_REACH_M, TRACK_TOLERANCE_M } from './network.ts'
import { networkParam, nucleoParam, operatorParam } from './stations.ts'
import { feedsOfId, sourcesBeside, sourcesBesideId, timetableFeeds } from './timetable-versions.ts'

const { columns } = railRoutes
const terminus = (about: string, example: string) => withExample(optional(railStations.columns.stop_id, about), example)
const COMMONEST = 'of the stop sequence of most of its trips'

/** Fields of a route. */
const routeFields = {
  id: columns.route_id,
  ...pick(columns, 'network', 'nucleo_code'),
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
const railRoute = record('RailRoute', 'A route: the trips of a line or product between two termini.', routeFields)

/** A route, ready for replies. */
type Route = ValueOf<typeof routeFields>

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

/** Routes of the railway. */
export const routeList = defineEndpoint({
  path: '/api/trenes/rutas',
  plan: 'FREE',
  summary: 'Railway routes with their geometry',
  summary_es: 'Rutas ferroviarias con su geometría',
  about:
    'Routes of the newest timetables; a line has several, one for each pair of termini and direction. Only those with trips, unless in_service is false: most published routes have none. With format=geojson each is a LineString.',
  filters: [
    columnFilter('network', networkParam, 'network'),
    columnFilter('operator', operatorParam, 'operator'),
    columnFilter('nucleo', nucleoParam, 'nucleo_code'),
    defineMemoryFilter({
      name: 'line',
      param: lineParam,
      matches: (lines) => (one: Route) => lines.includes(one.line ?? one.product ?? ''),
      present: { line: ({ line, product }) => line ?? product },
    }),
    searchFilter('the line, the product, a terminus or the id', ({ line, product, origin, destination, id }: Route) => [
      ...[line, product, origin, destination, id],
    ]),
    defineMemoryFilter({
      name: 'bbox',
      param: boxParam('Only routes whose geometry is partly inside the box'),
      matches: (box) => (one: Route) => one.geometry !== null && isLineInBox(one.geometry, box),
    }),
    columnFilter('in_service', withDefault(booleanParam('Only routes with trips (true) or without (false).'), true), 'in_service'),
  ],
  returns: listReturn('routes', railRoute, {
    sorts: ['id', 'line', 'product', 'trips'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: NETWORK_TABLES,
    otherSources: ({ network }) => sourcesBeside(network),
    parts: ({ network }) => timetableFeeds(network),
    answer: async ({ cached }) => routesOf(await cached(railNetwork, '')),
  },
  example: { network: 'CERCANIAS', line: 'C1' },
})

/** The route id as a path parameter. */
export const routeId = required(textParam("The publisher's id of the route.", { max: 80, example: '10T0001C1' }))

const { stop_id, name, position, has_wheelchair_boarding } = railStations.columns

const detail = record(
  'RailRouteDetail',
  'A route with its stations and current alerts.',
  {
    ...routeFields,
    stops: nested.objects('Its stations in the order of stop_ids.', {
      order: field.integer('Position among the stops, from 1.', '1', 1),
      stop_id,
      name,
      position,
      has_wheelchair_boarding,
    }),
    alerts: alertsField,
  },
  inLanguages,
)

/** One route. */
export const routeById = defineEndpoint({
  path: '/api/trenes/rutas/{id}',
  plan: 'FREE',
  summary: 'One railway route: stations in order, geometry and current alerts',
  summary_es: 'Una ruta ferroviaria: estaciones en orden, geometría y alertas actuales',
  params: { id: routeId },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: ALERT_STATES,
    lake: NETWORK_TABLES,
    otherSources: ({ id }) => sourcesBesideId(id),
    // Each route is complete in the timetable of its network.
    parts: () => [],
    feedsOfId: ({ id }) => feedsOfId(id),
    answer: async ({ cached, optional: extra, states }, { id }) => {
      const network = await cached(railNetwork, '')
      const route = network.routes.get(id)
      if (!route) return null
      return {
        ...routeOf(route, network),
        stops: route.stop_ids.flatMap((stop, at) => {
          const station = network.stations.get(stop)
          return station ? [{ ...station, order: at + 1 }] : []
        }),
        alerts: alertsOf(
          (await currentAlerts(states, extra)).listed,
          { route_id: id, lines: [{ line: route.short_name, nucleo_code: route.nucleo_code }] },
          network,
        ),
      }
    },
  },
  example: { id: '10T0001C1' },
})

/** True if a part of the line is in the box. */
export function isLineInBox(line: Line, box: Box): boolean {
  return line.some((point, at) => isSegmentInBox(point, line[at + 1] ?? point, box))
}

/** By Liang and Barsky: clips the segment at each side of the box; true if a part remains. */
function isSegmentInBox([lon, lat]: Line[0], [toLon, toLat]: Line[0], box: Box): boolean {
  const [x, y] = [toLon - lon, toLat - lat]
  const sides: readonly (readonly [number, number])[] = [
    [-x, lon - box.west],
    [x, box.east - lon],
    [-y, lat - box.south],
    [y, box.north - lat],
  ]
  let [begin, end] = [0, 1]
  for (const [step, room] of sides) {
    if (step === 0 && room < 0) return false
    if (step < 0) begin = Math.max(begin, room / step)
    if (step > 0) end = Math.min(end, room / step)
  }
  return begin <= end
}
