import type { Json } from '../../../lake/schema/columns.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { RecordShape } from '../../kernel/fields.ts'
import { essenceOf, type TableFormat } from '../../kernel/formats.ts'
import { type Part, ref } from '../../kernel/openapi-parts.ts'
import { exampleOf } from '../../kernel/reads/shape.ts'
import { type CellType, type TableColumn, tableColumns, tableRowSchema } from '../../kernel/reads/table.ts'
import { schemaPath } from '../answers/response-plan.ts'
import { exampleRecord } from '../answers/shown-record.ts'
import { csvLines, decimalText } from './text.ts'

/** Returns the schema of a record's rows in CSV, Parquet and Arrow as a document, for replies without `fields`. */
export function rowDocument({ name, about, fields, sometimes }: RecordShape, baseUrl: string): Part {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${baseUrl}${schemaPath(name)}`,
    title: name,
    ...tableRowSchema(about, tableColumns(fields), sometimes),
  }
}

/** Describes an endpoint's reply as a table. */
export function tableContent(endpoint: Endpoint, format: TableFormat): Part {
  const { record } = endpoint.returns
  if (format === 'ndjson') {
    // OpenAPI 3.1 cannot describe the items of a stream: the schema is that of one line.
    return { schema: ref('schemas', record.name), example: exampleOf(exampleRecord(endpoint).fields) }
  }
  const row = schemaPath(record.name)
  if (format === 'csv') {
    const columns = tableColumns(exampleRecord(endpoint).fields)
    const cells = columns.map(exampleCell)
    const description = `CSV (RFC 4180) with a header. Its columns are the properties of ${row}; nothing stands for null, "" for an empty text, and lists are JSON text.`
    const example = csvLines([columns.map(({ name }) => name), columns.map(({ type }, at) => exampleText(type, cells[at] ?? null))])
    return { schema: { type: 'string', description }, example }
  }
  const description = `Its columns are the properties of ${row}: instants are timestamps of µs in UTC, decimals exact, lists lists.`
  return { schema: { type: 'string', contentMediaType: essenceOf(format), description } }
}

function exampleCell({ type, schema }: TableColumn): Json {
  if (type.kind === 'rows') return [Object.fromEntries(type.columns.map((column) => [column.name, exampleCell(column)]))]
  const [example = null] = (schema['examples'] ?? []) as Json[]
  return example
}

function exampleText(type: CellType, value: Json): string | null {
  if (value === null || typeof value === 'string') return value
  if (type.kind === 'decimal') return decimalText(value as number, type.scale ?? 0)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
