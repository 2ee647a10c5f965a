import { type Dialect, DUCKDB } from '../query/dialect.ts'
import { type Sql, sql } from '../query/sql.ts'

/** The SQL form of `foldName`. */
export function foldNameSql(text: Sql, { plainText, replaceAll }: Dialect = DUCKDB): Sql {
  return sql`trim(${replaceAll(plainText(sql`replace(${text}, '·', '')`), '[^a-z0-9]+', ' ')})`
}
