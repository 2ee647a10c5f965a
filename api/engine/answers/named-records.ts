import type { Endpoint } from '../../kernel/endpoint.ts'
import type { RecordShape } from '../../kernel/fields.ts'

/** Returns the records of endpoints by name. Of a record with and without a distance, it returns the one with. */
export function namedRecords(endpoints: readonly Pick<Endpoint, 'returns' | 'around'>[]): ReadonlyMap<string, RecordShape> {
  const last = endpoints.toSorted((one, other) => Number(one.around !== null) - Number(other.around !== null))
  const records = new Map(last.map(({ returns }) => [returns.record.name, returns.record]))
  return new Map(endpoints.map(({ returns: { record } }) => [record.name, records.get(record.name) ?? record]))
}
