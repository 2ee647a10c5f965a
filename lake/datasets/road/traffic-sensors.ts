import { col, orNull } from '../../schema/columns.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { DETECTOR_SITES, ROAD_DIRECTIONS, SENSOR_TYPES } from './codes.ts'
import { dgt, madrid } from './sources.ts'

/** Traffic sensors, from the catalogue and from the live feed. Both descriptions are stored; `listing` distinguishes them. */
export const trafficSensors = roadDataset({
  id: 'traffic_sensors',
  title: 'Traffic sensors',
  about:
    "Catalogue of traffic sensors: kind, place, district, capacity. Sensors of the city of Madrid, and DGT's detectors (source dgt), one for each lane of an interurban road.",
  sources: [madrid, dgt],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'madrid' }),
    listing: col.string(2, "CATALOGUE for the published catalogue, LIVE for the live feed's description of its sensors.", {
      example: 'CATALOGUE',
    }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '3840' }),
    observed_at: col.instant(4, 'Publication of this state.', { example: '2023-07-23T00:00:00.000Z' }),
    city: col.string(5, 'City whose traffic centre runs it; null on interurban roads.', orNull('madrid')),
    sensor_type: col.code(6, 'Kind of sensor.', SENSOR_TYPES, { example: 'URBAN' }),
    name: col.string(7, 'Street and direction as published.', orNull('Jose Ortega y Gasset E-O - Pº Castellana-Serrano')),
    centre_code: col.string(8, 'Code of the sensor in the traffic centre.', orNull('01001')),
    district: col.integer(9, 'Number of the city district.', { unit: '1', nullable: true, example: 4, min: 0, max: 99 }),
    subarea: col.string(10, 'Control zone of the traffic centre.', orNull('1718')),
    capacity_veh_h: col.integer(11, 'Saturation flow.', { unit: 'veh/h', nullable: true, example: 3000, min: 0 }),
    position: col.point([12, 13], 'Where it is.', orNull({ lat: 40.430502, lon: -3.688323 })),
    municipality_code: col.string(14, 'INE code of the municipality.', orNull('28079')),
    access_code: col.string(15, 'Code of the signalled access that the sensor watches.', orNull('240102')),
    province_code: col.string(16, 'INE code of the province.', orNull('28')),
    road: col.string(17, 'Road designation as published; DGT only.', orNull(null)),
    km: col.decimal(18, 'Kilometre point; DGT only.', { ...ROAD_KM, nullable: true, example: null }),
    direction: col.code(19, 'Direction of its traffic along the road; DGT only.', ROAD_DIRECTIONS, orNull(null)),
    destination: col.string(20, 'Destination of that direction, as published; DGT only.', orNull(null)),
    site_kind: col.code(21, 'Kind of road or lane; DGT only.', DETECTOR_SITES, orNull(null)),
    source_site_kind: col.string(22, 'The same as published (`singularity`).', orNull(null)),
    source_direction: col.string(23, 'Direction as published (`directionRelative`).', orNull(null)),
  },
  entity: ['source', 'listing', 'sensor_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})

/**
 * Joins archived readings with the sensor's position: from the newest edition, not after the reading's day, that has the sensor.
 */
const JOIN =
  'traffic_readings_15m AS r ASOF LEFT JOIN traffic_sensor_editions AS e ON r.sensor_id = e.sensor_id AND r.day_starts_at >= e.valid_from'

/**
 * Traffic sensors in the monthly editions of the publisher's catalogue. A corrected edition replaces its rows. An edition is
 * valid until the next one, which may be published later.
 */
export const trafficSensorEditions = roadDataset({
  id: 'traffic_sensor_editions',
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
})
