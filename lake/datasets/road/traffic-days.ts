import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { SENSOR_TYPES } from './codes.ts'
import { TRAFFIC_ROLL_UP, trafficSums } from './traffic-sums.ts'

/** Readings by sensor and day of Madrid, derived from those by hour. */
export const trafficDays = defineDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_days',
  title: 'Traffic by sensor and day',
  about:
    'What the readings of a traffic sensor come to in a day of Madrid, which has 23 or 25 hours where the clock changes, by source and period of the readings, which are never summed together. Of days that are over.',
  columns: {
    month: col.string(1, 'Month of the day, YYYY-MM.', { example: '2024-02' }),
    source: col.string(2, 'Source of the readings.', { example: 'madrid' }),
    sensor_id: col.string(3, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(4, 'Length of the period that each reading stands for.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(5, 'Begin of the day.', { example: '2024-02-24T23:00:00.000Z' }),
    date: col.local_date(6, 'The day.', { example: '2024-02-25' }),
    sensor_type: col.code(7, 'Kind of sensor, as its last reading has it.', SENSOR_TYPES, { example: 'URBAN' }),
    ...trafficSums(8),
  },
  entity: ['month', 'source', 'sensor_id', 'period_s', 'date'],
  order: ['source', 'sensor_id', 'period_s', 'date'],
})
