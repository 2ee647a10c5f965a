import { LINE_ABSENCES } from '../../../lake/datasets/mobility/codes.ts'
import { imdSections } from '../../../lake/datasets/mobility/imd-sections.ts'
import { mitmaTrafficMap } from '../../../lake/datasets/mobility/sources.ts'
import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { optional, record, type ValueOf } from '../../define/fields.ts'
import { foldRoad } from '../../define/params-place.ts'
import { provinceFilter } from '../../filters/place.ts'
import { sectionFilter } from '../../filters/road.ts'
import { GAP_KM, type Posts, roadPosts } from '../road/posts.ts'
import { provinceField, provinceName } from '../tail.ts'
import { ABOUT_IMD, type ImdSection, imdYearsParam, sectionsOf, wantedYears } from './imd-sections.ts'

const { columns } = imdSections

/** How lines of sections are made, for descriptions. */
export const ABOUT_LINES = `The source has no geometry: lines lead through known points of the road (\`road_points\`), where none of them is more than ${GAP_KM} km from the next; else they are null, with the reason.`

/** What is told of a section of a road in a year. */
export const sectionFields = {
  section_id: columns.section_id,
  year: columns.year,
  road: columns.road,
  road_type: columns.road_type,
  province: provinceField(columns.province_code),
  province_code: columns.province_code,
  post_from: columns.post_from,
  post_to: columns.post_to,
  km_from: columns.km_from,
  km_to: columns.km_to,
  length_km: columns.length_km,
  imd_veh_day: columns.imd,
  light_veh_day: columns.imd_light,
  heavy_veh_day: columns.imd_heavy,
  heavy_share_pct: col.decimal(0, 'Heavy ones in per cent of all vehicles; null where either is not told or there are none.', {
    ...{ scale: 2, unit: '%', nullable: true, example: 9.7 },
  }),
  veh_km_year: columns.veh_km,
  veh_km_light_year: columns.veh_km_light,
  veh_km_heavy_year: columns.veh_km_heavy,
  year_days: columns.year_days,
  veh_km_check: columns.veh_km_check,
  geometry: col.line(0, 'Line of the section from its begin to its end, through known points of the road.', {
    nullable: true,
    example: {
      type: 'LineString',
      coordinates: [
        [-4.92, 39.17],
        [-4.81, 39.18],
      ],
    },
  }),
  geometry_error_m: col.integer(0, 'How far the line may be off; null without one.', { unit: 'm', nullable: true, example: 600 }),
  geometry_absent: col.code(0, 'Why there is no line; null where there is one.', LINE_ABSENCES, { nullable: true, example: null }),
  source: col.string(0, 'Source of the record.', { example: 'mitma_traffic_map' }),
  source_id: optional(columns.object_id, "The map's id of the row, which says nothing beyond its year."),
} as const

const section = record('ImdSection', 'Daily traffic of a section of a road in a year.', sectionFields)

type Section = ValueOf<typeof sectionFields>

/** A section as replies show it, without its line, which is made once it is known that it is shown. */
export function draftOf(one: ImdSection): Omit<Section, 'geometry' | 'geometry_error_m' | 'geometry_absent'> {
  const {
    edition: _edition,
    year_starts_at: _begin,
    object_id,
    imd,
    imd_light,
    imd_heavy,
    veh_km,
    veh_km_light,
    veh_km_heavy,
    ...rest
  } = one
  return {
    ...rest,
    province: provinceName(one.province_code),
    imd_veh_day: imd,
    light_veh_day: imd_light,
    heavy_veh_day: imd_heavy,
    heavy_share_pct: imd_heavy === null || !imd ? null : Math.round((10_000 * imd_heavy) / imd) / 100,
    veh_km_year: veh_km,
    veh_km_light_year: veh_km_light,
    veh_km_heavy_year: veh_km_heavy,
    source: mitmaTrafficMap.id,
    source_id: object_id,
  }
}

/** The section with its line, by the points of roads; `posts` is null where they cannot be read now. */
export function drawn(draft: ReturnType<typeof draftOf>, posts: Posts | null): Section {
  const found = posts?.line(foldRoad(draft.road), draft) ?? null
  const absent = found ? null : posts ? 'NO_POINTS' : 'NOT_NOW'
  return { ...draft, geometry: found?.line ?? null, geometry_error_m: found?.error_m ?? null, geometry_absent: absent }
}

/** Daily traffic by road section. */
export const imdList = defineEndpoint({
  path: '/api/movilidad/imd',
  domain: 'mobility',
  plan: 'PRO',
  summary: 'Average daily traffic (IMD) by road section and year, with the share of heavy vehicles',
  about: `${ABOUT_IMD} A section is asked for by \`km_from\` and \`km_to\` where it lies on that stretch; one that ends where the stretch begins does not. ${ABOUT_LINES}`,
  figure: {
    grain: 'One section of a road, one year.',
    method:
      'As the ministry publishes it: daily vehicles, light and heavy, and vehicle-km of the year. veh_km_check tells whether vehicle-km are length × days × daily vehicles; ' +
      'heavy_share_pct is heavy by all vehicles. Light and heavy do not quite add up to all. Kilometres are the post and a thousandth of the metres behind it.',
  },
  params: { year: imdYearsParam },
  filters: [sectionFilter, provinceFilter],
  returns: {
    kind: 'list',
    name: 'sections',
    record: section,
    key: ['year', 'source_id'],
    sorts: ['road', 'km_from', 'imd_veh_day', 'heavy_share_pct', 'veh_km_year', 'year'],
    order: 'road',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: [],
    lake: [imdSections, roadPoints],
    needs: [imdSections],
    answer: async ({ slice, extra }, { year }) => {
      const years = await wantedYears(slice, year)
      const all = (await Promise.all(years.map((one) => sectionsOf(slice, one)))).flat()
      const posts = await extra(roadPosts, '')
      return { drafts: all.map(draftOf), finish: (draft: ReturnType<typeof draftOf>) => drawn(draft, posts), counts: {} }
    },
  },
  example: { road: 'A-6', year: '2018' },
})
