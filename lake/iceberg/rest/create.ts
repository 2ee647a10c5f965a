import { UpdateRefused } from '../errors.ts'
import type { TableMetadata } from '../metadata.ts'
import { fieldIds, type Json } from './client-schema.ts'
import { applyUpdates, type UpdateRules } from './updates.ts'

/** The partition field ids of a table begin above this (spec, "Partitioning"). */
const LAST_PARTITION_ID = 999
const NONE = -1

/** The updates that make a table as `createTable` of the Iceberg REST specification asks. Throws `UpdateRefused`. */
export function creatingUpdates(request: Json): Json[] {
  const { schema, 'partition-spec': spec, 'write-order': order, properties = {} } = request
  const { 'format-version': version = '2', ...others } = (properties ?? {}) as Json
  return [
    { action: 'upgrade-format-version', 'format-version': Number(version) },
    { action: 'add-schema', schema },
    { action: 'set-current-schema', 'schema-id': NONE },
    { action: 'add-spec', spec: spec ?? { fields: [] } },
    { action: 'set-default-spec', 'spec-id': NONE },
    { action: 'add-sort-order', 'sort-order': order ?? { fields: [] } },
    { action: 'set-default-sort-order', 'sort-order-id': NONE },
    { action: 'set-properties', updates: others },
  ]
}

/** The first metadata of a table of another writer. Throws as `applyUpdates`, and for one without a schema that fits. */
export async function createdMetadata(
  { uuid, location, now }: { readonly uuid: string; readonly location: string; readonly now: number },
  updates: readonly Json[],
  rules: UpdateRules,
): Promise<TableMetadata> {
  const blank: TableMetadata = {
    ...({ 'format-version': 2, 'table-uuid': uuid, location, 'last-sequence-number': 0, 'last-updated-ms': now } as const),
    ...{ 'last-column-id': 0, 'current-schema-id': NONE, schemas: [], 'default-spec-id': NONE, 'partition-specs': [] },
    ...{ 'last-partition-id': LAST_PARTITION_ID, 'default-sort-order-id': 0, 'sort-orders': [{ 'order-id': 0, fields: [] }] },
    ...{ properties: {}, snapshots: [], 'snapshot-log': [], 'metadata-log': [] },
  }
  // DuckDB states the snapshot of CREATE TABLE … AS before the schema.
  const isOfRows = ({ action }: Json): boolean => action === 'add-snapshot' || action === 'set-snapshot-ref'
  const made = await applyUpdates(
    blank,
    updates.filter((one) => !isOfRows(one)),
    rules,
  )
  const schema = made.schemas.find((one) => one['schema-id'] === made['current-schema-id'])
  if (!schema) throw new UpdateRefused('createTable', 'the table needs a schema')
  if (made['default-spec-id'] === NONE) throw new UpdateRefused('createTable', 'the table needs a partition spec, if only an empty one')
  const ids = fieldIds(schema.fields)
  const used = [...made['partition-specs'], ...made['sort-orders']].flatMap(({ fields }) => fields.map((field) => field['source-id']))
  const missing = used.find((id) => !ids.has(id))
  if (missing !== undefined) throw new UpdateRefused('createTable', `its partitions or order use field ${missing}, which it does not have`)
  return applyUpdates(made, updates.filter(isOfRows), rules)
}
