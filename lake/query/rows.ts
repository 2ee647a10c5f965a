import { setImmediate } from 'node:timers/promises'
import { DuckDBDataChunk, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import type { Columns } from '../schema/columns.ts'
import type { AnyRow } from '../schema/dataset.ts'
import { type PhysicalField, physicalFields } from '../schema/physical.ts'
import type { Session } from './session.ts'
import { bind, fieldType, type Sql } from './sql.ts'
import { CHUNK_ROWS, fieldValue, vectorWriter } from './vectors.ts'

/** Rows in a temporary table of a session, typed as the columns say. */
export interface StagedRows {
  readonly table: Sql
  readonly rows: number
}

/** Chunks between two pauses that let the process answer its timers and sockets. */
const CHUNKS_A_TURN = 8

/**
 * Puts rows into a temporary table with the physical fields of `columns`. A value that its column cannot hold exactly, or a null where one
 * is required, throws a `ValueError` that names column and value.
 */
export async function stageRows(
  session: Session,
  columns: Columns,
  batches: Iterable<readonly AnyRow[]> | AsyncIterable<readonly AnyRow[]>,
): Promise<StagedRows> {
  const fields = physicalFields(columns)
  const table = await session.temporaryTable(fields)
  const types = fields.map(fieldType)
  const writers = fields.map(chunkColumnWriter)
  const appender = await table.appender()
  let rows = 0
  let chunks = 0
  try {
    for await (const batch of batches) {
      rows += batch.length
      for (let start = 0; start < batch.length; start += CHUNK_ROWS) {
        session.signal.throwIfAborted()
        appender.appendDataChunk(chunkOf(types, writers, { rows: batch, start }))
        if (++chunks % CHUNKS_A_TURN === 0) await setImmediate()
      }
    }
  } finally {
    appender.closeSync()
  }
  return { table: table.name, rows }
}

interface Range {
  readonly start: number
  readonly count: number
}
type ChunkColumnWriter = (chunk: DuckDBDataChunk, column: number, part: { readonly rows: readonly AnyRow[]; readonly range: Range }) => void

function chunkOf(
  types: readonly DuckDBType[],
  writers: readonly ChunkColumnWriter[],
  part: { readonly rows: readonly AnyRow[]; readonly start: number },
): DuckDBDataChunk {
  const range = { start: part.start, count: Math.min(CHUNK_ROWS, part.rows.length - part.start) }
  const chunk = DuckDBDataChunk.create(types, range.count)
  for (let at = 0; at < writers.length; at++) (writers[at] as ChunkColumnWriter)(chunk, at, { rows: part.rows, range })
  return chunk
}

function chunkColumnWriter(field: PhysicalField): ChunkColumnWriter {
  if (field.column.kind !== 'list') {
    const write = vectorWriter(field)
    return (chunk, column, { rows, range }) => write(duckdb.data_chunk_get_vector(chunk.chunk, column), rows, range)
  }
  return (chunk, column, { rows, range }) => {
    const values: DuckDBValue[] = []
    for (let at = range.start; at < range.start + range.count; at++)
      values.push(bind(field.name, field.column, fieldValue(field, rows[at] as AnyRow)).value)
    chunk.setColumnValues(column, values)
  }
}
