import { type Sql, sql } from '../query/sql.ts'
import type { Point } from '../schema/columns.ts'
import { EARTH_M } from './distance.ts'

/** The distance of a position from a point in metres, as `distanceM` computes it; NULL for NULL. */
export function distanceSql(centre: Point, lat: Sql, lon: Sql): Sql {
  const part = sql`sin(radians(${lat} - ${centre.lat}) / 2) ** 2 + cos(radians(${centre.lat})) * cos(radians(${lat})) * sin(radians(${lon} - ${centre.lon}) / 2) ** 2`
  return sql`2 * ${EARTH_M} * asin(sqrt(${part}))`
}
