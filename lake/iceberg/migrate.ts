import { isDeepStrictEqual } from 'node:util'
import type { Dataset } from '../schema/dataset.ts'
import { MigrationError } from './errors.ts'
import { schemaOf, specOf, type TableMetadata, type TableSchema } from './metadata.ts'
import { type DeclaredTable, declaredTable, isSamePartition, schemaJson, specJson } from './schema.ts'
import type { Table, TableState } from './table.ts'
import type { TableField } from './types.ts'
import { updateTable } from './update.ts'
import { decimalOf } from './values.ts'

/**
 * Migrates a table to its dataset's declaration: adds (nullable), renames (`was`), widens (int to long, decimal to more digits),
 * relaxes and retires columns by field id; partition, order and descriptions follow. Files and snapshots stay. Throws
 * `MigrationError` for impossible changes and then changes nothing.
 */
export async function migrateTable(
  table: Table,
  dataset: Dataset,
): Promise<{ readonly state: TableState; readonly changes: readonly string[] }> {
  const declared = declaredTable(dataset)
  let changes: readonly string[] = []
  const { state } = await updateTable({
    table,
    attempt: async (base) => {
      const plan = planMigration(base.metadata, declared)
      changes = plan.changes
      return plan.changes.length === 0 ? { kind: 'nothing' } : { kind: 'change', metadata: plan.metadata }
    },
  })
  return { state, changes }
}

/**
 * Iceberg's Spark runtime up to 1.10.1 cannot read an int widened to long from files that annotate their ints, as DuckDB's do
 * (apache/iceberg#16341). Without vectorization it can.
 */
const UNVECTORIZED = Object.freeze({ 'read.parquet.vectorization.enabled': 'false' })

/** The changes from metadata to a declaration; throws `MigrationError` if impossible. */
function planMigration(
  metadata: TableMetadata,
  declared: DeclaredTable,
): { readonly metadata: TableMetadata; readonly changes: readonly string[] } {
  const schema = schemaOf(metadata)
  const refusals = [
    ...schema.fields.flatMap((field) => refusedRemoval(metadata, field, declared)),
    ...declared.fields.flatMap((field) => refusedField(metadata, field, declared)),
  ]
  if (refusals.length > 0) throw new MigrationError(metadata.location, refusals.join('; '))

  const changes = schema.fields.filter((field) => declared.retired.has(field.id)).map((field) => `retired ${field.name}`)
  // Columns of a later release or another engine stay.
  const unknown = schema.fields.filter((field) => isUnknown(field, declared))
  for (const field of declared.fields) {
    const before = schema.fields.find((other) => other.id === field.id)
    if (!before) changes.push(`added ${field.name}`)
    else if (!isDeepStrictEqual({ ...before }, { ...field })) changes.push(fieldChange(before, field))
  }
  let next = metadata
  if (
    changes.length > 0 ||
    !isDeepStrictEqual(
      schema.fields.filter((field) => !unknown.includes(field)),
      declared.fields,
    ) ||
    !isDeepStrictEqual(schema['identifier-field-ids'], declared.identifiers)
  ) {
    if (changes.length === 0) changes.push('arranged the columns')
    next = withSchema(next, { ...declared, fields: [...declared.fields, ...unknown] })
    if (widensInt(schema, declared)) next = { ...next, properties: { ...next.properties, ...UNVECTORIZED } }
  }
  if (next['last-column-id'] < declared.lastColumnId) {
    changes.push('reserved the ids of columns to come')
    next = { ...next, 'last-column-id': declared.lastColumnId }
  }
  const spec = specOf(next)
  if (!isSameSpec(spec.fields, declared.partition)) {
    changes.push(`partitioned by ${declared.partition.map((field) => field.name).join(', ') || 'nothing'}`)
    next = withSpec(next, declared)
  }
  const order = next['sort-orders'].find((one) => one['order-id'] === next['default-sort-order-id'])
  if (!isDeepStrictEqual(order?.fields ?? [], declared.order)) {
    changes.push('new sort order')
    next = withOrder(next, declared)
  }
  const properties = Object.entries(declared.properties).filter(([name, value]) => next.properties[name] !== value)
  if (properties.length > 0) {
    changes.push(`new table properties: ${properties.map(([name]) => name).join(', ')}`)
    next = { ...next, properties: { ...next.properties, ...declared.properties } }
  }
  return { metadata: next, changes }
}

/** True for a column that this release neither has nor had. */
function isUnknown({ id }: TableField, declared: DeclaredTable): boolean {
  return !declared.retired.has(id) && !declared.fields.some((other) => other.id === id)
}

function refusedRemoval(metadata: TableMetadata, field: TableField, declared: DeclaredTable): string[] {
  if (declared.fields.some((other) => other.id === field.id)) return []
  if (isUnknown(field, declared))
    return field.required ? [`column ${field.name} (field id ${field.id}) is required and not declared: no row could be written`] : []
  const spec = metadata['partition-specs'].find((one) => one.fields.some((part) => part['source-id'] === field.id))
  if (spec) return [`column ${field.name} (field id ${field.id}) cannot be retired: files are partitioned by it (spec ${spec['spec-id']})`]
  return []
}

function refusedField(metadata: TableMetadata, field: TableField, declared: DeclaredTable): string[] {
  const before = schemaOf(metadata).fields.find((other) => other.id === field.id)
  const what = `column ${field.name} (field id ${field.id})`
  if (!before) {
    const former = idOwner(metadata, field.id) ?? (typeof field.type === 'object' ? idOwner(metadata, field.type['element-id']) : null)
    if (former) return [`${what} takes an id that column ${former} had: ids are never reused`]
    const other = schemaOf(metadata).fields.find(({ id, name }) => name === field.name && !declared.fields.some((own) => own.id === id))
    if (other && isUnknown(other, declared)) return [`${what} has the name of another writer's column (field id ${other.id})`]
    return field.required ? [`${what} is new and not nullable: existing rows have no value for it`] : []
  }
  const refusals: string[] = []
  if (before.name !== field.name && !declared.was.get(field.id)?.includes(before.name))
    refusals.push(`${what} is called ${before.name} in the table: add that name to its \`was\` if it is the same column`)
  if (field.required && !before.required) refusals.push(`${what} is nullable in the table and cannot become required`)
  if (!canWiden(before.type, field.type))
    refusals.push(`${what} is ${typeText(before.type)} in the table and cannot become ${typeText(field.type)}`)
  return refusals
}

/** The name of the column that ever had an id in a schema of the table. */
function idOwner(metadata: TableMetadata, id: number): string | null {
  for (const schema of metadata.schemas)
    for (const field of schema.fields) {
      if (field.id === id) return field.name
      if (typeof field.type === 'object' && field.type['element-id'] === id) return field.name
    }
  return null
}

/** True if a type is the same or can represent every value of the other (spec, "Schema Evolution"). */
export function canWiden(from: TableField['type'], to: TableField['type']): boolean {
  if (typeof from === 'object' && typeof to === 'object')
    return (
      from['element-id'] === to['element-id'] && canWiden(from.element, to.element) && (from['element-required'] || !to['element-required'])
    )
  if (typeof from === 'object' || typeof to === 'object') return false
  const [one, other] = [decimalOf(from), decimalOf(to)]
  if (one && other) return one.scale === other.scale && one.precision <= other.precision
  return from === to || (from === 'int' && to === 'long')
}

function widensInt(schema: TableSchema, declared: DeclaredTable): boolean {
  return declared.fields.some(
    (field) => field.type === 'long' && schema.fields.some((before) => before.id === field.id && before.type === 'int'),
  )
}

function fieldChange(before: TableField, field: TableField): string {
  if (before.name !== field.name) return `renamed ${before.name} to ${field.name}`
  if (!isDeepStrictEqual(before.type, field.type)) return `widened ${field.name} from ${typeText(before.type)} to ${typeText(field.type)}`
  if (before.required !== field.required) return `made ${field.name} nullable`
  return `new description of ${field.name}`
}

function typeText(type: TableField['type']): string {
  return typeof type === 'string' ? type : `list of ${type.element}`
}

function withSchema(metadata: TableMetadata, declared: DeclaredTable): TableMetadata {
  const id = 1 + Math.max(...metadata.schemas.map((schema) => schema['schema-id']))
  return {
    ...metadata,
    'last-column-id': Math.max(metadata['last-column-id'], declared.lastColumnId),
    'current-schema-id': id,
    schemas: [...metadata.schemas, schemaJson(id, declared)],
  }
}

function withSpec(metadata: TableMetadata, declared: DeclaredTable): TableMetadata {
  const earlier = metadata['partition-specs']
  const same = earlier.find((spec) => isSameSpec(spec.fields, declared.partition))
  if (same) return { ...metadata, 'default-spec-id': same['spec-id'] }
  const id = 1 + Math.max(...earlier.map((spec) => spec['spec-id']))
  const { spec, lastPartitionId } = specJson({ id, declared, earlier, lastPartitionId: metadata['last-partition-id'] })
  return { ...metadata, 'default-spec-id': id, 'partition-specs': [...earlier, spec], 'last-partition-id': lastPartitionId }
}

/** The id of the partition spec that a dataset declares, even if it is not the table's default. Throws if there is none. */
export function declaredSpecId(metadata: TableMetadata, dataset: Dataset): number {
  const { partition } = declaredTable(dataset)
  const same = metadata['partition-specs'].find((spec) => isSameSpec(spec.fields, partition))
  if (!same)
    throw new MigrationError(metadata.location, `it is not partitioned as declared: ${partition.map(({ name }) => name).join(', ')}`)
  return same['spec-id']
}

function isSameSpec(one: DeclaredTable['partition'], other: DeclaredTable['partition']): boolean {
  return one.length === other.length && one.every((field, at) => isSamePartition(field, other[at] as (typeof other)[number]))
}

function withOrder(metadata: TableMetadata, declared: DeclaredTable): TableMetadata {
  const orders = metadata['sort-orders']
  const same = orders.find((order) => isDeepStrictEqual(order.fields, declared.order))
  if (same) return { ...metadata, 'default-sort-order-id': same['order-id'] }
  const id = 1 + Math.max(...orders.map((order) => order['order-id']))
  return { ...metadata, 'default-sort-order-id': id, 'sort-orders': [...orders, { 'order-id': id, fields: declared.order }] }
}
