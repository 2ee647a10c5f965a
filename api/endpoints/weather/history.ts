import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { dayFromToday } from '../../kernel/example.ts'
import { group, listOf } from '../../kernel/params/params.ts'
import { roadParam } from '../../kernel/params/params-place.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { parameter } from '../../kernel/reads/figures.ts'
import { seriesBy } from '../../kernel/reads/series-of.ts'
import { type NearStation, NOWHERE, nearFields, stationsFound, stationsNearSql } from './near-road.ts'
import { ABOUT_SERIES, omitVariables, SERIES_FIGURE, seriesParams, weatherSeries, weatherSources } from './series.ts'
import { stationId, WEATHER_PAGE } from './station.ts'

const EXAMPLE = { from: dayFromToday(-1, '2025-12-06'), to: dayFromToday(1, '2025-12-07'), interval: '1h' }
const read = { returns: weatherSeries, ...weatherSources, omit: omitVariables } as const
const stationParams = { id: stationId, ...seriesParams }

/** The series of one station. */
export const weatherStationHistory = defineEndpoint({
  path: '/api/clima/estaciones/{id}/historico',
  domain: 'weather',
  plan: 'PRO',
  summary: 'Series of one weather station, by hour or day',
  summary_es: 'Serie de una estación meteorológica, por hora o día',
  about: ABOUT_SERIES,
  explained: WEATHER_PAGE,
  statistic: SERIES_FIGURE,
  params: stationParams,
  returns: weatherSeries,
  read: seriesBy({
    ...read,
    params: stationParams,
    among: { key: 'station_id', fields: nearFields, known: (p) => [p.id], things: (p) => [{ station_id: p.id, ...NOWHERE }] },
    subject: { of: weatherStations, where: { station_id: parameter('id') } },
  }),
  example: { id: '3195', ...EXAMPLE },
})

/** The parameters `station` or `road`. */
const stationsParams = group(
  { station: listOf({ ...stationId, required: false, fallback: null }), road: roadParam },
  ({ station, road }) => {
    if (station !== null && road !== null)
      throw new InvalidParam('cannot be combined with road; allowed: either station or road', { parameter: 'station' })
    if (station === null && road === null) throw new InvalidParam('is required; allowed: station or road', { parameter: 'station' })
    return { stations: [...new Set(station)], road }
  },
)

const s = (name: keyof typeof weatherStations.columns): Sql => column(weatherStations, name)

/** A query of the existing ones of some stations. */
function knownStations(stations: readonly string[]): Sql {
  return sql`SELECT DISTINCT ${s('station_id')} FROM ${scan(weatherStations, { station_id: { in: stations } })}`
}

/** The requested stations. Throws `InvalidParam` for the first that does not exist. */
function stationsKnown(stations: readonly string[], found: readonly AnyRow[]): NearStation[] {
  const known = new Set(found.map(({ station_id }) => station_id))
  const lacking = stations.find((id) => !known.has(id))
  if (lacking !== undefined)
    throw new InvalidParam('expected the id of a weather station, as in /api/clima/estaciones', { parameter: 'station', value: lacking })
  return stations.map((station_id) => ({ station_id, ...NOWHERE }))
}

const severalParams = { of: stationsParams, ...seriesParams }

/** The series of stations. */
export const weatherHistory = defineEndpoint({
  path: '/api/clima/historico',
  domain: 'weather',
  plan: 'PRO',
  summary: 'Series of weather stations, by their ids or near a road, listed separately',
  summary_es: 'Series de estaciones meteorológicas, por identificador o junto a una carretera',
  about: `Several stations, or those within 10 km of a road, never averaged. ${ABOUT_SERIES}`,
  explained: WEATHER_PAGE,
  statistic: SERIES_FIGURE,
  params: severalParams,
  returns: weatherSeries,
  read: seriesBy({
    ...read,
    params: severalParams,
    from: [...weatherSources.from, weatherStations, roadPoints],
    also: (p) => [weatherStations, ...(p.of.road === null ? [] : [roadPoints])],
    among: {
      key: 'station_id',
      fields: nearFields,
      known: (p) => (p.of.road === null ? p.of.stations : null),
      query: (p) => (p.of.road === null ? knownStations(p.of.stations) : stationsNearSql(p.of.road)),
      things: (p, found) => (p.of.road === null ? stationsKnown(p.of.stations, found) : stationsFound(found)),
    },
  }),
  example: { station: '3195', ...EXAMPLE },
})
