import type { Dataset } from '../schema/dataset.ts'
import { inTable, type PhysicalField, physicalFields, tableColumns } from '../schema/physical.ts'
import type { PartitionSpec, SortOrder, SpecField, TableSchema } from './metadata.ts'
import type { TableField } from './types.ts'

/** A table's definition from its dataset; the table assigns the ids of schema, spec and order. */
export interface DeclaredTable {
  readonly fields: readonly TableField[]
  readonly identifiers: readonly number[]
  readonly partition: readonly Omit<SpecField, 'field-id'>[]
  readonly order: SortOrder['fields']
  /** The highest field id that only a declaration may take; columns that other engines add get later ones. */
  readonly lastColumnId: number
  /** Ids of retired columns, including their second fields. */
  readonly retired: ReadonlySet<number>
  /** Former names of a field, by its id. */
  readonly was: ReadonlyMap<number, readonly string[]>
  readonly properties: Readonly<Record<string, string>>
}

/** Ids up to here are for declared columns and the engine's, those of later releases included. */
const LAST_OWN_ID = 9_999

/**
 * Derives schema, partition, sort order and properties of a dataset's table. Throws if a key or partition column has no field.
 */
export function declaredTable(dataset: Dataset): DeclaredTable {
  const columns = tableColumns(dataset)
  const physical = physicalFields(columns)
  const all = physicalFields(columns, { retired: true })
  const fieldFor = (use: string, column: string): PhysicalField => {
    const found = physical.find((field) => field.columnName === column && field.part === null && typeof field.iceberg === 'string')
    if (!found) throw new Error(`${dataset.id}: column ${column} cannot be in the ${use}: a scalar that is not retired is needed`)
    return found
  }
  return {
    fields: physical.map((field) => ({ id: field.id, name: field.name, ...inTable(field), doc: field.doc })),
    identifiers: [...new Set([...dataset.entity, dataset.time])].map((name) => {
      const field = fieldFor('key', name)
      if (!field.required || field.iceberg === 'double')
        throw new Error(`${dataset.id}: column ${name} cannot be in the key: it must be required and no float`)
      return field.id
    }),
    partition: dataset.partition.map(({ column, transform }) => ({
      'source-id': fieldFor('partition', column).id,
      name: transform === 'identity' ? column : `${column}_${transform}`,
      transform,
    })),
    order: dataset.order.map((column) => ({
      transform: 'identity',
      'source-id': fieldFor('order', column).id,
      direction: 'asc',
      'null-order': 'nulls-last',
    })),
    lastColumnId: Math.max(LAST_OWN_ID, ...all.map((field) => Math.max(field.id, field.column.secondId))),
    retired: new Set(all.filter((field) => field.column.retired).flatMap((field) => [field.id, field.column.secondId])),
    was: new Map(physical.map((field) => [field.id, formerNames(field)])),
    properties: declaredProperties(dataset),
  }
}

/** The key of a dataset's table in the store: `lake/<namespace>/<dataset>`. The namespace defaults to the domain. */
export function tableKey(dataset: Dataset): string {
  return `lake/${dataset.namespace ?? dataset.domain}/${dataset.id}`
}

/** A schema as in a table's metadata. */
export function schemaJson(id: number, declared: DeclaredTable): TableSchema {
  return { type: 'struct', 'schema-id': id, 'identifier-field-ids': declared.identifiers, fields: declared.fields }
}

/** A partition spec of a table; fields reuse the ids of equal fields in earlier specs, or take the next free ones. */
export function specJson(options: { id: number; declared: DeclaredTable; earlier: readonly PartitionSpec[]; lastPartitionId: number }): {
  readonly spec: PartitionSpec
  readonly lastPartitionId: number
} {
  const known = options.earlier.flatMap((spec) => spec.fields)
  let last = options.lastPartitionId
  const fields = options.declared.partition.map((field) => {
    const same = known.find((other) => isSamePartition(other, field))
    return { 'source-id': field['source-id'], 'field-id': same ? same['field-id'] : ++last, name: field.name, transform: field.transform }
  })
  return { spec: { 'spec-id': options.id, fields }, lastPartitionId: last }
}

/** True if two partition fields have the same column, transform and name. */
export function isSamePartition(one: Omit<SpecField, 'field-id'>, other: Omit<SpecField, 'field-id'>): boolean {
  return one['source-id'] === other['source-id'] && one.transform === other.transform && one.name === other.name
}

function formerNames(field: PhysicalField): string[] {
  const suffix = field.part ? `_${field.part}` : ''
  return (field.column.was ?? []).map((name) => `${name}${suffix}`)
}

function declaredProperties(dataset: Dataset): Record<string, string> {
  const each = (text: (source: Dataset['sources'][number]) => string): string => [...new Set(dataset.sources.map(text))].join('; ')
  return {
    // Other engines must not expire snapshots or remove orphans: only this service knows the files in use.
    'gc.enabled': 'false',
    title: dataset.title,
    comment: dataset.about,
    publisher: each((source) => source.publisher),
    licence: each((source) => source.licence),
    'licence-url': each((source) => source.licence_url),
    attribution: each((source) => source.attribution),
  }
}
