import { airQualityStations } from '../../../lake/datasets/air/air-quality-stations.ts'
import { pick, projection, record } from '../../kernel/fields.ts'
import { required, textParam } from '../../kernel/params/params.ts'
import { originFields, provinceField } from '../common-fields.ts'

const { columns } = airQualityStations

/** The station id as a path parameter. */
export const airStationId = required(textParam('National code of the station, of 8 digits.', { max: 10, example: '28079004' }))

/** Fields of a station. */
export const stationFields = {
  id: columns.station_id,
  ...pick(columns, 'name', 'type', 'is_active'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'municipality_code', 'position'),
  ...originFields(columns),
} as const

/** A station of the catalogue. */
export const airStation = record('AirStation', 'An air quality station.', stationFields)

/** Makes a station from a row. */
export const toStation = projection(airQualityStations, airStation)
