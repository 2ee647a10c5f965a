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

/** Rows in a temporary table of a session, typed as the columns say. */
export interface StagedRows {
  /** What stands after FROM. */
  readonly table: Sql
  readonly rows: number
  /** Set where they lie in files as a table of theirs takes them, each of rows of one version. */
  readonly files?: readonly WrittenFile[]
  /** Removes the files that rows were put into; the table can then not be read any more. */
  drop(): Promise<void>
}

/** Chunks between two pauses that let the process answer its timers and sockets. */
const CHUNKS_A_TURN = 8

/** Rows that are held in memory where more go into files. */
const MOST_HELD = 61_440

/** How rows are staged. */
export interface StageOptions {
  /** A folder in the sandbox: no more than some hundred thousand rows are held in memory; of more, all lie in files there, packed, until dropped. */
  readonly spillTo?: string
  readonly mostHeld?: number
}

/** Rows that are being staged. */
export interface Stage {
  add(rows: readonly AnyRow[]): Promise<void>
  /** What was added, readable in the session. */
  end(): Promise<StagedRows>
  /** What was added, in files, readable by every session of the engine. Only with `spillTo`. */
  endInFiles(): Promise<StagedRows>
  /** Gives up. */
  drop(): Promise<void>
}

/**
 * Puts rows into a temporary table with the physical fields of `columns`. A value that its column cannot hold exactly, or a null where one
 * is required, throws a `ValueError` that names column and value.
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

/** As `stageRows`, of rows that come one batch after the other; who begins it ends it or drops it. */
export async function beginStage(session: Session, columns: Columns, options: StageOptions = {}): Promise<Stage> {
  const stage = new OpenStage(session, physicalFields(columns), options)
  await stage.begin()
  return stage
}

/** Where rows are put: a table in memory, and files for what it held before. */
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
    // All in files or all in memory: a reader of both would take them together.
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

  /** Puts what is held into a file and begins anew. */
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
