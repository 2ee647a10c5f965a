import type { Endpoint } from '../define/endpoint.ts'
import type { RecordShape } from '../define/fields.ts'

/** The records of endpoints by their names; of a record with and without a distance, the one that has it. */
export function namedRecords(endpoints: readonly Pick<Endpoint, 'returns' | 'around'>[]): ReadonlyMap<string, RecordShape> {
  const last = endpoints.toSorted((one, other) => Number(one.around !== null) - Number(other.around !== null))
  const records = new Map(last.map(({ returns }) => [returns.record.name, returns.record]))
  return new Map(endpoints.map(({ returns: { record } }) => [record.name, records.get(record.name) ?? record]))
}
