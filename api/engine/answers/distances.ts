import { distanceSql } from '../../../lake/places/distance-sql.ts'
import { outputName, type Sql, sql } from '../../../lake/query/sql.ts'
import { type Columns, col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type Circle, DISTANCE } from '../../kernel/params/around.ts'

/** The column that `withDistanceSql` adds to the rows of a query. */
export const DISTANCE_COLUMN: Columns = Object.freeze({
  [DISTANCE]: col.integer(0, 'Distance from the requested point.', { unit: 'm', nullable: true }),
})

/** Adds to a query's rows the distance of their position from the centre of a circle, in whole metres. */
export function withDistanceSql(query: Sql, centre: Circle): Sql {
  const distance = distanceSql(centre, outputName('position_lat'), outputName('position_lon'))
  return sql`SELECT *, CAST(round(${distance}) AS INTEGER) AS ${outputName(DISTANCE)} FROM (${query})`
}

/** Makes records as `finish` does, and adds the distance of the row to each. */
export function withDistance(finish: (row: AnyRow) => AnyRow): (row: AnyRow) => AnyRow {
  return (row) => {
    const found = row[DISTANCE]
    const made = finish(row)
    made[DISTANCE] = found
    return made
  }
}
