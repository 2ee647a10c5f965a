import type { Columns } from '../schema/columns.ts'
import type { AnyRow } from '../schema/dataset.ts'
import { tableColumns } from '../schema/physical.ts'
import { rowReader } from './convert.ts'
import { QueryError } from './errors.ts'
import { Scan } from './scan.ts'
import type { Answer } from './session.ts'
import type { Sql } from './sql.ts'

/** How the rows of an answer are made. */
export interface RowOptions {
  /** Most rows; more are an error of code `too-many-rows`, never a short answer. */
  readonly maxRows?: number
  /** Members that whoever takes the rows adds to them: they are there from the start, null, which costs less than adding them. */
  readonly room?: readonly string[]
}

/** The rows of an answer, a batch for each chunk; throws `too-many-rows` when there are more than `maxRows`. */
export async function* rowsOf(answer: Answer, columns: Columns, options: RowOptions = {}): AsyncGenerator<AnyRow[]> {
  const { maxRows = Number.POSITIVE_INFINITY, room } = options
  const read = rowReader(answer, columns, room)
  let rows = 0
  let coming = answer.next()
  for (let chunk = await coming; chunk; chunk = await coming) {
    rows += chunk.rowCount
    if (rows > maxRows) throw new QueryError('too-many-rows', `the answer has more than ${maxRows} rows`)
    // The engine makes the next rows while this thread reads these; what it throws is met when they are awaited.
    coming = answer.next()
    coming.catch(() => {})
    yield read(chunk)
  }
}

/** The columns that the datasets of a query declare: what its answer's columns are unless told. */
export function scannedColumns(query: Sql): Columns {
  const columns: Record<string, Columns[string]> = {}
  for (const relation of query.relations()) if (relation instanceof Scan) Object.assign(columns, tableColumns(relation.dataset))
  return columns
}
