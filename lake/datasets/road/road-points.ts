import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { miteco } from '../fuel/sources.ts'
import { dgt, sct } from './sources.ts'

/**
 * Positions of kilometre points, derived from records of other datasets with a road, a kilometre and a position. Each month has
 * all points known by its end from records of twelve months; reads use only the newest month.
 */
export const roadPoints = defineDataset({
  id: 'road_points',
  domain: 'road',
  title: 'Points of roads',
  about:
    'Positions of kilometre points of roads, derived from incidents, beacons, message panels, traffic detectors and the addresses of filling stations: one point for each road, ' +
    'province and tenth of a kilometre in the records of the last twelve months, as known by the end of each month.',
  sources: [dgt, sct, miteco],
  columns: {
    month: col.string(
      1,
      'Month in Madrid, YYYY-MM. Rows are as known at its end; in the current month, at the start of the day, or of the hour on its first days.',
      {
        example: '2026-01',
      },
    ),
    road: col.string(2, 'Road designation in its most common spelling.', { example: 'A-2' }),
    province_code: col.string(3, 'INE code of the province.', { example: '08' }),
    km: col.decimal(4, 'Kilometre point, to a tenth.', { scale: 1, unit: 'km', example: 586.5, min: 0.1, max: 2000 }),
    position: col.point([5, 6], 'Median of the positions of its records.', { example: { lat: 41.514583, lon: 1.897944 } }),
    source: col.string(7, 'Source of most of its records.', { example: 'dgt' }),
    records: col.integer(8, 'Distinct objects (incidents, panels, stations and others) that support it.', {
      unit: '1',
      example: 3,
      min: 1,
    }),
    error_m: col.integer(
      9,
      'Position error: the distance of its farthest record, at least 100 m for DGT, 600 m for SCT and 1000 m for addresses of filling stations.',
      { unit: 'm', example: 100, min: 0 },
    ),
    observed_at: col.instant(10, 'Newest of its records.', { example: '2026-01-02T12:23:28.413Z' }),
  },
  entity: ['month', 'road', 'province_code', 'km'],
  time: 'observed_at',
  version: 'month',
  order: ['road', 'province_code', 'km'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
