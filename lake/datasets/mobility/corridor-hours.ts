import { ABOUT_HOLIDAYS } from '../../places/holidays.ts'
import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { TRAFFIC_ROLL_UP } from '../road/traffic-sums.ts'
import { DAY_TYPES } from './codes.ts'

/** Traffic of corridors by hour, derived from the hourly figures of their sensors. */
export const corridorHours = defineDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'corridor_hours',
  domain: 'mobility',
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
