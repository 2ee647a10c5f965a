import { col, orNull } from '../../schema/columns.ts'
import { COUNT, PERCENT } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { LEVELS_OF_SERVICE, READING_QUALITIES, SENSOR_TYPES } from './codes.ts'
import { dgt, madrid } from './sources.ts'

/** Readings of traffic sensors. The key has source and period, so that no query mixes periods by accident. */
export const trafficReadings = roadDataset({
  id: 'traffic_readings',
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
})

const { intensity_veh_h, occupancy_pct, load_pct, speed_kmh } = trafficReadings.columns
const LIMITS = {
  intensity: intensity_veh_h.max as number,
  occupancy: occupancy_pct.max as number,
  load: load_pct.max as number,
  speed: speed_kmh.max as number,
} as const

const measure = (id: number, about: string, given: { readonly unit: string; readonly example: number | null; readonly max: number }) =>
  col.integer(id, about, { ...given, nullable: true, min: 0 })

/**
 * Sensor readings per quarter of an hour, from the publisher's monthly archive. Local time, so some have no instant. Separate
 * from the live readings (`traffic_readings`), which they repeat in other steps: never sum both.
 */
export const trafficReadings15m = roadDataset({
  id: 'traffic_readings_15m',
  title: 'Traffic sensor readings per quarter of an hour',
  about:
    "Intensity, occupancy, load and speed at traffic sensors per quarter of an hour in local time, from the traffic centre's monthly archive.",
  sources: [madrid],
  columns: {
    source: col.string(1, 'Source of the reading.', { example: 'madrid_archive' }),
    month: col.string(2, 'Month of the file; it is republished in full.', { example: '2022-01' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '1001' }),
    period_s: col.integer(4, 'Length of the period of the reading.', { unit: 's', example: 900, min: 1 }),
    local_date: col.local_date(5, 'Day, Madrid time.', { example: '2022-01-01' }),
    minute_of_day: col.integer(6, 'Minute of the day at which the period begins, Madrid time: 480 is 08:00.', {
      unit: 'min',
      example: 0,
      min: 0,
      max: 1439,
    }),
    repetition: col.integer(
      7,
      'Number of the reading among those of its sensor and local time, ordered by values. Two are valid in the hour that October repeats; at other times ignore number 2.',
      { unit: '1', example: 1, min: 1 },
    ),
    day_starts_at: col.instant(8, 'Begin of the day.', { example: '2021-12-31T23:00:00.000Z' }),
    starts_at: col.instant(
      9,
      'Begin of the period; null if the clock change skips or repeats the time.',
      orNull('2021-12-31T23:00:00.000Z'),
    ),
    is_clock_change: col.boolean(10, 'True in the hour that the clock change skips in spring or repeats in autumn.', { example: false }),
    sensor_type: col.code(11, 'Kind of sensor.', SENSOR_TYPES, { example: 'M30' }),
    intensity_veh_h: measure(12, 'Vehicles per hour.', { unit: 'veh/h', example: 408, max: LIMITS.intensity }),
    occupancy_pct: measure(13, 'Share of time that the sensor was occupied.', { unit: '%', example: null, max: LIMITS.occupancy }),
    load_pct: measure(14, 'Degree of use of the road.', { unit: '%', example: 0, max: LIMITS.load }),
    speed_kmh: measure(15, 'Mean speed; M-30 and interurban sensors only.', { unit: 'km/h', example: 61, max: LIMITS.speed }),
    quality: col.code(
      16,
      'Quality as graded by the publisher; also ERROR if a value is impossible, which is then null.',
      READING_QUALITIES,
      { example: 'UNKNOWN' },
    ),
    samples: col.integer(17, 'Number of samples in the reading.', { ...COUNT, nullable: true, example: 5 }),
  },
  entity: ['month', 'sensor_id', 'period_s', 'local_date', 'minute_of_day', 'repetition'],
  time: 'day_starts_at',
  version: 'month',
  isObservation: true,
  order: ['month', 'sensor_id', 'local_date', 'minute_of_day', 'repetition'],
})
