import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { record } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { placeFilter } from '../../kernel/filters/place.ts'
import { ABOUT_ROADS, NOWHERE, nearFields, nearStretch, pointsOfRoad, stretchParams } from './near-road.ts'
import { stationDetail, stationFields, stationId, stationKey, stationsOf } from './station.ts'

/** A station in the list. */
const listedStation = record('WeatherStation', 'A weather station.', { ...stationFields, ...nearFields })

const INVENTORY =
  "Stations of AEMET's inventory and of its hourly observations; most are in both. The inventory takes precedence, and observations fill gaps."
const HOURLY =
  'Observations cover the hour that ends at `observed_at` and are not validated yet. Values that the station does not measure are null.'

/** The catalogue of weather stations. */
export const weatherStationList = defineEndpoint({
  path: '/api/clima/estaciones',
  domain: 'weather',
  plan: 'FREE',
  summary: 'Catalogue of weather stations',
  summary_es: 'Catálogo de estaciones meteorológicas',
  about: `${INVENTORY} Only those with the listing OBSERVATION have hourly values. ${ABOUT_ROADS}`,
  statistic: { grain: 'One weather station.', method: INVENTORY },
  params: { stretch: stretchParams },
  filters: [placeFilter, areaFilter],
  returns: {
    kind: 'list',
    name: 'stations',
    record: listedStation,
    key: ['id', 'source'],
    id: 'id',
    sorts: ['id', 'distance_m', 'altitude_m', 'updated_at'],
    order: 'id',
    needs: { distance_m: ['road'] },
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: [weatherStations],
    lake: [roadPoints],
    needs: [],
    answer: async ({ states: [state], cached: slice }, p) => {
      const points = p.stretch.road === null ? [] : await slice(pointsOfRoad, p.stretch.road)
      const stations = [...stationsOf(state).values()].map((one) => ({ ...one, ...NOWHERE }))
      return nearStretch(stations, p.stretch, points)
    },
  },
  example: { province: 'Madrid', limit: '5' },
})

/** One weather station. */
export const weatherStationById = defineEndpoint({
  path: '/api/clima/estaciones/{id}',
  domain: 'weather',
  plan: 'FREE',
  summary: 'One weather station with its last hourly observation',
  summary_es: 'Una estación meteorológica con su última observación horaria',
  about: HOURLY,
  statistic: { grain: 'One weather station, and one hour of its values.', method: `${INVENTORY} ${HOURLY}` },
  params: { id: stationId },
  returns: { kind: 'one', record: stationDetail },
  read: {
    kind: 'memory',
    from: [weatherStations, weatherObservations],
    answer: ({ states: [stations, observations] }, { id }) => {
      const found = [...stationsOf(stations).values()].find((one) => one.id === id)
      if (!found) return null
      const last = observations.rows.find((row) => stationKey(row.source, row.station_id) === stationKey(found.source, id))
      return { ...found, last_observation: last ?? null }
    },
  },
  example: { id: '3195' },
})
