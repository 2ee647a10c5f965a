import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import { circleOf, measured } from '../../kernel/params/around.ts'
import { areaOf, predicateOf } from '../../kernel/reads/filter.ts'
import { recordsNear } from '../state/spatial-index.ts'
import type { RequestValues } from './request.ts'

/** Returns the records that match an endpoint's filters, in the order of the list. */
export function selected(records: readonly AnyRow[], { filters }: Endpoint, { own }: RequestValues, now: number): readonly AnyRow[] {
  const matches = predicateOf(filters, own, now)
  if (!matches) return records
  const area = areaOf(filters, own)
  return (area ? recordsNear(records, area) : records).filter(matches)
}

/** Returns the records with their distances from the point of a search; unchanged for other requests. */
export function withDistances(records: readonly AnyRow[], { around }: Endpoint, { own }: RequestValues): readonly AnyRow[] {
  const circle = circleOf(around, own)
  return around && circle ? measured(records, around, circle) : records
}
