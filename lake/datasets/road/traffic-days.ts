import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { SENSOR_TYPES } from './codes.ts'
import { TRAFFIC_ROLL_UP, trafficSums } from './traffic-sums.ts'

/** Readings by sensor and day in Madrid, derived from the hourly ones. */
export const trafficDays = defineDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_days',
  title: 'Traffic by sensor and day',
  about:
    'Aggregated readings of a traffic sensor by day in Madrid (23 or 25 hours at clock changes), source and reading period, which are never combined. Only past days.',
  columns: {
    month: col.string(1, 'Month of the day, YYYY-MM.', { example: '2024-02' }),
    source: col.string(2, 'Source of the readings.', { example: 'madrid' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(4, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(5, 'Begin of the day.', { example: '2024-02-24T23:00:00.000Z' }),
    date: col.local_date(6, 'The day.', { example: '2024-02-25' }),
    sensor_type: col.code(7, 'Kind of sensor, from its last reading.', SENSOR_TYPES, { example: 'URBAN' }),
    ...trafficSums(8),
  },
  entity: ['month', 'source', 'sensor_id', 'period_s', 'date'],
  order: ['source', 'sensor_id', 'period_s', 'date'],
})
