import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { SENSOR_TYPES } from './codes.ts'
import { TRAFFIC_ROLL_UP, trafficSums } from './traffic-sums.ts'

/** Readings by sensor and hour, derived from the readings once a day is over in Madrid. No feed fills it. */
export const trafficHours = defineDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_hours',
  title: 'Traffic by sensor and hour',
  about:
    'Aggregated readings of a traffic sensor by hour, source and reading period, which are never combined: counts, sums and maximum values. Only past days in Madrid.',
  columns: {
    month: col.string(1, 'Month of the hour in Madrid, YYYY-MM.', { example: '2024-02' }),
    source: col.string(2, 'Source of the readings.', { example: 'madrid' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(4, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(5, 'Begin of the hour.', { example: '2024-02-25T11:00:00.000Z' }),
    sensor_type: col.code(6, 'Kind of sensor, from its last reading.', SENSOR_TYPES, { example: 'URBAN' }),
    ...trafficSums(7),
  },
  entity: ['month', 'source', 'sensor_id', 'period_s'],
  order: ['source', 'sensor_id', 'period_s', 'period_start'],
})
