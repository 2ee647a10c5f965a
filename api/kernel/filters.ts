import { distanceM } from '../../lake/places/distance.ts'
import { distanceSql } from '../../lake/places/distance-sql.ts'
import { foldName } from '../../lake/places/names.ts'
import { isIsland, isOfRegion, isWithinRegion, type Region } from '../../lake/places/regions.ts'
import { foldRoad, foldRoadSql } from '../../lake/places/road-key.ts'
import { type Sql, sql } from '../../lake/query/sql.ts'
import type { MultiPolygon, Point } from '../../lake/schema/columns.ts'
import { type Param, textParam } from './params/params.ts'
import {
  geoParams,
  placeParams,
  provinceParam,
  type RoadFilter,
  requiredGeoParams,
  roadParams,
  wholeProvinceParam,
} from './params/params-place.ts'
import {
  allOf,
  columnFilter,
  defineFilter,
  defineMemoryFilter,
  type Filter,
  isOneOf,
  type MemoryFilter,
  type TableColumns,
} from './reads/filter.ts'
import { type Area, distanceToPolygonsM, isInside, touches } from './reads/geo.ts'
import { memo } from './reads/memo.ts'

/** A record with a position; null is in no area. */
interface Located {
  readonly position: Point | null
}

const matches =
  (area: Area) =>
  ({ position }: Located): boolean =>
    isInside(area, position)

/** Returns the condition that a position is in the area or on its edge. */
function where(area: Area, columns: TableColumns): Sql {
  const [lat, lon] = [columns('position_lat'), columns('position_lon')]
  if (area.kind === 'box')
    return sql`coalesce(${lat} BETWEEN ${area.south} AND ${area.north} AND ${lon} BETWEEN ${area.west} AND ${area.east}, false)`
  return sql`coalesce(${distanceSql(area, lat, lon)} <= ${area.radius_m}, false)`
}

const byPosition = { matches, columns: ['position_lat', 'position_lon'], where, area: (area: Area) => area } as const

const byDistance =
  (centre: Point) =>
  ({ position }: Located): number | null =>
    position && distanceM(centre, position)

/** `bbox`, or `lat`, `lon` and `radius`. */
export const areaFilter = defineFilter({ name: 'geo', param: geoParams, ...byPosition, distance: byDistance })

/** The same, but a request without an area is refused. */
export const requiredAreaFilter = defineFilter({ name: 'geo', param: requiredGeoParams, ...byPosition, distance: byDistance })

/** The same for records with a `geometry`, which has to touch the area. */
export const shapeFilter = defineMemoryFilter({
  name: 'geo',
  param: geoParams,
  matches:
    (area) =>
    ({ geometry }: { readonly geometry: MultiPolygon | null }) =>
      geometry !== null && touches(area, geometry),
  distance:
    (centre) =>
    ({ geometry }) =>
      geometry && distanceToPolygonsM(centre, geometry),
})

/** `bbox` alone; `param` describes which place of the record is compared. */
export function boxFilter(
  param: Param<Extract<Area, { kind: 'box' }> | null>,
): Filter<'bbox', Extract<Area, { kind: 'box' }> | null, Located> {
  return defineFilter({ name: 'bbox', param, ...byPosition })
}

/** `province`, for lists of whole provinces: without municipalities or positions. */
export const wholeProvinceFilter = columnFilter('province', wholeProvinceParam, 'province_code')

/** `province`, for lists with positions but without municipalities. */
export const provinceFilter = defineMemoryFilter({
  name: 'province',
  param: provinceParam,
  matches: isWithinRegion,
  present: { province: ({ province_code }) => province_code },
})

/** `province` and `municipality`. */
export const placeFilter = defineFilter({
  name: 'place',
  param: placeParams,
  matches: ({ region, municipality_codes }) => {
    const isInside = region && isOfRegion(region)
    return (at: { readonly province_code: string | null; readonly municipality_code: string | null }) =>
      (isInside === null || isInside(at)) &&
      (municipality_codes === null || (at.municipality_code !== null && municipality_codes.includes(at.municipality_code)))
  },
  columns: ['province_code', 'municipality_code'],
  where: ({ region, municipality_codes }, columns) =>
    allOf([
      ...(region === null ? [] : [isOfRegionSql(region, columns)]),
      ...(municipality_codes === null ? [] : [isOneOf(columns('municipality_code'), municipality_codes)]),
    ]),
})

/** The condition of `isOfRegion` in SQL. */
export function isOfRegionSql(region: Region, columns: TableColumns): Sql {
  return isOneOf(columns(isIsland(region) ? 'municipality_code' : 'province_code'), region)
}

/** A thing at a kilometre point of a road, or between two. */
interface OnRoad {
  readonly road: string | null
  readonly km: number | null
  readonly km_to?: number | null
}

/** `road`, `km_from` and `km_to`: selects what touches the stretch, its ends included. */
export const roadFilter = defineFilter({
  name: 'stretch',
  param: roadParams,
  matches:
    ({ road, km_from, km_to }) =>
    (at: OnRoad) => {
      if (road !== null && (at.road === null || foldRoad(at.road) !== road)) return false
      if (km_from === null && km_to === null) return true
      if (at.km === null) return false
      const other = at.km_to ?? at.km
      return Math.max(at.km, other) >= (km_from ?? 0) && Math.min(at.km, other) <= (km_to ?? Number.POSITIVE_INFINITY)
    },
  present: { road: (at) => at.road },
  columns: ['road', 'km', 'km_to'],
  where: onRoad,
})

function onRoad({ road, km_from, km_to }: RoadFilter, columns: TableColumns): Sql {
  const km = columns('km')
  const other = sql`coalesce(${columns('km_to')}, ${km})`
  const parts: Sql[] = []
  if (road !== null) parts.push(sql`coalesce(${foldRoadSql(columns('road'))} = ${road}, false)`)
  if (km_from !== null) parts.push(sql`coalesce(greatest(${km}, ${other}) >= ${km_from}, false)`)
  if (km_to !== null) parts.push(sql`coalesce(least(${km}, ${other}) <= ${km_to}, false)`)
  // A stretch with only an end has no position on the road.
  if (km_from !== null || km_to !== null) parts.push(sql`${km} IS NOT NULL`)
  return allOf(parts)
}

/** A section of a road, with a kilometre at each end. */
interface OfRoad {
  readonly road: string
  readonly km_from: number
  readonly km_to: number
}

/** `road`, `km_from` and `km_to` for adjoining sections. */
export const sectionFilter = defineMemoryFilter({
  name: 'stretch',
  param: roadParams,
  matches: (stretch) => (section: OfRoad) => isSectionOn(stretch, section),
  present: { road: ({ road }) => road },
})

/**
 * True if a section of a road is part of the requested stretch, the stretch's ends included. A kilometre at the border of two
 * sections belongs to the one that begins with it.
 */
export function isSectionOn(stretch: RoadFilter, section: OfRoad): boolean {
  const [begin, end] = [Math.min(section.km_from, section.km_to), Math.max(section.km_from, section.km_to)]
  return (
    roadFilter.matches(stretch, 0)({ road: section.road, km: begin, km_to: end }) &&
    (stretch.km_from === null || end > stretch.km_from || begin === end)
  )
}

/** `q`: words in the texts of a record; `what` describes the texts. The words of each record are computed once. */
export function searchFilter<R extends object>(
  what: string,
  textsOf: (record: R) => readonly (string | null)[],
  example = 'chamartin',
): MemoryFilter<'q', string | null, R> {
  const wordsOf = memo((record: R) => textsOf(record).flatMap((text) => (text === null ? [] : foldName(text).split(' '))))
  return defineMemoryFilter({
    name: 'q',
    param: textParam(`Words, or their beginnings, that ${what} has; accents, case and punctuation do not matter.`, {
      max: 80,
      example,
    }),
    matches: (q) => {
      const wanted = foldName(q).split(' ')
      // A search of punctuation alone finds nothing.
      if (wanted[0] === '') return () => false
      return (record) => {
        const words = wordsOf(record)
        return wanted.every((one) => words.some((word) => word.startsWith(one)))
      }
    },
  })
}

/** SQL condition that something at or between kilometre points of a road touches a stretch: `roadFilter` for any column names. */
export function isOnRoadSql(stretch: RoadFilter, place: { readonly road: Sql; readonly km: Sql; readonly km_to: Sql }): Sql {
  return roadFilter.where(stretch, (name) => place[name as keyof typeof place])
}
