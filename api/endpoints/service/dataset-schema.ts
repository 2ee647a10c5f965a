import { declaredTable } from '../../../lake/iceberg/schema.ts'
import type { TableField } from '../../../lake/iceberg/types.ts'
import { arrowField, arrowText } from '../../../lake/schema/arrow.ts'
import { col, type Json } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { DOUBLE, jsonProperties } from '../../../lake/schema/json.ts'
import { type PhysicalField, physicalFields, tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, type TableAbout } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { integerParam } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { datasetId, datasetOf, nearDataset } from './dataset.ts'

const text = (about: string, example: string | null) => maybe.text(about, example)
const limit = (about: string, example: number | null) => col.float(0, about, { unitIn: 'unit', nullable: true, example })

const schema = record('DatasetSchema', "The columns of a dataset's table, and the schemas of its rows.", {
  id: field.text('Id of the dataset.', 'incidents'),
  version: maybe.integer('Version of the schema; null if there is no table yet and this is the declaration.', '1', 0),
  is_current: field.boolean('True if rows are written with this version.', true),
  versions: col.list([0, 0], 'Schema versions of the table.', col.integer(0, 'Number of a version.'), { example: [0] }),
  columns: nested.objects('Columns in table order; a point has one for its latitude and one for its longitude.', {
    name: field.text('Name.', 'km'),
    field_id: field.integer('Number of the column, stable when it is renamed.', '1', 10),
    about: field.text('Its meaning.', 'Kilometre point where it begins.'),
    kind: field.text(
      'Kind of value: string, code, json, integer, decimal, float, boolean, instant, local_date, service_time, point, line, polygon, multipolygon or list.',
      'decimal',
    ),
    iceberg_type: field.text('Type in the table.', 'decimal(9, 3)'),
    arrow_type: field.text('Type in Arrow, as PyArrow writes it; geometries are WKB.', 'decimal128(9, 3)'),
    nullable: field.boolean('True if it may be null.', true),
    is_key: field.boolean('True if it is part of the key.', false),
    unit: text('Unit of a number; symbols follow UCUM.', 'km'),
    unit_in: text('Column with the unit, if it differs from row to row.', null),
    code_list: text('List of its codes, see /api/codes.', null),
    codes: field.list('Codes of that list; a source may publish others.', field.text('A code.'), []),
    least: limit('Lowest allowed value.', 0),
    most: limit('Highest allowed value.', 2000),
    example: maybe.json('A value as JSON has it.', 18),
  }),
  json_schema: field.json('JSON Schema (2020-12) of a row as JSON.', {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'incidents',
    type: 'object',
    required: ['km'],
    properties: {
      km: { ...DOUBLE, type: ['number', 'null'], minimum: 0, maximum: 2000, description: 'Kilometre point where it begins. Unit: km.' },
    },
  }),
  arrow_schema: field.json("Schema of a row in Arrow's JSON form.", {
    fields: [{ name: 'km', nullable: true, type: { name: 'decimal', precision: 9, scale: 3, bitWidth: 128 }, children: [] }],
  }),
})

type Schema = ValueOf<typeof schema.fields>

/** The schema of a table version; null means the current one. Throws `InvalidParam` for an unknown version. */
function schemaOf(dataset: Dataset, table: TableAbout | undefined, version: number | null): Schema {
  const versions = table?.schemas.map((one) => one['schema-id']) ?? []
  const wanted = version ?? table?.schema_version ?? null
  if (wanted !== null && !versions.includes(wanted)) {
    const known = versions.length === 0 ? 'its table is not created yet, so it has no versions' : `expected one of ${versions.join(', ')}`
    throw new InvalidParam(known, { parameter: 'version', value: String(version), allowed: versions.map(String) })
  }
  const fields = table?.schemas.find((one) => one['schema-id'] === wanted)?.fields ?? declaredTable(dataset).fields
  const declared = new Map(physicalFields(tableColumns(dataset), { retired: true }).map((field) => [field.id, field]))
  const known = fields.flatMap((field) => {
    const physical = declared.get(field.id)
    return physical ? [{ field, physical }] : []
  })
  return {
    id: dataset.id,
    version: wanted,
    is_current: wanted === (table?.schema_version ?? null),
    versions,
    columns: known.map(({ field, physical }) => columnOf(dataset, field, physical)),
    json_schema: jsonSchema(
      dataset,
      known.map(({ physical }) => physical),
    ),
    arrow_schema: { fields: known.map(({ field, physical }) => arrowField({ ...field, required: !physical.column.nullable })) },
  }
}

function columnOf({ entity, time }: Dataset, field: TableField, { column, columnName, part }: PhysicalField): Schema['columns'][number] {
  const { kind, unit, unitIn, codes = column.of?.codes, min, max, example = null } = column
  return {
    name: field.name,
    field_id: field.id,
    about: column.about,
    kind,
    iceberg_type: typeof field.type === 'string' ? field.type : `list<${field.type.element}>`,
    arrow_type: arrowText(field.type),
    nullable: column.nullable,
    is_key: [...entity, time].includes(columnName),
    unit: part ? 'deg' : (unit ?? null),
    unit_in: unitIn ?? null,
    code_list: codes?.id ?? null,
    codes: Object.keys(codes?.codes ?? {}),
    least: min ?? null,
    most: max ?? null,
    example: part ? ((example as { readonly lat: number; readonly lon: number } | null)?.[part] ?? null) : example,
  }
}

function jsonSchema({ id, about }: Dataset, fields: readonly PhysicalField[]): Json {
  const columns = new Map(fields.map(({ columnName, column }) => [columnName, column]))
  const members = [...columns].flatMap(([name, column]) => jsonProperties(name, column))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: id,
    description: about,
    type: 'object',
    required: members.map(({ name }) => name),
    properties: Object.fromEntries(members.map(({ name, schema: member }) => [name, member as Json])),
  }
}

/** The schema of a dataset. */
export const datasetSchema = defineEndpoint({
  path: '/api/datasets/{id}/schema',
  plan: 'FREE',
  summary: 'Columns of a dataset: types, units, codes; JSON Schema and Arrow schema',
  summary_es: 'Las columnas de un conjunto de datos con tipos, unidades y códigos',
  params: {
    id: datasetId,
    version: integerParam('Version of the schema; by default the one that rows are written with.', {
      min: 0,
      max: 1_000_000,
      example: '0',
    }),
  },
  returns: { kind: 'one', record: schema },
  read: {
    kind: 'system',
    tables: ({ id }) => [id],
    records: (system, { id, version }) => datasetOf(system, id).map((dataset) => schemaOf(dataset, system.tables.get(id), version)),
    suggestion: nearDataset,
  },
  example: { id: 'incidents' },
})
