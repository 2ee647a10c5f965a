import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'
import { instantOfRow } from '../../lake/schema/partitions.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import type { IngestContext } from './context.ts'
import { holdsFrom, keysBetween } from './tables.ts'

/** Fetches whose rows are ignored, and an instant (ms) from which all rows are; null for none. */
export interface InPlace {
  readonly fetchIds: readonly string[]
  readonly from: number | null
}

/**
 * Filters observations, in order of data time, to keys that neither an earlier one nor the table has: the first of a key
 * counts. In a rebuild, rows of the rebuilt and later fetches are ignored: the rebuilt rows replace them. Rows of fetches
 * that cannot be read again are not: nothing would give them back.
 */
export async function firstOfEachKey(
  context: IngestContext,
  dataset: Dataset,
  rows: readonly AnyRow[],
  inPlace: InPlace | null = null,
): Promise<AnyRow[]> {
  const key = (row: AnyRow): string => `${entityKey(dataset, row)}\u001f${instantOfRow(row, dataset.time)}`
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const at = instantOfRow(row, dataset.time)
    from = Math.min(from, at)
    to = Math.max(to, at)
  }
  if (inPlace) to = Math.min(to, (inPlace.from ?? Number.POSITIVE_INFINITY) - 1)
  // Most batches are newer than every file, so no key can repeat.
  const overlaps = from <= to && (await holdsFrom(context, dataset, from))
  const notFrom = inPlace && { notFrom: inPlace.fetchIds }
  const taken = overlaps ? await keysBetween(context, dataset, { from, to, key, ...notFrom }) : new Set<string>()
  return rows.filter((row) => {
    const id = key(row)
    if (taken.has(id)) return false
    taken.add(id)
    return true
  })
}
