import type { DuckDBValue } from '@duckdb/node-api'
import type { PhysicalField } from '../schema/physical.ts'
import type { Session } from './session.ts'
import { Bound, fieldName, fieldType, join, type Sql, sql } from './sql.ts'

/** The order of fields: ascending, nulls last. */
export function ascending(fields: readonly PhysicalField[]): Sql {
  return join(fields.map((field) => sql`${fieldName(field)} ASC NULLS LAST`))
}

/**
 * Splits rows into at most `pieces` pieces of similar size, between values of fields in their order; rows equal in all fields
 * stay together. Returns a condition per piece, in order; each row meets one. They are ranges, which DuckDB checks against file
 * bounds first.
 */
export async function cutRows(
  session: Session,
  rows: Sql,
  { by, pieces }: { readonly by: readonly PhysicalField[]; readonly pieces: number },
): Promise<Sql[]> {
  const names = join(by.map(fieldName))
  const order = ascending(by)
  const ends = await session.values(sql`
    SELECT ${names}
    FROM (
      SELECT ${names}, floor((sum(n) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - 1) * ${pieces} / sum(n) OVER ()) AS piece
      FROM (SELECT ${names}, count(*) AS n FROM ${rows} GROUP BY ALL))
    QUALIFY piece IS DISTINCT FROM lead(piece) OVER (ORDER BY ${order})
    ORDER BY ${order}`)
  const inner = ends.slice(0, -1)
  return Array.from({ length: inner.length + 1 }, (_, at) => {
    const [begin, end] = [inner[at - 1], inner[at]]
    return sql`${begin ? isAfter(by, begin) : sql`true`} AND ${end ? isUpTo(by, end) : sql`true`}`
  })
}

/** True for rows after a position in the order of fields. */
function isAfter([field, ...others]: readonly PhysicalField[], [value, ...rest]: readonly DuckDBValue[]): Sql {
  if (!field) return sql`false`
  const name = fieldName(field)
  const further = isAfter(others, rest)
  if (value === null) return sql`(${name} IS NULL AND ${further})`
  const place = new Bound(value as DuckDBValue, fieldType(field))
  // Nulls come last.
  const orNull = field.required ? sql`` : sql` OR ${name} IS NULL`
  return sql`((${name} >= ${place}${orNull}) AND (${name} > ${place}${orNull} OR ${further}))`
}

/** True for rows at or before a position in the order of fields; false or null for others. */
function isUpTo([field, ...others]: readonly PhysicalField[], [value, ...rest]: readonly DuckDBValue[]): Sql {
  if (!field) return sql`true`
  const name = fieldName(field)
  const further = isUpTo(others, rest)
  if (value === null) return sql`(${name} IS NOT NULL OR ${further})`
  const place = new Bound(value as DuckDBValue, fieldType(field))
  return sql`(${name} <= ${place} AND (${name} < ${place} OR ${further}))`
}
