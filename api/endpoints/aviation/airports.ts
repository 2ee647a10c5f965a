import { airports } from '../../../lake/datasets/aviation/airports.ts'
import { defineEndpoint, listReturn } from '../../define/endpoint.ts'
import { pick, projection, record } from '../../define/fields.ts'
import { areaFilter } from '../../filters/area.ts'
import { placeFilter } from '../../filters/place.ts'
import { originFields, provinceField, provinceName } from '../tail.ts'

const { columns } = airports

const airport = record('Airport', 'A Spanish airport.', {
  id: columns.iata,
  ...pick(columns, 'icao', 'name', 'type', 'municipality'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'municipality_code', 'has_scheduled_service', 'elevation_m', 'time_zone', 'keywords', 'position'),
  ...originFields(columns),
})

const toAirport = projection(airports, airport, { province: (row) => provinceName(row.province_code) })

/** The catalogue of airports. */
export const airportListing = defineEndpoint({
  path: '/api/aviacion/aeropuertos',
  domain: 'aviation',
  plan: 'PRO',
  summary: 'Spanish airports',
  params: {},
  filters: [placeFilter, areaFilter],
  returns: listReturn('airports', airport, { sorts: ['id', 'name', 'elevation_m'] }),
  read: { kind: 'memory', from: [airports], records: ([state]) => state.rows.map(toAirport) },
  example: { province: 'Madrid' },
})
