import type { Sql } from '../../../lake/query/sql.ts'
import type { Columns } from '../../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import type { LakeView, RowsOf } from './lake-view.ts'
import type { State } from './memory-read.ts'
import type { Omission } from './omission.ts'

/** The allowed values of a parameter, where only the rows of the lake show them. */
export interface LakeKnown<P> {
  /** Selects the allowed values: distinct, ordered, in a column `value`, at most 1000. Other parameters may narrow them. */
  readonly values: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql
  /** What a value should be, in words. The error for another value shows this before the list. */
  readonly expected: string
  /** Normalises values before they are compared. The default compares them as they are. */
  readonly fold?: (value: string) => string
}

/** A list that DuckDB reads from the lake, page by page. */
export interface LakeRead<P, D extends readonly Dataset[], R> {
  readonly kind: 'lake'
  /** The datasets that are scanned. The reply's `updated_at` is that of the first. */
  readonly from: D
  /** The datasets of `from` that a request needs; all of them by default. */
  readonly fromOf?: (values: P) => readonly D[number][]
  /** The datasets that `meta.covered_from` covers; the first of `from` by default. */
  readonly coverageOf?: D
  /** The rows that `meta.covered_from` and `meta.latest_row_at` describe, if a request selects one of several sources. */
  readonly coverageRows?: (values: P) => readonly RowsOf[] | null
  /**
   * A query that runs first. `query` gets its rows, at most 1000, for example to select the files to scan. Null if none is
   * needed.
   */
  readonly prequery?: (values: P, lake: LakeView) => Sql | null
  /**
   * A SELECT without ORDER BY and LIMIT. Its columns have the names of the record's fields; a point has `<name>_lat` and
   * `<name>_lon`. If `rows` is set, only the columns that the list is ordered by need these names.
   */
  readonly query: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql
  /**
   * The columns of the query's rows, and a function that makes a record from a row, if the rows are not records already. A
   * function that changes the row in place names the members that it adds in `adds`, so that every row has the same shape from
   * the start.
   */
  readonly rows?: { readonly columns: Columns; readonly adds?: readonly string[]; readonly finish: (row: never) => R }
  /**
   * Parameters whose allowed values come from the rows. If the list is empty and no row has the given value, the request is
   * rejected. Nothing is rejected while there are no values at all.
   */
  readonly existingValues?: { readonly [name: string]: LakeKnown<P> }
  /**
   * Finds the thing whose history is listed: in the current state of a dataset, else by `past` in rows of any time. An unknown
   * thing is 404, a known one without rows is an empty list.
   */
  readonly existenceCheck?: {
    readonly of: Dataset
    readonly find: (state: State, values: P) => boolean
    readonly past?: (values: P) => Sql
  }
  /** Queries for the additional lists of the reply, by the names of `ListReturn.asides`: at most 1000 rows each, in order. */
  readonly sideQueries?: { readonly [name: string]: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql }
  readonly omit?: Omission<P>
}
