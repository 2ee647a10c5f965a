import { type Sql, sql } from '../query/sql.ts'

/** The SQL form of `foldName`. */
export function foldNameSql(text: Sql): Sql {
  return sql`trim(regexp_replace(lower(strip_accents(replace(${text}, '·', ''))), '[^a-z0-9]+', ' ', 'g'))`
}
