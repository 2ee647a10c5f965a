import type { AnyRow, Dataset } from '../../lake/schema/dataset.ts'

/** Rows of a `replace` dataset, by publication from the newest to the oldest: of each version those of the newest publication with it. */
export function newestOfEachVersion(dataset: Dataset, newestFirst: readonly (readonly AnyRow[])[], taken = new Set<unknown>()): AnyRow[] {
  const version = dataset.version as string
  return newestFirst.flatMap((rows) => {
    const kept = rows.filter((row) => !taken.has(row[version]))
    for (const row of kept) taken.add(row[version])
    return kept
  })
}
