import { LIST, listValue, VARCHAR } from '@duckdb/node-api'
import type { ColumnFilter, Filter, LiveFile } from '../iceberg/types.ts'
import type { Column } from '../schema/columns.ts'
import type { Dataset } from '../schema/dataset.ts'
import { type PhysicalField, tableFields } from '../schema/physical.ts'
import { emptyRelation } from './session.ts'
import { Bound, bind, bindList, fieldName, fieldOf, join, Relation, type Sql, sql } from './sql.ts'
import type { StoredField } from './stored-fields.ts'

/** The rows of a dataset's table that match a filter. A query sees one snapshot of each dataset from start to end. */
export class Scan extends Relation {
  readonly dataset: Dataset
  readonly filter: Filter

  constructor(dataset: Dataset, filter: Filter) {
    super()
    this.dataset = dataset
    this.filter = filter
  }
}

/**
 * True for rows of the service's fetches, by the form of their ids (`fetchId` of the raw archive). Those of lake writers neither
 * take a key from them nor give way to them.
 */
export const IS_OURS = sql`coalesce(regexp_full_match(fetch_id, ${String.raw`[a-z0-9_]+\.\d{8}T\d{9}Z`}), false)`

/** A data file to read, with the deletes of its rows. */
export type ScannedFile = Pick<LiveFile, 'key' | 'bytes' | 'deletes'>

/** The rows of some data files of a dataset's table, by their keys in the store. */
export class FileScan extends Relation {
  readonly dataset: Dataset
  readonly files: readonly ScannedFile[]
  readonly fields: readonly StoredField[]

  constructor(dataset: Dataset, files: readonly ScannedFile[], fields: readonly StoredField[]) {
    super()
    this.dataset = dataset
    this.files = files
    this.fields = fields
  }
}

/**
 * The rows of a dataset, for FROM or JOIN in `sql`, with the physical columns of `tableColumns` (for a point, `<name>_lat` and
 * `<name>_lon`). The filter prunes files by partition and bounds, and is applied to the rows.
 */
export function scan(dataset: Dataset, filter: Filter = {}): Scan {
  for (const name of Object.keys(filter)) fieldOf(dataset, name)
  return new Scan(dataset, filter)
}

/** The rows of chosen data files of a dataset, with its declared columns or, for a rewrite, those of `storedFields`. */
export function scanFiles(
  dataset: Dataset,
  files: readonly ScannedFile[],
  fields: readonly StoredField[] = tableFields(dataset),
): FileScan {
  return new FileScan(dataset, files, fields)
}

/**
 * The query that reads a dataset's rows from Parquet files by field id: missing columns are null, renamed ones are found.
 * `deletes` has the files of position deletes, and by the locations that they name the paths of data files.
 */
export function readFiles(
  dataset: Dataset,
  paths: readonly string[],
  of: { readonly filter?: Filter; readonly fields?: readonly StoredField[]; readonly deletes?: ReadDeletes | null },
): Sql {
  const { filter = {}, fields = tableFields(dataset), deletes = null } = of
  const where = conditions(dataset, filter)
  if (paths.length === 0) return sql`(${emptyRelation(tableFields(dataset))})`
  const { names, schema } = partsOf(fields)
  const list = new Bound(listValue([...paths]), LIST(VARCHAR))
  const rows = sql`read_parquet(${list}, schema = MAP {${schema}})`
  return sql`(SELECT ${names} FROM ${rows}${deletes ? withoutDeleted(deletes) : sql``}${where})`
}

/** Files of position deletes, and the data files that they name: by location in the metadata, and by path. */
export interface ReadDeletes {
  readonly paths: readonly string[]
  readonly data: readonly { readonly location: string; readonly path: string }[]
}

/** The rest of a FROM over data files: without the rows at deleted positions (spec, "Position Delete Files"). */
function withoutDeleted({ paths, data }: ReadDeletes): Sql {
  const texts = (values: readonly string[]): Bound => new Bound(listValue([...values]), LIST(VARCHAR))
  const [locations, named] = [texts(data.map(({ location }) => location)), texts(data.map(({ path }) => path))]
  return sql` ANTI JOIN (
    SELECT named.data_path, gone.pos FROM read_parquet(${texts(paths)}) AS gone
    JOIN (SELECT unnest(${locations}) AS location, unnest(${named}) AS data_path) AS named ON gone.file_path = named.location
  ) AS deleted ON filename = deleted.data_path AND file_row_number = deleted.pos`
}

/** Common column lists of every read of a dataset's files. */
interface ReadParts {
  readonly names: Sql
  /** By field id. */
  readonly schema: Sql
}

const partsByFields = new WeakMap<readonly StoredField[], ReadParts>()

function partsOf(fields: readonly StoredField[]): ReadParts {
  const known = partsByFields.get(fields)
  if (known) return known
  const members = fields.map(({ id, name, duckdb }) => sql`${id}: {name: ${name}, type: ${duckdb}, default_value: NULL}`)
  const parts = { names: join(fields.map(fieldName)), schema: join(members) }
  partsByFields.set(fields, parts)
  return parts
}

/** The WHERE of a filter; empty without conditions. */
export function conditions(dataset: Dataset, filter: Filter): Sql {
  const parts = Object.entries(filter).flatMap(([name, condition]) => conditionsOf(fieldOf(dataset, name), condition))
  return parts.length === 0 ? sql`` : sql` WHERE ${join(parts, sql` AND `)}`
}

const OPERATORS = { eq: sql`=`, gte: sql`>=`, gt: sql`>`, lte: sql`<=`, lt: sql`<` } as const

function conditionsOf(field: PhysicalField, condition: ColumnFilter): Sql[] {
  const name = fieldName(field)
  const column: Column = { ...field.column, nullable: true }
  return Object.entries(condition).flatMap(([operator, value]) => {
    if (value === undefined) return []
    if (operator === 'in') return [sql`${name} IN ${bindList(field.name, column, value as readonly unknown[])}`]
    if (!Object.hasOwn(OPERATORS, operator))
      throw new Error(`filter of column ${field.name}: no condition ${operator}; there are in, ${Object.keys(OPERATORS).join(', ')}`)
    if (value === null && operator === 'eq') return [sql`${name} IS NULL`]
    return [sql`${name} ${OPERATORS[operator as keyof typeof OPERATORS]} ${bind(field.name, column, value)}`]
  })
}
