import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type DuckDBAppender, DuckDBDataChunk, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import type { Columns } from '../schema/columns.ts'
import type { AnyRow } from '../schema/dataset.ts'
import { type PhysicalField, physicalFields } from '../schema/physical.ts'
import type { Session, TemporaryTable } from './session.ts'
import { bind, fieldType, join, type Sql, sql } from './sql.ts'
import { CHUNK_ROWS, fieldValue, vectorWriter } from './vectors.ts'

/** Rows in a temporary table of a session, typed as the columns say. */
export interface StagedRows {
  /** What stands after FROM. */
  readonly table: Sql
  readonly rows: number
  /** Removes the files that rows were put into; the table can then not be read any more. */
  drop(): Promise<void>
}

/** Chunks between two pauses that let the process answer its timers and sockets. */
const CHUNKS_A_TURN = 8

/** Rows that are held in memory where more go into files. */
const MOST_HELD = 61_440

/**
 * Puts rows into a temporary table with the physical fields of `columns`. A value that its column cannot hold exactly, or a null where one
 * is required, throws a `ValueError` that names column and value. With `spillTo`, a folder in the sandbox, no more than some hundred
 * thousand rows are held in memory: of more, all lie in files there, packed, until they are dropped.
 */
export async function stageRows(
  session: Session,
  columns: Columns,
  batches: Iterable<readonly AnyRow[]> | AsyncIterable<readonly AnyRow[]>,
  options: { readonly spillTo?: string; readonly mostHeld?: number } = {},
): Promise<StagedRows> {
  const fields = physicalFields(columns)
  const types = fields.map(fieldType)
  const writers = fields.map(chunkColumnWriter)
  const stage = new Stage(session, fields, options.spillTo ?? null)
  const most = options.mostHeld ?? MOST_HELD
  let chunks = 0
  try {
    await stage.begin()
    for await (const batch of batches)
      for (let start = 0; start < batch.length; start += CHUNK_ROWS) {
        session.signal.throwIfAborted()
        stage.append(chunkOf(types, writers, { rows: batch, start }))
        if (++chunks % CHUNKS_A_TURN === 0) await setImmediate()
        if (options.spillTo !== undefined && stage.held >= most) await stage.spill()
      }
    return await stage.end()
  } catch (error) {
    await stage.drop()
    throw error
  }
}

/** Where rows are put: a table in memory, and files for what it held before. */
class Stage {
  held = 0
  readonly #session: Session
  readonly #fields: readonly PhysicalField[]
  readonly #folder: string | null
  readonly #files: string[] = []
  #table: TemporaryTable | null = null
  #appender: DuckDBAppender | null = null
  #rows = 0

  constructor(session: Session, fields: readonly PhysicalField[], folder: string | null) {
    this.#session = session
    this.#fields = fields
    this.#folder = folder
  }

  async begin(): Promise<void> {
    this.#table = await this.#session.temporaryTable(this.#fields)
    this.#appender = await this.#table.appender()
    this.held = 0
  }

  append(chunk: DuckDBDataChunk): void {
    this.#appender?.appendDataChunk(chunk)
    this.held += chunk.rowCount
    this.#rows += chunk.rowCount
  }

  /** Puts what is held into a file and begins anew. */
  async spill(): Promise<void> {
    const { name } = this.#close()
    const path = joinPath(this.#folder as string, `staged-${randomUUID()}.parquet`)
    this.#files.push(path)
    await this.#session.copy(sql`SELECT * FROM ${name}`, {
      path,
      options: `FORMAT parquet, COMPRESSION zstd, WRITE_BLOOM_FILTER false, ROW_GROUP_SIZE ${SPILLED_GROUP}`,
    })
    await this.#session.run(sql`DROP TABLE ${name}`)
    await this.begin()
  }

  async end(): Promise<StagedRows> {
    // All in files or all in memory: a reader of both would take them together.
    if (this.#files.length > 0) await this.spill()
    const { name } = this.#close()
    const table = this.#files.length === 0 ? name : sql`read_parquet([${join(this.#files)}])`
    return { table, rows: this.#rows, drop: () => this.drop() }
  }

  async drop(): Promise<void> {
    this.#appender?.closeSync()
    this.#appender = null
    for (const path of this.#files) await rm(path, { force: true })
  }

  #close(): TemporaryTable {
    this.#appender?.closeSync()
    this.#appender = null
    return this.#table as TemporaryTable
  }
}

/** Rows of a group in a file of staged rows: few are unpacked at once. */
const SPILLED_GROUP = 30_720

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
