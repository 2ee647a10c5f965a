import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { jsonFeed } from '../kit/record-feed.ts'
import { aemetRequest, readRecords } from './aemet.ts'

/** AEMET's inventory of stations: everything is text, province names vary, and it has no date. */
export const aemetStations = jsonFeed({
  id: 'aemet_stations',
  source: aemet,
  into: weatherStations,
  every_s: 86_400,
  get: aemetRequest('stations', 'valores/climatologicos/inventarioestaciones/todasestaciones', 8_000_000),
  freshBy: 'fetch',
  // It has grown from 291 stations in 2023 to 947 in 2026.
  band: { atLeast: 100 },
  columns: {
    id: 'indicativo',
    name: 'nombre',
    province: 'provincia',
    altitude: 'altitud',
    synop: 'indsinop',
    latitude: 'latitud',
    longitude: 'longitud',
  },
  needs: ['id', 'name'],
  nonEmptyFields: ['province', 'altitude', 'synop', 'latitude', 'longitude'],
  decimal: 'comma',
  records: readRecords,
  row: (r) => ({
    source: aemet.id,
    listing: 'INVENTORY',
    station_id: r.text('id'),
    name: r.text('name').replace(/\s+/g, ' '),
    altitude_m: r.number('altitude'),
    synop_code: r.text('synop'),
    ...r.place({ province: r.text('province'), position: r.dms('latitude', 'longitude') }),
  }),
})
