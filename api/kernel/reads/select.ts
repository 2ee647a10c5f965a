import { column, type Sql } from '../../../lake/query/sql.ts'
import type { Column, Columns } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type Fields, isNested, type RecordShape } from '../fields.ts'
import { memo } from './memo.ts'

/** The fields of a record that a query can supply: those that are not nested. */
export function flatFields(fields: Fields): Columns {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Column] => !isNested(entry[1])))
}

/** The name of a field of a record, as a query's column; a point's are `<name>_lat` and `<name>_lon`. */
export function fieldColumn(shape: RecordShape, name: string): Sql {
  return column(tableOf(shape.fields, shape.name), name)
}

const tableOf = memo((fields: Fields, id: string) => ({ id, columns: flatFields(fields) }) as unknown as Dataset)
