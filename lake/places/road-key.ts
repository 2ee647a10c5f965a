import { join, type Sql, sql } from '../query/sql.ts'
import { foldName } from './names.ts'

/** Madrid's radial national roads have Roman numerals on paper; the traffic authority writes N-2 for N-II. */
const RADIALS: readonly string[] = ['I', 'II', 'III', 'IV', 'V', 'VI']

/** The numerals of national roads from Madrid, see `RADIALS`. */
const RADIAL = /^N(VI|IV|V|I{1,3})([A-Z]?)$/

/** A comparable road designation: letters and digits only, upper case, N-II as N-2. */
export function foldRoad(text: string): string {
  const folded = foldName(text).replaceAll(' ', '').toUpperCase()
  const [, number, suffix] = RADIAL.exec(folded) ?? []
  return number === undefined ? folded : `N${RADIALS.indexOf(number) + 1}${suffix}`
}

/** The SQL form of `foldRoad`. */
export function foldRoadSql(road: Sql): Sql {
  const folded = sql`upper(regexp_replace(strip_accents(${road}), '[^A-Za-z0-9]+', '', 'g'))`
  const radial = (group: number): Sql => sql`regexp_extract(${folded}, '^N(VI|IV|V|I{1,3})([A-Z]?)$', ${group})`
  return sql`CASE ${radial(1)} WHEN '' THEN ${folded} ELSE 'N' || list_position([${join([...RADIALS])}], ${radial(1)}) || ${radial(2)} END`
}
