import { col, orNull } from '../../schema/columns.ts'
import { COUNT, ROAD_KM } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { miteco } from '../fuel/sources.ts'
import { ROAD_DIRECTIONS, SECTION_TYPES } from './codes.ts'
import { dgt, ign, sct } from './sources.ts'

/**
 * Positions of kilometre points, derived from records of other datasets with a road, a kilometre and a position. Each month has
 * all points known by its end from records of twelve months; reads use only the newest month.
 */
export const roadPoints = roadDataset({
  id: 'road_points',
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
})

const COMMON = {
  part: col.string(1, 'Part of the network: province, edition, and whether the file covers the province or the country.', {
    example: '08-2026-07-province',
  }),
  road: col.string(2, 'Road designation.', { example: 'A-2' }),
  province_code: col.string(3, 'INE code of the province: of the file, or by position in a national file.', { example: '08' }),
  published_at: col.instant(4, 'Begin of the month of the edition.', { example: '2026-07-01T00:00:00.000Z' }),
} as const

const BY_PART = {
  sources: [ign],
  time: 'published_at',
  version: 'part',
} as const

/** Sections of roads with a code. Each part is a whole edition of a province; earlier editions are kept. */
export const roadSections = roadDataset({
  ...BY_PART,
  id: 'road_sections',
  title: 'Sections of the road network',
  about:
    'Sections of all roads with a code in the national road network, with their lines, by edition and province. In live mode the operator imports them.',
  columns: {
    ...COMMON,
    section_id: col.string(5, "The publisher's id, followed by the number of the line if it has several.", { example: '284512077' }),
    section_type: col.code(6, 'Kind of section; only main lines have kilometres.', SECTION_TYPES, { example: 'MAIN_LINE' }),
    direction: col.code(7, 'Direction of its traffic by the kilometre posts.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    lanes: col.integer(8, 'Number of lanes.', { ...COUNT, nullable: true, example: 2 }),
    is_state_road: col.boolean(9, 'True if the state holds the road.', orNull(true)),
    is_in_service: col.boolean(10, 'False for sections under construction or out of use.', { example: true }),
    geometry: col.line(11, 'Its line, without heights.', {
      example: {
        type: 'LineString',
        coordinates: [
          [1.897944, 41.514583],
          [1.899412, 41.515207],
        ],
      },
    }),
  },
  entity: ['part', 'section_id'],
  order: ['part', 'road', 'section_id'],
})

/** Kilometre posts. Each part is a whole edition of a province; earlier editions are kept. */
export const roadPosts = roadDataset({
  ...BY_PART,
  id: 'road_posts',
  title: 'Kilometre posts of roads',
  about:
    'Kilometre posts of the national road network, by edition and province; a dual carriageway has one for each direction. In live mode the operator imports them.',
  columns: {
    ...COMMON,
    post_id: col.string(5, "The publisher's id.", { example: '300284512077' }),
    km: col.decimal(6, 'Kilometre.', { ...ROAD_KM, example: 586 }),
    position: col.point([7, 8], 'Its position.', { example: { lat: 41.514583, lon: 1.897944 } }),
  },
  entity: ['part', 'post_id'],
  order: ['part', 'road', 'km'],
})

/**
 * Measured lines of roads, derived from the sections and posts of the newest edition of each province. No feed fills it. Roads
 * without an imported network have `road_points` only.
 */
export const roadAxes = roadDataset({
  id: 'road_axes',
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
})
