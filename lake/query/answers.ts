import type { DuckDBDataChunk } from '@duckdb/node-api'
import type { Columns } from '../schema/columns.ts'
import type { AnyRow } from '../schema/dataset.ts'
import { tableColumns } from '../schema/physical.ts'
import { rowReader } from './convert.ts'
import { QueryError } from './errors.ts'
import { Scan } from './scan.ts'
import type { Answer } from './session.ts'
import type { Sql } from './sql.ts'

/** The chunks of an answer; throws `too-many-rows` when there are more rows than `maxRows`. */
export async function* chunksOf(answer: Answer, maxRows: number = Number.POSITIVE_INFINITY): AsyncGenerator<DuckDBDataChunk> {
  let rows = 0
  for (let chunk = await answer.next(); chunk; chunk = await answer.next()) {
    rows += chunk.rowCount
    if (rows > maxRows) throw tooMany(maxRows)
    yield chunk
  }
}

/** The rows of an answer, a batch for each chunk. */
export async function* rowsOf(answer: Answer, columns: Columns, maxRows?: number): AsyncGenerator<AnyRow[]> {
  const read = rowReader(answer, columns)
  for await (const chunk of chunksOf(answer, maxRows)) yield read(chunk)
}

/** The answer to `jsonRows` as the text of a JSON array; throws `too-many-rows` when it holds more than `maxRows`. */
export async function jsonArray(answer: Answer, maxRows: number = Number.POSITIVE_INFINITY): Promise<{ text: string; rows: number }> {
  const texts: string[] = []
  let rows = 0
  for await (const chunk of chunksOf(answer)) {
    for (const [text, count] of chunk.getRows() as [string, bigint][]) {
      texts.push(text)
      rows += Number(count)
    }
  }
  if (rows > maxRows) throw tooMany(maxRows)
  return { text: `[${texts.join(',')}]`, rows }
}

function tooMany(maxRows: number): QueryError {
  return new QueryError('too-many-rows', `the answer has more than ${maxRows} rows`)
}

/** The columns that the datasets of a query declare: what its answer's columns are unless told. */
export function scannedColumns(query: Sql): Columns {
  const columns: Record<string, Columns[string]> = {}
  for (const relation of query.relations()) if (relation instanceof Scan) Object.assign(columns, tableColumns(relation.dataset))
  return columns
}
