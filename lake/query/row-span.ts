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
 * The earliest and the latest time of the rows of a table's state; told from the limits that its manifests state, without opening a data
 * file. With a filter those of the files that may have such rows, by what their limits say. Null for a table without rows. Asked once for each state.
 */
export function rowSpanOf(state: TableState, dataset: Dataset, filter: Filter = {}): Promise<RowSpan | null> {
  const spans = known.get(state) ?? new Map<string, Promise<RowSpan | null>>()
  known.set(state, spans)
  const key = JSON.stringify(filter)
  const span = spans.get(key) ?? readSpan(state, fieldOf(dataset, dataset.time).id, filter)
  spans.set(key, span)
  // One that could not be read is asked for again.
  span.catch(() => spans.delete(key))
  return span
}

/** The earliest and the latest time of two spans, each of which may be none. */
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
