import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { READING_QUALITIES, SENSOR_TYPES } from './codes.ts'
import { madrid } from './sources.ts'
import { trafficReadings } from './traffic-readings.ts'

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
export const trafficReadings15m = defineDataset({
  id: 'traffic_readings_15m',
  domain: 'road',
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
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
