import { LINE_ABSENCES } from '../../../lake/datasets/mobility/codes.ts'
import { imdDetectorMonths, imdSections } from '../../../lake/datasets/mobility/imd.ts'
import { mitmaTrafficMap } from '../../../lake/datasets/mobility/sources.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { defineEndpoint, keyedList } from '../../kernel/endpoint.ts'
import { field, maybe, nulls, optional, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { sectionFilter, wholeProvinceFilter } from '../../kernel/filters.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { provinceField, provinceName } from '../common-fields.ts'
import { GAP_KM, type Posts, ROAD_TABLES, roadPosts } from '../road/posts.ts'
import { ABOUT_IMD, type ImdSection, imdSourceParam, imdYears, imdYearsParam, sectionsOf, wantedYears } from './imd-sections.ts'
import { MOBILITY_PAGE } from './study.ts'

const { columns: months } = imdDetectorMonths
const only = (about: string): string => `${about}; source=DETECTORS only.`

/** Fields that only source=DETECTORS has. */
const detectorFields = {
  points: optional(months.points, only('Points of the road with a complete day, in the direction with more of them')),
  lanes: optional(months.lanes, only('Listed lanes at the points of the road, both directions')),
  days: optional(months.days, only('Days with a complete point, in the direction with fewer of them')),
  first_date: optional(months.first_date, only('First counted day')),
  last_date: optional(months.last_date, only('Last counted day')),
  coverage: maybe.decimal(only('Complete lane days, as a share of all lane days of the year'), '1', 6, null),
  long_vehicles_share_pct: maybe.decimal(only('Share of long vehicles, mean of the readings that state it'), '%', 2, null),
} as const

const yearColumns = {
  year: field.integer('Year.', '1'),
  ...pick(months, 'road', 'province_code', 'direction', 'points', 'lanes', 'km_from', 'km_to', 'days'),
  ...pick(months, 'first_date', 'last_date', 'lane_days'),
  vehicles_day: field.decimal('Mean daily vehicles of a point.', 'veh/d', 1),
  long_pct: maybe.decimal('Share of long vehicles.', '%', 2),
} as const

/** A direction of a road in a province and year. */
type DirectionYear = ValueOf<typeof yearColumns>

/** Directions of all roads by year. Its only key is the empty string. */
const detectorYears = defineCachedQuery<readonly DirectionYear[]>({
  name: 'daily traffic by detectors',
  from: [imdDetectorMonths],
  read: async (reader) => {
    const query = sql`
      SELECT CAST(substr(month, 1, 4) AS INTEGER) AS year, road, province_code, direction,
        max(points) AS points, max(lanes) AS lanes, min(km_from) AS km_from, max(km_to) AS km_to,
        CAST(sum(days) AS INTEGER) AS days, min(first_date) AS first_date, max(last_date) AS last_date,
        CAST(sum(lane_days) AS INTEGER) AS lane_days,
        CAST(sum(vehicles) / sum(point_days) AS DECIMAL(9, 1)) AS vehicles_day,
        CAST(sum(long_vehicles_sum_pct) / nullif(sum(long_vehicles_readings), 0) AS DECIMAL(9, 2)) AS long_pct
      FROM ${scan(imdDetectorMonths)}
      GROUP BY year, road, province_code, direction
      ORDER BY year, road, province_code, direction`
    return await reader.all(query, yearColumns)
  },
})

const NO_SECTION = {
  ...{ road_type: null, post_from: null, post_to: null, length_km: null, light_veh_day: null, heavy_veh_day: null },
  ...{ heavy_share_pct: null, veh_km_year: null, veh_km_light_year: null, veh_km_heavy_year: null, source_id: null },
} as const

/** The roads of some years, by province: the mean over the points of each direction, and both directions together. */
function detectorRoads(found: readonly DirectionYear[]) {
  const roads = Map.groupBy(found, ({ year, road, province_code }) => `${year} ${road} ${province_code}`)
  return [...roads.values()].map((directions) => {
    const [{ year, road, province_code }] = directions as [DirectionYear]
    const year_days = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1 ? 366 : 365
    const total = (of: (one: DirectionYear) => number): number => directions.reduce((sum, one) => sum + of(one), 0)
    const [lanes, lane_days] = [total((one) => one.lanes), total((one) => one.lane_days)]
    const shares = directions.flatMap(({ long_pct }) => long_pct ?? [])
    return {
      ...NO_SECTION,
      ...{ section_id: `${road} ${province_code}`, year, road, province_code, province: provinceName(province_code), year_days },
      km_from: Math.min(...directions.map(({ km_from }) => km_from)),
      km_to: Math.max(...directions.map(({ km_to }) => km_to)),
      // One direction alone is not an IMD, which covers both.
      imd_veh_day: directions.length === 2 ? Math.round(total((one) => one.vehicles_day)) : null,
      veh_km_check: 'NOT_STATED' as const,
      points: Math.max(...directions.map(({ points }) => points)),
      lanes,
      days: Math.min(...directions.map(({ days }) => days)),
      first_date: directions.map(({ first_date }) => first_date).sort()[0] as string,
      last_date: directions
        .map(({ last_date }) => last_date)
        .sort()
        .at(-1) as string,
      coverage: Math.round((1e6 * lane_days) / (lanes * year_days)) / 1e6,
      long_vehicles_share_pct:
        shares.length === 0 ? null : Math.round((100 * shares.reduce((sum, one) => sum + one, 0)) / shares.length) / 100,
      source: dgt.id,
    }
  })
}

/** Years between the ministry's newest and the detectors' first, which neither has. */
function yearsBetween(ministry: readonly number[], detectors: readonly number[]): number[] {
  const [last, first] = [Math.max(...ministry), Math.min(...detectors)]
  return ministry.length === 0 || detectors.length === 0
    ? []
    : Array.from({ length: Math.max(0, first - last - 1) }, (_, nth) => last + 1 + nth)
}

const { columns } = imdSections

/** Method of section lines, for descriptions. */
export const ABOUT_LINES = `Lines go through known points of the road, if these are at most ${GAP_KM} km apart. Otherwise they are null, with the reason.`

/** Fields of a road section in a year. */
export const sectionFields = {
  ...pick(columns, 'section_id', 'year', 'road', 'road_type'),
  province: provinceField(columns.province_code),
  ...pick(columns, 'province_code', 'post_from', 'post_to', 'km_from', 'km_to', 'length_km'),
  imd_veh_day: columns.imd,
  light_veh_day: columns.imd_light,
  heavy_veh_day: columns.imd_heavy,
  heavy_share_pct: maybe.decimal(
    'Heavy vehicles in per cent of all vehicles; null if either number is missing or there are no vehicles.',
    '%',
    2,
    9.7,
  ),
  veh_km_year: columns.veh_km,
  veh_km_light_year: columns.veh_km_light,
  veh_km_heavy_year: columns.veh_km_heavy,
  ...pick(columns, 'year_days', 'veh_km_check'),
  geometry: maybe.line('Line of the section from its begin to its end, through known points of the road.', {
    type: 'LineString',
    coordinates: [
      [-4.92, 39.17],
      [-4.81, 39.18],
    ],
  }),
  geometry_error_m: maybe.integer('Maximum error of the line; null without one.', 'm', 600),
  geometry_absent: maybe.code('Why there is no line; null if there is one.', LINE_ABSENCES, null),
  source: field.text('Source of the record.', 'mitma_traffic_map'),
  source_id: optional(columns.object_id, "The map's row id, valid only within its year."),
} as const

const onlyMinistry = (about: string): string => `${about} Null with source=DETECTORS.`

const listFields = {
  ...sectionFields,
  post_from: optional(columns.post_from, onlyMinistry('Begin as published: post and metres after it, which may exceed 999.')),
  post_to: optional(columns.post_to, onlyMinistry('End as published.')),
  length_km: optional(columns.length_km, onlyMinistry('Length as published.')),
  ...detectorFields,
} as const

const section = record('ImdSection', 'Daily traffic of a road section, or of a road in a province, in a year.', listFields)

type Section = ValueOf<typeof sectionFields>
type Listed = ValueOf<typeof listFields>
type Draft = Omit<Listed, 'geometry' | 'geometry_error_m' | 'geometry_absent'>

const NO_DETECTORS = nulls(detectorFields)

/** A section as replies show it, without its line, which is drawn only for records that are shown. */
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

/** Adds the line of a section from road points; `posts` is null if they cannot be read now. */
export function drawn<D extends Pick<Section, 'road' | 'km_from' | 'km_to' | 'province_code'>>(
  draft: D,
  posts: Posts | null,
): D & Pick<Section, 'geometry' | 'geometry_error_m' | 'geometry_absent'> {
  const found = posts?.line(foldRoad(draft.road), draft) ?? null
  const absent = found ? null : posts ? 'NO_POINTS' : 'NOT_NOW'
  return { ...draft, geometry: found?.line ?? null, geometry_error_m: found?.error_m ?? null, geometry_absent: absent }
}

/** Daily traffic by road section. */
export const imdList = defineEndpoint({
  path: '/api/movilidad/imd',
  plan: 'PRO',
  summary: 'Average daily traffic (IMD) by road section and year, with heavy vehicles',
  summary_es: 'Intensidad media diaria (IMD) por tramo y año, con la parte de pesados',
  about: `${ABOUT_IMD} \`source=DETECTORS\` counts whole days at DGT's detectors, by road and province; \`coverage\` is the share of the year they cover. ${ABOUT_LINES}`,
  explained: MOBILITY_PAGE,
  statistic: {
    grain: 'One section of a road, one year; with source=DETECTORS one road in a province, one year.',
    method:
      'As the ministry publishes it: daily vehicles, light and heavy, and vehicle-km of the year. veh_km_check says whether vehicle-km equal length × days × daily vehicles; ' +
      'heavy_share_pct is heavy divided by all vehicles. Light and heavy do not quite add up to all. A kilometre is the post plus a thousandth of the metres after it. ' +
      'DETECTORS: the mean over complete days and points of each direction, added up. A point counts on a day if each of its lanes was measured for nine tenths of it. Lanes of slip roads and bus lanes are left out. Null if a direction has no complete day.',
  },
  params: { year: imdYearsParam, source: imdSourceParam },
  filters: [sectionFilter, wholeProvinceFilter],
  returns: keyedList('sections', section, ['year', 'section_id', 'source_id'], {
    sorts: ['road', 'km_from', 'imd_veh_day', 'heavy_share_pct', 'veh_km_year', 'year'],
    order: 'road',
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: [imdSections, ...ROAD_TABLES, imdDetectorMonths],
    primary: ({ source }) => (source === 'DETECTORS' ? imdDetectorMonths : imdSections),
    answer: async ({ cached, optional: extra }, { year, source }) => {
      const posts = await extra(roadPosts, '')
      const finish = (draft: Draft): Listed => drawn(draft, posts)
      const ministry = [...(await cached(imdYears, ''))].map(Number)
      if (source === 'MINISTRY') {
        checkYears(year, ministry, source)
        const years = await wantedYears(cached, year)
        const all = (await Promise.all(years.map((one) => sectionsOf(cached, one)))).flat()
        return {
          drafts: all.map((one): Draft => ({ ...draftOf(one), ...NO_DETECTORS })),
          finish,
          counts: {},
          restsOn: [{ dataset: imdSections }],
        }
      }
      const counted = await cached(detectorYears, '')
      const years = [...new Set(counted.map((one) => one.year))]
      const newest = years.at(-1)
      if (newest === undefined)
        throw noDataYet("DGT's detectors have no complete day of counts yet", {
          ...{ missing: [imdDetectorMonths], waits_for: ['a complete day of dgt_detectors'] },
        })
      checkYears(year, years, source)
      const wanted = year ?? [newest]
      const drafts: Draft[] = detectorRoads(counted.filter((one) => wanted.includes(one.year)))
      return { drafts, finish, counts: {}, missingYears: yearsBetween(ministry, years), restsOn: [{ dataset: imdDetectorMonths }] }
    },
  },
  example: { road: 'A-6', year: '2018' },
})

/** Rejects a year that the source lacks, unless it may still arrive. */
function checkYears(asked: readonly number[] | null, years: readonly number[], source: 'MINISTRY' | 'DETECTORS'): void {
  const value = asked?.find((one) => !years.includes(one))
  if (value !== undefined)
    throw new InvalidParam(`expected a year of source=${source}: ${years.join(', ')}`, {
      parameter: 'year',
      value: String(value),
      allowed: years.map(String),
      of: source === 'MINISTRY' ? [imdSections] : [],
    })
}
