import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { dayFromToday } from '../../define/example.ts'
import { listOf, required } from '../../define/params.ts'
import { ABOUT_SERIES, omitVariables, SERIES_FIGURE, SERIES_FROM, seriesOf, seriesParams, weatherPoint } from './series.ts'
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
    query: (p, lake) => seriesOf([p.id], p, lake),
    subject: {
      of: weatherStations,
      find: (state, { id }) => state.rows.some((row) => (row as unknown as { station_id: string }).station_id === id),
    },
    omit: omitVariables,
  },
  example: { id: '3195', ...EXAMPLE },
})

/** The series of stations. */
export const weatherHistory = defineEndpoint({
  path: '/api/clima/historico',
  domain: 'weather',
  plan: 'PRO',
  summary: 'Series of weather stations, by hour or day, each for itself',
  about: `Several stations at once, never averaged. ${ABOUT_SERIES}`,
  figure: SERIES_FIGURE,
  params: { station: required(listOf(stationId)), ...seriesParams },
  returns: RETURNS,
  read: {
    kind: 'lake',
    from: [...SERIES_FROM, weatherStations],
    query: (p, lake) => seriesOf(p.station ?? [], p, lake),
    known: {
      station: {
        values: () => sql`
          SELECT DISTINCT ${column(weatherStations, 'station_id')} AS value
          FROM ${scan(weatherStations, { listing: { eq: 'OBSERVATION' } })}
          ORDER BY value
          LIMIT 1000`,
        expected: 'expected the id of a station with hourly observations',
      },
    },
    omit: omitVariables,
  },
  example: { station: '3195', ...EXAMPLE },
})
