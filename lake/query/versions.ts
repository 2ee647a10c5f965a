import { liveFiles } from '../iceberg/files.ts'
import type { TableState } from '../iceberg/table.ts'
import type { Dataset } from '../schema/dataset.ts'
import { fieldOf } from './sql.ts'

/** A version in the table of a `replace` dataset. */
export interface Version {
  /** Its name: the value of the dataset's version column. */
  readonly name: string
  /** The earliest time of its rows, in ms since the epoch. */
  readonly from: number
}

/**
 * The versions in a table's state, by name, from manifest bounds without opening data files. Empty if the table does not exist
 * yet. Throws for a dataset without versions, and if a file has several.
 */
export async function versionsIn(state: TableState | null, dataset: Dataset): Promise<Version[]> {
  if (dataset.version === undefined) throw new Error(`${dataset.id} has no versions`)
  if (!state) return []
  const [name, time] = [fieldOf(dataset, dataset.version).id, fieldOf(dataset, dataset.time).id]
  const found = new Map<string, number>()
  for (const { key, metrics } of await liveFiles(state)) {
    const [{ lower: first, upper: last } = NOTHING, { lower: begin } = NOTHING] = [metrics.get(name), metrics.get(time)]
    if (typeof first !== 'string' || first !== last || typeof begin !== 'bigint') throw new Error(`${key} does not state a single version`)
    const from = Number(begin) / 1000
    found.set(first, Math.min(from, found.get(first) ?? from))
  }
  return [...found].map(([version, from]) => ({ name: version, from }))
}

const NOTHING = { lower: null, upper: null }
