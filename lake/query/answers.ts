import type { Columns } from '../schema/columns.ts'
import type { AnyRow } from '../schema/dataset.ts'
import { tableColumns } from '../schema/physical.ts'
import { rowReader } from './convert.ts'
import { QueryError } from './errors.ts'
import { Scan } from './scan.ts'
import type { Answer } from './session.ts'
import type { Sql } from './sql.ts'

/** Options for reading the rows of a result. */
export interface RowOptions {
  /** Maximum rows; more throw `too-many-rows`, the result is never truncated. */
  readonly maxRows?: number
  /** Members that the caller will add to the rows: they exist from the start as null, which is cheaper than adding them. */
  readonly room?: readonly string[]
}

/** The rows of a result, one batch per chunk; throws `too-many-rows` if there are more than `maxRows`. */
export async function* rowsOf(answer: Answer, columns: Columns, options: RowOptions = {}): AsyncGenerator<AnyRow[]> {
  const { maxRows = Number.POSITIVE_INFINITY, room } = options
  const read = rowReader(answer, columns, room)
  let rows = 0
  let coming = answer.next()
  for (let chunk = await coming; chunk; chunk = await coming) {
    rows += chunk.rowCount
    if (rows > maxRows) throw new QueryError('too-many-rows', `the answer has more than ${maxRows} rows`)
    // The engine produces the next rows while this thread reads these; its errors surface when they are awaited.
    coming = answer.next()
    coming.catch(() => {})
    yield read(chunk)
  }
}

/** The columns declared by the datasets of a query: the default columns of its result. */
export function scannedColumns(query: Sql): Columns {
  const columns: Record<string, Columns[string]> = {}
  for (const relation of query.relations()) if (relation instanceof Scan) Object.assign(columns, tableColumns(relation.dataset))
  return columns
}
