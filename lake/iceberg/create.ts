import { randomUUID } from 'node:crypto'
import type { Dataset } from '../schema/dataset.ts'
import type { ObjectStore } from '../store/store.ts'
import { metadataBytes, type TableMetadata } from './metadata.ts'
import { declaredTable, schemaJson, specJson, tableKey } from './schema.ts'
import { openTable, type Table, type TableState, tableUri, versionKey } from './table.ts'
import { writeHint } from './update.ts'

/** The partition field ids of a table begin above this (spec, "Partitioning"). */
const LAST_PARTITION_ID = 999

/**
 * Creates the table of a dataset if it does not exist, and loads it. Title, licence and attribution become table properties;
 * `properties` adds more, mainly the source mode (`source-mode`). An existing table is unchanged: see `migrateTable`.
 */
export async function createTable(options: {
  store: ObjectStore
  dataset: Dataset
  properties: Readonly<Record<string, string>>
  clock?: () => number
}): Promise<TableState> {
  const { store, dataset, properties, clock = Date.now } = options
  const table = openTable({ store, key: tableKey(dataset), clock })
  const found = await table.load()
  if (found) return found
  const metadata = firstMetadata({ table, dataset, properties })
  if (await store.putIfAbsent(versionKey(table.key, 1), metadataBytes(metadata)))
    await writeHint(table, { version: 1, committed_at: clock() })
  const created = await table.load()
  if (!created) throw new Error(`table ${table.key} was created and is not there`)
  return created
}

function firstMetadata(options: { table: Table; dataset: Dataset; properties: Readonly<Record<string, string>> }): TableMetadata {
  const { table, dataset } = options
  const declared = declaredTable(dataset)
  const { spec, lastPartitionId } = specJson({ id: 0, declared, earlier: [], lastPartitionId: LAST_PARTITION_ID })
  const isSorted = declared.order.length > 0
  return {
    'format-version': 2,
    'table-uuid': randomUUID(),
    location: tableUri(table),
    'last-sequence-number': 0,
    'last-updated-ms': table.clock(),
    'last-column-id': declared.lastColumnId,
    'current-schema-id': 0,
    schemas: [schemaJson(0, declared)],
    'default-spec-id': 0,
    'partition-specs': [spec],
    'last-partition-id': lastPartitionId,
    // Order 0 is "unsorted" in every table (spec, "Sorting").
    'default-sort-order-id': isSorted ? 1 : 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }, ...(isSorted ? [{ 'order-id': 1, fields: declared.order }] : [])],
    properties: { ...declared.properties, ...options.properties },
    snapshots: [],
    'snapshot-log': [],
    'metadata-log': [],
  }
}
