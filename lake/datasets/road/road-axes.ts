import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { ROAD_DIRECTIONS } from './codes.ts'
import { ign } from './sources.ts'

/**
 * Measured lines of roads, derived from the sections and posts of the newest edition of each province. No feed fills it. Roads
 * without an imported network have `road_points` only.
 */
export const roadAxes = defineDataset({
  id: 'road_axes',
  domain: 'road',
  title: 'Measured axes of roads',
  about:
    'Lines of roads with the kilometre of each of their points, from the sections and kilometre posts of the national road network: one for each continuous part of a carriageway in a province. ' +
    'Gaps of more than 25 m in the network, and jumps of the kilometres, separate parts.',
  sources: [ign],
  columns: {
    province: col.string(1, 'INE code of the province.', { example: '08' }),
    road: col.string(2, 'Road designation.', { example: 'A-2' }),
    direction: col.code(3, 'Direction of its traffic; BOTH for a single carriageway.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    chain: col.integer(4, 'Number of the part among those of road, province and direction, by kilometre.', {
      unit: '1',
      example: 1,
      min: 1,
    }),
    km_from: col.decimal(5, 'Its least kilometre.', { scale: 3, unit: 'km', example: 582, min: 0 }),
    km_to: col.decimal(6, 'Its greatest kilometre.', { scale: 3, unit: 'km', example: 598.5, min: 0 }),
    length_m: col.integer(7, 'Length of the line.', { unit: 'm', example: 16_240, min: 0 }),
    geometry: col.line(8, 'Its line in the direction of growing kilometres, whatever its traffic; at most 5 m from the sections.', {
      example: {
        type: 'LineString',
        coordinates: [
          [1.897944, 41.514583],
          [1.899412, 41.515207],
        ],
      },
    }),
    kilometres: col.list([9, 10], 'The kilometre of each point of the line.', col.float(0, 'Kilometre.', { unit: 'km' }), {
      example: [586, 586.143],
    }),
    errors_m: col.list([11, 12], 'Error of the kilometres between each point and the next.', col.integer(0, 'Error.', { unit: 'm' }), {
      example: [25, 25],
    }),
    posts: col.list([13, 14], 'The kilometre posts that measure it.', col.float(0, 'Kilometre.', { unit: 'km' }), { example: [586] }),
    edition: col.string(15, 'Part of the network that it is made from.', { example: '08-2026-07-province' }),
    published_at: col.instant(16, 'Begin of the month of the edition.', { example: '2026-07-01T00:00:00.000Z' }),
  },
  entity: ['province', 'road', 'direction', 'chain'],
  time: 'published_at',
  version: 'province',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
