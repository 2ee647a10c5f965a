import { liveFiles } from '../iceberg/files.ts'
import type { TableState } from '../iceberg/table.ts'
import type { Filter } from '../iceberg/types.ts'
import type { Dataset } from '../schema/dataset.ts'
import { fieldOf } from './sql.ts'

/** The earliest and the latest time of rows, in ms since the epoch. */
export interface RowSpan {
  readonly first: number
  readonly last: number
}

const known = new WeakMap<TableState, Map<string, Promise<RowSpan | null>>>()

/**
 * The earliest and latest row time in a table's state, from manifest bounds without opening data files; with a filter, over the
 * files that may match. Null without rows. Computed once per state.
 */
export function rowSpanOf(state: TableState, dataset: Dataset, filter: Filter = {}): Promise<RowSpan | null> {
  const spans = known.get(state) ?? new Map<string, Promise<RowSpan | null>>()
  known.set(state, spans)
  const key = JSON.stringify(filter)
  const span = spans.get(key) ?? readSpan(state, fieldOf(dataset, dataset.time).id, filter)
  spans.set(key, span)
  // A failed one is retried on the next call.
  span.catch(() => spans.delete(key))
  return span
}

/** The union of two spans, either of which may be null. */
export function spanOfBoth(one: RowSpan | null, other: RowSpan | null): RowSpan | null {
  if (!one || !other) return one ?? other
  return { first: Math.min(one.first, other.first), last: Math.max(one.last, other.last) }
}

async function readSpan(state: TableState, time: number, filter: Filter): Promise<RowSpan | null> {
  let span: RowSpan | null = null
  for (const { metrics } of await liveFiles(state, filter)) {
    const { lower, upper } = metrics.get(time) ?? { lower: null, upper: null }
    if (typeof lower === 'bigint' && typeof upper === 'bigint')
      span = spanOfBoth(span, { first: Number(lower) / 1000, last: Number(upper) / 1000 })
  }
  return span
}
