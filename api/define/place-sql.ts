import { foldRoadSql } from '../../lake/places/road-key.ts'
import { join, type Sql, sql } from '../../lake/query/sql.ts'
import { type Area, EARTH_M } from './geo.ts'
import type { PlaceFilter, RoadFilter } from './params-place.ts'

/** Condition that a record's place is one that the filter asks for: `isAt` in SQL. */
export function isAtSql(filter: PlaceFilter, place: { readonly province_code: Sql; readonly municipality_code: Sql }): Sql {
  const { province_code, municipality_codes } = filter
  const parts = [sql`true`]
  if (province_code !== null) parts.push(sql`coalesce(${place.province_code} = ${province_code}, false)`)
  if (municipality_codes !== null) parts.push(isOneOf(place.municipality_code, municipality_codes))
  return all(parts)
}

/** Condition that something at or between kilometre points of a road touches the stretch asked for: `isOnRoad` in SQL. */
export function isOnRoadSql(filter: RoadFilter, place: { readonly road: Sql; readonly km: Sql; readonly km_to: Sql }): Sql {
  const { road, km_from, km_to } = filter
  const other = sql`coalesce(${place.km_to}, ${place.km})`
  const parts = [sql`true`]
  if (road !== null) parts.push(sql`coalesce(${foldRoadSql(place.road)} = ${road}, false)`)
  if (km_from !== null) parts.push(sql`coalesce(greatest(${place.km}, ${other}) >= ${km_from}, false)`)
  if (km_to !== null) parts.push(sql`coalesce(least(${place.km}, ${other}) <= ${km_to}, false)`)
  // A stretch that has an end alone has no place on the road.
  if (km_from !== null || km_to !== null) parts.push(sql`${place.km} IS NOT NULL`)
  return all(parts)
}

/** Condition that a position lies in the area, its edge included: `isInside` in SQL. */
export function isInsideSql(area: Area | null, position: { readonly lat: Sql; readonly lon: Sql }): Sql {
  if (area === null) return sql`true`
  const { lat, lon } = position
  if (area.kind === 'box')
    return sql`coalesce(${lat} BETWEEN ${area.south} AND ${area.north} AND ${lon} BETWEEN ${area.west} AND ${area.east}, false)`
  const part = sql`sin(radians(${lat} - ${area.lat}) / 2) ** 2 + cos(radians(${area.lat})) * cos(radians(${lat})) * sin(radians(${lon} - ${area.lon}) / 2) ** 2`
  return sql`coalesce(2 * ${EARTH_M} * asin(sqrt(${part})) <= ${area.radius_m}, false)`
}

/** Condition that a text is one of some; false for none, and for no text. */
export function isOneOf(text: Sql, values: readonly string[]): Sql {
  return values.length === 0 ? sql`false` : sql`coalesce(${text} IN (${join(values)}), false)`
}

function all(parts: readonly Sql[]): Sql {
  return sql`(${join(parts, sql` AND `)})`
}
