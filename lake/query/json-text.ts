import type { Column, Columns } from '../schema/columns.ts'
import { jsonProperties } from '../schema/json.ts'
import { type PhysicalField, physicalFields } from '../schema/physical.ts'
import { fieldName, join, type Sql, sql } from './sql.ts'

/** Rows whose texts DuckDB joins into one: handing over each by itself costs more than making it. */
const ROWS_A_TEXT = 1000

/**
 * Wraps a query so that DuckDB itself writes its rows as JSON objects, in the forms of `lake/schema/json.ts`: each row of the answer is the
 * text of up to 1000 objects and their number. The query has to give the physical columns of `columns`, by name; values are cast to their
 * declared types. Order stays: an empty OVER keeps the order of its input (DuckDB's manual, "Order Preservation").
 */
export function jsonRows(query: Sql, columns: Columns, maxRows?: number): Sql {
  const members = physicalFields(columns).map((field, at) => {
    const key = `${at === 0 ? '{' : ','}${JSON.stringify(memberName(field))}:`
    return sql`${key}, coalesce(${valueText(field)}, 'null')`
  })
  const most = maxRows === undefined ? sql`` : sql` LIMIT ${maxRows + 1}`
  return sql`SELECT string_agg(object, ',' ORDER BY n), count(*)
    FROM (SELECT concat(${join(members)}, '}') AS object, row_number() OVER () - 1 AS n FROM (SELECT * FROM (${query})${most}))
    GROUP BY n // ${ROWS_A_TEXT} ORDER BY min(n)`
}

function memberName(field: PhysicalField): string {
  if (field.part === null) return field.name
  const [lat, lon] = jsonProperties(field.columnName, field.column)
  return (field.part === 'lat' ? lat : lon)?.name as string
}

function valueText(field: PhysicalField): Sql {
  const name = fieldName(field)
  if (field.part !== null) return floatText(name)
  if (field.column.kind !== 'list') return scalarText(name, field.column)
  const items = sql`array_to_string(list_transform(${name}, lambda x: ${scalarText(sql`x`, field.column.of as Column)}), ',')`
  return sql`CASE WHEN ${name} IS NOT NULL THEN '[' || coalesce(${items}, '') || ']' END`
}

function scalarText(value: Sql, column: Column): Sql {
  switch (column.kind) {
    case 'string':
    case 'code':
      return sql`CAST(to_json(CAST(${value} AS VARCHAR)) AS VARCHAR)`
    case 'json':
      return sql`CAST(${value} AS VARCHAR)`
    case 'boolean':
      return sql`CAST(CAST(${value} AS BOOLEAN) AS VARCHAR)`
    case 'integer':
      // Digits beyond 2^53 would be lost by every JSON reader that has only doubles.
      return column.long
        ? sql`CASE WHEN ${value} BETWEEN -9007199254740991 AND 9007199254740991 THEN CAST(CAST(${value} AS BIGINT) AS VARCHAR) ELSE '"' || CAST(${value} AS VARCHAR) || '"' END`
        : sql`CAST(CAST(${value} AS INTEGER) AS VARCHAR)`
    case 'service_time':
      return sql`printf('"%02d:%02d:%02d"', ${value} // 3600, ${value} // 60 % 60, ${value} % 60)`
    case 'decimal':
      return decimalText(value, column)
    case 'float':
      return floatText(value)
    case 'instant': {
      const micros = sql`epoch_us(CAST(${value} AS TIMESTAMPTZ))`
      const time = sql`make_timestamp(${micros})`
      return sql`CASE WHEN ${micros} % 1000 = 0 THEN strftime(${time}, '"%Y-%m-%dT%H:%M:%S.%gZ"') ELSE strftime(${time}, '"%Y-%m-%dT%H:%M:%S.%fZ"') END`
    }
    case 'local_date':
      return sql`'"' || CAST(CAST(${value} AS DATE) AS VARCHAR) || '"'`
    case 'line':
    case 'polygon':
    case 'point':
    case 'list':
      throw new Error(`a ${column.kind} has no JSON text in SQL; take rows and convert them`)
  }
}

/**
 * Exact, without the zeros that a fixed scale adds: 1.5, not 1.500. The at most 15 digits of a declaration survive the double, whose
 * shortest text is theirs; only small values of a large scale would get an exponent.
 */
function decimalText(value: Sql, { scale = 0 }: Column): Sql {
  const printed = sql`printf(${`%.${scale}f`}, CAST(${value} AS DOUBLE))`
  if (scale > 4) return sql`rtrim(rtrim(${printed}, '0'), '.')`
  return floatText(sql`round(CAST(${value} AS DOUBLE), ${scale})`)
}

/** As JavaScript writes it where it is whole; NaN and the infinities, which JSON lacks, are null. */
function floatText(value: Sql): Sql {
  const double = sql`CAST(${value} AS DOUBLE)`
  return sql`CASE WHEN NOT isfinite(${double}) THEN NULL WHEN ${double} = trunc(${double}) AND abs(${double}) < 1e15 THEN CAST(CAST(${double} AS BIGINT) AS VARCHAR) ELSE CAST(${double} AS VARCHAR) END`
}
