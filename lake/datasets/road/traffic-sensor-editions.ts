import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { SENSOR_TYPES } from './codes.ts'
import { madrid } from './sources.ts'

/**
 * Joins archived readings with the sensor's position: from the newest edition, not after the reading's day, that has the sensor.
 */
const JOIN =
  'traffic_readings_15m AS r ASOF LEFT JOIN traffic_sensor_editions AS e ON r.sensor_id = e.sensor_id AND r.day_starts_at >= e.valid_from'

/**
 * Traffic sensors in the monthly editions of the publisher's catalogue. A corrected edition replaces its rows. An edition is
 * valid until the next one, which may be published later.
 */
export const trafficSensorEditions = defineDataset({
  id: 'traffic_sensor_editions',
  domain: 'road',
  title: 'Traffic sensors by catalogue edition',
  about: `Kind, name, district and position of traffic sensors in each monthly edition of the catalogue, since sensors are moved, renamed and replaced. An edition is valid until the next one. Readings are joined to the position of their sensor at the time by \`${JOIN}\`.`,
  sources: [madrid],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'madrid' }),
    edition: col.string(2, 'Month of the edition; it is republished in full.', { example: '2023-07' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '3840' }),
    valid_from: col.instant(4, 'Begin of the month in Madrid: the edition is valid from then until the next one.', {
      example: '2023-06-30T22:00:00.000Z',
    }),
    city: col.string(5, 'City whose traffic centre runs it.', { example: 'madrid' }),
    sensor_type: col.code(6, 'Kind of sensor.', SENSOR_TYPES, { example: 'URBAN' }),
    name: col.string(7, 'Street and direction as published.', orNull('Jose Ortega y Gasset E-O - Pº Castellana-Serrano')),
    centre_code: col.string(8, 'Code of the sensor in the traffic centre.', orNull('01001')),
    district: col.integer(9, 'Number of the city district; missing in old editions.', {
      unit: '1',
      nullable: true,
      example: 4,
      min: 0,
      max: 99,
    }),
    position: col.point([10, 11], 'Where it was.', orNull({ lat: 40.430502, lon: -3.688323 })),
    municipality_code: col.string(12, 'INE code of the municipality.', { example: '28079' }),
  },
  entity: ['source', 'edition', 'sensor_id'],
  time: 'valid_from',
  version: 'edition',
  order: ['edition', 'sensor_id'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
