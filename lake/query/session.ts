import {
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBListValue,
  type DuckDBMapValue,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  ResultReturnType,
  StatementType,
} from '@duckdb/node-api'
import type { Dataset } from '../schema/dataset.ts'
import type { PhysicalField } from '../schema/physical.ts'
import { aborted } from './aborted.ts'
import { isInvalidDatabase, QueryError } from './errors.ts'
import { type BucketSecret, isKeyRejection } from './httpfs.ts'
import { quoteText } from './literal.ts'
import {
  Bound,
  datasetName,
  fieldName,
  fieldType,
  join,
  type Relation,
  type Rendered,
  render,
  type Sql,
  sql,
  temporaryName,
} from './sql.ts'

/** Provides the query for each relation; its files stay readable until `release`. */
export interface Relations {
  resolve(relations: readonly Relation[], signal: AbortSignal): Promise<(relation: Relation) => Sql>
  release(): void
}

/** Columns of a result, and its rows as they arrive. */
export interface Answer {
  readonly names: readonly string[]
  readonly types: readonly DuckDBType[]
  /** The next rows; null after the last. Throws `broke-off` if DuckDB ends them early. */
  next(): Promise<DuckDBDataChunk | null>
}

/** A Parquet file that was written, with its statistics by column's name, as texts. */
export interface CopiedFile {
  readonly rows: number
  readonly bytes: number
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** A table of one session, dropped with it. */
export interface TemporaryTable {
  readonly name: Sql
  appender(): Promise<DuckDBAppender>
}

/**
 * One connection in one slot. Statements run one at a time; once `signal` is aborted each of them throws its reason, at once even
 * if the engine takes longer to stop.
 */
export class Session {
  readonly signal: AbortSignal
  readonly #connection: DuckDBConnection
  readonly #relations: Relations | null
  readonly #secret: BucketSecret | null
  readonly #invalid: () => void
  readonly #stopped: Promise<never>
  #running: Promise<unknown> = Promise.resolve()
  #temporaries = 0

  constructor(parts: {
    readonly connection: DuckDBConnection
    readonly signal: AbortSignal
    readonly relations: Relations | null
    /** Keys of a bucket with range reads; null for none. */
    readonly secret: BucketSecret | null
    /** Called when DuckDB may have invalidated the database. */
    readonly invalid: () => void
  }) {
    this.#invalid = parts.invalid
    this.#connection = parts.connection
    this.#relations = parts.relations
    this.#secret = parts.secret
    this.signal = parts.signal
    this.#stopped = aborted(this.signal)
    this.#stopped.catch(() => {})
  }

  /** Runs a statement for its effect. */
  async run(query: Sql): Promise<void> {
    const rendered = await this.#render(query)
    await this.#guard(() => this.#connection.run(rendered.text, rendered.values, rendered.types))
  }

  /** Runs one of the engine's own queries and returns its rows as DuckDB values. */
  async values(query: Sql): Promise<DuckDBValue[][]> {
    const rendered = await this.#render(query)
    const reader = await this.#guard(() => this.#connection.runAndReadAll(rendered.text, rendered.values, rendered.types))
    return reader.getRows()
  }

  /** Starts a read-only query; rows are produced as they are taken. Throws `refused` for any other statement. */
  async select(query: Sql): Promise<Answer> {
    const { text, values, types } = await this.#render(query)
    return this.#start(
      () => this.#connection.prepare(text),
      (prepared) => prepared.bind(values, types),
    )
  }

  /** Like `select`, for a person's text. Only `scripts/lake sql` may call this, since values cannot be bound. */
  async selectText(text: string): Promise<Answer> {
    return this.#start(async () => {
      const statements = await this.#connection.extractStatements(text)
      if (statements.count !== 1) throw new QueryError('refused', `one SELECT is expected, there are ${statements.count} statements`)
      return statements.prepare(0)
    })
  }

  /** The names of the tables in a person's text. */
  tableNames(text: string): readonly string[] {
    return this.#connection.getTableNames(text, false)
  }

  /** Writes a query's rows to a file in the sandbox and returns their number; `options` are COPY's, from the engine. */
  async copy(query: Sql, target: { readonly path: string; readonly options: string }): Promise<number> {
    const rendered = await this.#render(query)
    const text = `COPY (${rendered.text}) TO ${quoteText(target.path)} (${target.options})`
    const result = await this.#guard(() => this.#connection.run(text, rendered.values, rendered.types))
    return result.rowsChanged
  }

  /** Like `copy` to a Parquet file: returns its rows, its bytes and, by column's name, the texts of DuckDB's RETURN_STATS. */
  async copyParquet(query: Sql, target: { readonly path: string; readonly options: string }): Promise<CopiedFile> {
    const rendered = await this.#render(query)
    const text = `COPY (${rendered.text}) TO ${quoteText(target.path)} (FORMAT parquet, RETURN_STATS, ${target.options})`
    const reader = await this.#guard(() => this.#connection.runAndReadAll(text, rendered.values, rendered.types))
    const [[, rows, bytes, , columns] = []] = reader.getRows()
    const named = (columns as DuckDBMapValue).entries.map(({ key, value }) => {
      const texts = (value as DuckDBMapValue).entries.map((one) => [String(one.key), String(one.value)] as const)
      return [String(key).slice(1, -1).replaceAll('""', '"'), new Map(texts)] as const
    })
    return { rows: Number(rows), bytes: Number(bytes), columns: new Map(named) }
  }

  /** Enables `progress` for later statements, at a small cost. */
  async trackProgress(): Promise<void> {
    await this.#guard(() => this.#connection.run('PRAGMA enable_progress_bar'))
    await this.#guard(() => this.#connection.run('PRAGMA disable_print_progress_bar'))
  }

  /** Progress of the running statement, 0 to 1, after `trackProgress`. */
  get progress(): number {
    return Math.min(1, Math.max(0, this.#connection.progress.percentage / 100))
  }

  /** Creates an empty temporary table with the fields of a table. */
  async temporaryTable(fields: readonly PhysicalField[]): Promise<TemporaryTable> {
    const number = this.#temporaries++
    const name = temporaryName(number)
    await this.run(sql`CREATE TEMP TABLE ${name} AS ${emptyRelation(fields)}`)
    return { name, appender: () => this.#guard(() => this.#connection.createAppender(`temporary_${number}`)) }
  }

  /** Names a query after a dataset, so that a person's text can read it as a table. */
  async view(dataset: Dataset, query: Sql): Promise<void> {
    // A view cannot have bound values; those of a scan without conditions are the engine's own: paths, names, types and ids.
    const text = literalText(await this.#render(sql`CREATE TEMP VIEW ${datasetName(dataset)} AS ${query}`))
    await this.#guard(() => this.#connection.run(text))
  }

  /** Resolves when no statement is running. The engine then closes the connection. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #render(query: Sql): Promise<Rendered> {
    const relations = query.relations()
    if (relations.length === 0) return render(query, unresolved)
    if (!this.#relations) throw new Error('this session reads no datasets')
    this.signal.throwIfAborted()
    return render(query, await this.#relations.resolve(relations, this.signal))
  }

  async #start(prepare: () => Promise<DuckDBPreparedStatement>, bind?: (prepared: DuckDBPreparedStatement) => void): Promise<Answer> {
    const begin = async (): Promise<DuckDBResult> => {
      const prepared = await prepare()
      try {
        if (prepared.statementType !== StatementType.SELECT) throw new QueryError('refused', 'only SELECT is answered')
        bind?.(prepared)
        return await prepared.stream()
      } finally {
        prepared.destroySync()
      }
    }
    let result = await this.#guard(begin)
    let hasRows = false
    const first = (tries: number): Promise<DuckDBDataChunk | null> =>
      tries === 0 ? result.fetchChunk() : begin().then((again) => (result = again).fetchChunk())
    return {
      names: result.deduplicatedColumnNames(),
      types: result.columnTypes(),
      next: async () => {
        // Delivered rows cannot be taken back: only a query without any so far can restart.
        const chunk = hasRows ? await this.#once(() => result.fetchChunk()) : await this.#guard(first)
        hasRows = true
        if (chunk && chunk.rowCount > 0) return chunk
        if (result.returnType === ResultReturnType.INVALID) throw await this.#brokenOff()
        return null
      },
    }
  }

  /**
   * The error of a stream that failed. After the first rows, `fetchChunk` of node-api 1.5.6 does not throw: the stream seems to
   * end, and only its return type shows the failure.
   */
  async #brokenOff(): Promise<QueryError> {
    // An invalidated database refuses any statement and says why.
    await this.#once(() => this.#connection.run('SELECT 1'))
    return new QueryError('broke-off', 'DuckDB ended the rows of a query early, without a reason: no memory, or a file that cannot be read')
  }

  /** Runs a statement, and once more with newer keys if the store rejected the first ones. */
  async #guard<T>(work: (tries: number) => Promise<T>): Promise<T> {
    const generation = this.#secret?.generation ?? 0
    try {
      return await this.#once(() => work(0))
    } catch (error) {
      if (!this.#secret || !isKeyRejection(error) || !(await this.#secret.isRenewed(generation))) throw error
      return await this.#once(() => work(1))
    }
  }

  async #once<T>(work: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    const running = work()
    // It is reported even if nobody waits for the statement any more.
    this.#running = running.catch((error: unknown) => {
      if (isInvalidDatabase(error)) this.#invalid()
    })
    try {
      return await Promise.race([running, this.#stopped])
    } catch (error) {
      this.signal.throwIfAborted()
      if (error instanceof QueryError) throw error
      throw new QueryError('failed', error instanceof Error ? error.message : String(error), { cause: error })
    }
  }
}

/** A query without rows, with the columns and types of fields. */
export function emptyRelation(fields: readonly PhysicalField[]): Sql {
  return sql`SELECT ${join(fields.map((field) => sql`unnest(${new Bound(listValue([]), LIST(fieldType(field)))}) AS ${fieldName(field)}`))}`
}

function literalText({ text, values }: Rendered): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => literalOf(values[Number(number) - 1] as DuckDBValue))
}

function literalOf(value: DuckDBValue): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return quoteText(value)
  if (value instanceof DuckDBListValue) return `[${value.items.map(literalOf).join(', ')}]`
  throw new Error('a view can only contain texts, whole numbers and lists of them')
}

function unresolved(): never {
  throw new Error('this session reads no datasets')
}
