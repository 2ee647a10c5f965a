import { liveFiles } from '../iceberg/files.ts'
import type { TableState } from '../iceberg/table.ts'
import type { Dataset } from '../schema/dataset.ts'
import { fieldOf } from './sql.ts'

const known = new WeakMap<TableState, Promise<number | null>>()

/**
 * The earliest time of the rows of a table's state, in ms since the epoch; told from the limits that its manifests state, without opening a
 * data file. Null for a table without rows. Asked once for each state.
 */
export function beginOf(state: TableState, dataset: Dataset): Promise<number | null> {
  const begin = known.get(state) ?? earliest(state, fieldOf(dataset, dataset.time).id)
  known.set(state, begin)
  // One that could not be read is asked for again.
  begin.catch(() => known.delete(state))
  return begin
}

async function earliest(state: TableState, time: number): Promise<number | null> {
  let first: number | null = null
  for (const { metrics } of await liveFiles(state)) {
    const lower = metrics.get(time)?.lower
    if (typeof lower === 'bigint') first = Math.min(first ?? Number.POSITIVE_INFINITY, Number(lower) / 1000)
  }
  return first
}
