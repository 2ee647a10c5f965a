import type { Filter } from '../../lake/iceberg/types.ts'
import type { Sql } from '../../lake/query/sql.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { AnyFilter, TableColumns } from './filter.ts'
import type { Interval, Period, SpanDays } from './params-time.ts'

/** What a lake query may know of the lake state it reads; never the clock. */
export interface LakeView {
  /** The period with its open ends closed by the end of the data, and `span_days` wide, or of all that there is, unless its begin is given. */
  readonly period: <I extends Interval | null>(
    period: Period<I>,
    span_days: SpanDays,
    closing?: Closing,
  ) => { readonly from: number; readonly to: number; readonly interval: I }
  /** The condition of the endpoint's filters, all unless given, on a table's columns; a query has to use it. */
  readonly where: (columns: TableColumns, filters?: readonly AnyFilter[]) => Sql
  /** Earliest time of the first dataset's rows, and instant up to which its data has landed, in ms since the epoch; null where it has no rows. */
  readonly covered_from: number | null
  readonly covered_until: number
  /** Latest time of these rows, in ms: of archives, whose data has landed long after it, the end of what is there. */
  readonly latest_row_at: number | null
}

/** How the open ends of a period are closed, and what steps are, where not by the end of what has landed and by Madrid. */
export interface Closing {
  /** End of the data, ms. */
  readonly end?: number | null
  /** Set where days are those of UTC: a plain date is that day of UTC too. */
  readonly daysInUtc?: true
}

/** Rows of a dataset, by conditions that the limits of its files tell. */
export interface RowsOf {
  readonly dataset: Dataset
  readonly filter: Filter
}
