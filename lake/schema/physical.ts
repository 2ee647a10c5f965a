import { defineCodes } from './codes.ts'
import type { Column, Columns } from './columns.ts'
import { col } from './columns.ts'
import type { Dataset } from './dataset.ts'

/** Whether the row is an active state, an end, or a catalogue entry that is no longer published. */
export const ROW_STATUS = defineCodes('row_status', 'Status of an object with a history.', {
  ACTIVE: ['vigente', 'active'],
  MISSING: ['ya no publicado', 'no longer published'],
  ENDED: ['terminado', 'ended'],
})

/** Columns that the engine adds to tables, with ids from 1001 in every table. */
const FETCH_ID = col.string(1001, 'Accepted fetch of the row.')
const STATUS = col.code(1002, 'ACTIVE, MISSING from the publication (catalogues), or ENDED.', ROW_STATUS)
const IS_BASELINE = col.boolean(1003, 'True if the row repeats a state to make its partition self-contained; it is not a change.')

const UPDATED_AT = col.instant(1004, 'Publication that last changed the state; a baseline row has the one of the repeated change.')
const LAST_SEEN_AT = col.instant(1005, 'Last publication that contained it; set if status is MISSING or ENDED.', { nullable: true })

/** The columns of a dataset's table: the declared ones, then the engine's. */
export function tableColumns(dataset: Dataset): Columns {
  const history =
    dataset.writeMode === 'changes' ? { status: STATUS, is_baseline: IS_BASELINE, updated_at: UPDATED_AT, last_seen_at: LAST_SEEN_AT } : {}
  return { ...dataset.columns, fetch_id: FETCH_ID, ...history }
}

/** One field of the Parquet file: a point has two, any other column one. */
export interface PhysicalField {
  readonly name: string
  readonly id: number
  /** Name and declaration of the column. */
  readonly columnName: string
  readonly column: Column
  readonly part: 'lat' | 'lon' | null
  readonly duckdb: string
  /** Iceberg's type: a primitive's name, or a list. */
  readonly iceberg: IcebergType
  readonly required: boolean
  readonly doc: string
}

/** A type in Iceberg's schema JSON (spec, "Schemas and Data Types", Appendix C). */
export type IcebergType =
  | string
  | { readonly type: 'list'; readonly 'element-id': number; readonly element: string; readonly 'element-required': boolean }

/** DuckDB's and Iceberg's type names of a scalar column. */
export function scalarType(column: Column): { duckdb: string; iceberg: string } {
  switch (column.kind) {
    case 'string':
    case 'code':
    case 'json':
      return { duckdb: 'VARCHAR', iceberg: 'string' }
    case 'integer':
      return column.long ? { duckdb: 'BIGINT', iceberg: 'long' } : { duckdb: 'INTEGER', iceberg: 'int' }
    case 'decimal':
      return {
        duckdb: `DECIMAL(${column.precision}, ${column.scale})`,
        iceberg: `decimal(${column.precision}, ${column.scale})`,
      }
    case 'float':
      return { duckdb: 'DOUBLE', iceberg: 'double' }
    case 'boolean':
      return { duckdb: 'BOOLEAN', iceberg: 'boolean' }
    case 'instant':
      return { duckdb: 'TIMESTAMP WITH TIME ZONE', iceberg: 'timestamptz' }
    case 'local_date':
      return { duckdb: 'DATE', iceberg: 'date' }
    case 'service_time':
      return { duckdb: 'INTEGER', iceberg: 'int' }
    case 'line':
    case 'polygon':
    case 'multipolygon':
      return { duckdb: 'BLOB', iceberg: 'binary' }
    case 'point':
    case 'list':
      throw new Error(`a ${column.kind} has no scalar type`)
  }
}

/**
 * Type and presence of a column as the table's schema states them. Lists, their elements and binaries are optional there,
 * although our rows have them: DuckDB writes them so, and some engines refuse such files under a schema that requires them.
 */
export function inTable({ iceberg, required }: Pick<PhysicalField, 'iceberg' | 'required'>): {
  readonly type: IcebergType
  readonly required: boolean
} {
  if (typeof iceberg === 'string') return { required: required && iceberg !== 'binary', type: iceberg }
  return { required: false, type: { ...iceberg, 'element-required': false } }
}

/** The Parquet fields of a table's columns, in order, without retired columns unless `retired` is set. */
export function physicalFields(columns: Columns, options: { retired?: boolean } = {}): PhysicalField[] {
  const fields: PhysicalField[] = []
  for (const [columnName, column] of Object.entries(columns)) {
    if (column.retired && !options.retired) continue
    const common = { columnName, column, part: null, required: !column.nullable, doc: describe(column) } as const
    if (column.kind === 'point') {
      const axis = { ...common, duckdb: 'DOUBLE', iceberg: 'double' }
      fields.push({ ...axis, name: `${columnName}_lat`, id: column.id, part: 'lat', doc: `${column.about} Latitude, WGS84 degrees.` })
      fields.push({
        ...axis,
        name: `${columnName}_lon`,
        id: column.secondId,
        part: 'lon',
        doc: `${column.about} Longitude, WGS84 degrees.`,
      })
      continue
    }
    if (column.kind === 'list') {
      const element = scalarType(column.of as Column)
      const iceberg = { type: 'list', 'element-id': column.secondId, element: element.iceberg, 'element-required': true } as const
      fields.push({ ...common, name: columnName, id: column.id, duckdb: `${element.duckdb}[]`, iceberg })
      continue
    }
    fields.push({ ...common, name: columnName, id: column.id, ...scalarType(column) })
  }
  return fields
}

const fieldsOf = new WeakMap<Dataset, readonly PhysicalField[]>()

/** The Parquet fields of a dataset's table, in order; cached, since queries look up every column they name. */
export function tableFields(dataset: Dataset): readonly PhysicalField[] {
  const known = fieldsOf.get(dataset)
  if (known) return known
  const fields = physicalFields(tableColumns(dataset))
  fieldsOf.set(dataset, fields)
  return fields
}

/** Meaning and unit of a column, for the table's schema. */
function describe(column: Column): string {
  const unit = column.unit ? ` Unit: ${column.unit}.` : column.unitIn ? ` Unit: see ${column.unitIn}.` : ''
  return `${column.about}${unit}`
}
