import type { Filter } from '../../../lake/iceberg/types.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../../lake/query/sql.ts'
import type { Version } from '../../../lake/query/versions.ts'
import { type Columns, col, type RowOf } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'

/** The lake as a cached query reads it: one state of its tables. */
export interface QueryReader {
  /** The rows of a query, in batches. `columns` describes the result if it differs from the datasets' columns. */
  readonly rows: (query: Sql, columns?: Columns) => AsyncGenerator<AnyRow[]>
  /** All rows of a query, typed by `columns`, or by the named type if they are dataset columns. */
  readonly all: {
    <C extends Columns>(query: Sql, columns: C): Promise<RowOf<C>[]>
    <T = AnyRow>(query: Sql, columns?: Columns): Promise<T[]>
  }
  /** Complete versions in the tables of all these datasets. A version that is still landing is only in some of them. */
  readonly versions: (...datasets: readonly Dataset[]) => Promise<Version[]>
}

/**
 * A cached query: part of the lake in memory, read once per key and table state. For data that seldom changes, is often
 * requested and takes longer to read than a reply may take.
 */
export interface CachedQuery<T> {
  /** Unique name. */
  readonly name: string
  /** Datasets that it is read from. */
  readonly from: readonly Dataset[]
  /** Maximum keys in memory; the least recently used entry is evicted first. */
  readonly maxEntries: number
  /**
   * Keys that replies about an instant (ms) need, if any key may be requested. They are never evicted, and other keys are read
   * one at a time.
   */
  readonly present?: (now: number) => readonly string[]
  readonly read: (reader: QueryReader, key: string) => Promise<T>
}

/** Declares a cached query of the distinct values of a text column, in order; `filter` restricts the rows. */
export function distinctValues(of: {
  readonly name: string
  readonly dataset: Dataset
  readonly column: string
  readonly filter?: Filter
}): CachedQuery<ReadonlySet<string>> {
  const { name, dataset, filter } = of
  const value = column(dataset, of.column)
  return defineCachedQuery({
    name,
    from: [dataset],
    async read({ all }) {
      const query = sql`SELECT DISTINCT ${value} AS value FROM ${scan(dataset, filter)} WHERE ${value} IS NOT NULL ORDER BY value`
      return new Set((await all(query, VALUE)).map((one) => one.value))
    },
  })
}

const VALUE = { value: col.string(1, 'Value.') }

/** Makes a reader from functions that return batches of rows and table versions. */
export function queryReader(parts: Pick<QueryReader, 'rows' | 'versions'>): QueryReader {
  const all = async (query: Sql, columns?: Columns): Promise<AnyRow[]> => {
    const found: AnyRow[] = []
    for await (const batch of parts.rows(query, columns)) found.push(...batch)
    return found
  }
  return { ...parts, all: all as QueryReader['all'] }
}

/** Declares a cached query: with one entry, of the only key, unless it says how many. */
export function defineCachedQuery<T>(spec: Omit<CachedQuery<T>, 'maxEntries'> & Partial<CachedQuery<T>>): CachedQuery<T> {
  return Object.freeze({ maxEntries: 1, ...spec })
}
