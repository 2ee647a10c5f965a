import { railStations } from '../../../lake/datasets/rail/stations.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { field } from '../../kernel/reply-fields.ts'
import { ALERT_STATES, currentAlerts } from './alert-trains.ts'
import { alertsField, alertsOf, inLanguages } from './alerts-of.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { routeFields, routeOf } from './route.ts'
import { feedsOfId, sourcesBesideId } from './timetable-versions.ts'

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
