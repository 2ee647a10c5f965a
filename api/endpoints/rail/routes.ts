import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { searchFilter } from '../../kernel/filters/search.ts'
import { booleanParam, withDefault } from '../../kernel/params/params.ts'
import { boxParam } from '../../kernel/params/params-place.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { isLineInBox } from '../../kernel/reads/lines.ts'
import { lineParam } from './known-names.ts'
import { NETWORK_TABLES, railNetwork } from './network.ts'
import { type Route, railRoute, routesOf } from './route.ts'
import { networkParam, nucleoParam, operatorParam } from './station.ts'
import { sourcesBeside, timetableFeeds } from './timetable-versions.ts'

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
