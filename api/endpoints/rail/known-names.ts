import { RAIL_NETWORKS, RAIL_NUCLEOS, RENFE_NETWORKS } from '../../../lake/datasets/rail/codes.ts'
import { railRoutes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { MemoryAsk } from '../../kernel/endpoint.ts'
import { codeParam, knownBy, listOf, type Param, textParam } from '../../kernel/params/params.ts'
import { type CachedQuery, defineCachedQuery, distinctValues } from '../../kernel/reads/cached-query.ts'

/** The networks with live positions of trains. */
const LIVE_NETWORKS = [...RENFE_NETWORKS, 'FGC']

const LINE_NAMES = sql`SELECT DISTINCT network, short_name AS name FROM ${scan(railRoutes)} WHERE short_name IS NOT NULL`

/** Lines and products of all stored timetables: SR06 and SR18 ran in June 2026 but no longer in August. */
const railLines = namesIn('rail lines', railRoutes, LINE_NAMES)

/** The same lines, known once every network with live positions has a timetable. */
const liveLines = namesIn('lines of running trains', railRoutes, LINE_NAMES, LIVE_NETWORKS)

/** Station codes of all stored timetables. */
const railStationCodes = namesIn(
  'rail station codes',
  railStations,
  sql`SELECT DISTINCT network, stop_id AS name FROM ${scan(railStations)}`,
)

/** Station codes of commuter timetables. */
const commuterStationCodes = distinctValues({
  ...{ name: 'commuter station codes', dataset: railStations, column: 'stop_id', filter: { network: { eq: 'CERCANIAS' } } },
})

/** The names that a query finds, in order; none until it finds some of each of some networks, by default Renfe's. */
function namesIn(name: string, dataset: Dataset, query: Sql, needed: readonly string[] = RENFE_NETWORKS): CachedQuery<ReadonlySet<string>> {
  return defineCachedQuery({
    name,
    from: [dataset],
    async read({ all }) {
      const found = await all<{ readonly network: string; readonly name: string }>(query)
      const networks = new Set(found.map(({ network }) => network))
      return new Set(needed.every((network) => networks.has(network)) ? found.map((one) => one.name).sort() : [])
    },
  })
}

/** True once the timetables of all networks have landed, so lines and stations are known; null if they cannot be read now. */
export async function namesAreKnown(extra: MemoryAsk<readonly []>['optional']): Promise<boolean | null> {
  const lines = await extra(railLines, '')
  return lines && lines.size > 0
}

/** The parameter `line` of all endpoints about trains, except rolling stock. */
export const lineParam = lineIn(railLines)

/** The same parameter of running trains: FGC's lines are accepted before FGC's timetable has landed. */
export const liveLineParam = lineIn(liveLines)

function lineIn(query: CachedQuery<ReadonlySet<string>>): Param<readonly string[] | null> {
  return knownBy(
    listOf(
      textParam(
        'Line, as the timetables name it (C4a and C4A are two lines), or product of long and medium distance (list rail_product).',
        {
          max: 30,
          example: 'C1',
        },
      ),
    ),
    { query, expected: 'expected a line or product of a timetable', isListed: true },
  )
}

/** The parameter `station` of lists. */
const stationParam = stationsIn(railStationCodes, 'Station code, five digits: alerts that name it.', 'a timetable')

/** The parameter `station` of current alerts, which concern a station in two ways. */
export const alertStationParam = stationsIn(
  railStationCodes,
  'Station code, five digits: alerts that name it, trains that stop there, and alerts that name no station but one of its commuter lines, as under /api/trenes/estaciones/{id}.',
  'a timetable',
)

/** The parameter `station` of statistics that only commuter trains have by station. */
export const commuterStationParam = stationsIn(
  commuterStationCodes,
  'Station code, five digits. Selects commuter trains only, because trip updates of long distance name no stations.',
  'a timetable of commuter trains',
)

function stationsIn(cached: CachedQuery<ReadonlySet<string>>, about: string, what: string): Param<readonly string[] | null> {
  return knownBy(listOf(textParam(about, { max: 10, example: '37010' })), {
    query: cached,
    expected: `expected the code of a station that ${what} has, five digits; /api/trenes/estaciones lists them`,
    isListed: false,
  })
}

/** Parameters for network, núcleo, line and station, shared by the endpoints about trains. */
export const railParams = {
  network: listOf(codeParam('Network of the railway.', RAIL_NETWORKS, { example: 'CERCANIAS' })),
  nucleo: listOf(codeParam('Commuter network (núcleo).', RAIL_NUCLEOS, { example: '10' })),
  line: lineParam,
  station: stationParam,
} as const
