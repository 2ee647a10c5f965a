import { weatherObservations } from '../../../lake/datasets/weather/weather-observations.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { isInside } from '../../define/geo.ts'
import { geoParams, isAt, placeParams } from '../../define/params-place.ts'
import { station, stationDetail, stationId, stationKey, stationsOf } from './station.ts'

/** The catalogue of weather stations. */
export const weatherStationList = defineEndpoint({
  path: '/api/clima/estaciones',
  domain: 'weather',
  plan: 'FREE',
  summary: 'Catalogue of weather stations',
  about:
    "Stations of AEMET's inventory and those of its hourly observations, most of which are in both: what the inventory says goes first, what the observations say fills in. Only those with the listing OBSERVATION have hourly values.",
  params: { place: placeParams, geo: geoParams },
  returns: {
    kind: 'list',
    name: 'stations',
    record: station,
    key: ['id', 'source'],
    id: 'id',
    sorts: ['id', 'altitude_m', 'updated_at'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'live',
    from: [weatherStations],
    records: ([state]) => [...stationsOf(state).values()],
    pick: (records, p) => records.filter((one) => isAt(p.place, one) && (!p.geo || isInside(p.geo, one.position))),
  },
  example: { province: 'Madrid', limit: '5' },
})

/** One weather station. */
export const weatherStationById = defineEndpoint({
  path: '/api/clima/estaciones/{id}',
  domain: 'weather',
  plan: 'FREE',
  summary: 'One weather station with its last hourly observation',
  about: 'Observations are of the hour that ends at `observed_at` and not yet validated. What the station does not measure is null.',
  params: { id: stationId },
  returns: { kind: 'one', record: stationDetail },
  read: {
    kind: 'find',
    from: [weatherStations, weatherObservations],
    find: ([stations, observations], { id }) => {
      const found = [...stationsOf(stations).values()].find((one) => one.id === id)
      if (!found) return null
      const last = observations.rows.find((row) => stationKey(row.source, row.station_id) === stationKey(found.source, id))
      return { ...found, last_observation: last ?? null }
    },
  },
  example: { id: '3195' },
})
