import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { group, listOf } from '../../define/params.ts'
import { roadParam } from '../../define/params-place.ts'
import { Refused } from '../../define/problems.ts'
import { ABOUT_ROADS, type NearStation, NOWHERE, stationsFound, stationsNearSql } from './near-road.ts'
import {
  ABOUT_SERIES,
  omitVariables,
  SERIES_FIGURE,
  SERIES_FROM,
  seriesFrom,
  seriesOf,
  seriesParams,
  seriesRolled,
  weatherPoint,
} from './series.ts'
import { stationId } from './station.ts'

const RETURNS = {
  kind: 'list',
  name: 'history',
  record: weatherPoint,
  key: ['station_id', 'period_start'],
  sorts: ['period_start', 'station_id'],
  order: 'period_start',
  limit: { default: 100, max: 1000 },
} as const

const EXAMPLE = { from: dayFromToday(-1, '2025-12-06'), to: dayFromToday(1, '2025-12-07'), interval: '1h' }

/** The series of one station. */
export const weatherStationHistory = defineEndpoint({
  path: '/api/clima/estaciones/{id}/historico',
  domain: 'weather',
  plan: 'PRO',
  summary: 'Series of one weather station, by hour or day',
  about: ABOUT_SERIES,
  figure: SERIES_FIGURE,
  params: { id: stationId, ...seriesParams },
  returns: RETURNS,
  read: {
    kind: 'lake',
    from: SERIES_FROM,
    fromOf: seriesFrom,
    first: (p, lake) => seriesRolled(p, lake, [p.id]),
    query: (p, lake, found) => seriesOf([{ station_id: p.id, ...NOWHERE }], p, { lake, found }),
    subject: {
      of: weatherStations,
      find: (state, { id }) => state.rows.some((row) => (row as unknown as { station_id: string }).station_id === id),
    },
    omit: omitVariables,
  },
  example: { id: '3195', ...EXAMPLE },
})

/** `station` or `road`. */
const stationsParams = group(
  { station: listOf({ ...stationId, required: false, fallback: null }), road: roadParam },
  ({ station, road }) => {
    if (station !== null && road !== null)
      throw new Refused('cannot be combined with road; allowed: either station or road', { parameter: 'station' })
    if (station === null && road === null) throw new Refused('is required; allowed: station or road', { parameter: 'station' })
    return { stations: [...new Set(station)], road }
  },
)

const s = (name: keyof typeof weatherStations.columns): Sql => column(weatherStations, name)

/** Those of some stations that there are. */
function knownStations(stations: readonly string[]): Sql {
  return sql`SELECT DISTINCT ${s('station_id')} FROM ${scan(weatherStations, { station_id: { in: stations } })}`
}

/** The stations that were asked for. Throws `Refused` for the first that there is not. */
function stationsKnown(stations: readonly string[], found: readonly AnyRow[]): NearStation[] {
  const known = new Set(found.map(({ station_id }) => station_id))
  const lacking = stations.find((id) => !known.has(id))
  if (lacking !== undefined)
    throw new Refused('expected the id of a weather station, as /api/clima/estaciones lists them', { parameter: 'station', value: lacking })
  return stations.map((station_id) => ({ station_id, ...NOWHERE }))
}

/** The series of stations. */
export const weatherHistory = defineEndpoint({
  path: '/api/clima/historico',
  domain: 'weather',
  plan: 'PRO',
  summary: 'Series of weather stations, by their ids or near a road, each for itself',
  about: `Several stations at once, or those near a road, listed apart and never averaged. ${ABOUT_ROADS} ${ABOUT_SERIES}`,
  figure: SERIES_FIGURE,
  params: { of: stationsParams, ...seriesParams },
  returns: RETURNS,
  read: {
    kind: 'lake',
    from: [...SERIES_FROM, weatherStations, roadPoints],
    fromOf: (p) => [...seriesFrom(p), weatherStations, ...(p.of.road === null ? [] : [roadPoints])],
    first: (p, lake) => {
      const { stations, road } = p.of
      const rolled = seriesRolled(p, lake, road === null ? stations : null)
      return sql`SELECT *, (${rolled ?? sql`NULL`}) AS last FROM (${road === null ? knownStations(stations) : stationsNearSql(road)})`
    },
    query: (p, lake, found) =>
      seriesOf(p.of.road === null ? stationsKnown(p.of.stations, found) : stationsFound(found), p, { lake, found }),
    omit: omitVariables,
  },
  example: { station: '3195', ...EXAMPLE },
})
