import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT, ROAD_KM } from '../../schema/quantities.ts'
import { ROAD_DIRECTIONS, SECTION_TYPES } from './codes.ts'
import { ign } from './sources.ts'

const COMMON = {
  part: col.string(1, 'Part of the network: province, edition, and whether the file covers the province or the country.', {
    example: '08-2026-07-province',
  }),
  road: col.string(2, 'Road designation.', { example: 'A-2' }),
  province_code: col.string(3, 'INE code of the province: of the file, or by position in a national file.', { example: '08' }),
  published_at: col.instant(4, 'Begin of the month of the edition.', { example: '2026-07-01T00:00:00.000Z' }),
} as const

const BY_PART = {
  domain: 'road',
  sources: [ign],
  time: 'published_at',
  version: 'part',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
} as const

/** Sections of roads with a code. Each part is a whole edition of a province; earlier editions are kept. */
export const roadSections = defineDataset({
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
export const roadPosts = defineDataset({
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
