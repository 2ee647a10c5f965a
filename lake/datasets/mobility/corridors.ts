import { ABOUT_HOLIDAYS } from '../../places/holidays.ts'
import { col } from '../../schema/columns.ts'
import { mobilityDataset } from '../domains.ts'
import { TRAFFIC_ROLL_UP } from '../road/traffic-roll-ups.ts'
import { DAY_TYPES } from './codes.ts'

/** Traffic of corridors by hour, derived from the hourly figures of their sensors. */
export const corridorHours = mobilityDataset({
  ...TRAFFIC_ROLL_UP,
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
  id: 'corridor_hours',
  title: 'Traffic of corridors by hour',
  about:
    'Mean intensity at the sensors of a corridor in an hour, by source and period of the readings, which are never combined. At detectors of lanes, the mean of carriageways whose lanes all have the hour. Only corridors with sensors or detectors, and past days in Madrid.',
  columns: {
    month: col.string(1, 'Month of the hour in Madrid, YYYY-MM.', { example: '2024-02' }),
    corridor_id: col.string(2, 'Corridor.', { example: 'm-30' }),
    source: col.string(3, 'Source of the readings.', { example: 'madrid' }),
    period_s: col.integer(4, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(5, 'Begin of the hour.', { example: '2024-02-25T11:00:00.000Z' }),
    local_date: col.local_date(6, 'Day in Madrid.', { example: '2024-02-25' }),
    hour_local: col.integer(7, 'Hour by the clock of Madrid.', { unit: 'h', example: 12, min: 0, max: 23 }),
    day_type: col.code(8, `Kind of day. ${ABOUT_HOLIDAYS}`, DAY_TYPES, {
      example: 'SUNDAY_HOLIDAY',
    }),
    sensors: col.integer(9, 'Sensors with an intensity; carriageways at a kilometre for detectors.', { unit: '1', example: 360, min: 1 }),
    intensity_mean_veh_h: col.decimal(10, 'Mean of the mean intensities of these sensors; at a carriageway the sum of its lanes.', {
      ...{ scale: 1, unit: 'veh/h', example: 2140.4, min: 0 },
    }),
  },
  entity: ['month', 'corridor_id', 'source', 'period_s'],
  order: ['corridor_id', 'source', 'period_s', 'period_start'],
})

/** Traffic at each sensor of a corridor by month, derived from its hours. Compares the same sensors between years. */
export const corridorSensorMonths = mobilityDataset({
  ...TRAFFIC_ROLL_UP,
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
  id: 'corridor_sensor_months',
  title: 'Traffic at sensors of corridors by month',
  about:
    'Hours with an intensity and the sum of their mean intensities at each sensor of a corridor, by source and period of the readings, which are never combined.',
  columns: {
    month: col.string(1, 'Month of the hours in Madrid, YYYY-MM.', { example: '2024-02' }),
    period_start: col.instant(2, 'Begin of the month.', { example: '2024-01-31T23:00:00.000Z' }),
    corridor_id: col.string(3, 'Corridor.', { example: 'm-30' }),
    source: col.string(4, 'Source of the readings.', { example: 'madrid' }),
    period_s: col.integer(5, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    sensor_id: col.string(6, "The publisher's id of the sensor.", { example: '6658' }),
    hours: col.integer(7, 'Hours with an intensity.', { unit: '1', example: 690, min: 1 }),
    intensity_sum_veh_h: col.decimal(8, 'Sum of the mean intensities of these hours: vehicles, for hours with readings.', {
      ...{ scale: 1, precision: 15, unit: '1', example: 1_476_876, min: 0 },
    }),
    point_id: col.string(9, 'For a detector of a lane: the first detector of its carriageway at the kilometre. Null for other sensors.', {
      ...{ nullable: true, example: null },
    }),
    point_sensors: col.integer(10, 'For a detector of a lane: lanes of that carriageway. Null for other sensors.', {
      ...{ unit: '1', nullable: true, example: null, min: 1 },
    }),
  },
  entity: ['month', 'corridor_id', 'source', 'period_s', 'sensor_id'],
  order: ['corridor_id', 'source', 'period_s', 'sensor_id'],
})
