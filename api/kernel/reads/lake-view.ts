import type { Filter } from '../../../lake/iceberg/types.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import type { Interval, Period, SpanDays } from '../params/params-time.ts'
import type { AnyFilter, TableColumns } from './filter.ts'

/** Properties of the lake state that a query may use; never the clock. */
export interface LakeView {
  /**
   * The period with open ends closed: the end at the end of the data, the begin `span_days` before it, or at the first data for
   * `all`.
   */
  readonly period: <I extends Interval | null>(
    period: Period<I>,
    span_days: SpanDays,
    closing?: Closing,
  ) => { readonly from: number; readonly to: number; readonly interval: I }
  /** The condition of the endpoint's filters (by default all) on a table's columns; every query has to include it. */
  readonly where: (columns: TableColumns, filters?: readonly AnyFilter[]) => Sql
  /** Earliest time of the first dataset's rows, and the end of its ingested data, in ms since the epoch; null without rows. */
  readonly covered_from: number | null
  readonly covered_until: number
  /** Latest time of these rows, in ms: for archives, which land long after their time, the end of the available data. */
  readonly latest_row_at: number | null
}

/** How open ends of a period are closed and steps counted, if not by the end of landed data and Madrid's clock. */
export interface Closing {
  /** End of the data, ms. */
  readonly end?: number | null
  /** Set if days are UTC days: a plain date then means that UTC day. */
  readonly daysInUtc?: true
}

/** Rows of a dataset, by conditions that file statistics can prune. */
export interface RowsOf {
  readonly dataset: Dataset
  readonly filter: Filter
}
