import { distanceM } from '../../../lake/places/distance.ts'
import { distanceSql } from '../../../lake/places/distance-sql.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import type { MultiPolygon, Point } from '../../../lake/schema/columns.ts'
import type { Param } from '../params/params.ts'
import { geoParams, requiredGeoParams } from '../params/params-place.ts'
import { defineFilter, defineMemoryFilter, type Filter, type TableColumns } from '../reads/filter.ts'
import { type Area, distanceToPolygonsM, isInside, touches } from '../reads/geo.ts'

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
