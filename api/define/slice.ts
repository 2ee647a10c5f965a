import type { Filter } from '../../lake/iceberg/types.ts'
import { scan } from '../../lake/query/scan.ts'
import { column, type Sql, sql } from '../../lake/query/sql.ts'
import type { Version } from '../../lake/query/versions.ts'
import { type Columns, col, type RowOf } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'

/** The lake as a slice reads it: one state of its tables. */
export interface SliceReader {
  /** The rows of a query, in batches as they are made; `columns` are those of the answer where they are not their datasets'. */
  readonly rows: (query: Sql, columns?: Columns) => AsyncGenerator<AnyRow[]>
  /** All rows of a query: typed by `columns`, or, where they are their datasets', by the type that is named. */
  readonly all: {
    <C extends Columns>(query: Sql, columns: C): Promise<RowOf<C>[]>
    <T = AnyRow>(query: Sql, columns?: Columns): Promise<T[]>
  }
  /** The whole versions that the tables of all of these datasets hold: one that is landing is in some of them only. */
  readonly versions: (...datasets: readonly Dataset[]) => Promise<Version[]>
}

/**
 * A part of the lake that the API keeps in memory, ready for its endpoints: read once for each key and state of the tables, for what
 * changes seldom, is asked for often and takes longer to read than an answer may.
 */
export interface Slice<T> {
  /** Its name among all slices. */
  readonly name: string
  /** Datasets that it is read from. */
  readonly from: readonly Dataset[]
  /** Keys of which it is kept; those not asked for longest go first. */
  readonly most: number
  /**
   * The keys that answers about an instant (ms) need, for a slice of which any other may be asked for: those of the present stay whatever
   * else is asked for, and what else is asked for is read one after the other.
   */
  readonly present?: (now: number) => readonly string[]
  readonly read: (reader: SliceReader, key: string) => Promise<T>
}

/** Declares the slice of the different values that a column of texts has, in order: of all rows, or of those that `filter` leaves. */
export function valuesSlice(of: {
  readonly name: string
  readonly dataset: Dataset
  readonly column: string
  readonly filter?: Filter
}): Slice<ReadonlySet<string>> {
  const { name, dataset, filter } = of
  const value = column(dataset, of.column)
  return defineSlice({
    name,
    from: [dataset],
    most: 1,
    async read({ all }) {
      const query = sql`SELECT DISTINCT ${value} AS value FROM ${scan(dataset, filter)} WHERE ${value} IS NOT NULL ORDER BY value`
      return new Set((await all(query, VALUE)).map((one) => one.value))
    },
  })
}

const VALUE = { value: col.string(1, 'Value.') }

/** A reader of slices, by what gives rows in batches and the versions of tables. */
export function sliceReader(parts: Pick<SliceReader, 'rows' | 'versions'>): SliceReader {
  const all = async (query: Sql, columns?: Columns): Promise<AnyRow[]> => {
    const found: AnyRow[] = []
    for await (const batch of parts.rows(query, columns)) found.push(...batch)
    return found
  }
  return { ...parts, all: all as SliceReader['all'] }
}

/** Declares a slice. */
export function defineSlice<T>(spec: Slice<T>): Slice<T> {
  return Object.freeze(spec)
}
