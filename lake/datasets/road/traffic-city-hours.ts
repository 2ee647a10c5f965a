import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { TRAFFIC_ROLL_UP, trafficSums } from './traffic-sums.ts'

/** Readings of all sensors of a traffic centre by hour, derived from the readings by sensor. */
export const trafficCityHours = defineDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_city_hours',
  title: 'Traffic of a city by hour',
  about:
    'Aggregated readings of all sensors of a traffic centre by hour, source and reading period, which are never combined. Only past days in Madrid.',
  columns: {
    month: col.string(1, 'Month of the hour in Madrid, YYYY-MM.', { example: '2024-02' }),
    source: col.string(2, 'Source of the readings: the traffic centre of a city.', { example: 'madrid' }),
    period_s: col.integer(3, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    period_start: col.instant(4, 'Begin of the hour.', { example: '2024-02-25T11:00:00.000Z' }),
    sensors: col.integer(5, 'Sensors with a valid reading.', { ...COUNT, example: 4871 }),
    ...trafficSums(6),
  },
  entity: ['month', 'source', 'period_s'],
  order: ['source', 'period_s', 'period_start'],
})
