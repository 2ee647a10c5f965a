import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
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
 * Readings of traffic sensors per quarter of an hour, as the publisher's archive of months has them. They are of the local clock, so that some
 * have no instant, and apart from the live readings (`traffic_readings`), which they repeat in other steps: no figure sums both.
 */
export const trafficReadings15m = defineDataset({
  id: 'traffic_readings_15m',
  domain: 'road',
  title: 'Traffic sensor readings per quarter of an hour',
  about:
    "Intensity, occupancy, load and speed at traffic sensors per quarter of an hour of the local clock, of the traffic centre's archive of months.",
  sources: [madrid],
  columns: {
    source: col.string(1, 'Source of the reading.', { example: 'madrid_archive' }),
    month: col.string(2, 'Month of the file; it is published again whole.', { example: '2022-01' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '1001' }),
    period_s: col.integer(4, 'Length of the period that the reading stands for.', { unit: 's', example: 900, min: 1 }),
    local_date: col.local_date(5, "Day on Madrid's clock.", { example: '2022-01-01' }),
    minute_of_day: col.integer(6, "Minute of the day at which the period begins on Madrid's clock: 480 is 08:00.", {
      unit: 'min',
      example: 0,
      min: 0,
      max: 1439,
    }),
    repetition: col.integer(
      7,
      'Which of the readings of this sensor and local time it is, 1 for the first by its values: in the hour that October repeats there are two, elsewhere one that is 2 is of no use.',
      { unit: '1', example: 1, min: 1 },
    ),
    day_starts_at: col.instant(8, 'Begin of the day.', { example: '2021-12-31T23:00:00.000Z' }),
    starts_at: col.instant(9, 'Begin of the period; null where the clock leaves the time out or has it twice.', {
      nullable: true,
      example: '2021-12-31T23:00:00.000Z',
    }),
    is_clock_change: col.boolean(10, 'True in the hour that the clock leaves out in spring or has twice in autumn.', { example: false }),
    sensor_type: col.code(11, 'Kind of sensor.', SENSOR_TYPES, { example: 'M30' }),
    intensity_veh_h: measure(12, 'Vehicles per hour.', { unit: 'veh/h', example: 408, max: LIMITS.intensity }),
    occupancy_pct: measure(13, 'Share of time that the sensor was occupied.', { unit: '%', example: null, max: LIMITS.occupancy }),
    load_pct: measure(14, 'Degree of use of the road.', { unit: '%', example: 0, max: LIMITS.load }),
    speed_kmh: measure(15, 'Mean speed; M-30 and interurban sensors only.', { unit: 'km/h', example: 61, max: LIMITS.speed }),
    quality: col.code(
      16,
      'Quality that the publisher gives the reading; ERROR too where a measure lies beyond what can be, which is then null.',
      READING_QUALITIES,
      { example: 'UNKNOWN' },
    ),
    samples: col.integer(17, 'Samples that the publisher made the reading of.', { unit: '1', nullable: true, example: 5, min: 0 }),
  },
  entity: ['month', 'sensor_id', 'period_s', 'local_date', 'minute_of_day', 'repetition'],
  time: 'day_starts_at',
  version: 'month',
  land: 'replace',
  isObservation: true,
  partition: [identity('month')],
  order: ['month', 'sensor_id', 'local_date', 'minute_of_day', 'repetition'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
