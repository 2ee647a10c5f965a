import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT, ROAD_KM } from '../../schema/quantities.ts'
import { ROAD_DIRECTIONS } from '../road/codes.ts'
import { dgt } from '../road/sources.ts'

const count = (id: number, about: string, example: number) => col.integer(id, about, { ...COUNT, example })
const kilometre = (id: number, about: string, example: number) => col.decimal(id, about, { ...ROAD_KM, example })

/** Whole days counted by DGT's detectors, by road, province, direction and month. Sums, so that months add up to years. */
export const imdDetectorMonths = defineDataset({
  id: 'imd_detector_months',
  domain: 'mobility',
  title: 'Whole days of traffic by road, counted by detectors',
  about:
    "Vehicles of whole days at the points of a road where DGT's detectors counted every lane, by province, direction and month. A day is whole if nine tenths of it were measured; a lane without any vehicle all day counts as broken. Mean daily vehicles are `vehicles` / `point_days`; the IMD is the sum of both directions.",
  sources: [dgt],
  columns: {
    month: col.string(1, 'Month of the days in Madrid, YYYY-MM.', { example: '2026-10' }),
    period_start: col.instant(2, 'Begin of the month.', { example: '2026-09-30T22:00:00.000Z' }),
    road: col.string(3, 'Road designation.', { example: 'A-6' }),
    province_code: col.string(4, 'INE code of the province.', { example: '28' }),
    direction: col.code(5, 'Direction along the road.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    points: count(6, 'Points of the road with a whole day.', 12),
    lanes: count(7, 'Lanes at the listed points of the road, whether they report or not.', 36),
    km_from: kilometre(8, 'The first of these points.', 3.5),
    km_to: kilometre(9, 'The last of them.', 42.1),
    days: count(10, 'Days on which some point was counted fully.', 30),
    first_date: col.local_date(11, 'The first of these days.', { example: '2026-10-01' }),
    last_date: col.local_date(12, 'The last of them.', { example: '2026-10-31' }),
    lane_days: count(13, 'Lane-days at points that were counted fully.', 1044),
    point_days: count(14, 'Point-days that were counted fully.', 348),
    vehicles: col.decimal(15, 'Vehicles of these days, over all lanes of a point.', {
      ...{ scale: 1, precision: 15, unit: '1', example: 18_120_432, min: 0 },
    }),
    long_vehicles_readings: col.integer(16, 'Readings with a share of long vehicles.', { ...COUNT, long: true, example: 51_120 }),
    long_vehicles_sum_pct: col.integer(17, 'Sum of these shares.', { unit: '%', long: true, example: 408_960, min: 0 }),
  },
  entity: ['month', 'road', 'province_code', 'direction'],
  time: 'period_start',
  version: 'month',
  order: ['road', 'province_code', 'direction'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
