import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type DuckDBAppender, DuckDBDataChunk, type DuckDBType, type DuckDBValue } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import type { Columns } from '../schema/columns.ts'
import type { AnyRow } from '../schema/dataset.ts'
import { type PhysicalField, physicalFields } from '../schema/physical.ts'
import type { WrittenFile } from './parquet.ts'
import type { Session, TemporaryTable } from './session.ts'
import { bind, fieldType, join, type Sql, sql } from './sql.ts'
import { CHUNK_ROWS, fieldValue, vectorWriter } from './vectors.ts'

/** Rows in a temporary table of a session, with the declared column types. */
export interface StagedRows {
  /** The FROM item. */
  readonly table: Sql
  readonly rows: number
  /** Set if the rows are in files of the table's own format, each with rows of one version. */
  readonly files?: readonly WrittenFile[]
  /** Removes the files of the rows; the table can then no longer be read. */
  drop(): Promise<void>
}

/** Chunks between two pauses for the process's timers and sockets. */
const CHUNKS_A_TURN = 8

/** Rows kept in memory if more are spilled to files. */
const MOST_HELD = 61_440

/** Options for staging rows. */
export interface StageOptions {
  /**
   * A folder in the sandbox: at most some hundred thousand rows stay in memory; with more, all go into compressed files there,
   * until dropped.
   */
  readonly spillTo?: string
  readonly mostHeld?: number
}

/** A stage that rows are added to. */
export interface Stage {
  add(rows: readonly AnyRow[]): Promise<void>
  /** The added rows, readable in the session. */
  end(): Promise<StagedRows>
  /** The added rows in files, readable by every session of the engine. Only with `spillTo`. */
  endInFiles(): Promise<StagedRows>
  /** Discards the stage. */
  drop(): Promise<void>
}

/**
 * Puts rows into a temporary table with the physical fields of `columns`. A value that its column cannot represent exactly, or a
 * null in a required column, throws a `ValueError` with column and value.
 */
export async function stageRows(
  session: Session,
  columns: Columns,
  batches: Iterable<readonly AnyRow[]> | AsyncIterable<readonly AnyRow[]>,
  options: StageOptions = {},
): Promise<StagedRows> {
  const stage = await beginStage(session, columns, options)
  try {
    for await (const batch of batches) await stage.add(batch)
    return await stage.end()
  } catch (error) {
    await stage.drop()
    throw error
  }
}

/** Like `stageRows`, for rows in several batches; the caller ends or drops it. */
export async function beginStage(session: Session, columns: Columns, options: StageOptions = {}): Promise<Stage> {
  const stage = new OpenStage(session, physicalFields(columns), options)
  await stage.begin()
  return stage
}

/** Storage of staged rows: a table in memory, and files for earlier rows. */
class OpenStage implements Stage {
  readonly #session: Session
  readonly #fields: readonly PhysicalField[]
  readonly #types: readonly DuckDBType[]
  readonly #writers: readonly ChunkColumnWriter[]
  readonly #folder: string | null
  readonly #most: number
  readonly #files: string[] = []
  #table: TemporaryTable | null = null
  #appender: DuckDBAppender | null = null
  #held = 0
  #rows = 0
  #chunks = 0

  constructor(session: Session, fields: readonly PhysicalField[], { spillTo, mostHeld }: StageOptions) {
    this.#session = session
    this.#fields = fields
    this.#types = fields.map(fieldType)
    this.#writers = fields.map(chunkColumnWriter)
    this.#folder = spillTo ?? null
    this.#most = mostHeld ?? MOST_HELD
  }

  async begin(): Promise<void> {
    this.#table = await this.#session.temporaryTable(this.#fields)
    this.#appender = await this.#table.appender()
    this.#held = 0
  }

  async add(rows: readonly AnyRow[]): Promise<void> {
    for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
      this.#session.signal.throwIfAborted()
      const chunk = chunkOf(this.#types, this.#writers, { rows, start })
      this.#appender?.appendDataChunk(chunk)
      this.#held += chunk.rowCount
      this.#rows += chunk.rowCount
      if (++this.#chunks % CHUNKS_A_TURN === 0) await setImmediate()
      if (this.#folder !== null && this.#held >= this.#most) await this.#spill()
    }
  }

  async end(): Promise<StagedRows> {
    // All in files or all in memory, since readers take only one of both.
    if (this.#files.length > 0) return this.endInFiles()
    return { table: this.#close().name, rows: this.#rows, drop: () => this.drop() }
  }

  async endInFiles(): Promise<StagedRows> {
    await this.#spill()
    this.#close()
    return { table: sql`read_parquet([${join(this.#files)}])`, rows: this.#rows, drop: () => this.drop() }
  }

  async drop(): Promise<void> {
    this.#appender?.closeSync()
    this.#appender = null
    for (const path of this.#files) await rm(path, { force: true })
  }

  /** Moves the rows in memory to a file and empties the table. */
  async #spill(): Promise<void> {
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

  #close(): TemporaryTable {
    this.#appender?.closeSync()
    this.#appender = null
    return this.#table as TemporaryTable
  }
}

/** Row group size in a file of staged rows: few rows are decompressed at once. */
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
