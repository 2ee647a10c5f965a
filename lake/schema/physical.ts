import { defineCodes } from './codes.ts'
import type { Column, Columns } from './columns.ts'
import { col } from './columns.ts'
import type { Dataset } from './dataset.ts'

/** Whether the row tells a state that holds, an end, or a catalogue entry that stopped being published. */
export const ROW_STATUS = defineCodes('row_status', 'State of a thing that has a history.', {
  ACTIVE: ['vigente', 'active'],
  MISSING: ['ya no publicado', 'no longer published'],
  ENDED: ['terminado', 'ended'],
})

/** Columns that the engine adds to tables; ids from 1001 are theirs in every table. */
const FETCH_ID = col.string(1001, 'The accepted fetch that gave the row.')
const STATUS = col.code(1002, 'ACTIVE, MISSING from the publication (catalogues), or ENDED.', ROW_STATUS)
const IS_BASELINE = col.boolean(1003, 'True where the row repeats a state so that its partition answers alone; it is no change.')

const UPDATED_AT = col.instant(1004, 'Publication that last changed the state; a baseline row keeps the one of the change it repeats.')
const LAST_SEEN_AT = col.instant(1005, 'Last publication that had it; stated where status is MISSING or ENDED.', { nullable: true })

/** The columns of a dataset's table: the declared ones, then the engine's own. */
export function tableColumns(dataset: Dataset): Columns {
  const history =
    dataset.land === 'changes' ? { status: STATUS, is_baseline: IS_BASELINE, updated_at: UPDATED_AT, last_seen_at: LAST_SEEN_AT } : {}
  return { ...dataset.columns, fetch_id: FETCH_ID, ...history }
}

/** One field of the Parquet file: a point gives two, every other column one. */
export interface PhysicalField {
  readonly name: string
  readonly id: number
  /** The declared column, by name and value. */
  readonly columnName: string
  readonly column: Column
  readonly part: 'lat' | 'lon' | null
  readonly duckdb: string
  /** Iceberg's type: a primitive's name, or a list. */
  readonly iceberg: IcebergType
  readonly required: boolean
  readonly doc: string
}

/** A type as Iceberg's schema JSON spells it (spec, "Schemas and Data Types", Appendix C). */
export type IcebergType =
  | string
  | { readonly type: 'list'; readonly 'element-id': number; readonly element: string; readonly 'element-required': boolean }

/** DuckDB's and Iceberg's name of a scalar column's type. */
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

/** The Parquet fields of a table's columns, in order; retired columns are left out unless `retired` asks for them. */
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

/** The Parquet fields of a dataset's table, in order, made once: each column that a query names is looked up among them. */
export function tableFields(dataset: Dataset): readonly PhysicalField[] {
  const known = fieldsOf.get(dataset)
  if (known) return known
  const fields = physicalFields(tableColumns(dataset))
  fieldsOf.set(dataset, fields)
  return fields
}

/** Meaning and unit of a column, as its doc in the table's schema. */
function describe(column: Column): string {
  const unit = column.unit ? ` Unit: ${column.unit}.` : column.unitIn ? ` Unit: see ${column.unitIn}.` : ''
  return `${column.about}${unit}`
}
