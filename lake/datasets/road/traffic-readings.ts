import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { PERCENT } from '../../schema/quantities.ts'
import { LEVELS_OF_SERVICE, READING_QUALITIES, SENSOR_TYPES } from './codes.ts'
import { dgt, madrid } from './sources.ts'

/** Readings of traffic sensors. The key has source and period, so that no query mixes periods by accident. */
export const trafficReadings = defineDataset({
  id: 'traffic_readings',
  domain: 'road',
  title: 'Traffic sensor readings',
  about:
    'Intensity, occupancy, load and speed at traffic sensors, as the traffic centre publishes them: sensors of the city of Madrid, and lanes of interurban roads (source dgt).',
  sources: [madrid, dgt],
  columns: {
    source: col.string(1, 'Source of the reading.', { example: 'madrid' }),
    sensor_id: col.string(2, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(3, 'Length of the period of the reading. DGT counts during one minute of it.', {
      unit: 's',
      example: 300,
      min: 1,
    }),
    observed_at: col.instant(
      4,
      'Time of the publication, which is the end of the period; for DGT the time of measurement, from which the period begins.',
      {
        example: '2024-02-25T11:00:10.000Z',
      },
    ),
    sensor_type: col.code(5, 'Kind of sensor.', SENSOR_TYPES, { example: 'URBAN' }),
    intensity_veh_h: col.integer(6, 'Vehicles per hour.', { unit: 'veh/h', nullable: true, example: 90, min: 0, max: 100_000 }),
    occupancy_pct: col.integer(7, 'Share of time that the sensor was occupied.', { ...PERCENT, nullable: true, example: 1 }),
    load_pct: col.integer(8, 'Degree of use of the road; values above 100 occur.', {
      unit: '%',
      nullable: true,
      example: 3,
      min: 0,
      max: 1000,
    }),
    level_of_service: col.code(
      9,
      'State of traffic as published; null if not given or contradicted by a load above 100.',
      LEVELS_OF_SERVICE,
      orNull('FLUID'),
    ),
    speed_kmh: col.integer(10, 'Mean speed; M-30 and interurban sensors only. Null if no vehicle passed.', {
      unit: 'km/h',
      nullable: true,
      example: null,
      min: 0,
      max: 300,
    }),
    quality: col.code(11, 'Quality as graded by the publisher.', READING_QUALITIES, { example: 'OK' }),
    headway_m: col.integer(12, 'Mean distance between vehicles; DGT only.', {
      unit: 'm',
      nullable: true,
      example: null,
      min: 0,
      max: 100_000,
    }),
    long_vehicles_pct: col.integer(13, 'Share of long vehicles; DGT only.', { ...PERCENT, nullable: true, example: null }),
  },
  entity: ['source', 'sensor_id', 'period_s'],
  time: 'observed_at',
  timeEnds: { sources: [madrid], longest_s: 900 },
  writeMode: 'append',
  order: ['source', 'sensor_id', 'observed_at'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
