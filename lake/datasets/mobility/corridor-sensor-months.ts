import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { TRAFFIC_ROLL_UP } from '../road/traffic-sums.ts'

/** Traffic at each sensor of a corridor by month, derived from its hours. Compares the same sensors between years. */
export const corridorSensorMonths = defineDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'corridor_sensor_months',
  domain: 'mobility',
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
