import type { Sql } from '../../lake/query/sql.ts'
import type { Columns } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import type { LakeView, RowsOf } from './lake-view.ts'
import type { State } from './memory-read.ts'

/** The values that a parameter can have in an answer from the lake, where only the rows tell them. */
export interface LakeKnown<P> {
  /** A query of them, each once, in order, in a column `value`, at most 1000; what else is asked for may narrow them. */
  readonly values: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql
  /** What is expected, as the refusal of another value says it before it lists them. */
  readonly expected: string
  /** What is compared in place of a value; the value itself unless told. */
  readonly fold?: (value: string) => string
}

/** A list that DuckDB reads from the lake, page by page. */
export interface LakeRead<P, D extends readonly Dataset[], R> {
  readonly kind: 'lake'
  /** Datasets scanned; the first is the one whose landing the reply states. */
  readonly from: D
  /** Of a read that answers from one dataset or from another: those of `from` that a request is answered from, the first as above. All unless told. */
  readonly fromOf?: (values: P) => readonly D[number][]
  /** The datasets whose earliest row `meta.covered_from` tells, where it is not the first alone: one that goes further back. */
  readonly begins?: D
  /** The rows that `meta.covered_from` and `meta.latest_row_at` tell of, where a request is of one of several sources or studies; those of `begins` else. */
  readonly rowsOf?: (values: P) => readonly RowsOf[] | null
  /** A small query whose rows `query` is given (at most 1000): for what tells which files the answer is in. Null where a request needs none. */
  readonly first?: (values: P, lake: LakeView) => Sql | null
  /**
   * A SELECT without ORDER BY and LIMIT. Its columns are named after the fields of the record (of a point: `<name>_lat`, `<name>_lon`),
   * or, where `rows` is given, at least those that the list is ordered by are.
   */
  readonly query: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql
  /**
   * Columns of the query's rows and what makes a record of a row, where they are not its fields already. Where it does so in the row's own
   * place, `adds` names the members that it adds, so that rows have them from the start.
   */
  readonly rows?: { readonly columns: Columns; readonly adds?: readonly string[]; readonly finish: (row: never) => R }
  /**
   * Of parameters by name, what tells the values that rows have: where the list is empty, one that none has is refused. Nothing is refused
   * while there are none at all.
   */
  readonly known?: { readonly [name: string]: LakeKnown<P> }
  /**
   * Finds the thing whose history it is in the current state of a dataset, or where it is not there in rows that the lake has of it at any time
   * (`past`): an unknown thing is 404, one without rows an empty list.
   */
  readonly subject?: {
    readonly of: Dataset
    readonly find: (state: State, values: P) => boolean
    readonly past?: (values: P) => Sql
  }
  /** Queries of the lists that stand beside the list, by the names of `ListReturn.asides`: at most 1000 rows each, in order. */
  readonly asides?: { readonly [name: string]: (values: P, lake: LakeView, found: readonly AnyRow[]) => Sql }
  /** Fields left out of the reply because of what the request asks, and the parameter that asks for it. */
  readonly omit?: { readonly by: string; readonly fields: (values: P) => readonly string[] }
}
