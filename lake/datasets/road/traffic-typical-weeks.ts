import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { TRAFFIC_ROLL_UP } from './traffic-sums.ts'

const intensity = (id: number, about: string, example: number) => col.decimal(id, about, { scale: 1, unit: 'veh/h', example, min: 0 })

/** Typical values of a sensor by hour of the week and month, derived from the hours. */
export const trafficTypicalWeeks = defineDataset({
  ...TRAFFIC_ROLL_UP,
  id: 'traffic_typical_weeks',
  title: 'Typical week of traffic sensors',
  about:
    'Typical intensity at a traffic sensor by hour of the week (Madrid time) and month: mean, median and the middle 80 % of the hourly mean intensities, by source and reading period. ' +
    'Holidays are included; an hour that the clock change repeats counts twice.',
  columns: {
    month: col.string(1, 'Month of the hours in Madrid, YYYY-MM.', { example: '2024-02' }),
    period_start: col.instant(2, 'Begin of the month.', { example: '2024-01-31T23:00:00.000Z' }),
    source: col.string(3, 'Source of the readings.', { example: 'madrid' }),
    sensor_id: col.string(4, "The publisher's id of the sensor.", { example: '3409' }),
    period_s: col.integer(5, 'Length of the period of each reading.', { unit: 's', example: 300, min: 1 }),
    weekday_iso: col.integer(6, 'Day of the week, 1 for Monday.', { unit: '1', example: 7, min: 1, max: 7 }),
    hour_local: col.integer(7, 'Hour by the clock of Madrid.', { unit: 'h', example: 12, min: 0, max: 23 }),
    hours: col.integer(8, 'Hours of the month with an intensity.', { unit: '1', example: 4, min: 1 }),
    intensity_mean_veh_h: intensity(9, 'Mean of the mean intensities of these hours.', 101.3),
    intensity_p10_veh_h: intensity(10, 'Mean intensity that a tenth of these hours do not exceed.', 88.1),
    intensity_median_veh_h: intensity(11, 'Mean intensity that half of these hours do not exceed.', 99.5),
    intensity_p90_veh_h: intensity(12, 'Mean intensity that nine tenths of these hours do not exceed.', 120.4),
  },
  entity: ['month', 'source', 'sensor_id', 'period_s', 'weekday_iso', 'hour_local'],
  order: ['source', 'sensor_id', 'period_s', 'weekday_iso', 'hour_local'],
})
