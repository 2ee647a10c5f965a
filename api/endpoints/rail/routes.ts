import { railStations } from '../../../lake/datasets/rail/timetable.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'
import { searchFilter } from '../../kernel/filters/search.ts'
import { booleanParam, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { boxParam } from '../../kernel/params/params-place.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { isLineInBox } from '../../kernel/reads/lines.ts'
import { field } from '../../kernel/reply-fields.ts'
import { ALERT_STATES, currentAlerts } from './alert-trains.ts'
import { alertsField, alertsOf, inLanguages } from './alerts-of.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { type Route, railRoute, routeFields, routeOf, routesOf } from './route.ts'
import { networkParam, nucleoParam, operatorParam } from './station.ts'
import { feedsOfId, sourcesBeside, sourcesBesideId, timetableFeeds } from './timetable-versions.ts'

/** Routes of the railway. */
export const routeList = defineEndpoint({
  path: '/api/trenes/rutas',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Railway routes with their geometry',
  summary_es: 'Rutas ferroviarias con su geometría',
  about:
    'Routes of the newest timetables; a line has several, one for each pair of termini and direction. Only those with trips, unless in_service is false: most published routes have none. With format=geojson each is a LineString.',
  params: {},
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
    answer: async ({ cached: slice }) => routesOf(await slice(railNetwork, '')),
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
  domain: 'rail',
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
    answer: async ({ cached: slice, optional: extra, states }, { id }) => {
      const network = await slice(railNetwork, '')
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
