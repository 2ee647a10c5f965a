import { canWiden } from '../iceberg/migrate.ts'
import type { TableField } from '../iceberg/types.ts'
import { decimalOf } from '../iceberg/values.ts'
import type { Dataset } from '../schema/dataset.ts'
import { type IcebergType, tableFields } from '../schema/physical.ts'

/** A column as data files store it: name and type for DuckDB, and the id by which it is found. */
export interface StoredField {
  readonly name: string
  readonly id: number
  readonly duckdb: string
  readonly iceberg: IcebergType
  readonly required: boolean
}

/**
 * The columns that a rewrite of a table's files keeps: the declared ones, in the table's type if it is wider, and those of other
 * releases or engines. `lost` names the columns whose type cannot be written again.
 */
export function storedFields(
  dataset: Dataset,
  state: { readonly fields: readonly TableField[] },
): { readonly fields: readonly StoredField[]; readonly lost: readonly string[] } {
  const declared = tableFields(dataset)
  const fields = declared.map(({ name, id, duckdb, iceberg, required }): StoredField => {
    const type = state.fields.find((field) => field.id === id)?.type ?? iceberg
    const wider = canWiden(iceberg, type) ? typeInDuck(type) : null
    return wider === null ? { name, id, duckdb, iceberg, required } : { name, id, duckdb: wider, iceberg: type, required }
  })
  const names = new Set(declared.map(({ name }) => name.toLowerCase()))
  const lost: string[] = []
  for (const { id, name, type, required } of state.fields) {
    if (declared.some((field) => field.id === id)) continue
    const duckdb = typeInDuck(type)
    // DuckDB does not distinguish names by case.
    if (duckdb === null || names.has(name.toLowerCase())) lost.push(name)
    else fields.push({ name, id, duckdb, iceberg: type, required })
    names.add(name.toLowerCase())
  }
  return { fields, lost }
}

/** Iceberg's types that DuckDB reads and writes as they are. A `fixed` would become a `binary`. */
const DUCKDB_TYPES: ReadonlyMap<string, string> = new Map([
  ['boolean', 'BOOLEAN'],
  ['int', 'INTEGER'],
  ['long', 'BIGINT'],
  ['float', 'FLOAT'],
  ['double', 'DOUBLE'],
  ['date', 'DATE'],
  ['time', 'TIME'],
  ['timestamp', 'TIMESTAMP'],
  ['timestamptz', 'TIMESTAMP WITH TIME ZONE'],
  ['string', 'VARCHAR'],
  ['uuid', 'UUID'],
  ['binary', 'BLOB'],
])

/** DuckDB's name of a type; null for structs, maps, lists of them, and types of later versions of the format. */
function typeInDuck(type: IcebergType): string | null {
  if (typeof type === 'object') {
    const element = type.type === 'list' && typeof type.element === 'string' ? typeInDuck(type.element) : null
    return element && `${element}[]`
  }
  const decimal = decimalOf(type)
  return decimal ? `DECIMAL(${decimal.precision}, ${decimal.scale})` : (DUCKDB_TYPES.get(type) ?? null)
}
