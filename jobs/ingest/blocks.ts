import type { AnyRow } from '../../lake/schema/dataset.ts'

/** The blocks that a row is in, by its feed's block column: the elements of a list, once each, else the one value; none where it is null. */
export function blocksOf(row: AnyRow, column: string): string[] {
  const value = row[column]
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? [...new Set(value.map(String))] : [String(value)]
}
