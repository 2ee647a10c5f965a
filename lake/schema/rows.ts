import type { AnyRow, Dataset } from './dataset.ts'

/** The entity key of a row: its entity columns joined by the unit separator, which never occurs in published texts. */
export function entityKey(dataset: Dataset, row: AnyRow): string {
  const { entity } = dataset
  if (entity.length === 1) return String(row[entity[0] as string])
  let key = String(row[entity[0] as string])
  for (let at = 1; at < entity.length; at++) key += `\u001f${row[entity[at] as string]}`
  return key
}
