import type { Sql } from '../../../lake/query/sql.ts'
import { roadFilter } from '../filters/road.ts'
import type { RoadFilter } from '../params/params-place.ts'

/** SQL condition that something at or between kilometre points of a road touches a stretch: `roadFilter` for any column names. */
export function isOnRoadSql(stretch: RoadFilter, place: { readonly road: Sql; readonly km: Sql; readonly km_to: Sql }): Sql {
  return roadFilter.where(stretch, (name) => place[name as keyof typeof place])
}
