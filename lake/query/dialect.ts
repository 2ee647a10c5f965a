import { DuckDBDateValue, DuckDBTimestampTZValue, type DuckDBValue } from '@duckdb/node-api'
import type { TableState } from '../iceberg/table.ts'
import { tableFields } from '../schema/physical.ts'
import { MADRID } from '../schema/time.ts'
import { quoteText } from './literal.ts'
import { conditions, Scan } from './scan.ts'
import { fieldName, join, outputName, type Relation, render, type Sql, type SqlPart, sql } from './sql.ts'

/** What DuckDB and Spark write differently, for queries that both run: the rest of such a query is common SQL. */
export interface Dialect {
  /** The wall time in Madrid of an instant. */
  localTime(instant: SqlPart): Sql
  /** The instant at which a date begins in Madrid. */
  startOfDate(date: SqlPart): Sql
  /** The start of an instant's hour. */
  startOfHour(instant: SqlPart): Sql
  minusSeconds(instant: SqlPart, seconds: SqlPart): Sql
  /** A row for each date of a range, both ends included; the range must not be empty. */
  eachDate(first: SqlPart, last: SqlPart): Sql
  /** The quotient of whole numbers, rounded down; neither may be negative. */
  wholeQuotient(dividend: SqlPart, divisor: SqlPart): Sql
  /** True if a pattern matches a whole text. */
  matches(text: SqlPart, pattern: string): Sql
  /** A text without accents, in small letters. */
  plainText(text: SqlPart): Sql
  /** The part of a text that a pattern matches, everywhere replaced by another. */
  replaceAll(text: SqlPart, pattern: string, by: string): Sql
  /** Hint that a common table expression is computed once. */
  readonly once: Sql
}

/** DuckDB's SQL. */
export const DUCKDB: Dialect = Object.freeze<Dialect>({
  localTime: (instant) => sql`timezone(${MADRID}, ${instant})`,
  startOfDate: (date) => sql`timezone(${MADRID}, CAST(${date} AS TIMESTAMP))`,
  startOfHour: (instant) => sql`time_bucket(INTERVAL 1 HOUR, ${instant})`,
  minusSeconds: (instant, seconds) => sql`${instant} - to_seconds(${seconds})`,
  eachDate: (first, last) =>
    sql`CAST(unnest(generate_series(CAST(${first} AS TIMESTAMP), CAST(${last} AS TIMESTAMP), INTERVAL 1 DAY)) AS DATE)`,
  wholeQuotient: (dividend, divisor) => sql`(${dividend}) // (${divisor})`,
  matches: (text, pattern) => sql`regexp_full_match(${text}, ${pattern})`,
  plainText: (text) => sql`lower(strip_accents(${text}))`,
  replaceAll: (text, pattern, by) => sql`regexp_replace(${text}, ${pattern}, ${by}, 'g')`,
  once: sql`MATERIALIZED`,
})

/** Letters with an accent, and the same letters without: Spark has no function that removes accents. */
const ACCENTED = Array.from({ length: 0x24f - 0xc0 }, (_, at) => String.fromCharCode(0xc0 + at)).filter(
  (letter) => bare(letter).length === 1 && bare(letter) !== letter,
)

/** Spark SQL in a session with `SPARK_SETTINGS`. */
export const SPARK: Dialect = Object.freeze<Dialect>({
  localTime: (instant) => sql`from_utc_timestamp(${instant}, ${MADRID})`,
  startOfDate: (date) => sql`to_utc_timestamp(CAST(${date} AS TIMESTAMP), ${MADRID})`,
  startOfHour: (instant) => sql`date_trunc('HOUR', ${instant})`,
  minusSeconds: (instant, seconds) => sql`timestampadd(SECOND, -${seconds}, ${instant})`,
  eachDate: (first, last) => sql`explode(sequence(${first}, ${last}, INTERVAL 1 DAY))`,
  wholeQuotient: (dividend, divisor) => sql`(${dividend}) div (${divisor})`,
  matches: (text, pattern) => sql`regexp_like(${text}, ${`^(?:${pattern})$`})`,
  plainText: (text) => sql`lower(translate(${text}, ${ACCENTED.join('')}, ${ACCENTED.map(bare).join('')}))`,
  replaceAll: (text, pattern, by) => sql`regexp_replace(${text}, ${pattern}, ${by})`,
  once: sql``,
})

function bare(letter: string): string {
  return letter.normalize('NFD').replace(/\p{M}/gu, '')
}

/** Settings of a Spark session that `sparkText` needs. */
export const SPARK_SETTINGS: Readonly<Record<string, string>> = Object.freeze({
  'spark.sql.ansi.enabled': 'true',
  'spark.sql.ansi.doubleQuotedIdentifiers': 'true',
  'spark.sql.parser.escapedStringLiterals': 'true',
  'spark.sql.session.timeZone': 'UTC',
  'spark.sql.parquet.outputTimestampType': 'TIMESTAMP_MICROS',
})

/**
 * The text of a query for Spark, over the tables of an Iceberg catalogue at the given states. Throws for a relation that is no
 * scan, or a value that has no literal.
 */
export function sparkText(query: Sql, catalogue: string, states: ReadonlyMap<string, TableState | null>): string {
  const { text, values } = render(query, (relation) => tableOf(relation, catalogue, states))
  return text.replace(/\$(\d+)/g, (_, number: string) => literalOf(values[Number(number) - 1] as DuckDBValue))
}

function tableOf(relation: Relation, catalogue: string, states: ReadonlyMap<string, TableState | null>): Sql {
  if (!(relation instanceof Scan)) throw new Error('Spark reads whole tables only')
  const { dataset, filter } = relation
  const names = join(tableFields(dataset).map(fieldName))
  const table = join([catalogue, dataset.namespace ?? dataset.domain, dataset.id].map(outputName), sql`.`)
  const snapshot = states.get(dataset.id)?.snapshotId ?? null
  if (snapshot === null) return sql`(SELECT ${names} FROM ${table} WHERE false)`
  return sql`(SELECT ${names} FROM ${table} VERSION AS OF ${snapshot}${conditions(dataset, filter)})`
}

function literalOf(value: DuckDBValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return quoteText(value)
  if (value instanceof DuckDBDateValue) return `DATE '${new Date(value.days * 86_400_000).toISOString().slice(0, 10)}'`
  if (value instanceof DuckDBTimestampTZValue) return `timestamp_micros(${value.micros})`
  throw new Error(`${value} has no literal in a query for Spark`)
}
