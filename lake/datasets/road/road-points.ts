import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { miteco } from '../fuel/sources.ts'
import { dgt, sct } from './sources.ts'

/**
 * Where kilometre posts are. No feed fills it: it is derived from all records of other datasets that state a road, a kilometre and a
 * position. Each month has all points that are known by its end, of the records of twelve months; the newest month answers alone.
 */
export const roadPoints = defineDataset({
  id: 'road_points',
  domain: 'road',
  title: 'Points of roads',
  about:
    'Where kilometre points of roads are, gathered from incidents, beacons, message panels, traffic detectors and the addresses of filling stations: one point for each road, ' +
    'province and tenth of a kilometre that a record of the last twelve months names, as known by the end of each month.',
  sources: [dgt, sct, miteco],
  columns: {
    month: col.string(
      1,
      'Month in Madrid by whose end it was known, YYYY-MM; of the current month by the begin of the day, on the first days by the hour.',
      {
        example: '2026-01',
      },
    ),
    road: col.string(2, 'Road designation, as most of its records write it.', { example: 'A-2' }),
    province_code: col.string(3, 'INE code of the province.', { example: '08' }),
    km: col.decimal(4, 'Kilometre point, to a tenth.', { scale: 1, unit: 'km', example: 586.5, min: 0.1, max: 2000 }),
    position: col.point([5, 6], 'Median of the positions of its records.', { example: { lat: 41.514583, lon: 1.897944 } }),
    source: col.string(7, 'Source of most of its records.', { example: 'dgt' }),
    records: col.integer(8, 'Things that it rests on, each counted once.', { unit: '1', example: 3, min: 1 }),
    error_m: col.integer(
      9,
      'How far it may be off: the farthest of its records, at least 100 m by DGT, 600 m by SCT, 1000 m by the address of a filling station.',
      { unit: 'm', example: 100, min: 0 },
    ),
    observed_at: col.instant(10, 'Newest of its records.', { example: '2026-01-02T12:23:28.413Z' }),
  },
  entity: ['month', 'road', 'province_code', 'km'],
  time: 'observed_at',
  land: 'replace',
  version: 'month',
  partition: [identity('month')],
  order: ['road', 'province_code', 'km'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
