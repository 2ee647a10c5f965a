import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { Endpoint } from '../define/endpoint.ts'
import { areaOf, predicateOf } from '../define/filter.ts'
import type { RequestValues } from './request.ts'
import { recordsNear } from './spatial-index.ts'

/** The records that an endpoint's filters select, in the order of the list. */
export function selected(records: readonly AnyRow[], { filters }: Endpoint, { own }: RequestValues, now: number): readonly AnyRow[] {
  const matches = predicateOf(filters, own, now)
  if (!matches) return records
  const area = areaOf(filters, own)
  return (area ? recordsNear(records, area) : records).filter(matches)
}
