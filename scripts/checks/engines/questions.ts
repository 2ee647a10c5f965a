import type { TableField } from '../../../lake/iceberg/types.ts'
import { decimalOf } from '../../../lake/iceberg/values.ts'

/** A question to which every engine must give the same answer: one row of texts. `%s` is the relation. */
export interface Question {
  readonly what: string
  readonly duckdb: string
  readonly spark: string
  /** The condition for PyIceberg, which has no SQL; absent if the question is about the whole table. */
  readonly condition?: Condition
}

/** A comparison of a column with a value, as text. */
export interface Condition {
  readonly column: string
  readonly type: string
  readonly operator: '<=' | '>'
  readonly value: string
}

/**
 * The number of rows, and for every column the number of values and a sum of their contents; floats start with `~` and are
 * compared approximately.
 */
export function wholeTable(fields: readonly TableField[]): Question {
  const select = (dialect: Dialect): string =>
    `SELECT ${['count(*)', ...fields.flatMap((field) => measures(field, dialect))].map(dialect.text).join(', ')} FROM %s`
  return { what: 'count and sums of every column', duckdb: select(DUCKDB), spark: select(SPARK) }
}

/** The number of rows on one side of a value: an engine that prunes wrongly loses some. */
export function rowsBeside(condition: Condition): Question {
  const { column, type, operator, value } = condition
  const name = (dialect: Dialect): string => dialect.name(column)
  const literal = (typeName: string): string => `CAST('${value.replaceAll("'", "''")}' AS ${typeName})`
  // Engines differ in the order of NaN.
  const real = (dialect: Dialect): string => (type === 'double' ? ` AND NOT isnan(${name(dialect)})` : '')
  const count = (dialect: Dialect): string =>
    `SELECT ${dialect.text('count(*)')} FROM %s WHERE ${name(dialect)} ${operator} ${literal(dialect.type(type))}${real(dialect)}`
  return { what: `${column} ${operator} ${Array.from(value).slice(0, 40).join('')}`, duckdb: count(DUCKDB), spark: count(SPARK), condition }
}

/** A value from the middle of a column, as text, from our own engine; null for a type that is not compared. */
export function middleOf(field: TableField): string | null {
  if (typeof field.type === 'object' || field.type === 'boolean' || field.type === 'binary') return null
  const name = DUCKDB.name(field.name)
  const real = field.type === 'double' ? ` FILTER (isfinite(${name}))` : ''
  return `quantile_disc(${name}, 0.5)${real}::VARCHAR`
}

interface Dialect {
  name(column: string): string
  text(expression: string): string
  type(iceberg: string): string
  /** Sum of a column's values, as exact as possible. */
  readonly sums: Readonly<Record<string, (name: string) => readonly string[]>>
  decimal(name: string, scale: number): string
  list(name: string): readonly string[]
}

const WIDE = 'DECIMAL(38, 0)'

const DUCKDB: Dialect = {
  name: (column) => `"${column}"`,
  text: (expression) => `CAST(${expression} AS VARCHAR)`,
  type: (iceberg) =>
    ({ string: 'VARCHAR', int: 'INTEGER', long: 'BIGINT', timestamptz: 'TIMESTAMP WITH TIME ZONE' })[iceberg] ?? iceberg.toUpperCase(),
  sums: {
    boolean: (name) => [`sum(CAST(${name} AS INTEGER))`],
    int: (name) => [`sum(${name})`],
    long: (name) => [`sum(CAST(${name} AS ${WIDE}))`],
    date: (name) => [`sum(${name} - DATE '1970-01-01')`],
    timestamptz: (name) => [`sum(CAST(epoch_us(${name}) AS ${WIDE}))`],
    double: (name) => [`count(*) FILTER (isnan(${name}))`, `'~' || coalesce(sum(${name}) FILTER (isfinite(${name})), 0)`],
    string: (name) => [`sum(strlen(${name}))`, `min(${name})`, `max(${name})`],
    binary: (name) => [`sum(octet_length(${name}))`, `min(hex(${name}))`, `max(hex(${name}))`],
  },
  decimal: (name, scale) => `sum(CAST(${name} AS DECIMAL(38, ${scale})))`,
  list: (name) => [`sum(len(${name}))`, `sum(CASE WHEN ${name} IS NOT NULL THEN CAST(${name}[1] IS NOT NULL AS INTEGER) END)`],
}

const SPARK: Dialect = {
  name: (column) => `\`${column}\``,
  text: (expression) => `CAST(${expression} AS STRING)`,
  type: (iceberg) => ({ string: 'STRING', long: 'BIGINT', timestamptz: 'TIMESTAMP' })[iceberg] ?? iceberg.toUpperCase(),
  sums: {
    boolean: (name) => [`sum(CAST(${name} AS INT))`],
    int: (name) => [`sum(CAST(${name} AS ${WIDE}))`],
    long: (name) => [`sum(CAST(${name} AS ${WIDE}))`],
    date: (name) => [`sum(CAST(unix_date(${name}) AS ${WIDE}))`],
    timestamptz: (name) => [`sum(CAST(unix_micros(${name}) AS ${WIDE}))`],
    double: (name) => [
      `count_if(isnan(${name}))`,
      `'~' || coalesce(sum(CASE WHEN NOT isnan(${name}) AND abs(${name}) < double('Infinity') THEN ${name} END), 0)`,
    ],
    string: (name) => [`sum(octet_length(${name}))`, `min(${name})`, `max(${name})`],
    binary: (name) => [`sum(octet_length(${name}))`, `min(hex(${name}))`, `max(hex(${name}))`],
  },
  decimal: (name, scale) => `sum(CAST(${name} AS DECIMAL(38, ${scale})))`,
  list: (name) => [
    `sum(CASE WHEN ${name} IS NOT NULL THEN size(${name}) END)`,
    `sum(CASE WHEN ${name} IS NOT NULL THEN CAST(get(${name}, 0) IS NOT NULL AS INT) END)`,
  ],
}

function measures(field: TableField, dialect: Dialect): readonly string[] {
  const name = dialect.name(field.name)
  const count = `count(${name})`
  if (typeof field.type === 'object') return [count, ...dialect.list(name)]
  const decimal = decimalOf(field.type)
  if (decimal) return [count, dialect.decimal(name, decimal.scale)]
  const sums = dialect.sums[field.type]
  if (!sums) throw new Error(`column ${field.name}: no measure for type ${field.type}`)
  return [count, ...sums(name)]
}
