import type { Dataset } from '../../lake/schema/dataset.ts'

/** The namespace that every key may read: tables of other namespaces again, under the same names. */
export const SAMPLE = 'sample'

/** Catalogues that the plan FREE lists in full, with a history of names and places; see the decision in lake/README.md. */
const SAMPLE_CATALOGUES: readonly string[] = ['fuel_stations', 'weather_stations', 'ports']

/** True if the sample has a dataset: the plan FREE has all its rows, past ones too, or it is one of the named catalogues. */
export function isSample({ id, plan }: Dataset): boolean {
  return plan.history === 'FREE' || SAMPLE_CATALOGUES.includes(id)
}
