import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { COUNT_DIRECTIONS, COUNT_QUALITIES } from './codes.ts'
import { madrid } from './sources.ts'

/**
 * Counts of the permanent stations by hour of the local clock. The publisher's files have 24 hours on every day: what the clock leaves out or
 * repeats is kept under its local hour, without an instant.
 */
export const trafficCountsHourly = defineDataset({
  id: 'traffic_counts_hourly',
  domain: 'road',
  title: 'Hourly traffic counts',
  about: 'Vehicles counted at permanent stations, by direction and hour of the local clock, with what each count is worth.',
  sources: [madrid],
  columns: {
    source: col.string(1, 'Source of the count.', { example: 'madrid' }),
    month: col.string(2, 'Month of the file; it is published again whole.', { example: '2023-01' }),
    station_id: col.string(3, "The publisher's id of the station.", { example: 'ES01' }),
    direction: col.code(4, 'Direction, in traffic_count_stations.', COUNT_DIRECTIONS, { example: '1' }),
    local_date: col.local_date(5, "Day on Madrid's clock.", { example: '2023-01-09' }),
    hour: col.integer(6, "Hour on Madrid's clock in which it was counted: 8 is from 08:00 to 09:00.", {
      unit: 'h',
      example: 8,
      min: 0,
      max: 23,
    }),
    day_starts_at: col.instant(7, 'Begin of the day.', { example: '2023-01-08T23:00:00.000Z' }),
    starts_at: col.instant(8, 'Begin of the hour; null where the clock leaves the hour out or has it twice.', {
      nullable: true,
      example: '2023-01-09T07:00:00.000Z',
    }),
    is_clock_change: col.boolean(9, 'True for the hour that the clock leaves out in spring or has twice in autumn.', { example: false }),
    vehicles: col.integer(10, 'Vehicles, as published: 9999 is a ceiling, and 0 may mean that nothing was counted (quality).', {
      unit: '1',
      example: 2040,
      min: 0,
      max: 9999,
    }),
    quality: col.code(11, 'What the count is worth.', COUNT_QUALITIES, { example: 'OK' }),
  },
  entity: ['month', 'station_id', 'direction', 'local_date', 'hour'],
  time: 'day_starts_at',
  version: 'month',
  land: 'replace',
  isObservation: true,
  partition: [identity('month')],
  order: ['month', 'station_id', 'direction', 'local_date', 'hour'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
