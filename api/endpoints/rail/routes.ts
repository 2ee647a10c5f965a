import { defineEndpoint } from '../../define/endpoint.ts'
import { isLineInBox } from '../../define/lines.ts'
import { booleanParam, withDefault } from '../../define/params.ts'
import { boxParam } from '../../define/params-place.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { type Route, railRoute, routesOf } from './route.ts'
import { searchBy, searchParam } from './search.ts'
import { networkParam, nucleoParam, operatorParam } from './station.ts'
import { timetableFeeds } from './timetable-versions.ts'

const search = searchBy(({ line, product, origin, destination, id }: Route) => [line, product, origin, destination, id])

/** Routes of the railway. */
export const routeList = defineEndpoint({
  path: '/api/trenes/rutas',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Railway routes with their geometry',
  about:
    'Routes of the newest timetables; a line has several, one for each pair of termini and direction. Only those with trips, unless in_service is false: most published routes have none. With format=geojson each is a LineString.',
  params: {
    network: networkParam,
    operator: operatorParam,
    nucleo: nucleoParam,
    line: lineParam,
    q: searchParam('the line, the product, a terminus or the id'),
    bbox: boxParam('Only routes of whose geometry a part lies in the box'),
    in_service: withDefault(booleanParam('Only routes with trips (true) or without (false).'), true),
  },
  returns: {
    kind: 'list',
    name: 'routes',
    record: railRoute,
    key: ['id'],
    id: 'id',
    sorts: ['id', 'line', 'product', 'trips'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'kept',
    from: [],
    lake: NETWORK_TABLES,
    parts: ({ network }) => timetableFeeds(network),
    answer: async ({ slice }, p) => {
      const matches = search(p.q)
      const { bbox } = p
      return routesOf(await slice(railNetwork, '')).filter(
        (one) =>
          one.in_service === p.in_service &&
          (p.network === null || one.network === p.network) &&
          (p.operator === null || one.operator === p.operator) &&
          (!p.nucleo || (one.nucleo_code !== null && p.nucleo.includes(one.nucleo_code))) &&
          (!p.line || p.line.includes(one.line ?? one.product ?? '')) &&
          (!bbox || (one.geometry !== null && isLineInBox(one.geometry, bbox))) &&
          matches(one),
      )
    },
  },
  example: { network: 'CERCANIAS', line: 'C1' },
})
